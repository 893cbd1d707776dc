// FILE.partial keeps each finished point as a line, appended and whole, until FILE is in place. So
// nothing is lost by a crash, and FILE never holds half a sweep. A failure is not kept: a resumed
// run shall try that point again. The request goes first, as the lines mean nothing without the
// grid that they number; settings that change later are a line of their own.
//
// A finished sweep keeps its journal as FILE.request, since rows have figures and no schedules: to
// go on is then the same for both kinds. Its last line has the digest of FILE, because another
// sweep can have written FILE since, to stdout or without a journal. FILE is in place before the
// journal gets its other name, so that a crash between the two leaves FILE.partial, which counts.

#include "runs/sweep_journal.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "base/files/paths.hpp"
#include "base/sha256.hpp"
#include "formats/read_results.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

namespace fs = std::filesystem;

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// Devices and pipes have no place for a file beside them.
bool wants_journal(const std::string& output) {
  return !output.empty() && !is_special_file(output);
}

}  // namespace

std::string request_path(const std::string& output) {
  return output + ".request";
}

std::string journal_path(const std::string& output) {
  return output + ".partial";
}

void check_journal(const std::string& output) {
  if (!wants_journal(output)) return;
  const std::string path = journal_path(output);
  if (exists(path)) {
    throw InputError("--output",
                     fmt::format("'{}' keeps the finished points of an earlier sweep; --resume {} "
                                 "goes on with it; remove it to start anew",
                                 path, output));
  }
  check_writable(path);
}

SweepJournal SweepJournal::reopen(const std::string& output) {
  SweepJournal journal;
  std::string path = journal_path(output);
  if (!exists(path) && exists(output)) path = request_path(output);
  if (!exists(path)) return journal;
  journal.program_ = program_sha256();
  journal.journal_ = std::make_unique<Journal>(Journal::reopen(path));
  // A crash before the first line was whole leaves a journal that says nothing.
  if (!journal.journal_->lines().empty()) {
    journal.earlier_ = read_journal(journal.journal_->lines(), path);
  }
  return journal;
}

void SweepJournal::expect_result(const std::string& output) const {
  const std::string path = request_path(output);
  const char* const anew = "expected the one that the sweep left; solve anew with --output";
  if (!earlier_) throw InputError(fmt::format("there is no '{}' to go on with; {}", path, anew));
  if (earlier_->result_sha256.empty()) {
    throw InputError(path, fmt::format("found no results, as older versions left it; {}", anew));
  }
  if (earlier_->result_sha256 != sha256_hex(read_file(output, kMaxResultBytes))) {
    throw InputError(path, fmt::format("'{}' is not the result of this sweep; {}", output, anew));
  }
}

void SweepJournal::begin(const std::string& output, const SweepRequest& request) {
  if (earlier_) {
    journal_->rename(journal_path(output));
    if (earlier_->request.settings == request.settings) return;
    journal_->append(journal_change(request));
    earlier_->go_on_with(request);
    return;
  }
  if (!wants_journal(output)) return;
  program_ = program_sha256();
  const std::string head = journal_head(request);
  if (journal_) {
    journal_->append(head);
  } else {
    journal_ = std::make_unique<Journal>(Journal::create(journal_path(output), head));
  }
}

void SweepJournal::keep(int task, const std::string& graph_sha256, const MinRam& found) {
  if (journal_ && found.failure.empty()) {
    journal_->append(journal_line(task, from(graph_sha256), found));
  }
}

void SweepJournal::keep(int point, const std::string& graph_sha256, Bytes ram_budget_bytes,
                        const SweepOutcome& outcome) {
  if (journal_ && outcome.failure.empty()) {
    journal_->append(journal_line(point, from(graph_sha256), ram_budget_bytes, outcome));
  }
}

void SweepJournal::finish(const std::string& output, const std::string& result) {
  if (!journal_) return;
  journal_->append(journal_end(sha256_hex(result)));
  journal_->rename(request_path(output));
  journal_.reset();
}

void SweepJournal::discard() {
  std::error_code ignored;
  if (journal_) fs::remove(journal_->path(), ignored);
  journal_.reset();
}

}  // namespace poet
