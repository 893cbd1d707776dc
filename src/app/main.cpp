#include <spdlog/spdlog.h>

#include <exception>
#include <new>
#include <string>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/log.hpp"
#include "app/process_setup.hpp"
#include "poet/error.hpp"

namespace {

using namespace poet::cli;
using poet::ExitCode;
using poet::ProblemInfo;

Outcome run(const Options& options, ProblemInfo& problem) {
  switch (options.command) {
    case Command::import_solution:
      return run_import_solution(options, problem);
    case Command::import_network:
      return run_import(options);
    case Command::info:
      return run_info(options, problem);
    case Command::verify:
      return run_verify(options);
    case Command::plot:
      return run_plot(options);
    case Command::simulate:
      return run_simulate(options);
    case Command::place:
      return run_place(options);
    case Command::run:
      return run_run(options);
    case Command::export_code:
      return run_export(options);
    case Command::fit:
      return run_fit(options);
    case Command::sweep:
      if (options.baselines.of_sweep) return run_baselines_command(options);
      return run_sweep_command(options);
    case Command::baselines:
      return run_baselines_command(options);
    case Command::compare:
      return run_compare(options);
    case Command::solve:
      break;
  }
  if (options.list_models || options.list_platforms || options.list_ops) return run_list(options);
  return run_solve(options, problem);
}

/// The only place that catches everything. Each kind of error has one exit status.
Outcome run_caught(int argc, char** argv, Options& options, ProblemInfo& problem) {
  try {
    if (!parse(argc, argv, options)) return {};
    start_log(options);
    return run(options, problem);
  } catch (const poet::InputError& error) {
    return failure(ExitCode::usage, error.what(), options, problem);
  } catch (const std::bad_alloc&) {
    return failure(ExitCode::internal, "out of memory", options, problem);
  } catch (const std::exception& error) {
    return failure(ExitCode::internal, fmt::format("internal error: {}", error.what()), options,
                   problem);
  }
}

}  // namespace

int main(int argc, char** argv) {
  set_up_process();
  start_log({});
  Options options;
  ProblemInfo problem;
  const Outcome outcome = run_caught(argc, argv, options, problem);
  const ExitCode code = deliver(outcome, options, problem);
  spdlog::shutdown();
  return static_cast<int>(code);
}
