"""The rows behind "Is exact worth it?": none contradicts another, and the page's tables and figure are made of them."""
import json
import os
import shutil
import subprocess
import sys
import unittest

from support import SOURCE, TestCase

sys.path.insert(0, str(SOURCE / "scripts"))
import measured_tables  # noqa: E402

ROWS = SOURCE / "docs" / "pictures" / "worth.jsonl"
PAGE = SOURCE / "docs" / "baselines.md"
LAYERS = range(1, 13)


def operation(name, reads, writes=(), makes=()):
    return {"event": "op", "op": name, "seconds": 0.001, "reads": reads, "writes": list(writes),
            "backward": name != "layer",
            "makes": [{"id": each, "bytes": 1500 if 300 < each < 400 else 1000} for each in makes]}


def small_log():
    """A chain of layers, whose updates come at the end. Layer k has output 200 + k and weight gradient 300 + k."""
    lines = [{"format": "poet-step-log", "version": 1, "name": "small"},
             {"event": "memory", "id": 200, "bytes": 1000, "kind": "input", "name": "input"}]
    lines += [{"event": "memory", "id": 100 + k, "bytes": 1000, "kind": "parameter", "name": f"w{k}"} for k in LAYERS]
    lines += [operation("layer", [199 + k, 100 + k], makes=[200 + k]) for k in LAYERS]
    lines.append(operation("loss", [200 + LAYERS[-1]], makes=[400 + LAYERS[-1]]))
    lines += [operation("grad", [199 + k, 100 + k, 400 + k], makes=[399 + k, 300 + k]) for k in reversed(LAYERS)]
    lines += [operation("sgd", [300 + k], [100 + k]) for k in LAYERS]
    return "".join(json.dumps(line) + "\n" for line in lines)


class Stated(TestCase):
    def test_ten_networks_whose_bounds_are_below_every_energy_are_what_the_page_shows(self):
        found = measured_tables.read_rows(ROWS)
        self.assertEqual(tuple(found), measured_tables.NETWORKS)
        for network, (head, rows) in found.items():
            self.assertEqual(measured_tables.faults(head, rows), [], network)
        for mark, table in measured_tables.tables(found).items():
            self.assertIn(f"<!-- {mark} -->\n{table}\n<!-- end -->", PAGE.read_text(encoding="utf-8"))
        measured_tables.draw(os.environ["POET_SOLVE"], found, self.folder / "worth.svg")
        self.assertEqual((self.folder / "worth.svg").read_bytes(), ROWS.with_suffix(".svg").read_bytes())


class Faults(TestCase):
    def planted(self, method, **changes):
        """What is said of rows of which one is changed."""
        head, rows = measured_tables.read_rows(ROWS)["squeezenet1_1"]
        rows = {row["method"]: row for row in rows}
        rows[method] |= changes
        return measured_tables.faults(head, list(rows.values()))

    def test_rows_that_cannot_be_true_are_named(self):
        head, rows = measured_tables.read_rows(ROWS)["squeezenet1_1"]
        bound = next(row["lower_bound_joules"] for row in rows if row["method"] == "poet")
        below = self.planted("capuchin-like", energy_joules=0.999 * bound, lower_bound_joules=0)
        self.assertEqual(len(below), 1)
        self.assertRegex(below[0], "capuchin-like needs .* below the bound")
        own = self.planted("poet-ordered", lower_bound_joules=1.001 * bound, energy_joules=bound)
        self.assertRegex(own[0], "poet-ordered needs .* below its bound")
        above = rows[0]["ram_budget_bytes"] + 1
        self.assertEqual(self.planted("poet", peak_ram_bytes=above), ["poet is above a budget"])
        self.assertEqual(self.planted("poet", runtime_ratio=2.01), ["poet is above a budget"])
        self.assertIn("poet has another RAM budget", self.planted("poet", ram_budget_bytes=above))
        self.assertIn("poet has failed: broken", self.planted("poet", status="failed", reason="broken"))
        none = self.planted("poet", status="infeasible", proven=True, energy_joules=None, lower_bound_joules=None)
        self.assertIn("capuchin-like has a schedule where none exists", none)
        self.assertEqual(measured_tables.faults(head, rows[1:]), ["not one row of each method"])
        self.assertEqual(measured_tables.faults(head | {"verified": 0}, rows), ["not every schedule was verified"])

    def test_a_log_becomes_verified_rows_two_tables_and_a_figure(self):
        (self.folder / "small.jsonl").write_text(small_log())
        page, rows, figure = (self.folder / name for name in ("page.md", "rows.jsonl", "worth.svg"))
        shutil.copy(PAGE, page)
        command = [sys.executable, "-B", SOURCE / "scripts" / "measured_tables.py", "--program",
                   os.environ["POET_SOLVE"], "--page", page, "--rows", rows, "--figure", figure, "--logs", self.folder,
                   "--time-limit-s", "2", "--networks"]
        run = subprocess.run([*command, "small"], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        found = measured_tables.read_rows(rows)
        head, made = found["small"]
        self.assertGreater(head["verified"], 3)
        self.assertIn(f"small: {head['verified']} schedules verified", run.stderr)
        self.assertGreater(head["recorded_peak_ram_bytes"], made[0]["baseline_peak_ram_bytes"])
        for table in measured_tables.tables(found).values():
            self.assertIn(table, page.read_text(encoding="utf-8"))
        self.assertIn("small", figure.read_text(encoding="utf-8"))
        text = rows.read_text(encoding="utf-8")
        rows.write_text(text.replace('"status": "feasible"', '"status": "failed"', 1), encoding="utf-8")
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertIn("has failed", run.stderr)


if __name__ == "__main__":
    unittest.main()
