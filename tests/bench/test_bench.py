"""The benchmark's solves, also if they crash, hang or answer wrong, and its command line."""
import io
import json
import os
import sys
from unittest import mock

import bench
import best_known
import problem_sets
import run_problems
import tables
from bench_support import PROGRAM, SYNTHETIC, TestCase, row_of


class Solves(TestCase):
    def solver(self, program, **options):
        return run_problems.Solver(problem_sets.Graphs(str(program), SYNTHETIC, self.folder), time_limit=30, **options)

    def fake(self, instead):
        """The program, but for solves: these run some lines of a shell."""
        path = self.folder / "program"
        others = f'case "$1 $2" in *sweep*|*info*|*version*) exec "{PROGRAM}" "$@";; esac'
        path.write_text(f"#!/bin/sh\n{others}\n{instead}\n")
        path.chmod(0o755)
        # The commands of --dry-run name the program that printed them.
        pose = mock.patch.object(run_problems.shlex, "split", lambda text: [str(path), *text.split()[1:]])
        pose.start()
        self.addCleanup(pose.stop)
        return path

    problem = problem_sets.named("chain", "linear", "m4", 4000, 2)

    def test_a_small_problem_is_proven(self):
        row = self.solver(PROGRAM).solve(self.problem)
        self.assertEqual((row["status"], row["failure"], row["crashed"], row["node_count"]), ("optimal", "", False, 27))
        self.assertGreater(tables.extra_of(row), 0)
        self.assertLessEqual(row["gap"], 1e-4)
        self.assertGreater(row["processor_seconds"], 0)
        self.assertGreater(row["peak_rss_bytes"], 2**20)
        self.assertEqual(json.loads(run_problems.line_of(row)), row)

    def test_a_problem_without_a_schedule_is_proven_to_have_none(self):
        row = self.solver(PROGRAM).solve(problem_sets.named("chain", "linear", "m4", 100, 2))
        self.assertEqual((row["status"], row["failure"], row["energy_joules"]), ("infeasible", "", None))
        self.assertTrue(tables.is_proven(row))

    def test_a_crash_is_a_failure(self):
        row = self.solver(self.fake("echo no memory >&2; kill -9 $$")).solve(self.problem)
        self.assertTrue(row["crashed"])
        self.assertIn("exit status -9", row["failure"])

    def test_a_schedule_that_is_wrong_is_a_failure(self):
        falsified = f'''"{PROGRAM}" "$@"; for last; do case "$before" in --output) file=$last;; esac; before=$last; done
sed -i 's/"energy_joules": [0-9.e-]*,/"energy_joules": 1e-9,/' "$file"'''
        row = self.solver(self.fake(falsified)).solve(self.problem)
        self.assertFalse(row["crashed"])
        self.assertNotEqual(row["failure"], "")
        _, _, faults = best_known.improve({}, [row])
        self.assertEqual(len(faults), 1)

    def test_a_solve_that_does_not_end_is_killed(self):
        with mock.patch.object(run_problems, "GRACE_SECONDS", -29.5):
            row = self.solver(self.fake("exec sleep 60")).solve(self.problem)
        self.assertTrue(row["crashed"])
        self.assertLess(row["elapsed_seconds"], 30)


class CommandLine(TestCase):
    def run_bench(self, *words):
        words = [*words, "--program", PROGRAM, "--bench-programs", os.path.dirname(SYNTHETIC)]
        with mock.patch.object(sys, "argv", ["bench", *words]), mock.patch.object(sys, "stdout",
                                                                                  io.StringIO()) as out, \
                mock.patch.object(sys, "stderr", io.StringIO()) as err:
            return bench.main(), out.getvalue(), err.getvalue()

    def test_a_run_goes_on_and_updates_the_best_known(self):
        run = ("--set", "sample", "--filter", "linear/m4", "--time-limit-s", "20", "--jsonl",
               str(self.folder / "run.jsonl"))
        best = self.folder / "best.jsonl"
        status, out, err = self.run_bench(*run, "--update-best", str(best))
        self.assertEqual((status, err), (0, ""))
        self.assertIn("2 new problems", out)
        self.assertEqual(len(best_known.read(best)), 2)
        with mock.patch.object(run_problems.Solver, "solve", side_effect=AssertionError("solved again")):
            self.assertEqual(self.run_bench(*run)[0], 0)
        status, tabled, _ = self.run_bench("--tables", str(self.folder / "run.jsonl"))
        self.assertEqual(status, 0)
        self.assertIn(tabled.strip(), out)

    def test_a_contradiction_with_the_best_known_ends_with_1(self):
        path = self.folder / "run.jsonl"
        path.write_text(run_problems.line_of(row_of("linear/m4 4896 1.05x")))
        status, out, _ = self.run_bench("--tables", str(path))
        self.assertEqual(status, 1)
        self.assertIn("CONTRADICTION: linear/m4 4896 1.05x: measured on another graph", out)

    def test_bad_input_ends_with_2(self):
        for words, message in ((("--list", "--filter", "nothing"), "no problem of named has 'nothing'"),
                               (("--list", "--shard", "3/2"), "expected a part"),
                               (("--tables", "missing.jsonl"), "missing.jsonl"),
                               (("--update-best", str(self.folder / "none" / "best.jsonl")), "none")):
            status, _, err = self.run_bench(*words)
            self.assertEqual(status, 2, words)
            self.assertIn(message, err)
        self.assertFalse((self.folder / "best.jsonl").exists())

    def test_options_that_a_mode_would_ignore_are_refused(self):
        for mode in (["--list"], ["--ablation"], ["--poet-baseline"], ["--sweep", "linear", "m4", "1.5", "3"]):
            for option in ("--jsonl", "--update-best"):
                with self.assertRaises(SystemExit) as ended:
                    self.run_bench(*mode, option, str(self.folder / "file.jsonl"))
                self.assertEqual(ended.exception.code, 2)
