"""poet.optimize(): what it takes, what it returns, and what it raises."""
import concurrent.futures
import os
import pickle
import sys
import unittest
import warnings
from unittest import mock

import poet
from poet._progress import Reporter, parse_progress
from support import TINY, TestCase, python


class Optimize(TestCase):
    def test_a_schedule_has_its_figures(self):
        schedule = poet.optimize("linear", "m4", ram=3500, runtime=2)
        self.assertEqual(schedule.status, "optimal")
        self.assertLessEqual(schedule.bound, schedule.energy)
        self.assertLessEqual(schedule.gap, 1e-4)
        self.assertLessEqual(schedule.peak_ram, 3500)
        self.assertEqual(len(schedule.stages), len(schedule.nodes))
        computed = [step.node for step in schedule.program if step.op == "compute"]
        self.assertEqual(computed, [node for stage in schedule.stages for node in stage.compute])
        energy = sum(schedule.nodes[node].energy_joules for node in computed)
        self.assertAlmostEqual(energy, schedule.summary["compute_energy_joules"])
        self.assertIn("linear on m4: optimal", repr(schedule))

    def test_budgets_are_written_as_on_the_command_line(self):
        for ram, expected in ((4000, 4000), (4000.9, 4000), ("4KiB", 4096), ("60%", 4449), (0.6, 4449)):
            with self.subTest(ram=ram):
                schedule = poet.optimize("linear", "m4", ram=ram, runtime=1.5)
                self.assertEqual(schedule.request["ram_budget_bytes"], expected)
        schedule = poet.optimize("linear", "m4", ram="min", runtime="80ms")
        self.assertEqual(schedule.peak_ram, 3256)
        self.assertEqual(schedule.request["runtime_budget_seconds"], 0.08)
        with self.assertRaises(TypeError):
            poet.optimize("linear", "m4", ram=True, runtime=1.5)

    def test_settings_reach_the_program(self):
        schedule = poet.optimize("linear", "m4", ram=4000, runtime=2, gap=0.25, paging=False, remat=True, seed=7,
                                 time_limit_s=12.5, mem_power_scale=3, effort="fast", storage_budget="1MiB")
        request = schedule.request
        self.assertEqual((request["gap"], request["paging"], request["remat"], request["seed"]),
                         (0.25, False, True, 7))
        self.assertEqual((request["time_limit_seconds"], request["mem_power_scale"]), (12.5, 3))
        self.assertEqual(request["storage_budget_bytes"], 2**20)
        self.assertEqual(poet.optimize("linear", "m4", ram=1.0 - 1e-9, runtime=2,
                                       time_limit_s=None).request["time_limit_seconds"], 0)
        proof = poet.optimize("linear", "m4", ram=4500, runtime=2, effort="proof").request
        self.assertEqual((proof["gap"], proof["time_limit_seconds"]), (0, 0))

    def test_objectives(self):
        least = poet.optimize("linear", "m4", runtime=1.02, objective="ram", paging=False)
        self.assertEqual(least.request["objective"], "ram")
        self.assertEqual(least.peak_ram, 3256)
        fastest = poet.optimize("linear", "m4", ram=3256, objective="runtime")
        self.assertLess(fastest.summary["runtime_ratio"], 1.02)

    def test_copies_for_gradients(self):
        model = poet.Model.layers(TINY, input=("N", 3, 16, 16), name="tiny")
        arguments = {"ram": "60%", "runtime": 3, "backward": "exact", "effort": "fast"}
        chosen = poet.optimize(model, "m4", copies="int8", **arguments)
        self.assertEqual(chosen.request["copies"], "int8")
        stated = poet.optimize(model, "m4", copies=chosen, warm_start=chosen, **arguments)
        self.assertEqual(stated.document["model"].get("copies"), chosen.document["model"].get("copies"))
        self.assertLessEqual(stated.energy, chosen.energy * (1 + 1e-9))
        rows = poet.sweep(model, "m4", ram="60%", runtime=3, backward="exact", effort="fast", copies="int8")
        self.assertEqual(rows[0].status in ("optimal", "feasible"), True)

    def test_an_order_of_the_nodes(self):
        # Each branch begins with a large tensor and ends with a small one: one after the other they need half the RAM.
        def node(name, size, *inputs):
            return {"name": name, "bytes": size, "runtime_seconds": 1, "energy_joules": 1,
                    "page_in_energy_joules": 50, "page_out_energy_joules": 50, "inputs": list(inputs)}
        branches = poet.Model({
            "format": "poet-model", "version": 2, "name": "branches",
            "nodes": [node("x", 1), node("a1", 10, "x"), node("b1", 10, "x"), node("a2", 1, "a1"), node("b2", 1, "b1"),
                      node("y", 1, "a2", "b2")]})
        given = poet.optimize(branches, ram=13, runtime=3)
        chosen = poet.optimize(branches, ram=13, runtime=3, order="search")
        self.assertEqual((given.energy, chosen.energy), (8, 6))
        self.assertNotIn("order", given.document["model"])
        self.assertEqual(sorted(chosen.document["model"]["order"]), list(range(6)))
        names = [given.nodes[place].name for place in chosen.document["model"]["order"]]
        for order in (chosen, names, chosen.document["model"]["order"]):
            stated = poet.optimize(branches, ram=13, runtime=3, order=order)
            self.assertEqual((stated.energy, stated.document["model"]["order_sha256"]),
                             (6, chosen.document["model"]["order_sha256"]))
        with self.assertRaises(poet.InputError):
            poet.optimize(branches, ram=13, runtime=3, order=["y", *names[:-1]])

    def test_solves_in_threads(self):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            budgets = range(3300, 4100, 100)
            schedules = list(pool.map(lambda ram: poet.optimize("linear", "m4", ram=ram, runtime=2), budgets))
        for ram, schedule in zip(budgets, schedules):
            self.assertEqual(schedule.request["ram_budget_bytes"], ram)
            self.assertEqual(schedule.energy, poet.optimize("linear", "m4", ram=ram, runtime=2).energy)

    def test_warm_start(self):
        start = poet.optimize("linear", "m4", ram=3500, runtime=2)
        again = poet.optimize("linear", "m4", ram=4000, runtime=2, warm_start=start)
        self.assertLessEqual(again.energy, start.energy)

    def test_warnings_of_the_program_are_warnings(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            schedule = poet.optimize("resnet18_cifar", "m4", ram="100%", runtime=1)
        self.assertIn("more than the 256 KiB", str(caught[0].message))
        self.assertEqual(caught[0].filename, __file__)
        self.assertEqual(schedule.notes, tuple(str(one.message) for one in caught))


class Progress(TestCase):
    def test_progress_is_what_the_program_prints(self):
        seen = []
        schedule = poet.optimize("resnet18_cifar", "m4", ram=737719, runtime=1.5, progress=seen.append, gap=0.005)
        self.assertGreater(len(seen), 1)
        self.assertAlmostEqual(seen[-1].best / schedule.energy, 1, delta=1e-3)
        for one in seen:
            self.assertGreaterEqual(one.seconds, 0)
            self.assertTrue(one.phase)
            self.assertLessEqual(one.bound, schedule.energy * 1.001)
            if one.best is not None:
                self.assertAlmostEqual(one.gap, (one.best - one.bound) / one.best, delta=2e-3)

    def test_lines(self):
        line = ("poet-solve: info:    12.3 s  branching     best 550.9 mJ  bound 0.5457 J  gap 0.9431 %  nodes 12")
        self.assertEqual(parse_progress(line), poet.Progress(12.3, "branching", 0.5509, 0.5457, 0.009431, None, 12))
        line = "poet-solve: info:     1.0 s  counts  best 550.9 mJ  bound 550.2 mJ  gap 0.1163 % (12.5 % of the extra)"
        self.assertEqual(parse_progress(line), poet.Progress(1.0, "counts", 0.5509, 0.5502, 0.001163, 0.125, 0))
        line = "poet-solve: info:     0.0 s  glance        no schedule yet  bound 95.26 J"
        self.assertEqual(parse_progress(line), poet.Progress(0.0, "glance", None, 95.26, None, None, 0))
        self.assertIsNone(parse_progress("poet-solve: info: optimal: 550.9 mJ per training step"))

    def test_an_exception_of_the_callback_ends_the_solve(self):
        def stop(progress):
            raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            poet.optimize("bert", "m4", ram="60%", runtime=1.5, progress=stop)

    def test_a_bar_shows_how_far_it_is(self):
        bar = mock.MagicMock(total=10, n=0)
        with mock.patch("poet._progress._make_bar", return_value=bar):
            reporter = Reporter(True, 10)
            reporter.line("poet-solve: info:     0.0 s  local search  best 551.2 mJ  bound 545.7 mJ  gap 0.9989 %")
            reporter.tick()
            self.assertEqual(bar.set_description_str.call_args[0][0],
                             "poet-solve 0 s, local search, 0.5512, gap 0.999 %")
            reporter.line("poet-solve: info: 3/8 linear/m4 both 2x 7.242 KiB: optimal 455.8 uJ, 0.00 s")
            reporter.tick()
            self.assertIn("3 of 8 points", bar.set_description_str.call_args[0][0])
            self.assertEqual((bar.update.call_args[0], bar.total), ((3,), 8))
            reporter.close()
        bar.close.assert_called_once()

    def test_nothing_is_drawn_where_nobody_looks(self):
        self.assertFalse(Reporter(None, 10).needs_ticks)
        self.assertFalse(Reporter(False, 10).needs_ticks)

    def test_a_notebook_without_widgets_gets_a_bar_of_text(self):
        for found, name in ((None, "tqdm"), (object(), "tqdm.auto")):
            with mock.patch("poet._progress._in_notebook", return_value=True), \
                    mock.patch("importlib.util.find_spec", return_value=found), \
                    mock.patch("importlib.import_module") as module:
                Reporter(True, 10)
            module.assert_called_once_with(name)
            self.assertIs(module.return_value.tqdm.call_args[1]["file"], sys.stdout, "stderr is red there")

    def test_a_bar_needs_tqdm(self):
        out = python("""
import sys
sys.modules["tqdm"] = None
import poet
poet.optimize("linear", "m4", ram=4000, runtime=2)
try:
    poet.optimize("linear", "m4", ram=4000, runtime=2, progress=True)
except ImportError as error:
    print(error)
""")
        self.assertIn("tqdm, which is not installed", out)


class Failures(TestCase):
    def test_infeasible_says_why(self):
        with self.assertRaises(poet.Infeasible) as caught:
            poet.optimize("linear", "m4", ram=300, runtime=1.5)
        error = caught.exception
        self.assertEqual((error.smallest_ram, error.smallest_ram_is_exact, error.node), (3256, True, "grad(fc1)"))
        self.assertIn("3256 bytes", error.reason)
        self.assertIsInstance(error, poet.NoSchedule)
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(again), again.smallest_ram), (str(error), 3256))

    def test_infeasible_by_time_has_no_ram_to_name(self):
        with self.assertRaises(poet.Infeasible) as caught:
            poet.optimize("linear", "m4", ram="100%", runtime="1ms")
        self.assertIsNone(caught.exception.smallest_ram)

    def test_a_limit_that_is_reached_first(self):
        with self.assertRaisesRegex(poet.NoSchedule, "before a limit was reached") as caught:
            poet.optimize("bert", "m4", ram="60%", runtime=1.0001, paging=False, time_limit_s=0)
        self.assertNotIsInstance(caught.exception, poet.Infeasible)

    def test_every_mistake_of_a_model_is_named(self):
        layers = [dict(layer) for layer in TINY]
        layers[0]["kernle"] = layers[0].pop("kernel")
        layers[3]["inputs"] = ["poool"]
        with self.assertRaises(poet.InputError) as caught:
            poet.optimize(poet.Model.layers(layers, input=("N", 3, 16, 16)), "m4", ram="60%", runtime=1.5)
        for part in ("model.json: /layers/0", "kernle", "/layers/3/inputs", "did you mean 'pool'"):
            self.assertIn(part, str(caught.exception))
        self.assertNotIn(os.sep + "poet-", str(caught.exception))  # no path of a temporary folder
        self.assertIsInstance(caught.exception, ValueError)

    def test_names_that_do_not_exist(self):
        with self.assertRaisesRegex(poet.InputError, "did you mean 'linear'"):
            poet.optimize("linaer", "m4", ram=4000, runtime=1.5)
        with self.assertRaisesRegex(poet.InputError, "m5"):
            poet.optimize("linear", "m5", ram=4000, runtime=1.5)
        with self.assertRaisesRegex(poet.InputError, "ram-budget"):
            poet.optimize("linear", "m4", runtime=1.5)

    def test_a_missing_program_is_named(self):
        with mock.patch.dict(os.environ, POET_SOLVE="/no/such/poet-solve"):
            with self.assertRaisesRegex(poet.ProgramNotFound, "POET_SOLVE: found '/no/such/poet-solve'"):
                poet.optimize("linear", "m4", ram=4000, runtime=1.5)
        environment = {key: value for key, value in os.environ.items() if key != "POET_SOLVE"}
        with mock.patch.dict(os.environ, {**environment, "PATH": str(self.folder)}, clear=True):
            with self.assertRaisesRegex(poet.ProgramNotFound, "nor in PATH"):
                poet.find_program()

    def test_a_program_that_does_not_start(self):
        broken = self.folder / "poet-solve"
        broken.write_bytes(b"\0no program")
        broken.chmod(0o755)
        with mock.patch.dict(os.environ, POET_SOLVE=str(broken)):
            with self.assertRaisesRegex(poet.ProgramNotFound, "does not start"):
                poet.optimize("linear", "m4", ram=4000, runtime=1.5)

    def test_a_program_that_crashes(self):
        for script, message in (("kill -SEGV $$", "ended by SIGSEGV"), ("echo boom >&2; exit 1", "ended with 1: boom")):
            crashing = self.folder / "poet-solve"
            crashing.write_text("#!/bin/sh\n" + script + "\n")
            crashing.chmod(0o755)
            with mock.patch.dict(os.environ, POET_SOLVE=str(crashing)):
                with self.assertRaisesRegex(poet.ProgramError, message):
                    poet.optimize("linear", "m4", ram=4000, runtime=1.5)

    def test_a_setpriv_that_is_too_old_is_left_out(self):
        setpriv = self.folder / "setpriv"
        setpriv.write_text("#!/bin/sh\nexit 1\n")
        setpriv.chmod(0o755)
        with mock.patch.dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}"):
            self.assertEqual(poet.optimize("linear", "m4", ram=4000, runtime=2).status, "optimal")

    def test_path_is_searched(self):
        program = poet.find_program()
        (self.folder / "poet-solve").symlink_to(program)
        environment = {key: value for key, value in os.environ.items() if key != "POET_SOLVE"}
        with mock.patch.dict(os.environ, {**environment, "PATH": str(self.folder)}, clear=True):
            self.assertEqual(poet.find_program(), str(self.folder / "poet-solve"))
            self.assertEqual(poet.optimize("linear", "m4", ram=4000, runtime=2).status, "optimal")


if __name__ == "__main__":
    unittest.main()
