"""POET's function `solve`: programs for its release run unchanged, and give the golden energies."""
import inspect
import json
import os
import unittest
import warnings
from unittest import mock

import poet
from support import SOURCE, TestCase, needs_numpy, numpy, python, quiet

# As POET's README has it; the comment is its own.
README_SNIPPET = """
from poet import solve

# ... use the solver API here
solve(
    model="resnet18_cifar",
    platform="m4",
    ram_budget=737719,
    runtime_budget=1.5,
    time_limit_s=400,
    solve_threads=16,
)
"""
README_ENERGY = 0.5508501  # joules, to the gap
GAP = 1e-4


def optima():
    """Every fifth of the golden optima; tests/golden/test_optima.cpp solves them all."""
    rows = json.loads((SOURCE / "tests" / "data" / "reference" / "optima.json").read_text())["optima"]
    count = min(len(rows), int(os.environ.get("POET_CASES", 16)))
    return [rows[i * len(rows) // count] for i in range(count)]


def needs_one_byte_more(row):
    """The six rows with a budget one byte below the working set; tests/golden/test_optima.cpp says why."""
    return row["model"] == "transformer" and row["ram_budget_bytes"] == 31457279


class PoetSolve(TestCase):
    def test_signature_is_that_of_poet(self):
        parameters = inspect.signature(poet.solve).parameters
        self.assertEqual(" ".join(parameters), "model platform ram_budget runtime_budget paging remat mem_power_scale "
                         "batch_size solver print_power_costs print_graph_info plot_directory time_limit_s "
                         "solve_threads")
        defaults = {name: one.default for name, one in parameters.items() if one.default is not one.empty}
        self.assertEqual(defaults, {"paging": 1, "remat": 1, "mem_power_scale": 1.0, "batch_size": 1, "solver": None,
                                    "print_power_costs": False, "print_graph_info": True, "plot_directory": None,
                                    "time_limit_s": 1e100, "solve_threads": None})
        result = quiet(poet.solve, "linear", "m4", 4000, 1.5)
        for name in ("ram_budget", "runtime_budget_ms", "paging", "remat", "total_power_cost_page",
                     "total_power_cost_cpu", "total_runtime", "feasible"):
            self.assertIn(f"{name}=", repr(result))

    def test_readme_snippet_runs_unchanged(self):
        results = []
        solve = poet.solve
        with mock.patch.object(poet, "solve", lambda **keys: results.append(solve(**keys))):
            quiet(exec, README_SNIPPET, {})
        [result] = results
        self.assertTrue(result.feasible)
        energy = result.total_power_cost_cpu + result.total_power_cost_page
        self.assertAlmostEqual(energy / README_ENERGY, 1, delta=2 * GAP)

    def test_golden_energies(self):
        rows = optima()
        self.assertGreaterEqual(len(rows), 10)
        for row in rows:
            with self.subTest(row=row):
                result = quiet(poet.solve, row["model"], row["platform"], row["ram_budget_bytes"],
                               row["runtime_budget_ratio"], paging=int(row["paging"]), remat=int(row["remat"]))
                self.assertEqual(result.feasible, row["status"] == "optimal" and not needs_one_byte_more(row))
                if result.feasible:
                    energy = result.total_power_cost_cpu + result.total_power_cost_page
                    self.assertAlmostEqual(energy / row["energy_joules"], 1, delta=2 * GAP)

    def test_units_are_those_of_poet(self):
        result = quiet(poet.solve, "linear", "m4", 4000, 1.5)
        totals = json.loads((SOURCE / "tests" / "data" / "reference" / "totals.json").read_text())["linear/m4"]
        self.assertAlmostEqual(result.runtime_budget_ms, 1.5 * 1000 * totals["runtime_seconds"])
        self.assertAlmostEqual(result.total_runtime, 1000 * result.schedule.runtime)
        self.assertEqual((result.ram_budget, result.paging, result.remat), (4000, 1, 1))
        self.assertAlmostEqual(result.total_power_cost_cpu + result.total_power_cost_page, result.schedule.energy)

    def test_graph_info_is_printed_unless_it_is_not_wanted(self):
        out = python("from poet import solve; solve('linear', 'm4', 4000, 1.5)")
        self.assertIn("41.49823 ms", out)
        self.assertIn(" 6776 bytes", out)
        out = python("from poet import solve; solve('linear', 'm4', 4000, 1.5, print_graph_info=False)")
        self.assertEqual(out, "")
        out = python("from poet import solve; solve('linear', 'm4', 4000, 1.5, print_power_costs=True)")
        self.assertIn("grad(fc1)", out)

    def test_a_solver_is_ignored_with_a_warning(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = quiet(poet.solve, "linear", "m4", 4000, 1.5, solver="gurobipy")
        self.assertTrue(result.feasible)
        self.assertIn("solver='gurobipy' is ignored", "".join(str(one.message) for one in caught))
        self.assertEqual(caught[0].filename, quiet.__code__.co_filename)

    def test_infeasible_is_a_result(self):
        for ram, runtime in ((300, 1.5), (0.5, 1.5), (0, 1.5), (8000, 0.9), (8000, 0), (8000, -1)):
            result = quiet(poet.solve, "linear", "m4", ram, runtime)
            self.assertFalse(result.feasible)
            self.assertIsNone(result.total_power_cost_cpu)
            self.assertIsNone(result.total_power_cost_page)
            self.assertIsNone(result.total_runtime)
            self.assertIsNone(result.schedule)

    @needs_numpy
    def test_solution_of_infeasible_has_no_matrices(self):
        solution = quiet(poet.solve, "linear", "m4", 300, 1.5).solution
        self.assertEqual((solution.R, solution.SRam, solution.feasible, solution.finished), (None, None, False, True))

    @needs_numpy
    def test_solution_is_made_once_and_by_both_spellings(self):
        result = quiet(poet.solve, "linear", "m4", 3500, 1.5)
        self.assertIs(result.solution, result.solution)
        count = len(result.schedule.nodes)
        for name in ("R", "SRam", "SSd", "MIn", "MOut", "Min", "Mout", "U"):
            self.assertEqual(getattr(result.solution, name).shape, (count, count), name)
        self.assertIs(result.solution.Min, result.solution.MIn)
        self.assertIs(result.solution.Mout, result.solution.MOut)
        self.assertTrue(result.solution.feasible and result.solution.finished)

    @needs_numpy
    def test_matrices_say_what_the_stages_say(self):
        # tests/golden/test_poet_milp.cpp holds stages to the constraints of POET's MILP.
        result = quiet(poet.solve, "linear", "m4", 3256, 1)
        stages, nodes, solution = result.schedule.stages, result.schedule.nodes, result.solution
        self.assertGreater(result.schedule.summary["recompute_count"], 0)
        self.assertGreater(result.schedule.summary["page_in_count"], 0)

        def rows(matrix):
            return [set(numpy.flatnonzero(row)) for row in matrix]

        for name, key in (("R", "compute"), ("SRam", "resident"), ("MIn", "page_in"), ("MOut", "page_out")):
            self.assertEqual(rows(getattr(solution, name)), [set(getattr(stage, key)) for stage in stages], name)
            numpy.testing.assert_array_equal(getattr(result.schedule.matrices(), name), getattr(solution, name))
        written = [set().union(*(stage.page_out for stage in stages[:t])) for t in range(len(stages))]
        self.assertEqual(rows(solution.SSd), written)
        edges = [(i, k) for k, node in enumerate(nodes) for i in node.inputs]
        self.assertEqual(solution.FreeE.shape, (len(stages), len(edges)))
        for t, stage in enumerate(stages):
            stays = stages[t + 1].resident if t + 1 < len(stages) else ()
            held = sum(nodes[i].bytes for i in stage.resident)
            for k, node in enumerate(nodes):
                held += node.bytes if k in stage.compute else 0
                self.assertEqual(solution.U[t, k], held)
                for e in [e for e, (_, user) in enumerate(edges) if user == k]:
                    i = edges[e][0]
                    read_later = any(j > k and i in nodes[j].inputs for j in stage.compute)
                    freed = k in stage.compute and i not in stays and not read_later
                    self.assertEqual(solution.FreeE[t, e], freed)
                    held -= nodes[i].bytes if freed else 0
        self.assertEqual(solution.U.max(), result.schedule.peak_ram)

    def test_a_mistake_is_an_error(self):
        with self.assertRaisesRegex(poet.InputError, "resnet19"):
            quiet(poet.solve, "resnet19", "m4", 3500, 1.5)
        with self.assertRaises(poet.InputError):
            quiet(poet.solve, "linear", "m4", 3500, float("nan"))
        with self.assertRaises(poet.InputError):
            quiet(poet.solve, "linear", "m4", float("inf"), 1.5)

    def test_pictures_are_written(self):
        quiet(poet.solve, "linear", "m4", 4000, 1.5, plot_directory=str(self.folder / "plots"))
        self.assertTrue(list((self.folder / "plots").glob("*.svg")))

    def test_without_numpy_only_the_solution_is_missing(self):
        out = python("""
import sys
sys.modules["numpy"] = None
from poet import solve
result = solve("linear", "m4", 4000, 1.5, print_graph_info=False)
try:
    result.solution
except ImportError as error:
    print(result.feasible, error.name, error)
""")
        self.assertIn("True numpy the matrices of a solution need numpy", out)


if __name__ == "__main__":
    unittest.main()
