#pragma once

#include <cstdint>

#include "poet/schedule.hpp"
#include "process/packer.hpp"
#include "solver/bounds/count_search.hpp"

namespace poet {

/// What the child process of the search on counts tells its caller: first in a message comes its
/// tag, then what follows here.
enum class CountMessage {
  progress,  ///< the bound and the nodes so far
  schedule,
  result,
};

Message progress_message(double bound, std::int64_t nodes);
Message schedule_message(const Schedule& schedule);
Message result_message(const CountSearchResult& result);

/// What comes after the tag.
Schedule get_schedule(Unpacker& unpacker);
CountSearchResult get_result(Unpacker& unpacker);

}  // namespace poet
