"""What is kept of solves: files of results that a later run goes on with, and the best known."""
import os

import best_known
import run_problems
from bench_support import CONDITIONS, NAME, TestCase, row_of, without_schedule


class ResultFiles(TestCase):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "run.jsonl"

    def results(self):
        return run_problems.Results(self.path, CONDITIONS)

    def test_they_have_what_an_earlier_run_wrote(self):
        first, second = row_of(), row_of("linear/m4 5000 1.5x")
        self.results().add(first)
        later = self.results()
        self.assertEqual(later.rows, {NAME: first})
        later.add(second)
        self.assertEqual(self.path.read_text(), run_problems.line_of(first) + run_problems.line_of(second))
        self.assertEqual(run_problems.read_all([self.path]), [first, second])

    def test_a_torn_line_is_cut(self):
        line = run_problems.line_of(row_of())
        self.path.write_text(line + line[:50])
        self.assertEqual(list(self.results().rows), [NAME])
        self.assertEqual(self.path.read_text(), line)

    def test_what_crashed_is_solved_again(self):
        second = run_problems.line_of(row_of("linear/m4 5000 1.5x"))
        self.path.write_text(run_problems.line_of(row_of(crashed=True, failure="exit status -9")) + second)
        self.assertEqual(list(self.results().rows), ["linear/m4 5000 1.5x"])
        self.assertEqual(self.path.read_text(), second)

    def test_results_of_other_options_are_refused_and_stay(self):
        for key, other in (("gap_asked", 0), ("time_limit_seconds", 60), ("program_sha256", "another")):
            line = run_problems.line_of(row_of(**{key: other}))
            self.path.write_text(line)
            with self.assertRaisesRegex(ValueError, f"run.jsonl: {NAME}: found {key} {other}, expected"):
                self.results()
            self.assertEqual(self.path.read_text(), line)

    def test_they_need_a_folder(self):
        self.path = self.folder / "none" / "run.jsonl"
        with self.assertRaises(OSError):
            self.results()

    def test_a_problem_comes_once(self):
        self.path.write_text(2 * run_problems.line_of(row_of()))
        with self.assertRaisesRegex(ValueError, "run.jsonl:2: .*measured twice"):
            run_problems.read_all([self.path])

    def test_a_file_without_results_has_no_tables(self):
        self.path.write_text("")
        with self.assertRaisesRegex(ValueError, "run.jsonl: expected results"):
            run_problems.read_all([self.path])

    def test_an_error_says_where(self):
        self.path.write_text(run_problems.line_of(row_of()) + "{}\n")
        with self.assertRaisesRegex(ValueError, "run.jsonl:2: .*problem"):
            self.results()


