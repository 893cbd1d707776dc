"""Parameters in and out, gradients as arrays, training over epochs, and all of it beside PyTorch."""
import contextlib
import hashlib
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import unittest
from unittest import mock

import poet
from support import SOURCE, TINY, TestCase, needs_numpy, numpy

HAS_TORCH = importlib.util.find_spec("torch") is not None
needs_torch = unittest.skipUnless(HAS_TORCH, "no torch (Debian: python3-torch)")

if HAS_TORCH:
    import torch
    from torch import nn

    class Images(nn.Module):
        """A norm with statistics, a number in the formula, and a frozen layer."""

        def __init__(self):
            super().__init__()
            self.conv1, self.norm = nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4)
            self.conv2, self.fc = nn.Conv2d(4, 4, 3, padding=1), nn.Linear(64, 5)
            self.conv1.weight.requires_grad_(False)
            self.conv1.bias.requires_grad_(False)

        def forward(self, x):
            x = torch.relu(self.norm(self.conv1(x)))
            x = torch.max_pool2d(torch.tanh(self.conv2(x)), 2)
            return self.fc(x.flatten(1)) * 1.5

    class Words(nn.Module):
        """Modules whose parameters have other names than layers have."""

        def __init__(self, attends=True):
            super().__init__()
            self.words = nn.Embedding(11, 8)
            self.look = nn.MultiheadAttention(8, 2, batch_first=True) if attends else None
            self.memory, self.fc = nn.LSTM(8, 6, batch_first=True), nn.Linear(6, 5)

        def forward(self, x):
            x = self.words(x)
            if self.look is not None:
                x = self.look(x, x, x)[0]
            return self.fc(self.memory(x)[0][:, -1])


def call(*words):
    """Runs the program; its stdout."""
    run = subprocess.run([os.environ["POET_SOLVE"], *map(str, words)], capture_output=True, text=True)
    if run.returncode != 0:
        raise AssertionError(f"{words} ended with {run.returncode}: {run.stderr}")
    return run.stdout


