#pragma once

#include <memory>
#include <string>

#include "base/files/append_log.hpp"
#include "formats/journal.hpp"
#include "poet/min_ram.hpp"
#include "poet/sweep.hpp"
#include "sweep/request.hpp"

namespace poet {

/// The journal beside the file that a sweep is to write, FILE.partial: it keeps what is finished
/// until FILE is in place. Then it is FILE.request, with which the sweep can go on with other
/// settings. A sweep to stdout, or to something else than a regular file, has none.
class SweepJournal {
 public:
  /// No journal.
  SweepJournal() = default;
  /// The journal of an interrupted sweep to `output`, or of a finished one, locked; without one if
  /// none is there.
  static SweepJournal reopen(const std::string& output);

  /// What this run finds comes from: this program, and a graph.
  Provenance from(const std::string& graph_sha256) const {
    return {.program_sha256 = program_, .graph_sha256 = graph_sha256};
  }

  /// What an earlier run has left, if one has.
  const std::optional<JournalContents>& earlier() const { return earlier_; }
  /// Where it is; empty without one.
  std::string path() const { return journal_ ? journal_->path() : std::string(); }
  /// Throws InputError unless the journal belongs to the finished result in `output`.
  void expect_result(const std::string& output) const;
  /// Begins a new one if none was reopened; in one that was, notes settings that have changed.
  /// Throws InputError if a journal is there that nobody asked to resume.
  void begin(const std::string& output, const SweepRequest& request);

  bool active() const { return journal_ != nullptr; }
  void keep(int task, const std::string& graph_sha256, const MinRam& found);
  void keep(int point, const std::string& graph_sha256, Bytes ram_budget_bytes,
            const SweepOutcome& outcome);
  /// The result, this text, is in place. Throws InputError if the journal cannot be renamed.
  void finish(const std::string& output, const std::string& result);
  /// Removes it: all is written, and nothing is to go on.
  void discard();

 private:
  std::string program_;  ///< its digest; empty without a journal
  std::unique_ptr<Journal> journal_;
  std::optional<JournalContents> earlier_;
};

/// Throws InputError if a new sweep to `output` would find a journal in its way or could not write
/// one.
void check_journal(const std::string& output);

/// `curve.jsonl` -> `curve.jsonl.request`
std::string request_path(const std::string& output);
/// `curve.jsonl` -> `curve.jsonl.partial`
std::string journal_path(const std::string& output);

}  // namespace poet
