"""What is made of cbc's answers to POET's formulation, and which of them exclude ours."""
import dataclasses
import os
from unittest import mock

import poet_baseline
import problem_sets
import run_problems
from bench_support import TestCase, row_of, without_schedule
from poet_baseline import Theirs

OURS = row_of() | {"status": "optimal", "baseline_energy_joules": 90, "energy_joules": 100, "lower_bound_joules": 99,
                   "gap_asked": 0.01}


def theirs(energy, bound):
    return Theirs("optimal", energy=energy, bound=bound)


class Comparison(TestCase):
    def test_answers_agree_within_the_gaps(self):
        self.assertEqual(poet_baseline.refuted(theirs(100.5, 99.5), OURS), "")
        for energy in (100.5, 99):
            self.assertFalse(poet_baseline.refutes(theirs(energy, 99), OURS))

    def test_theirs_is_wrong_if_our_schedule_is_better_than_its_proof_allows(self):
        for answer, message in ((theirs(100.5, 100.1), "its bound is above a schedule's energy"),
                                (theirs(102, 99), "it is not optimal"), (Theirs("infeasible"), "it is feasible")):
            self.assertEqual(poet_baseline.refuted(answer, OURS), message)
            self.assertEqual(poet_baseline.refuted(answer, OURS | {"failure": "wrong"}), "")

    def test_ours_is_wrong_if_their_schedule_is_below_our_bound(self):
        self.assertTrue(poet_baseline.refutes(theirs(98.9, 98), OURS))
        infeasible = without_schedule("infeasible")
        self.assertTrue(poet_baseline.refutes(theirs(100, 99), infeasible))
        self.assertFalse(poet_baseline.refutes(theirs(100, 99), infeasible | {"failure": "exit status -9"}))

    def run_with(self, answer, row):
        said = []
        solver = mock.Mock(spec=run_problems.Solver, **{"solve.return_value": row})
        with mock.patch.object(poet_baseline, "solve", return_value=answer), \
                mock.patch.object(poet_baseline.shutil, "which", return_value="cbc"):
            problem = problem_sets.named("chain", "linear", "m4", 4000, 2)
            return poet_baseline.run([problem], solver, "", said.append), said

    def test_what_is_wrong_is_told_and_counted(self):
        status, said = self.run_with(theirs(102, 99), OURS)
        self.assertIn("WRONG: it is not optimal", said[2])
        self.assertEqual((status, said[3:]), (0, ["\nours: 1 with a schedule, 1 proven",
                                                  "POET: 1 with a schedule, 0 proven, 1 wrong"]))
        status, said = self.run_with(theirs(98, 97), OURS)
        self.assertEqual(status, 1)
        self.assertIn("OURS IS WRONG", said[2])
        status, said = self.run_with(Theirs("infeasible"), without_schedule("infeasible"))
        self.assertEqual((status, said[4]), (0, "POET: 0 with a schedule, 1 proven, 0 wrong"))
        invalid = dataclasses.replace(theirs(None, 99), fault="no input")
        status, said = self.run_with(invalid, OURS | {"failure": "invalid schedule"})
        self.assertEqual((status, said[4]), (1, "POET: 0 with a schedule, 0 proven, 0 wrong"))
        self.assertIn("INVALID: no input", said[2])


class Cbc(TestCase):
    def test_its_words_are_understood(self):
        for heading, status in (("Optimal - objective value 1.5", "optimal"), ("", "no answer"),
                                ("Stopped on time - objective value 2", "time limit"),
                                ("Integer infeasible - objective value 0", "infeasible"), ("Odd - 1", "Odd")):
            self.assertEqual(poet_baseline.status_in(heading), status)
        log = "Continuous objective value is 1.25 - 0.00 seconds\nObjective value:  3\nLower bound:    2.5\n"
        for text, status, bound in ((log, "optimal", 2.5), (log[:70], "optimal", 3), (log[:70], "time limit", 1.25),
                                    ("", "killed", None)):
            self.assertEqual(poet_baseline.bound_in(text, status), bound)

    def test_only_whole_numbers_are_a_schedule(self):
        lines = ["      0 R_0_0    1   0", "**    7 Sram_1_0   0.999999   0", "     90 U_0_0    2.5  0"]
        values = poet_baseline.values_in(lines, "Optimal - objective value 1")
        self.assertEqual(values, {"R_0_0": 1, "Sram_1_0": 0.999999, "U_0_0": 2.5})
        self.assertEqual(poet_baseline.values_in([*lines, "3 R_1_0 0.5 0"], "Stopped on time - objective value 1"), {})
        for heading in ("Infeasible - objective value 1", "Stopped on time (no integer solution) - objective value 1"):
            self.assertEqual(poet_baseline.values_in(lines, heading), {})

    def test_one_that_does_not_end_is_killed(self):
        cbc = self.folder / "cbc"
        cbc.write_text("#!/bin/sh\necho Continuous objective value is 3\nexec sleep 60\n")
        cbc.chmod(0o755)
        with mock.patch.object(poet_baseline, "GRACE_SECONDS", -29.5), \
                mock.patch.dict(os.environ, {"PATH": f"{self.folder}:/usr/bin:/bin"}):
            log, killed, seconds = poet_baseline.run_cbc("model", "solution", 0, 30)
        self.assertTrue(killed)
        self.assertEqual(poet_baseline.bound_in(log, "killed"), 3)
        self.assertLess(seconds, 30)
