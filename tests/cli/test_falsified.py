#!/usr/bin/env python3
"""Every figure of a file, falsified: `verify` has to refuse it, unless nobody can know better.

usage: test_falsified.py POET_SOLVE
"""
import copy
import functools
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)

# Words that a key may have; other texts are names and digests.
WORDS = {"status": ("optimal", "feasible", "infeasible", "unknown", "failed"),
         "techniques": ("both", "remat", "paging", "none"), "origin": ("solved", "verdict", "reused"),
         "paging_time": ("free", "blocking", "overlapped"), "objective": ("energy", "runtime", "ram"),
         "backward": ("poet-chain", "exact", "none", "explicit")}
# Where the graph came from. The graph itself is in the file, and is compared with --model.
PROVENANCE = {f"/{of}/{key}" for of in ("model", "platform") for key in ("name", "source", "sha256")}
# How the graph follows from the model, which --model compares.
DERIVATION = {"/model/backward", "/model/batch_size", "/request/mem_power_scale"}
# What was asked for and leaves no trace in a schedule. A smaller gap would be noticed.
ASKED = {"/request/gap", "/request/seed", "/request/solve_threads", "/request/time_limit_seconds"}
# To claim less than is proven is not false.
MODEST = {"/status"}
LESS_CERTIFIED = {"/summary/certified"}
# Limits that a schedule keeps to although it need not.
UNUSED = {"/request/remat", "/request/storage_budget_bytes", "/request/page_out_budget_bytes"}
# What follows from the model and the platform.
OF_THE_BOARD = {"/summary/steps_until_worn"} | {
    f"/summary/memory/{what}_bytes" for what in ("parameters", "gradients", "optimizer", "reserve", "flash")}

CHAIN = ("--model", "linear", "--platform", "m4")
EXACT = ("--model", "linear", "--platform", "stm32f746")


def poet_solve(*words, text=None):
    return subprocess.run([PROGRAM, *words], input=text, capture_output=True, text=True)


def document(*words, status=0):
    run = poet_solve(*words)
    assert run.returncode == status, run.stderr
    return json.loads(run.stdout)


@functools.cache
def chain_schedule():
    """A schedule of POET's chain that recomputes and pages, as a text."""
    file = document(*CHAIN, "--ram-budget", "3256", "--runtime-budget", "1")
    assert file["summary"]["recompute_count"] > 0 and file["summary"]["page_in_count"] > 0
    return json.dumps(file)


@functools.cache
def exact_schedule():
    """A schedule of the whole step on a board whose storage wears out, with a certificate."""
    with tempfile.TemporaryDirectory() as folder:
        file = document(*EXACT, "--backward", "exact", "--ram-budget", "60%", "--runtime-budget", "20",
                        "--storage-budget", "1M", "--page-out-budget", "1M", "--certify", f"{folder}/exact.proof")
    summary = file["summary"]
    assert summary["page_in_count"] > 0 and summary["certified"] and {"steps_until_worn", "memory"} <= summary.keys()
    return json.dumps(file)


def without_offsets(file):
    """The same as older versions wrote it."""
    for key in ("arena_bytes", "storage_bytes", "peak_storage_bytes"):
        file["summary"].pop(key, None)
    for step in file["program"]:
        for key in ("offset", "slot"):
            step.pop(key, None)
    return file | {"version": 1}


def others_than(value, key, much):
    """Falsehoods; figures agree if nine digits do."""
    others = []
    if value is None:
        others = [1]
    elif isinstance(value, bool):
        others = [not value]
    elif isinstance(value, int):
        others = [value * 2 if much and value else value + 1]
    elif isinstance(value, float):
        others = [value * 2 if much and value else value + max(1, abs(value) * 1e-6)]
    elif isinstance(value, str):
        others = WORDS.get(key, ["x" + value])
    return [other for other in others if other != value]


def leaves(value, path=()):
    if isinstance(value, (dict, list)):
        for key, below in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(below, (*path, key))
    else:
        yield "/" + "/".join(map(str, path)), path, value


def falsehoods(original, members=(), much=True):
    """Documents with one leaf falsified, by much and by little in turn, and which one it is."""
    for name, path, value in sorted(leaves(original), key=lambda leaf: leaf[0]):
        if members and path[0] not in members:
            continue
        for other in others_than(value, path[-1], much):
            changed = copy.deepcopy(original)
            functools.reduce(lambda at, key: at[key], path[:-1], changed)[path[-1]] = other
            yield name, changed
        much = not much


