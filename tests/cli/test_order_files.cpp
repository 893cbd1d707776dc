// Schedule files in another order than the one of their model, as a user of them sees them.
#include <nlohmann/json.hpp>

#include "cli/poet_solve.hpp"
#include "poet/question.hpp"
#include "support/ordered_files.hpp"

namespace poet::test {
namespace {

const char* const kNotChecked = "; the order was not checked against a model\n";

/// A solve of a subject with less RAM than keeping everything takes.
ScheduleFile solved(const Subject& subject) {
  Question question{.ram = parse_ram_budget("80%"), .runtime = Ratio{2}};
  question.settings.order = subject.chosen ? OrderKind::stated : OrderKind::given;
  const Answer answer = poet::answer(subject, question);
  EXPECT_TRUE(answer.file) << answer.result.reason;
  return answer.file.value_or(ScheduleFile());
}

class OrderFiles : public testing::Test {
 protected:
  OrderFiles()
      : given_(fork_subject("accumulate")),
        model_(folder_.write("fork.json", fork_text("accumulate"))),
        ordered_(to_json(solved(reordered(given_, swapped(given_, "e", "f"))))),
        path_(folder_.write("ordered.json", ordered_)) {}

  Words about_model() const { return {"--model", model_, "--platform", "m4"}; }

  TemporaryFolder folder_;
  Subject given_;
  std::string model_;
  std::string ordered_;
  std::string path_;
};

TEST_F(OrderFiles, AreVerifiedWithAndWithoutTheirModel) {
  const Finished alone = poet_solve({"verify", path_});
  EXPECT_EQ(alone.status, 0) << alone.err;
  EXPECT_THAT(alone.err, testing::EndsWith(kNotChecked));
  const Finished with_model = poet_solve(Words{"verify", path_} + about_model());
  EXPECT_EQ(with_model.status, 0) << with_model.err;
  EXPECT_THAT(with_model.err, HasSubstr("valid"));
  EXPECT_THAT(with_model.err, Not(HasSubstr("not checked")));
  const Finished other = poet_solve({"verify", path_, "--model", model_, "--platform", "m0"});
  EXPECT_EQ(other.status, 5);
  EXPECT_THAT(other.err, HasSubstr("the graph's digest is"));
  const std::string given = folder_.write("given.json", to_json(kept_file(given_)));
  EXPECT_THAT(poet_solve({"verify", given}).err, Not(HasSubstr("order")));
}

TEST_F(OrderFiles, StayInTheirOrderIfTheyAreCompletedOrPlaced) {
  const json whole = json::parse(ordered_);
  json stages = {{"format", "poet-schedule"}, {"version", 2}};
  for (const char* key : {"model", "request", "stages"}) stages[key] = whole[key];
  const Words words = Words{"verify", "-", "--compact"} + about_model();
  for (const json& file : {stages, whole}) {
    const Finished run = poet_solve(words, file.dump());
    ASSERT_EQ(run.status, 0) << run.err;
    const json written = json::parse(run.out);
    EXPECT_EQ(written["model"]["order"], whole["model"]["order"]);
    EXPECT_EQ(written["model"]["order_sha256"], whole["model"]["order_sha256"]);
    EXPECT_EQ(written["nodes"], whole["nodes"]);
    EXPECT_EQ(poet_solve(Words{"verify", "-"} + about_model(), run.out).status, 0);
  }
  stages["model"]["order"] = moved_behind(given_, "update(a)", "grad(s)");
  const Finished early = poet_solve(words, stages.dump());
  EXPECT_EQ(early.status, 2);
  EXPECT_THAT(early.err, HasSubstr("stdin: /model/order: "));
  const Words unmoved{"--no-moves", "--alignment", "16"};
  for (const Words& more : {Words{}, unmoved}) {
    const Finished placed = poet_solve(Words{"place", path_, "--capacity", "1K"} + more);
    ASSERT_EQ(placed.status, 0) << placed.err;
    EXPECT_EQ(json::parse(placed.out)["model"], whole["model"]);
    EXPECT_EQ(poet_solve(Words{"verify", "-"} + about_model(), placed.out).status, 0);
  }
}

TEST_F(OrderFiles, AreDrawnWithoutAForwardPassThatTheyDoNotHave) {
  EXPECT_THAT(poet_solve({"plot", path_}).out, HasSubstr(">forward pass<"));
  EXPECT_THAT(poet_solve({"plot", path_}).out, HasSubstr("Every tensor, in the order that was"));
  const Subject given = pooling_subject();
  const std::string text =
      to_json(kept_file(reordered(given, moved_behind(given, "b.index", "grad(b)"))));
  EXPECT_EQ(json::parse(text)["model"]["forward_node_count"], given.graph.first_backward - 1);
  EXPECT_EQ(poet_solve({"verify", "-"}, text).status, 0);
  const Finished drawn = poet_solve({"plot", "-"}, text);
  EXPECT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_THAT(drawn.out, HasSubstr(">layers and gradients<"));
  EXPECT_THAT(drawn.out, Not(HasSubstr(">forward pass<")));
}

TEST_F(OrderFiles, DoNotStartASolveInAnotherOrder) {
  const Words asked = about_model() + Words{"--ram-budget", "100%", "--runtime-budget", "2"};
  const Finished run = poet_solve(asked + Words{"--warm-start", path_});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("--warm-start: "));
  EXPECT_THAT(run.err,
              HasSubstr("found a schedule in a chosen order, with node 5 ('f') at place 4; "
                        "expected the given order, with node 4 ('e') at place 4"));
  EXPECT_THAT(run.err, HasSubstr("--order with this file solves in its order"));
  const std::string given = folder_.write("given.json", to_json(kept_file(given_)));
  EXPECT_EQ(poet_solve(asked + Words{"--warm-start", given}).status, 0);
}

}  // namespace
}  // namespace poet::test
