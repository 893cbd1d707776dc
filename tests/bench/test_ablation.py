"""What the ablation makes of solves with and without a feature."""
from unittest import mock

import ablation
import problem_sets
import run_problems
from bench_support import PROGRAM, SYNTHETIC, TestCase, row_of, without_schedule

LIMIT = {"gap_asked": 1e-4, "time_limit_seconds": 40}


def made(name, disabled, status, seconds, bound, **changes):
    return row_of(name) | {"disabled": disabled, "status": status, "wall_seconds": seconds, "energy_joules": 100,
                           "baseline_energy_joules": 90, "lower_bound_joules": bound, "gap": 1 - bound / 100, **LIMIT,
                           **changes}


class Ablation(TestCase):
    proven = made("a", "", "optimal", 1, 100)

    def test_times_and_gaps_are_compared_by_their_geometric_mean(self):
        rows = [self.proven, made("a", "windows", "optimal", 4, 100), made("b", "", "optimal", 10, 100),
                made("b", "windows", "feasible", 41, 96)]  # 1/4 and 10/40: the limit; 1 and 1e-4/0.04
        self.assertEqual(ablation.effect(rows, "windows"), ["windows", 2, 2, 1, "0.250*", "0.050"])

    def test_only_what_was_not_proven_is_marked(self):
        rows = [self.proven, made("a", "windows", "optimal", 2, 100), made("a", "rebuild", "feasible", 40, 99)]
        self.assertEqual([ablation.effect(rows, name)[4] for name in ("windows", "rebuild")], ["0.500 ", "0.025*"])
        table = ablation.report(rows).splitlines()
        self.assertEqual([line.split()[0] for line in table], ["technique", "windows", "rebuild", "ratios:", "*:"])

    def test_a_missing_schedule_is_a_gap_of_1_and_no_time_is_shorter_than_a_hundredth(self):
        rows = [made("a", "", "optimal", 0.001, 100),
                without_schedule("unknown", problem="a", disabled="windows", **LIMIT)]
        self.assertEqual(ablation.effect(rows, "windows")[4:], ["0.000*", "0.000"])
        self.assertEqual((ablation.time_of(rows[0]), ablation.gap_of(rows[1])), (0.01, 1))

    def test_what_failed_is_left_out(self):
        failed = made("a", "windows", "unknown", 1, 0, failure="exit status -11")
        self.assertIsNone(ablation.effect([self.proven, failed], "windows"))
        self.assertEqual(ablation.contradictions([self.proven, failed | {"status": "infeasible"}]), [])

    def test_a_bound_above_an_energy_is_a_contradiction(self):
        better = made("a", "windows", "feasible", 40, 95) | {"energy_joules": 97}
        found = ablation.contradictions([self.proven, better, made("b", "", "feasible", 40, 95)])
        self.assertEqual(found, ["a: the bound of 100 J (with everything) is above the energy of 97 J "
                                 "(without windows)"])

    def test_a_schedule_of_what_is_called_infeasible_is_a_contradiction(self):
        infeasible = without_schedule("infeasible", problem="a", disabled="collapse", **LIMIT)
        found = ablation.contradictions([made("a", "", "feasible", 40, 95), infeasible])
        self.assertEqual(len(found), 1)
        self.assertIn("proven to have no schedule (without collapse)", found[0])
        self.assertIn(f"CONTRADICTION: {found[0]}", ablation.report([made("a", "", "feasible", 40, 95), infeasible]))

    def solver(self):
        return run_problems.Solver(problem_sets.Graphs(PROGRAM, SYNTHETIC, self.folder), time_limit=30,
                                   memory_limit_gib=2)

    def test_every_feature_is_off_once(self):
        problem, said, solver = problem_sets.named("chain", "linear", "m4", 4000, 2), [], self.solver()
        names = ["glance", "collapse"]
        self.assertLess(set(names), set(ablation.features(PROGRAM)))
        with mock.patch.object(solver, "solve", wraps=solver.solve) as solves, \
                mock.patch.object(ablation, "features", return_value=names):
            self.assertEqual(ablation.run([problem], solver, said.append), 0)
        self.assertEqual([call.args for call in solves.mock_calls],
                         [(problem,), *((problem, "--disable", name) for name in names)])
        self.assertEqual([line.split()[0] for line in said[-1].splitlines()[2:-2]], names)

    def test_what_needs_no_model_is_solved_once(self):
        said, fits = [], problem_sets.named("chain", "linear", "m4", 10**6, 2)
        self.assertEqual(ablation.run([fits], self.solver(), said.append), 0)
        self.assertEqual(len(said), 3)

    def test_options_reach_the_solve(self):
        with mock.patch.object(run_problems, "timed_run", wraps=run_problems.timed_run) as runs:
            self.solver().solve(problem_sets.named("chain", "linear", "m4", 4000, 2), "--disable", "collapse")
        command = " ".join(runs.mock_calls[0].args[0])
        self.assertIn("--disable collapse", command)
        self.assertIn(f"--memory-limit {2**31}", command)
