"""Models and platforms: names, files, documents, changes, and what other modules have to bring."""
import json
import os
import sys
import types
import unittest
from unittest import mock

import poet
from support import SOURCE, TINY, TestCase, python


class Models(TestCase):
    def test_built_in_models(self):
        self.assertIn("resnet18_cifar", poet.models())
        self.assertEqual(len(poet.models()), len(list((SOURCE / "models").glob("*.json"))))

    def test_a_document_a_file_and_layers_are_the_same_model(self):
        model = poet.Model.layers(TINY, input=("N", 3, 16, 16), name="tiny", optimizer="momentum")
        path = self.folder / "tiny.json"
        model.save(path)
        self.assertEqual(json.loads(path.read_text())["optimizer"], "momentum")
        infos = [poet.Model.of(one).info("m4").document for one in (model, str(path), path, model.document)]
        for info in infos:
            info["model"].pop("source")
            self.assertEqual(info, infos[0])

    def test_info(self):
        info = poet.Model.layers(TINY, input=("N", 3, 16, 16)).info("m4", batch_size=4)
        self.assertEqual(info.parameter_count, 8 * 27 + 8 + 80 + 10)
        self.assertEqual(info.shapes["conv1"], (4, 8, 16, 16))
        self.assertGreater(info.baseline_peak_ram_bytes, info.working_set_bytes)
        self.assertGreater(info.flop, 0)
        self.assertGreater(info.baseline_energy_joules, 0)
        self.assertIsNone(poet.Model("linear").info().baseline_energy_joules)

    def test_info_with_copies(self):
        net = poet.Model.layers(TINY, input=("N", 3, 16, 16))
        copied = net.info("m4", copies="int8").document
        self.assertTrue(copied["copied_tensors"])
        self.assertNotIn("copied_tensors", net.info("m4").document)

    def test_a_document_is_not_its_path(self):
        source = poet.optimize(poet.Model.layers(TINY, input=("N", 3, 16, 16)), "m4", ram="100%", runtime=1)
        self.assertEqual(source.document["model"]["source"], "model.json")

    def test_only_a_document_can_be_saved(self):
        with self.assertRaisesRegex(ValueError, "linear"):
            poet.Model("linear").save(self.folder / "no.json")
        self.assertFalse((self.folder / "no.json").exists())

    def test_no_temporary_file_is_left(self):
        with mock.patch.dict(os.environ, TMPDIR=str(self.folder)), mock.patch("tempfile.tempdir", None):
            poet.Model.layers(TINY, input=("N", 3, 16, 16)).info()
            with self.assertRaises(poet.InputError):
                poet.Model.layers([{}]).info()
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_from_onnx_asks_the_program(self):
        # Whatever this build can import: a file that is none is refused, and nothing is made of it.
        path = self.folder / "net.onnx"
        path.write_text("no network")
        with self.assertRaises(poet.InputError):
            poet.Model.from_onnx(path, loss="mse", trainable="last:3")
        # A program that imports.
        program = self.folder / "poet-solve"
        document = {"format": "poet-model", "version": 2, "name": "net"}
        program.write_text(f"""#!/bin/sh
[ "$1 $3 $4 $5 $6 $7 $8 $9" = "import --loss mse --trainable last:3 --shape 1,3,8,8 --output" ] || exit 2
shift 9
[ "$2 $3" = "--custom Sin=4" ] || exit 2
echo 'poet-solve: warning: a note' >&2
echo '{json.dumps(document)}' > "$1"
""")
        program.chmod(0o755)
        with mock.patch.dict(os.environ, POET_SOLVE=str(program)):
            with self.assertWarnsRegex(UserWarning, "^a note$"):
                model = poet.Model.from_onnx(path, loss="mse", trainable="last:3", shape=(1, 3, 8, 8),
                                             custom={"Sin": 4}, check=False)
        self.assertEqual(model.document, document)

    def test_from_torch_asks_the_tracer(self):
        tracer = types.ModuleType("poet.torch._document")
        tracer.trace = lambda net, *inputs, **settings: {"name": f"{net} {inputs} {settings}"}
        with mock.patch.dict(sys.modules, {tracer.__name__: tracer}):
            traced = poet.Model.from_torch("net", 1, 2, loss="mse", check=False)
            self.assertEqual(traced.name, "net (1, 2) {'loss': 'mse'}")

    def test_from_torch_without_what_it_needs_is_an_import_error(self):
        out = python("""
import sys
sys.modules["torch"] = None
import poet
try:
    poet.Model.from_torch(None)
except ImportError as error:
    print(error.name, error)
""")
        self.assertTrue(out.startswith("torch PyTorch is not installed (Debian: python3-torch"), out)


class Platforms(TestCase):
    def test_built_in_platforms_are_whole_files(self):
        files = sorted((SOURCE / "platforms").glob("*.json"))
        self.assertEqual(poet.platforms(), [path.stem for path in files])
        for path in files:
            self.assertEqual(poet.Platform(path.stem).document, json.loads(path.read_text()), path.stem)
            self.assertEqual(poet.Platform(path).document, json.loads(path.read_text()), path.stem)

    def test_changes(self):
        board = poet.Platform("stm32f746", ram_bytes=64 * 1024, reserve_bytes=None, name="small")
        schedule = poet.optimize("linear", board, ram="chip", runtime=2)
        self.assertEqual(schedule.request["ram_budget_bytes"], 64 * 1024)
        self.assertEqual(schedule.document["platform"]["name"], "small")
        self.assertEqual(board.document["storage_bytes"], poet.Platform("stm32f746").document["storage_bytes"])
        slow = poet.Platform(dict(poet.Platform("m4").document), flops_per_second=1e6)
        self.assertGreater(poet.optimize("linear", slow, ram=8000, runtime=2).runtime,
                           poet.optimize("linear", "m4", ram=8000, runtime=2).runtime)

    def test_mistakes(self):
        with self.assertRaisesRegex(poet.InputError, "ram_byte"):
            poet.optimize("linear", poet.Platform("m4", ram_byte=1), ram=8000, runtime=2)
        with self.assertRaisesRegex(poet.InputError, "found the platform 'm5', expected a platform file or one of a72"):
            poet.Platform("m5", ram_bytes=1)
        path = self.folder / "list.json"
        path.write_text("[]")
        with self.assertRaisesRegex(poet.InputError, "found list"):
            poet.Platform(path, ram_bytes=1)


if __name__ == "__main__":
    unittest.main()
