// FILE.partial keeps each finished point as a line, appended and whole, until FILE is in place. So
// nothing is lost by a crash, and FILE never holds half a sweep. A failure is not kept: a resumed
// run shall try that point again. The request goes first, as the lines mean nothing without the
// grid that they number; settings that change later are a line of their own.

#include "runs/sweep_journal.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "base/sha256.hpp"
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
  std::error_code ignored;
  return !output.empty() && (!exists(output) || fs::is_regular_file(output, ignored));
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

std::optional<SweepRequest> finished_request(const std::string& output) {
  const std::string path = request_path(output);
  if (!exists(path)) return std::nullopt;
  std::string line = read_file(path);
  while (line.ends_with('\n')) line.pop_back();
  return read_journal({line}, path).request;
}

SweepJournal SweepJournal::reopen(const std::string& output) {
  SweepJournal journal;
  const std::string path = journal_path(output);
  if (!exists(path)) return journal;
  journal.program_ = program_sha256();
  journal.journal_ = std::make_unique<Journal>(Journal::reopen(path));
  // A crash before the first line was whole leaves a journal that says nothing.
  if (!journal.journal_->lines().empty()) {
    journal.earlier_ = read_journal(journal.journal_->lines(), path);
  }
  return journal;
}

void SweepJournal::begin(const std::string& output, const SweepRequest& request) {
  if (earlier_) {
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

void SweepJournal::finish(const std::string& output, const SweepRequest& request) {
  if (!journal_) return;
  SweepRequest stated = request;
  stated.continues.reset();
  journal_->remove();
  journal_.reset();
  write_file(request_path(output), journal_head(stated) + "\n");
}

}  // namespace poet
