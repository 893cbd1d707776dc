"""Graphs of 150 to 400 nodes beside CBC's program on the exported model: no bound is above a solution, on neither side.

POET_CASES=1000 POET_SEED=7 draws 1000 graphs from number 7 on.
"""
import json
import math
import os
import random
import re
import shutil
import subprocess
import unittest

from support import TestCase

PROGRAM = os.environ["POET_SOLVE"]
FIRST, CASES = int(os.environ.get("POET_SEED", 0)), int(os.environ.get("POET_CASES", 3))
OUR_SECONDS, THEIR_SECONDS = 1, 1
TOLERANCE = 1e-5  # of the energy: CBC prints six digits


def drawn_graph(draw):
    """Measured nodes that mostly read near ones. Few may be computed again: these decide how large the model is."""
    size, reach = draw.randint(150, 400), draw.choice((3, 8, 20))
    again, paged = draw.choice(((0.1, 0.7), (0, 0.5), (0.15, 0)))
    nodes = []
    for k in range(size):
        inputs = {k - 1} if k else set()
        inputs |= {draw.randrange(max(0, k - reach), k) for _ in range(draw.choice((0, 1, 1, 2))) if k}
        if k and draw.random() < 0.05:
            inputs.add(draw.randrange(k))
        seconds = draw.choice((1e-3, 2e-3, 5e-3))
        nodes.append({"name": f"n{k}", "op": "drawn", "bytes": 4 * draw.choice((1, 2, 5, 10, draw.randint(1, 100))),
                      "runtime_seconds": seconds, "energy_joules": seconds * draw.uniform(0.5, 2),
                      "page_in_energy_joules": draw.uniform(1e-5, 1e-3), "recompute": draw.random() < again,
                      "page_out_energy_joules": draw.uniform(1e-5, 1e-3), "page": draw.random() < paged,
                      "inputs": [f"n{i}" for i in sorted(inputs)]})
    return {"format": "poet-model", "version": 2, "name": "drawn", "nodes": nodes}


def asked(model):
    """What CBC knows of an exported model after some seconds: whether it is infeasible, its best energy and bound."""
    with open(model, encoding="utf-8") as file:
        unit = float(file.readline().split("in units of ")[1].split()[0])
    words = ["cbc", model, "sec", str(THEIR_SECONDS), "solve"]
    finished = subprocess.run(words, capture_output=True, text=True, check=False)
    if finished.returncode < 0:  # it aborts on one problem of a thousand, and has not said anything then
        return False, math.inf, -math.inf
    finished.check_returncode()
    text = finished.stdout

    def figure(label, otherwise):
        found = re.search(rf"^{label}\s+(\S+)", text, re.M)
        return float(found[1]) * unit if found else otherwise

    infeasible = bool(re.search("Result - Problem proven infeasible|Problem is infeasible|relaxation infeasible", text))
    best = figure("Objective value:", math.inf)
    relaxed = figure("Continuous objective value is", -math.inf)
    bound = best if "Result - Optimal solution found" in text else figure("Lower bound:", relaxed)
    return infeasible, best, max(bound, relaxed)


@unittest.skipIf(shutil.which("cbc") is None, "no cbc (Debian: coinor-cbc)")
class LargeProblems(TestCase):
    def test_no_solver_is_contradicted(self):
        path, model = self.folder / "graph.json", self.folder / "model.mps"
        counts = dict.fromkeys(("schedules", "infeasible", "their solutions", "their proofs"), 0)
        for number in range(FIRST, FIRST + CASES):
            with self.subTest(f"POET_CASES=1 POET_SEED={number}"):
                draw = random.Random(number)
                path.write_text(json.dumps(drawn_graph(draw)), encoding="utf-8")
                model.unlink(missing_ok=True)
                run = subprocess.run([PROGRAM, "-q", "--model", path, "--ram-budget", f"{draw.randint(75, 98)}%",
                                      "--runtime-budget", "1.5", "--time-limit-s", str(OUR_SECONDS),
                                      "--export-model", model], capture_output=True, text=True)
                self.assertIn(run.returncode, (0, 3, 4), run.stderr)
                document = json.loads(run.stdout)
                summary = document.get("summary", {})
                energy, bound = summary.get("energy_joules", math.inf), summary.get("lower_bound_joules", 0)
                if document["status"] == "infeasible":
                    bound = math.inf
                infeasible, best, least = asked(model)
                self.assertFalse(infeasible and energy < math.inf)
                self.assertLessEqual(least, energy * (1 + TOLERANCE))
                self.assertGreaterEqual(best, bound * (1 - TOLERANCE))
                so = energy < math.inf, bound == math.inf, best < math.inf, infeasible or least == best < math.inf
                counts = {name: counts[name] + is_so for name, is_so in zip(counts, so)}
        print(f"{CASES} problems: {counts}")
        self.assertGreater(counts["their solutions"] + counts["infeasible"], CASES // 2)


if __name__ == "__main__":
    unittest.main()
