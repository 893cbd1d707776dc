// The log, by spdlog, which no other folder knows: the library reports progress and findings to
// callbacks. A log file has times, and all lines down to the debugging ones: --quiet and
// --verbose are about stderr.

#include "app/terminal/log.hpp"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "poet/error.hpp"

namespace poet::cli {

bool stderr_is_terminal() {
  return ::isatty(STDERR_FILENO) == 1;
}

namespace {

spdlog::sink_ptr file_sink(const std::string& path) {
  try {
    check_writable(path);
    auto file = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path, true);
    file->set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
    file->set_level(spdlog::level::debug);
    return file;
  } catch (const InputError& error) {
    throw InputError("--log-file", error.what());
  } catch (const spdlog::spdlog_ex& error) {
    throw InputError("--log-file", error.what());
  }
}

}  // namespace

/// The log goes to stderr and to --log-file, never to stdout, which is the result's alone.
void start_log(const Session& session, bool* failed) {
  const bool colours = stderr_is_terminal() && std::getenv("NO_COLOR") == nullptr;
  auto console = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(
      colours ? spdlog::color_mode::always : spdlog::color_mode::never);
  console->set_pattern("poet-solve: %^%l%$: %v");
  console->set_level(session.quiet     ? spdlog::level::err
                     : session.verbose ? spdlog::level::debug
                                       : spdlog::level::info);
  std::vector<spdlog::sink_ptr> sinks{console};
  if (!session.log_file.empty()) sinks.push_back(file_sink(session.log_file));
  auto logger = std::make_shared<spdlog::logger>("poet-solve", sinks.begin(), sinks.end());
  logger->set_level(spdlog::level::debug);
  logger->flush_on(spdlog::level::info);
  logger->set_error_handler([failed](const std::string& error) {
    if (failed == nullptr || *failed) return;
    *failed = true;
    fmt::print(stderr, "poet-solve: error: --log-file: {}\n", error);
  });
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace poet::cli
