// Copies that a user states, from info to a schedule that is verified, placed and given back.
#include <fmt/format.h>

#include "cli/poet_solve.hpp"
#include "support/temporary_folder.hpp"

namespace poet::test {
namespace {

class StatedCopies : public testing::Test {
 protected:
  std::string written(const std::string& name, const json& document) const {
    return folder_.write(name, document.dump());
  }

  /// The schedule of a small network with these copies.
  json solved(const std::string& copies) const {
    return document(
        poet_solve(problem("ds_cnn", "m4", "100%", "1.5") +
                   Words{"--backward", "exact", "--effort", "fast", "--copies", copies}));
  }

  static json all_copies() {
    const Words info{"info", "ds_cnn", "--backward", "exact", "--json", "--copies", "int8"};
    return document(poet_solve(info)).at("model").at("copies");
  }

  TemporaryFolder folder_;
};

TEST_F(StatedCopies, InfoListsWhatEachSaves) {
  const Words info{"info", "ds_cnn", "--backward", "exact", "--platform", "m4"};
  const json off = document(poet_solve(info + Words{"--json"}));
  EXPECT_FALSE(off.contains("copied_tensors"));
  EXPECT_FALSE(off.at("model").contains("copies"));
  EXPECT_EQ(off, document(poet_solve(info + Words{"--json", "--copies", "off"})));
  const json all = document(poet_solve(info + Words{"--json", "--copies", "int8"}));
  EXPECT_EQ(all.at("model").at("copies").at("mode"), "int8");
  ASSERT_EQ(all.at("copied_tensors").size(), all.at("model").at("copies").at("tensors").size());
  ASSERT_FALSE(all.at("copied_tensors").empty());
  for (const json& each : all.at("copied_tensors")) {
    EXPECT_LT(each.at("copy_bytes"), each.at("bytes")) << each;
  }
  EXPECT_LT(all.at("baseline_peak_ram_bytes"), off.at("baseline_peak_ram_bytes"));
  EXPECT_THAT(poet_solve(info + Words{"--copies", "exact"}).out, HasSubstr("copied tensor"));
}

TEST_F(StatedCopies, AScheduleStatesThemAndGivesThemBack) {
  json copies = all_copies();
  EXPECT_EQ(copies.at("tensors").size(), 20U);
  // No search chooses it.
  copies["tensors"].insert(copies["tensors"].begin() + 3, "stem.dropout");
  const json file = solved(written("copies.json", copies));
  EXPECT_EQ(file.at("model").at("copies"), copies);
  EXPECT_EQ(file.at("version"), 2);
  const std::string path = written("schedule.json", file);
  const Words verify{"verify", path, "--model", "ds_cnn", "--platform", "m4"};
  EXPECT_EQ(poet_solve(verify).status, 0) << poet_solve(verify).err;
  EXPECT_EQ(document(poet_solve({"place", path})).at("model").at("copies"), copies);
  EXPECT_THAT(poet_solve({"plot", path}).out,
              HasSubstr(fmt::format(", {} of them int8 copies for gradients",
                                    copies.at("tensors").size())));
  EXPECT_EQ(solved(path).at("nodes"), file.at("nodes"));
}

TEST_F(StatedCopies, AChangedListIsFound) {
  json file = solved(written("copies.json", all_copies()));
  const auto findings = [&](const json& changed) {
    const Finished run = poet_solve({"verify", "-"}, changed.dump());
    EXPECT_EQ(run.status, 5);
    return run.err;
  };
  json one_less = file;
  one_less["model"]["copies"]["tensors"].erase(0);
  EXPECT_THAT(findings(one_less), HasSubstr("is a copy that is not stated"));
  json none = file;
  none["model"].erase("copies");
  EXPECT_THAT(findings(none), HasSubstr("is a copy that is not stated"));
  json other = file;
  other["model"]["copies"]["mode"] = "exact";
  EXPECT_THAT(findings(other), HasSubstr("no node is a copy of"));
  json unknown = file;
  unknown["model"]["copies"]["tensors"].push_back("q");
  EXPECT_THAT(findings(unknown), HasSubstr("no node is a copy of 'q'"));
}

TEST_F(StatedCopies, WhatCannotBeIsAnError) {
  const auto error = [&](const std::string& model, const json& copies, const char* backward) {
    const Finished run = poet_solve(
        {"info", model, "--backward", backward, "--copies", written("copies.json", copies)});
    EXPECT_EQ(run.status, 2);
    return run.err;
  };
  const json one = {{"mode", "int8"}, {"tensors", {"q"}}};
  EXPECT_THAT(error("ds_cnn", one, "exact"), HasSubstr("--copies: found 'q', expected a tensor"));
  EXPECT_THAT(error("resnet18_cifar", one, "poet-chain"),
              HasSubstr("copies need an exact model of layers"));
  EXPECT_THAT(error("ds_cnn", one, "none"), HasSubstr("copies need an exact model of layers"));
  const json off = {{"mode", "off"}, {"tensors", {"q"}}};
  EXPECT_THAT(error("ds_cnn", off, "exact"), HasSubstr("exact or int8"));
  const json empty = {{"mode", "int8"}, {"tensors", json::array()}};
  EXPECT_THAT(error("ds_cnn", empty, "exact"), HasSubstr("at least one tensor"));
  const Finished measured =
      poet_solve({"info", "-", "--copies", written("copies.json", one)}, measured_model());
  EXPECT_EQ(measured.status, 2);
  EXPECT_THAT(measured.err, HasSubstr("given node by node"));
}

}  // namespace
}  // namespace poet::test
