"""What can be done with a schedule: replay, picture, offsets, export, run, files."""
import base64
import json
import unittest
import xml.etree.ElementTree as ElementTree

import poet
from support import SOURCE, TINY, TestCase, needs_numpy, numpy


class Schedule(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schedule = poet.optimize("linear", "m4", ram=3500, runtime=2)
        cls.exact = poet.optimize(poet.Model.layers(TINY, input=("N", 3, 16, 16), name="tiny"), "m4", ram="100%",
                                  runtime=2)

    def test_verify(self):
        self.assertIs(self.schedule.verify(), True)
        document = json.loads(self.schedule.text)
        document["summary"]["energy_joules"] *= 0.9
        document["stages"][5]["resident"] = []
        with self.assertRaises(poet.InvalidSchedule) as caught:
            poet.Schedule(json.dumps(document)).verify()
        self.assertGreater(len(caught.exception.findings), 1)
        self.assertIn("stage 5", str(caught.exception))
        document["nodes"] = 3
        with self.assertRaises(poet.InputError):
            poet.Schedule(json.dumps(document)).verify()

    def test_save_and_load_keep_every_byte(self):
        path = self.folder / "schedule.json"
        self.schedule.save(path)
        again = poet.Schedule.load(path)
        self.assertEqual(again.text, self.schedule.text)
        self.assertEqual(again.program, self.schedule.program)
        self.assertTrue(again.verify())

    def test_order_of_the_nodes(self):
        self.assertIsNone(self.schedule.order)
        ordered = poet.Schedule.load(SOURCE / "tests" / "fuzz" / "corpus" / "schedule" / "ordered.json")
        self.assertEqual(sorted(ordered.order), list(range(len(ordered.nodes))))
        self.assertNotEqual(sorted(ordered.order), ordered.order)
        self.assertTrue(any(node.in_place_choices for node in ordered.nodes))
        self.assertTrue(ordered.verify())

    def test_load_refuses_what_is_no_schedule(self):
        path = self.folder / "no.json"
        for text, message in (("{", "no.json"), ("[]", "found no object"), ("{}", "found no stages"),
                              ('{"error": "too little RAM"}', "too little RAM")):
            path.write_text(text)
            with self.assertRaisesRegex(poet.InputError, message):
                poet.Schedule.load(path)
        with self.assertRaises(FileNotFoundError):
            poet.Schedule.load(self.folder / "missing.json")

    def test_picture(self):
        path = self.folder / "picture.svg"
        svg = self.schedule.plot(path)
        self.assertEqual(path.read_text(encoding="utf-8"), svg)
        self.assertTrue(ElementTree.fromstring(svg).tag.endswith("svg"))

    def test_a_notebook_shows_the_picture(self):
        self.assertEqual(self.schedule._repr_svg_(), self.schedule.plot())
        self.assertTrue(ElementTree.fromstring(self.schedule._repr_svg_()).tag.endswith("svg"))
        head, _, data = self.schedule._repr_html_().partition(";base64,")
        self.assertEqual(head, '<img src="data:image/svg+xml')
        self.assertEqual(base64.b64decode(data.partition('"')[0]).decode(), self.schedule.plot())

    def test_figures_are_shown_as_tables(self):
        info = poet.Model("linear").info("m4")
        self.assertIn("\nleast RAM of any schedule  3,256 bytes\n", repr(info))
        self.assertIn("<td>least RAM of any schedule</td><td>3,256 bytes</td>", info._repr_html_())
        self.assertIn("platform                   none\n", repr(poet.Model("linear").info()))
        self.assertIn("energy of every node once  -\n", repr(poet.Model("linear").info()))

    def test_place(self):
        placed = self.schedule.place(alignment=32)
        offsets = [step.offset for step in placed.program if step.op == "compute"]
        self.assertTrue(all(offset % 32 == 0 for offset in offsets), offsets)
        self.assertEqual(placed.energy, self.schedule.energy)
        with self.assertRaises(poet.InvalidSchedule):
            self.schedule.place(capacity=3000, moves=False)
        with self.assertRaisesRegex(poet.InputError, "alignment"):
            self.schedule.place(alignment=5)

    def test_export(self):
        folder = self.folder / "step"
        files = self.exact.export(folder)
        self.assertIn(folder / "poet_plan.c", files)
        (folder / "mine.txt").write_text("mine")
        with self.assertRaisesRegex(poet.InputError, "mine.txt"):
            self.exact.export(folder)
        self.exact.export(folder, force=True)
        table = self.exact.export(self.folder / "table", format="csv")
        self.assertEqual([path.suffix for path in table], [".csv"])
        with self.assertRaises(poet.InputError):  # POET's chain is no training step
            self.schedule.export(self.folder / "chain")
        self.assertFalse((self.folder / "chain").exists())

    def test_run_compares_every_gradient(self):
        run = self.exact.run(steps=3, check=True)
        self.assertTrue(run)
        self.assertTrue(run.equal)
        self.assertEqual(len(run.losses), 3)
        self.assertLess(run.losses[2], run.losses[0])
        self.assertEqual([gradient.name for gradient in run.gradients], ["conv1", "fc"])
        self.assertTrue(all(gradient.equal for gradient in run.gradients))
        self.assertEqual(run.arena_bytes, self.exact.summary["arena_bytes"])
        with self.assertRaises(poet.InputError):
            self.schedule.run()

    @needs_numpy
    def test_run_takes_arrays(self):
        draw = numpy.random.default_rng(1)
        arrays = {"conv1.weight": (8, 3, 3, 3), "conv1.bias": (8,), "fc.weight": (10, 8), "fc.bias": (10,)}
        parameters = {name: draw.normal(size=shape) for name, shape in arrays.items()}
        image = draw.normal(size=(1, 3, 16, 16)).astype(numpy.float32)
        label = numpy.array([3], dtype=numpy.int32)
        run = self.exact.run(parameters=parameters, inputs=image, targets=label)
        self.assertTrue(run.equal)
        # The loss of these numbers, by numpy.
        windows = numpy.lib.stride_tricks.sliding_window_view(numpy.pad(image[0], ((0, 0), (1, 1), (1, 1))), (3, 3),
                                                              axis=(1, 2))
        hidden = numpy.einsum("cyxhw,ochw->oyx", windows, parameters["conv1.weight"])
        hidden = numpy.maximum(hidden + parameters["conv1.bias"][:, None, None], 0).mean(axis=(1, 2))
        logits = parameters["fc.weight"] @ hidden + parameters["fc.bias"]
        self.assertAlmostEqual(run.losses[0], numpy.log(numpy.exp(logits).sum()) - logits[3], delta=1e-4)
        again = self.exact.run(parameters=parameters, inputs={"input": image}, targets={"loss": label})
        self.assertEqual(again.losses, run.losses)
        with self.assertRaisesRegex(poet.InputError, "conv1.bias"):
            self.exact.run(parameters={"conv1.weight": parameters["conv1.weight"]})

    def test_a_schedule_without_its_model_asks_for_it(self):
        path = self.folder / "schedule.json"
        self.exact.save(path)
        with self.assertRaisesRegex(ValueError, "expected model="):
            poet.Schedule.load(path).run()
        self.assertTrue(poet.Schedule.load(path).run(model=self.exact.model).equal)
        self.assertTrue(poet.Schedule.load(path, self.exact.model).run().equal)
        with self.assertRaises(poet.InputError):
            poet.Schedule.load(path).run(model="ds_cnn")


if __name__ == "__main__":
    unittest.main()
