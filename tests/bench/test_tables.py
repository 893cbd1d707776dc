"""The benchmark's tables, and the comparison of a sweep with separate solves."""
import compare_sweep
import problem_sets
import run_problems
import tables
from bench_support import NAME, PROGRAM, SYNTHETIC, TestCase, row_of, without_schedule


def known_energy(name, energy):
    return {name: {"baseline_energy_joules": 100, "energy_joules": energy}}


class Tables(TestCase):
    layered = row_of("layered 100 graph 1 80 %")

    def family(self, rows, known):
        table, remarks = tables.family_rows(rows, known)
        return table, "\n".join(remarks)

    def test_extra_energy_is_compared_with_the_best_known(self):
        name = self.layered["problem"]
        table, _ = self.family([self.layered], known_energy(name, 108))  # gap of the extra 6/12, 12/8 - 1 over the best
        self.assertEqual(table, [["layered", "20 s", 1, 0, 0, 0, "50 %, 50 %", "50 %, 50 %"]])
        table, remarks = self.family([self.layered], known_energy(name, 120))
        self.assertEqual(table[0][-1], "0 %, 0 %")
        self.assertIn("1 better than the best known before", remarks)
        self.assertEqual(tables.excess(self.layered, {}), 0)
        self.assertIsNone(tables.excess(row_of(energy_joules=100.5, baseline_energy_joules=100.5), {}),
                          "the baseline fits")

    def test_there_is_a_row_for_each_set_with_mean_and_worst(self):
        proven = row_of("layered 250 graph 1 80 %", status="optimal", wall_seconds=9, lower_bound_joules=112)
        exact = proven | {"problem": "exact bert/m4 1000 3x", "set": "exact"}
        table, remarks = self.family([self.layered, proven, exact], {})
        self.assertEqual(table, [["exact", "20 s", 1, 0, 1, 1, "0 %, 0 %", "0 %, 0 %"],
                                 ["layered", "20 s", 2, 0, 1, 1, "25 %, 50 %", "0 %, 0 %"]])
        self.assertIn("worst gap on extra: layered 100 graph 1 80 %", remarks)

    def test_runs_with_other_limits_have_rows_of_their_own(self):
        short = row_of(time_limit_seconds=10)
        self.assertEqual([row[:3] for row in self.family([row_of(), short], {})[0]],
                         [["sample", "10 s", 1], ["sample", "20 s", 1]])

    def test_what_is_proven_counts_by_the_time_it_took(self):
        rows = [row_of(f"linear/m4 {n} 3x", status="optimal", wall_seconds=seconds) for n,
                seconds in enumerate((0.5, 9, 20))]
        rows.append(without_schedule("infeasible", elapsed_seconds=0.9))
        rows.append(row_of("linear/m4 9 3x", status="optimal", wall_seconds=0.1, failure="wrong"))
        self.assertEqual(self.family(rows, {})[0][0][2:6], [5, 2, 3, 4])

    def test_what_has_no_schedule_or_failed_counts(self):
        _, remarks = self.family([row_of(), without_schedule("unknown"), row_of(failure="invalid")], {})
        self.assertIn("1 without a schedule or a verdict", remarks)
        self.assertIn("1 failed", remarks)

    def test_problems_have_their_figures(self):
        lines = tables.problem_table([row_of(), without_schedule("unknown")], known_energy(NAME, 108)).splitlines()
        self.assertEqual(lines[2],
                         f"| `{NAME}` | 10 / 20 / 30 | 0.500 | 20.00 | 12 | 5.36 % | 50 % | 50 % | feasible | 1 |")
        self.assertEqual(lines[3], f"| `{NAME}` | 10 / 20 / 30 | 0.500 | 20.50 | - | - | - | - | unknown | 1 |")

    def test_growth_is_the_exponent_of_a_power_law(self):
        self.assertAlmostEqual(tables.growth_exponent([(10, 2e3), (20, 16e3), (40, 128e3)]), 3, places=12)
        for points in ([], [(10, 1)], [(10, 1), (10, 2)], [(10, 0), (20, 2)]):
            self.assertIsNone(tables.growth_exponent(points))

    def test_a_scale_has_figures_above_the_baseline_and_exponents(self):
        rows = [row_of(f"scale skips {nodes} 30 %", kind="scale", node_count=nodes,
                       first_schedule_seconds=nodes**2 / 1e4,
                       peak_rss_bytes=nodes * 2**20) for nodes in (500, 1000)]
        text = tables.report(rows, {})
        self.assertIn("| `scale skips 500 30 %` | 500 | 25.00 | 20.00 | 12.0000 % | 6.0000 % | 500 | feasible |", text)
        self.assertIn("skips 30 %: first schedule grows with the number of nodes to the power of 2.00", text)
        self.assertIn("skips 30 %: memory grows with the number of nodes to the power of 1.00", text)


class SweepComparison(TestCase):
    def points(self, *statuses, energies=(3, 2)):
        return [({"ram_budget_bytes": n, "status": swept, "energy_joules": energy}, {"status": alone})
                for n, ((swept, alone), energy) in enumerate(zip(statuses, energies))]

    def test_a_sweep_may_not_be_worse(self):
        good = self.points(("optimal", "feasible"), ("feasible", "feasible"))
        self.assertEqual(compare_sweep.faults_of(good, 1, 2), [])
        self.assertRegex(compare_sweep.faults_of(good, 1.1, 2)[0], "takes 0.55 of the time")
        unproven = self.points(("optimal", "optimal"), ("feasible", "optimal"))
        self.assertEqual(compare_sweep.faults_of(unproven, 1, 2), ["1: feasible in the sweep, optimal by itself"])
        rising = self.points(("optimal", "optimal"), ("optimal", "optimal"), energies=(2, 3))
        self.assertEqual(compare_sweep.faults_of(rising, 1, 2), ["1: the energy rises to 3 J"])

    def test_both_sides_of_every_point_are_told(self):
        said = []
        solver = run_problems.Solver(problem_sets.Graphs(PROGRAM, SYNTHETIC, self.folder), time_limit=30)
        compare_sweep.compare(solver, "linear", "m4", 1.5, 3, said.append)
        self.assertEqual([line.split()[1] for line in said[:3]], ["optimal"] * 3)
        self.assertRegex(said[3], "^sweep .* a share of .* of 3 points solved")