class Falsified(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, *rows):
        path = self.folder / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return str(path)

    def unnoticed(self, changed, *words):
        """The leaves of which a falsehood passes. What `verify` refuses among all of them is not asked alone."""
        paths = {self.write(f"{number}.json", *rows): name for number, (name, rows) in enumerate(changed)}
        self.assertGreater(len(paths), 10)
        said = poet_solve("verify", "-q", *paths, *words).stderr
        open_ones = [path for path in paths if f"poet-solve: error: {path}" not in said]
        return {paths[path] for path in open_ones if poet_solve("verify", "-q", path, *words).returncode == 0}

    def unnoticed_in_file(self, file, much, *words):
        self.assertEqual(poet_solve("verify", self.write("true.json", file), *words).returncode, 0)
        members = ("code", "status", "model", "platform", "request", "summary")
        return self.unnoticed([(name, [changed]) for name, changed in falsehoods(file, members, much)], *words)

    def sweep(self, ram, *words, name="c.jsonl"):
        """The rows of a sweep that has its schedules beside it."""
        path = self.folder / name
        run = poet_solve("sweep", "--models", "linear", "--platforms", "m4", "--ram-budget", ram, "--runtime-budget",
                         "2", "--output", str(path), "--schedules", str(self.folder / f"{name}.schedules"), *words)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(poet_solve("verify", str(path)).returncode, 0)
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    def assert_refused(self, path, *findings):
        run = poet_solve("verify", path)
        self.assertEqual(run.returncode, 5)
        for finding in findings:
            self.assertIn(finding, run.stderr)

    def test_field_of_a_schedule_of_version_1_is_noticed(self):
        file, always = without_offsets(json.loads(chain_schedule())), PROVENANCE | ASKED | MODEST
        # The nodes of version 1 do not say how long a transfer takes; the platform does.
        self.assertEqual(self.unnoticed_in_file(file, True), always | DERIVATION | {"/summary/paging_seconds"})
        # Only `none` and `explicit` pass: they are not choices of --backward.
        self.assertEqual(self.unnoticed_in_file(file, False, *CHAIN), always | {"/model/backward"})

    def test_field_of_an_exact_schedule_with_offsets_is_noticed(self):
        file, always = json.loads(exact_schedule()), PROVENANCE | ASKED | MODEST | LESS_CERTIFIED | UNUSED
        self.assertEqual(self.unnoticed_in_file(file, True), always | DERIVATION | OF_THE_BOARD)
        self.assertEqual(self.unnoticed_in_file(file, False, *EXACT), always)

    def test_document_without_a_schedule_stays_refused(self):
        none = document(*CHAIN, "--ram-budget", "3255", "--runtime-budget", "2", status=3)
        self.assertEqual(none["status"], "infeasible")
        self.assertEqual(self.unnoticed((name, [changed]) for name, changed in falsehoods(none)), set())

    def test_figures_that_need_the_model_are_named_without_it(self):
        for text, words, figures in ((exact_schedule(), EXACT, "summary.memory, summary.steps_until_worn"),
                                     (chain_schedule(), CHAIN, "summary.paging_seconds\n")):
            self.assertIn("; not compared without --model and --platform: " + figures,
                          poet_solve("verify", "-", text=text).stderr)
            self.assertNotIn("not compared", poet_solve("verify", "-", *words, text=text).stderr)

    def test_time_of_no_transfers_is_noticed(self):
        file = document(*CHAIN, "--ram-budget", "3500", "--runtime-budget", "2", "--no-paging")
        self.assertEqual(file["summary"]["paging_seconds"], 0)
        self.assertNotIn("not compared", poet_solve("verify", self.write("true.json", file)).stderr)
        file["summary"]["paging_seconds"] = 1
        self.assert_refused(self.write("false.json", file), "summary.paging_seconds is 1; the replay says 0")

    def test_field_of_a_row_of_a_sweep_is_noticed(self):
        rows = self.sweep("5%,10%,3256,100%")
        # A reason is for people. --collect finds no verdicts: it has what was solved.
        always = {"/origin", "/reason", "/timing/wall_seconds"}
        # Nobody can tell which limits a proof was about, as long as no schedule fits them. A solve that failed claims
        # nothing.
        for status, expected in (("optimal", always),
                                 ("infeasible", always | {"/ram_budget_bytes", "/status", "/techniques"})):
            places = [place for place, row in enumerate(rows) if row["status"] == status]
            self.assertGreaterEqual(len(places), 2, "each field by much in one row, and by little in another")
            found = set()
            for number, place in enumerate(places):
                found |= self.unnoticed((name, [*rows[:place], changed, *rows[place + 1:]])
                                        for name, changed in falsehoods(rows[place], much=number % 2 == 0))
            self.assertEqual(found, expected)

    def test_bound_above_the_energy_of_a_tighter_point_is_noticed(self):
        tight, loose = self.sweep("3256,60%")
        self.assert_refused(self.write("f.jsonl", tight, loose | {"lower_bound_joules": 2 * tight["energy_joules"]}),
                            "point 1: its bound of ", " of point 0, whose schedule fits its limits")

    def test_infeasible_is_refuted_by_the_schedule_of_another_point(self):
        none, solved = self.sweep("10%,3256")
        self.assert_refused(self.write("f.jsonl", none | {"ram_budget_bytes": 3300}, solved),
                            "point 0: it is infeasible, but the schedule of point 1 fits its limits")

    def test_results_of_two_sweeps_in_one_file_are_compared_each_by_itself(self):
        both = [row for gap in ("1e-3", "1e-4") for row in self.sweep("60%,100%", "--gap", gap, name=gap)]
        run = poet_solve("verify", self.write("both.jsonl", *both))
        self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
