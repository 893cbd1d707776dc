"""Small training steps with copied frozen parameters against all schedules, by docs/schedule-format.md alone.

Recomputation is the only technique, so that copies are made again. POET_CASES=1000 POET_SEED=7 draws 1000 steps from
number 7 on.
"""
import json
import math
import os
import random
import subprocess
import unittest

from support import TestCase

PROGRAM = os.environ["POET_SOLVE"]
FIRST, CASES = int(os.environ.get("POET_SEED", 0)), int(os.environ.get("POET_CASES", 20))
SAME = 1e-9  # of the energy: sums in another order


class AllSchedules:
    """The rules of a valid schedule without paging. A set of nodes is a number with their bits."""

    def __init__(self, nodes, ram):
        self.nodes, self.ram = nodes, ram
        self.inputs = [sum(1 << i for i in set(node["inputs"])) for node in nodes]
        self.last = []  # the last stage that may compute a node: what it reads may not have changed
        for k, node in enumerate(nodes):
            read = set(node.get("reads_parameters", []))
            writers = [w for w, other in enumerate(nodes) if w != k and read & set(other.get("writes_parameters", []))]
            self.last.append(min([len(nodes), *writers]) if node.get("recompute", True) else k)

    def bytes_of(self, held):
        return sum(node["bytes"] for k, node in enumerate(self.nodes) if held >> k & 1)

    def after(self, held, k):
        """What may be held behind the computation of a node: an input may go there."""
        node, inputs = self.nodes[k], self.inputs[k]
        if inputs & ~held:
            return
        used = self.bytes_of(held) + node["bytes"] + node.get("workspace_bytes", 0)
        over, gone = node.get("in_place"), inputs
        while True:
            taken = self.nodes[over]["bytes"] if over is not None and gone >> over & 1 else 0
            if used - taken <= self.ram:
                yield held & ~gone | 1 << k
            if not gone:
                return
            gone = (gone - 1) & inputs

    def least(self, most):
        """The least energy of a schedule that needs at most so much; infinity if there is none."""
        states = {0: sum(node["energy_joules"] for node in self.nodes)}  # by what is held
        for t in range(len(self.nodes)):
            for k in range(t + 1):
                following = {} if k == t else dict(states)
                added = self.nodes[k]["energy_joules"] if k < t else 0
                for held, energy in states.items():
                    total = energy + added
                    if total > most * (1 + SAME) or held >> k & 1 or (k < t and self.last[k] < t):
                        continue
                    for after in self.after(held, k):
                        following[after] = min(total, following.get(after, math.inf))
                states = following
            for k in range(t + 1):  # what no computation of the stage reads goes at its end
                for held, energy in list(states.items()):
                    rest = held & ~(1 << k)
                    states[rest] = min(energy, states.get(rest, math.inf))
        return min(states.values(), default=math.inf)


def drawn_step(draw):
    """A dense layer that trains, and frozen ones behind it, copied; one may share its weights with another."""
    copied = {"trainable": False, "frozen_parameters": "copied"}
    layers = [{"name": "first", "op": "linear", "inputs": ["input"], "out_features": draw.randint(1, 6)}]
    for number in range(draw.randint(1, 2)):
        more = copied
        width = draw.randint(1, 8)
        is_square = number and layers[0]["out_features"] == layers[1]["out_features"]
        if is_square and draw.random() < 0.7:
            more, width = {"weights": "frozen0"}, layers[1]["out_features"]
        layers.append({"name": f"frozen{number}", "op": "linear", "inputs": [layers[-1]["name"]],
                       "out_features": width, **more})
        if draw.random() < 0.6:
            layers.append({"name": f"tanh{number}", "op": "tanh", "inputs": [layers[-1]["name"]]})
    layers.append({"name": "loss", "op": "mse", "inputs": [layers[-1]["name"]]})
    return {"format": "poet-model", "version": 2, "name": "drawn", "update": draw.choice(("fused", "buffered")),
            "input": {"shape": [draw.randint(1, 6), draw.randint(1, 6)]}, "layers": layers}


class SecondReader(TestCase):
    def solve(self, path, ram):
        run = subprocess.run([PROGRAM, "-q", "--model", path, "--backward", "exact", "--platform", "m4", "--no-paging",
                              "--gap", "0", "--ram-budget", str(ram), "--runtime-budget", "100"], capture_output=True,
                             text=True)
        self.assertIn(run.returncode, (0, 3), run.stderr)
        return json.loads(run.stdout)

    def test_no_schedule_is_better(self):
        none = twice = 0
        for number in range(FIRST, FIRST + CASES):
            with self.subTest(f"POET_CASES=1 POET_SEED={number}"):
                draw = random.Random(number)
                path = self.folder / "step.json"
                path.write_text(json.dumps(drawn_step(draw)), encoding="utf-8")
                whole = self.solve(path, "100%")
                nodes, peak = whole["nodes"], whole["summary"]["peak_ram_bytes"]
                copies = [k for k, node in enumerate(nodes) if node["op"] == "copy"]
                self.assertTrue(copies)
                needed = max(node["bytes"] + sum(nodes[i]["bytes"] for i in node["inputs"]) for node in nodes)
                ram = 4 * draw.randint(min(needed - 4, peak) // 4, peak // 4)
                found = self.solve(path, ram)
                energy = found["summary"]["energy_joules"] if found["status"] == "optimal" else math.inf
                best = AllSchedules(nodes, ram).least(energy)
                self.assertTrue(best == energy or abs(best - energy) <= SAME * energy, (best, energy))
                none += energy == math.inf
                if energy < math.inf:
                    made = [k for stage in found["stages"] for k in stage["compute"] if k in copies]
                    twice += len(made) > len(copies)
                    schedule = self.folder / "schedule.json"
                    schedule.write_text(json.dumps(found), encoding="utf-8")
                    run = subprocess.run([PROGRAM, "run", schedule, "--model", path, "--check"], capture_output=True,
                                         text=True)
                    self.assertEqual(run.returncode, 0, run.stderr)
        print(f"{CASES} steps: {none} without a schedule, {twice} that copy again")
        self.assertTrue(CASES < 20 or (none and twice))


if __name__ == "__main__":
    unittest.main()