@needs_numpy
class Runs(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schedule = poet.optimize(poet.Model.layers(TINY, input=("N", 3, 16, 16), name="tiny"), "m4", ram="100%",
                                     runtime=2, batch_size=2)

    def test_gradients_are_records_and_arrays(self):
        run = self.schedule.run()
        self.assertEqual([each.name for each in run.gradients], ["conv1", "fc"])
        self.assertEqual(run.gradients["conv1.weight"].shape, (8, 3, 3, 3))
        content = run.gradients["conv1.weight"].tobytes() + run.gradients["conv1.bias"].tobytes()
        self.assertEqual(run.gradients[0].sha256, hashlib.sha256(content).hexdigest())
        self.assertEqual(run.outputs["fc"].shape, (2, 10))
        with self.assertRaisesRegex(KeyError, "found no gradient of 'conv'; there is conv1.weight, "):
            run.gradients["conv"]

    def test_parameters_of_a_run_are_those_of_the_next(self):
        two = self.schedule.run(steps=2)
        one = self.schedule.run(steps=1)
        again = self.schedule.run(steps=1, parameters=one.parameters)
        self.assertEqual(list(again.parameters), list(two.parameters))
        for name, array in two.parameters.items():
            numpy.testing.assert_array_equal(again.parameters[name], array)

    def test_a_device_begins_with_parameters_of_a_run(self):
        trained = self.schedule.run().parameters
        names = [path.name for path in self.schedule.export(self.folder / "plan", parameters=trained)]
        self.assertIn("poet_parameters.c", names)
        text = (self.folder / "plan" / "poet_parameters.c").read_text()
        first = float.fromhex(re.search(r"[-0-9.a-fx]+p[-+0-9]+", text).group(0))
        self.assertEqual(numpy.float32(first), trained["conv1.weight"].flat[0])
        with self.assertRaisesRegex(poet.InputError, "'fc.bias': missing"):
            del trained["fc.bias"]
            self.schedule.export(self.folder / "other", parameters=trained)
        self.assertFalse((self.folder / "other").exists())

    def test_a_forward_pass_has_outputs_and_is_exported_beside_its_training(self):
        forward = poet.optimize(self.schedule.model, "m4", ram="min", runtime=2, backward="none")
        trained = self.schedule.run(steps=3).parameters
        run = forward.run(parameters=trained)
        self.assertTrue(run)
        self.assertEqual((run.outputs["fc"].shape, len(run.gradients)), ((1, 10), 0))
        self.assertEqual(run.document["outputs"][0]["sha256"], hashlib.sha256(run.outputs["fc"].tobytes()).hexdigest())
        written = self.schedule.export(self.folder / "both", parameters=trained, inference=forward)
        names = [path.name for path in written]
        self.assertIn("poet_inference.c", names)
        self.assertIn("poet_parameters.c", names)
        with self.assertRaisesRegex(poet.InputError, "--inference: found "):
            self.schedule.export(self.folder / "other", inference=self.schedule)

    def test_arrays_can_be_left_out(self):
        run = self.schedule.run(arrays=False)
        self.assertEqual((run.parameters, run.outputs, len(run.gradients)), ({}, {}, 2))
        with self.assertRaises(KeyError):
            run.gradients["fc.bias"]

    def test_the_order_of_samples_is_the_documented_one(self):
        page = (SOURCE / "docs" / "run-format.md").read_text()
        scope = {}
        exec(re.search(r"```python\n(import numpy\n\ndef mix.*?)```", page, re.S).group(1), scope)
        numpy.save(self.folder / "x.npy", numpy.zeros((21, 3, 16, 16), numpy.float32))
        numpy.save(self.folder / "y.npy", numpy.arange(21) % 10)
        self.schedule.save(self.folder / "schedule.json")
        self.schedule.model.save(self.folder / "net.json")
        call("run", self.folder / "schedule.json", "--model", self.folder / "net.json", "--data",
             self.folder / "x.npy", self.folder / "y.npy", "--epochs", 3, "--seed", 2**40 + 7, "--order-output",
             self.folder / "order.npy")
        found = numpy.load(self.folder / "order.npy")
        for epoch, row in enumerate(found, 1):
            self.assertEqual(list(row), list(scope["order"](21, 2**40 + 7, epoch)[:20]))
        self.assertNotEqual(list(found[0]), list(found[1]))


@needs_torch
@needs_numpy
class Modules(TestCase):
    def setUp(self):
        super().setUp()
        torch.manual_seed(3)

    def test_a_state_that_goes_in_and_out_has_the_same_bits(self):
        import poet.torch
        for net, x in ((Images(), torch.randn(2, 1, 8, 8)), (Words(), torch.randint(0, 11, (2, 4)))):
            with self.subTest(net=type(net).__name__):
                arrays = {}
                poet.torch.trace(net, x, parameters=arrays)
                self.assertTrue(all(not name.endswith("_l0") and "in_proj" not in name for name in arrays))
                other = type(net)()
                state = poet.torch.state_dict(other, arrays)
                other.load_state_dict(state)
                self.assertEqual(list(state), list(net.state_dict()))
                for name, tensor in net.state_dict().items():
                    self.assertTrue(torch.equal(state[name], tensor), name)

    def test_a_part_of_a_weight_is_no_weight(self):
        import poet.torch
        arrays = {}
        poet.torch.trace(Words(), torch.randint(0, 11, (2, 4)), parameters=arrays)
        del arrays["look.k.weight"]
        with self.assertRaisesRegex(ValueError, "'look.in_proj_weight' is .*found no array look.k.weight"):
            poet.torch.state_dict(Words(), arrays)
        arrays["fc.bias"] = arrays["fc.bias"][:3]
        del arrays["look.q.weight"], arrays["look.v.weight"]
        with self.assertRaisesRegex(ValueError, "'fc.bias' has 5 numbers; found 3"):
            poet.torch.state_dict(Words(), arrays)

    def test_check_compares_with_autograd(self):
        net, x, y = Images(), torch.randn(4, 1, 8, 8), torch.randint(0, 5, (4,))
        before = {name: tensor.clone() for name, tensor in net.state_dict().items()}
        check = poet.check(net, x, y)
        self.assertTrue(check, str(check))
        self.assertTrue(all(torch.equal(before[name], tensor) for name, tensor in net.state_dict().items()))
        self.assertEqual([row.name for row in check.rows if row.count == 0], [])
        self.assertNotIn("conv1.weight", [row.name for row in check.rows])
        self.assertRegex(str(check), r"fc.bias +5 .*\n(.*\n)*loss .*\nscheduled in \d+ bytes")
        self.assertEqual({row.name for row in check.outputs}, {"output in training", "output in evaluation"})
        words = poet.check(Words(), torch.randint(0, 11, (3, 4)), torch.randint(0, 5, (3,)))
        self.assertTrue(words, str(words))
        self.assertIn("memory.weight_hh", [row.name for row in words.rows])

    def test_the_command_writes_parameters(self):
        from poet.torch.__main__ import main
        (self.folder / "net_of_test.py").write_text(
            "import torch\ndef net():\n    torch.manual_seed(0)\n    return torch.nn.Linear(3, 2)\n")
        self.addCleanup(os.chdir, os.getcwd())
        self.addCleanup(sys.path.__setitem__, slice(None), list(sys.path))
        self.addCleanup(sys.modules.pop, "net_of_test", None)
        os.chdir(self.folder)
        words = ["poet.torch", "net_of_test:net", "--input", "1,3", "--output", "net.json", "--parameters-output"]
        for path, status in (("net.npz", 0), ("missing/net.npz", 2)):
            with mock.patch.object(sys, "argv", [*words, path]), contextlib.redirect_stderr(io.StringIO()) as err:
                self.assertEqual(main(), status, err.getvalue())
        self.assertIn("--parameters-output missing/net.npz: No such file", err.getvalue())
        with mock.patch.object(sys, "argv", [*words[:-2], "missing/net.json", words[-1], "other.npz"]), \
                contextlib.redirect_stderr(err):
            self.assertEqual(main(), 2)
        self.assertFalse((self.folder / "other.npz").exists())
        (layer, *_) = json.loads((self.folder / "net.json").read_text())["layers"]
        import net_of_test
        arrays = numpy.load("net.npz")
        numpy.testing.assert_array_equal(arrays[layer["name"] + ".weight"], net_of_test.net().weight.detach().numpy())

    def test_weights_of_an_onnx_file_give_the_loss_of_pytorch(self):
        for net, x, folds in ((Images(), torch.randn(2, 1, 8, 8), False),
                              (Words(attends=False), torch.randint(0, 11, (2, 4)), False),
                              (Words(attends=False), torch.randint(0, 11, (2, 4)), True)):
            with self.subTest(net=type(net).__name__, folds=folds):
                file, y = str(self.folder / "net.onnx"), torch.randint(0, 5, (2,))
                for parameter in net.parameters():
                    parameter.requires_grad_(True)
                with contextlib.redirect_stdout(io.StringIO()):
                    torch.onnx.export(net, x, file, training=torch.onnx.TrainingMode.TRAINING,
                                      do_constant_folding=folds, opset_version=14, input_names=["x"],
                                      dynamic_axes={"x": {0: "batch"}})
                try:
                    call("import", file, "--output", self.folder / "net.json", "--parameters-output",
                         self.folder / "net.npz")
                except AssertionError as error:
                    if "built without ONNX" in str(error):
                        self.skipTest("this poet-solve reads no ONNX files")
                    raise
                schedule = self.folder / "schedule.json"
                call("--model", file, "--batch-size", 2, "--platform", "m4", "--ram-budget", "100%",
                     "--runtime-budget", 2, "--effort", "fast", "--replace", "--output", schedule)
                numpy.save(self.folder / "x.npy", x.numpy())
                numpy.save(self.folder / "y.npy", y.numpy())
                run = json.loads(call("run", schedule, "--model", file, "--parameters", self.folder / "net.npz",
                                      "--input", self.folder / "x.npy", "--target", self.folder / "y.npy"))
                expected = float(torch.nn.functional.cross_entropy(net.train()(x), y))
                self.assertAlmostEqual(run["losses"][0], expected, 5)

    def test_digits_are_learned_as_by_pytorch(self):
        run = subprocess.run([sys.executable, str(SOURCE / "docs/examples/digits/train"), "--epochs", "3", "--build",
                              str(self.folder)], capture_output=True, text=True)
        if run.returncode == 77:
            self.skipTest(run.stdout.strip())
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main()