class BestKnown(TestCase):
    def setUp(self):
        super().setUp()
        self.known, _, _ = best_known.improve({}, [self.found(110, 105, "first")])

    def found(self, energy, bound, version="second", **changes):
        return row_of(energy_joules=energy, lower_bound_joules=bound, version=version, **changes)

    def improve(self, row):
        known, counts, faults = best_known.improve(self.known, [row])
        if faults:
            self.assertIs(known, self.known)
        self.known = known
        return list(counts.values()), faults

    def test_a_new_problem_is_what_was_found(self):
        best = self.known[NAME]
        self.assertEqual((best["energy_joules"], best["energy_from"]), (110, "version first, 20 s"))
        self.assertEqual((best["lower_bound_joules"], best["baseline_energy_joules"]), (105, 100))

    def test_energy_and_bound_are_of_different_runs(self):
        self.assertEqual(self.improve(self.found(108, 103)), ([0, 1, 0], []))
        self.assertEqual(self.improve(self.found(112, 107, "third")), ([0, 0, 1], []))
        best = self.known[NAME]
        self.assertEqual((best["energy_joules"], best["energy_from"]), (108, "version second, 20 s"))
        self.assertEqual((best["lower_bound_joules"], best["bound_from"]), (107, "version third, 20 s"))

    def test_nothing_gets_worse(self):
        before = dict(self.known)
        for row in (self.found(110, 105), self.found(111, 104), self.found(115, 0), without_schedule("unknown")):
            self.assertEqual(self.improve(row), ([0, 0, 0], []))
            self.assertEqual(self.known, before)

    def test_an_energy_stays_if_only_the_bound_rises(self):
        self.improve(without_schedule("unknown", lower_bound_joules=109))
        self.assertEqual((self.known[NAME]["energy_joules"], self.known[NAME]["lower_bound_joules"]), (110, 109))

    def test_a_bound_above_an_energy_is_refused(self):
        _, faults = self.improve(self.found(113, 111))
        self.assertRegex(faults[0], rf"{NAME}.*111 J \(version second, 20 s\).*110 J \(version first, 20 s\)")
        _, faults = self.improve(self.found(104, 101))
        self.assertRegex(faults[0], rf"{NAME}.*105 J \(version first, 20 s\).*104 J \(version second, 20 s\)")

    def test_a_bound_may_meet_the_energy_up_to_rounding(self):
        self.assertEqual(self.improve(self.found(110, 110 * (1 + 1e-12)))[1], [])
        self.assertRegex(self.improve(self.found(110, 110 * (1 + 1e-6)))[1][0], "is above the energy")

    def test_nothing_is_taken_of_a_run_that_contradicts_it_somewhere(self):
        other = row_of("linear/m4 3500 1.5x")
        known, _, faults = best_known.improve(self.known, [other, self.found(104, 101)])
        self.assertEqual((known, len(faults)), (self.known, 1))

    def test_a_proof_that_there_is_no_schedule_and_a_schedule_exclude_each_other(self):
        self.assertRegex(self.improve(without_schedule("infeasible"))[1][0], "proven to have no schedule")
        self.known = {}
        self.assertEqual(self.improve(without_schedule("infeasible")), ([1, 0, 0], []))
        self.assertRegex(self.improve(self.found(110, 105))[1][0], "proven to have no schedule")
        self.assertTrue(self.known[NAME]["infeasible"])

    def test_a_proof_that_there_is_no_schedule_stays(self):
        self.known = {}
        bound = without_schedule("unknown", lower_bound_joules=109)
        self.improve(bound)
        self.assertEqual(self.improve(without_schedule("infeasible", version="second")), ([0, 0, 1], []))
        self.assertEqual(self.improve(bound), ([0, 0, 0], []))
        self.assertEqual((self.known[NAME]["infeasible"], self.known[NAME]["bound_from"]),
                         (True, "version second, 20 s"))

    def test_another_graph_is_refused(self):
        self.assertRegex(self.improve(self.found(90, 85, graph_sha256="other"))[1][0], "another graph")

    def test_a_bound_is_above_energies_of_other_orders_without_harm(self):
        before = self.known
        known, _, faults = best_known.improve(before, [self.found(90, 88, order_sha256="early")])
        self.assertEqual(faults, [])
        self.assertEqual(known[NAME], before[NAME])
        self.assertEqual(known[f"{NAME} in order early"]["energy_joules"], 90)
        again, _, faults = best_known.improve(known, [self.found(104, 103, order_sha256="early")])
        self.assertEqual(again, known)
        self.assertRegex(faults[0], "in order early: the bound of 103 J .* is above the energy of 90 J")
        path = self.folder / "orders.jsonl"
        path.write_text(best_known.text_of(known), encoding="utf-8")
        self.assertEqual(best_known.read(path), known)

    def test_a_wrong_answer_is_refused_and_a_crash_skipped(self):
        wrong = self.found(106, 105, failure="invalid schedule")
        self.assertEqual(self.improve(wrong)[1], [f"{NAME}: invalid schedule"])
        self.assertEqual(self.improve(wrong | {"crashed": True}), ([0, 0, 0], []))

    def test_a_file_is_read_back_as_it_was(self):
        self.assertEqual(best_known.text_of(best_known.read(best_known.FILE)), best_known.FILE.read_text())
        self.assertEqual(best_known.read(self.folder / "missing.jsonl"), {})

    def test_a_file_is_updated_or_left_as_it_was(self):
        path = self.folder / "best.jsonl"
        self.assertEqual(best_known.update(path, [self.found(110, 105, "first")]), ({**dict.fromkeys(
            ("new problems", "better energies", "better bounds"), 0), "new problems": 1}, []))
        self.assertEqual(best_known.read(path), self.known)
        best_known.update(path, [self.found(108, 105)])
        self.assertEqual(best_known.read(path)[NAME]["energy_joules"], 108)
        before = path.read_text()
        self.assertEqual(len(best_known.update(path, [self.found(104, 101)])[1]), 1)
        self.assertEqual(path.read_text(), before)
        self.assertEqual(os.listdir(self.folder), ["best.jsonl"])

    def test_a_file_is_checked_line_by_line(self):
        line = best_known.text_of(self.known)
        wrong = best_known.text_of({NAME: self.known[NAME] | {"lower_bound_joules": 120}})
        for text, message in ((line + line, "best.jsonl:2: .*comes twice"), (line + "{}\n", "best.jsonl:2: .*problem"),
                              (wrong, "best.jsonl:1: .*above the energy")):
            path = self.folder / "best.jsonl"
            path.write_text(text)
            with self.assertRaisesRegex(ValueError, message):
                best_known.read(path)
