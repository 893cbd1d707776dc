#pragma once

#include <string>
#include <string_view>

#include "poet/question.hpp"
#include "poet/sweep.hpp"
#include "sweep/request.hpp"

namespace poet {

/// Replaces `all` by the names of this build.
void spell_out(SweepRequest& request);

/// A subject of what is loaded. Throws InputError, naming the option, for a model that needs a
/// platform and has none, and for transfers that are charged and take an unknown time.
Subject priced(const Model& model, const std::optional<Platform>& platform,
               const Question& question, const char* platform_option = "--platform");

/// What --order takes beside the words for OrderKind and files.
inline constexpr std::string_view kEarlyUpdatesOrder = "early-updates";

/// A subject in the order that a value of --order names: kEarlyUpdatesOrder, or a file with this
/// text. Throws InputError.
Subject in_stated_order(const Subject& given, const std::string& name, const std::string& text);

/// Loads every model and platform and reads every list, and fills in the digests of the request.
/// Throws InputError, naming the option, for anything that is missing or wrong: after this only a
/// solve can fail.
SweepGrid load_grid(SweepRequest& request);

}  // namespace poet
