"""poet.sweep(): rows, tables and curves."""
import importlib.util
import json
import sys
import types
import unittest
import xml.etree.ElementTree as ElementTree
from unittest import mock

import poet
from support import TINY, TestCase, python


class Sweep(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = poet.sweep("linear", "m4", ram=["30%", "min..100%:4"], runtime=2)

    def test_rows_are_points_in_the_order_of_the_grid(self):
        self.assertEqual([point.status for point in self.rows], ["infeasible"] + 4 * ["optimal"])
        self.assertIsNone(self.rows[0].energy)
        self.assertIn("node 26", self.rows[0].reason)
        budgets = [point.ram_budget_bytes for point in self.rows[1:]]
        self.assertEqual(budgets, sorted(budgets))
        energies = [point.energy for point in self.rows[1:]]
        self.assertEqual(energies, sorted(energies, reverse=True))
        self.assertLessEqual(self.rows[-1].gap, 1e-4)
        self.assertEqual(len(list(self.rows)), 5)
        self.assertEqual(repr(self.rows), "<poet.Sweep of 5 points: 4 optimal, 1 infeasible>")

    def test_a_grid_of_several_things(self):
        model = poet.Model.layers(TINY, input=("N", 3, 16, 16), name="tiny")
        board = poet.Platform("m4", ram_bytes=32768, name="board")
        rows = poet.sweep(["linear", model], ["m0", board], ram="80%", runtime=[1.5, 2], techniques=("both", "none"),
                          effort="fast", jobs=2, schedules=self.folder / "schedules")
        self.assertEqual(len(rows), 16)
        self.assertEqual({(point.model, point.platform, point.techniques) for point in rows},
                         {(m, p, t) for m in ("linear", "tiny") for p in ("m0", "board") for t in ("both", "none")})
        for point in rows:
            if point.energy is not None:
                name = point.document["schedule_file"].rsplit("/", 1)[-1]
                self.assertEqual(poet.Schedule.load(self.folder / "schedules" / name).energy, point.energy)

    def test_schedules_say_what_proved_their_bounds(self):
        rows = poet.sweep("linear", "m4", ram=[3330, 3500, "100%"], runtime=2, schedules=self.folder / "schedules")
        files = [self.folder / "schedules" / point.document["schedule_file"].rsplit("/", 1)[-1] for point in rows]
        self.assertEqual([poet.Schedule.load(file).document["solver"]["bound_by"] for file in files],
                         ["given", "proof", "baseline"])

    def test_curves(self):
        svg = self.rows.plot(self.folder / "curve.svg")
        self.assertEqual((self.folder / "curve.svg").read_text(encoding="utf-8"), svg)
        self.assertTrue(ElementTree.fromstring(svg).tag.endswith("svg"))
        self.assertEqual(self.rows._repr_svg_(), svg)

    def test_saved_rows_are_those_of_the_program(self):
        self.rows.save(self.folder / "rows.jsonl")
        lines = (self.folder / "rows.jsonl").read_text().splitlines()
        self.assertEqual([json.loads(line) for line in lines], [point.document for point in self.rows])
        self.assertEqual(lines, self.rows.text.splitlines())

    def test_a_table_has_a_row_for_each_point(self):
        pandas = types.ModuleType("pandas")
        pandas.DataFrame = list
        with mock.patch.dict(sys.modules, pandas=pandas):
            table = self.rows.to_pandas()
        self.assertEqual([row["ram_budget_bytes"] for row in table], [point.ram_budget_bytes for point in self.rows])
        self.assertNotIn("timing", table[0])
        self.assertGreaterEqual(table[1]["wall_seconds"], 0)

    @unittest.skipIf(importlib.util.find_spec("pandas") is None, "no pandas (Debian: python3-pandas)")
    def test_a_table_of_pandas(self):
        table = self.rows.to_pandas()
        self.assertEqual(list(table["status"]), [point.status for point in self.rows])
        self.assertEqual(float(table["energy_joules"].min()), self.rows[-1].energy)
        self.assertTrue(table["energy_joules"].isna()[0])

    def test_a_table_needs_pandas(self):
        out = python("""
import sys
sys.modules["pandas"] = None
import poet
try:
    poet.sweep("linear", "m4", ram="100%").to_pandas()
except ImportError as error:
    print(error.name, error)
""")
        self.assertEqual(out, "pandas to_pandas() needs pandas, which is not installed\n")

    def test_a_mistake_is_an_error(self):
        with self.assertRaisesRegex(poet.InputError, "linaer"):
            poet.sweep("linaer", "m4")
        with self.assertRaisesRegex(poet.InputError, "techniques"):
            poet.sweep("linear", "m4", techniques="all")


if __name__ == "__main__":
    unittest.main()
