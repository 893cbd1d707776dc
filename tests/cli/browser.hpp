#pragma once

#include <string>

#include "cli/poet_solve.hpp"

namespace poet::test {

/// Tests that open files of ours in a browser; they are skipped without one.
class BrowserTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string(POET_CHROMIUM).empty()) GTEST_SKIP() << "no chromium: nothing is opened";
  }

  /// Its document after the scripts have run is on stdout, its console on stderr.
  Finished browse(const std::string& path, const Words& more = {}) const {
    return run_program({.program = POET_CHROMIUM,
                        .arguments = Words{"--headless", "--no-sandbox", "--disable-gpu",
                                           "--disable-extensions", "--enable-logging=stderr",
                                           "--user-data-dir=" + folder_.file("profile")} +
                                     more + Words{"--dump-dom", "file://" + path},
                        .kill_after_seconds = 60});
  }

  TemporaryFolder folder_;
};

}  // namespace poet::test
