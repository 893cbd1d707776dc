#include <spdlog/spdlog.h>

#include <exception>
#include <new>
#include <optional>

#include <fmt/format.h>

#include "app/command_line.hpp"
#include "app/terminal/deliver.hpp"
#include "app/terminal/log.hpp"
#include "app/terminal/signals.hpp"
#include "poet/error.hpp"

namespace {

using namespace poet::cli;
using poet::ExitCode;

/// The only place that catches everything. Each kind of error has one exit status.
ExitCode run_caught(int argc, char** argv) {
  Session session;
  bool log_failed = false;
  std::optional<CommandLine> line;
  // What can be said of the failure depends on how far the run came: the destination is known once
  // the command line is read, the problem as far as the command has read it.
  const auto fail = [&](ExitCode code, const std::string& message) {
    const auto to = line ? line->error_destination() : std::nullopt;
    return deliver_failure(code, message, to, session.problem);
  };
  try {
    const Run run = line.emplace(argc, argv).parse(session);
    if (!run) return ExitCode::ok;
    start_log(session, &log_failed);
    const ExitCode code = run(session);
    spdlog::default_logger()->flush();
    return log_failed && code == ExitCode::ok ? ExitCode::usage : code;
  } catch (const poet::InputError& error) {
    return fail(ExitCode::usage, error.what());
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::internal, "out of memory");
  } catch (const std::exception& error) {
    return fail(ExitCode::internal, fmt::format("internal error: {}", error.what()));
  }
}

}  // namespace

// There is a log before the command line is read, as the first thing to report may be a fault in
// it.
int main(int argc, char** argv) {
  set_up_process();
  start_log({});
  const ExitCode code = run_caught(argc, argv);
  spdlog::shutdown();
  return static_cast<int>(code);
}
