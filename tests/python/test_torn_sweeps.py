"""Journals of sweeps, torn at any byte, with anything behind it: the sweep goes on to the rows of a whole one.

POET_CASES=1000 POET_SEED=7 draws 1000 tears from number 7 on.
"""
import json
import os
import random
import shutil
import subprocess
import unittest

from support import TestCase

PROGRAM = os.environ["POET_SOLVE"]
FIRST, CASES = int(os.environ.get("POET_SEED", 0)), int(os.environ.get("POET_CASES", 24))
GRID = ["--models", "linear", "--platforms", "m4", "--ram-budget", "3000,3256,3500,60%,100%", "--runtime-budget", "2",
        "--techniques", "both,remat"]


def rows(path):
    """Without the times, which differ from run to run."""
    return [{key: value for key, value in json.loads(line).items() if key != "timing"}
            for line in path.read_text(encoding="utf-8").splitlines()]


class TornSweeps(TestCase):
    def setUp(self):
        super().setUp()
        self.whole = self.folder / "whole.jsonl"
        self.sweep("--output", self.whole)
        request = (self.folder / "whole.jsonl.request").read_bytes().splitlines(keepends=True)
        self.assertIn(b"result_sha256", request[-1])
        self.lines = request[:-1]  # what the sweep had before the last of its lines made it a request
        self.assertEqual(len(self.lines), 11)

    def sweep(self, *words, status=0):
        run = subprocess.run([PROGRAM, "sweep", "-q", *GRID, *map(str, words)], capture_output=True, text=True)
        self.assertIn(run.returncode, (status, 0), run.stderr)
        return run

    def torn(self, draw):
        """What a crash may leave, and whether all of it is a beginning of the journal and one line without an end."""
        journal = b"".join(self.lines)
        cut = journal[:draw.randrange(len(journal) + 1)]
        line = bytes(draw.choice(b'{}[]",:x\x00\xff 0') for _ in range(draw.randrange(1, 40)))
        what = draw.choice(("cut", "garbage", "zeros", "twice", "line"))
        if what == "line":  # whole, and without a meaning
            return journal[:journal.rindex(b"\n", 0, max(len(self.lines[0]), len(cut)) + 1) + 1] + line + b"\n", False
        if what == "twice":
            return b"".join(self.lines[:draw.randrange(2, 12)]) + draw.choice(self.lines[1:]), True
        return cut + {"cut": b"", "garbage": line, "zeros": bytes(draw.randrange(1, 5000))}[what], True

    def test_a_torn_sweep_goes_on_or_is_refused(self):
        expected, on, refused = rows(self.whole), 0, 0
        for number in range(FIRST, FIRST + CASES):
            with self.subTest(f"POET_CASES=1 POET_SEED={number}"):
                left, must_go_on = self.torn(random.Random(number))
                folder = self.folder / str(number)
                folder.mkdir()
                journal, result = folder / "c.jsonl.partial", folder / "c.jsonl"
                journal.write_bytes(left)
                run = self.sweep("--output", result, "--resume", result, "--jobs", 1 + number % 2,
                                 status=0 if must_go_on else 2)
                if run.returncode == 0:
                    on += 1
                    self.assertEqual(rows(result), expected)
                    self.assertEqual(sorted(path.name for path in folder.iterdir()), ["c.jsonl", "c.jsonl.request"])
                else:
                    refused += 1
                    self.assertIn("c.jsonl.partial", run.stderr)
                    self.assertEqual({path.name: path.read_bytes() for path in folder.iterdir()}, {journal.name: left})
                shutil.rmtree(folder)
        print(f"{CASES} tears: {on} go on to the rows of the whole sweep, {refused} are refused")
        self.assertTrue(CASES < 24 or (on and refused))


if __name__ == "__main__":
    unittest.main()
