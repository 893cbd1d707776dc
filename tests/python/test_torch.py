"""`python -m poet.torch`: what it says to networks that cannot be imported.

tests/golden/import_of_torch.py imports those that can.
"""
import contextlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import unittest
from unittest import mock

from support import PACKAGE, TestCase

NETWORKS = """
import torch

class Linear(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(8, 3)
    def forward(self, x):
        return self.fc(x)

class Branches(Linear):
    def forward(self, x):
        return self.fc(x * 2 if x.sum() > 0 else x)

class Raises(torch.nn.Module):
    def __init__(self):
        super().__init__()
        raise OSError("no weights\\nare here")

def number():
    return 3

class FineTuned(Linear):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(3)
        self.drop = torch.nn.Dropout(0.5)
        self.switched = True
    def train(self, mode=True):
        self.switched = mode  # more than a flag, as where weights are merged
        return super().train(mode)
    def forward(self, x):
        return self.drop(self.norm(self.fc(x)))

class Twice(Linear):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(8, 8)
        self.requires_grad_(False)
    def forward(self, x):
        return self.fc(torch.tanh(self.fc(x)))
"""


@unittest.skipIf(importlib.util.find_spec("torch") is None, "no torch (Debian: python3-torch)")
class Networks(TestCase):
    def setUp(self):
        super().setUp()
        (self.folder / "networks_of_test.py").write_text(NETWORKS)
        self.addCleanup(os.chdir, os.getcwd())
        self.addCleanup(sys.path.__setitem__, slice(None), list(sys.path))
        self.addCleanup(sys.modules.pop, "networks_of_test", None)
        os.chdir(self.folder)

    def run_main(self, *words):
        """Status, stdout and stderr."""
        from poet.torch.__main__ import main
        out, err = io.StringIO(), io.StringIO()
        with mock.patch.object(sys, "argv", ["poet.torch", *words]), contextlib.redirect_stdout(out), \
                contextlib.redirect_stderr(err):
            try:
                status = main()
            except SystemExit as error:
                status = error.code
        return status, out.getvalue(), err.getvalue()

    def test_the_optimizer_is_stated(self):
        status, out, err = self.run_main("networks_of_test:Linear", "--input", "1,8", "--optimizer", "adam")
        self.assertEqual((status, json.loads(out)["optimizer"]), (0, "adam"), err)

    def test_one_command_goes_from_a_module_to_the_code_of_a_board(self):
        words = ["networks_of_test:Linear", "--input", "4,8", "--platform", "stm32f746", "--export", "board"]
        status, out, err = self.run_main(*words)
        self.assertEqual((status, out), (0, ""), err)
        self.assertIn("RAM", err)
        self.assertEqual({path.name for path in (self.folder / "board").iterdir()},
                         {"model.json", "parameters.npz", "schedule.json", "code"})
        schedule = json.loads((self.folder / "board" / "schedule.json").read_text())
        self.assertEqual((schedule["model"]["batch_size"], schedule["request"]["runtime_budget_ratio"]), (4, 1.5))
        self.assertTrue((self.folder / "board" / "code" / "poet_plan.c").is_file())
        status, out, err = self.run_main(*words, "--ram-budget", "100")
        self.assertEqual(status, 3, err)
        self.assertRegex(out, r"(?m)^none .* does not fit, which is proven$")
        self.assertRegex(out, r"(?m)^one sample in a batch ")

    def test_an_export_decides_where_everything_goes(self):
        for words, message in ((["--platform", "m4"], "found --platform without --export"),
                               (["--export", "board"], "found --export without --platform, which names the board"),
                               (["--export", "board", "--platform", "m4", "--output", "net.json"],
                                "found --output with --export")):
            status, _, err = self.run_main("networks_of_test:Linear", "--input", "1,8", *words)
            self.assertEqual((status, err), (2, f"poet.torch: error: networks_of_test:Linear: {message}\n"))

    def test_what_cannot_be_imported_is_said_in_a_line(self):
        for network, *words, message in (
                ("nothing_of_this_name:Net", "there is no module 'nothing_of_this_name'"),
                ("networks_of_test", "expected MODULE:CLASS"),
                ("networks_of_test:Net", "the module 'networks_of_test' has no 'Net'"),
                ("networks_of_test:Raises", "OSError: no weights (.*networks_of_test.py, line 18)"),
                ("networks_of_test:number", "what it makes is a int; expected a torch.nn.Module"),
                ("networks_of_test:Linear", "--input", "1,9", "with --input 1,9 it raises RuntimeError: mat1 and mat2"),
                ("networks_of_test:Linear", "--input", "1,8", "--input", "1,8", "found 2 inputs; the network reads 1"),
                ("networks_of_test:Linear", "--custom", "Sin=3", "no module is a 'Sin'"),
                ("networks_of_test:Linear", "--trainable", "head.*", "'head.*'"),
                ("networks_of_test:Linear", "--output", "missing/net.json", "--output missing/net.json: No such file"),
                ("networks_of_test:Linear", "--output", ".", "--output .: Is a directory")):
            with self.subTest(network=network, words=words):
                if "--input" not in words:
                    words += ["--input", "1,8"]
                status, out, err = self.run_main(network, *words)
                self.assertEqual((status, out), (2, ""), err)
                self.assertRegex(err, "^poet.torch: error: " + r"[^\n]*" +
                                 message.replace("(", r"\(").replace(")", r"\)") + r"[^\n]*\n$")
        left = {path.name for path in self.folder.iterdir()} - {"networks_of_test.py", "__pycache__"}
        self.assertEqual(left, set())

    def test_if_nothing_trains_it_is_for_inference(self):
        status, _, err = self.run_main("networks_of_test:Twice", "--input", "1,8")
        self.assertEqual((status, err), (2, "poet.torch: error: networks_of_test:Twice: nothing trains in this model: "
                                            "set requires_grad, or use backward='none'\n"))
        status, out, err = self.run_main("networks_of_test:Twice", "--input", "1,8", "--backward", "none")
        self.assertEqual((status, json.loads(out)["backward"]), (0, "none"), err)

    def test_what_torch_fx_cannot_trace_goes_by_the_program(self):
        # Not by one of the PATH, which has none in an environment that is not activated.
        with mock.patch.dict(os.environ, PATH="/nowhere"):
            status, _, err = self.run_main("networks_of_test:Branches", "--input", "1,8", "--output", "net.json")
        if "built without ONNX" in err:
            self.skipTest("this poet-solve reads no ONNX files")
        self.assertEqual(status, 0, err)
        self.assertIn("poet.torch: warning: torch.fx cannot trace it", err)
        self.assertEqual(json.loads((self.folder / "net.json").read_text())["name"], "Branches")

    def test_a_module_that_contains_layers_is_traced_through(self):
        import torch
        import poet.torch

        class Block(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = torch.nn.Linear(8, 8)
                self.act = torch.nn.PReLU()

            def forward(self, x):
                return self.act(self.fc(x))

        x = torch.zeros(1, 8)
        net = torch.nn.Sequential(Block(), torch.nn.Linear(8, 3))
        ops = ["linear", "prelu", "linear", "cross_entropy"]
        Block.__module__ = "torch.nn.modules.block"  # those of PyTorch are what torch.fx does not look into
        self.assertEqual([layer["op"] for layer in poet.torch.trace(net, x, via="fx")["layers"]], ops)
        custom = poet.torch.trace(net, x, via="fx", custom={"Block": 100})["layers"]
        self.assertEqual([layer["op"] for layer in custom], ["custom", "linear", "cross_entropy"])
        self.assertEqual(custom[0]["parameters"], 8 * 8 + 8 + 1)

        def forward(self, x):
            return self.act(self.fc(x)) if x.sum() > 0 else x
        Block.forward = forward
        message = r"^0 \(Block\): torch.fx cannot trace it: TraceError: .*control flow"
        with self.assertRaisesRegex(poet.torch.Refused, message):
            poet.torch.trace(net, x, via="fx")

    def test_if_neither_way_works_the_error_states_both(self):
        import torch
        import poet.torch

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = torch.nn.Linear(8, 3)

            def forward(self, x):
                return torch.special.erfcx(self.fc(x)) if x.sum() > -1 else x

        with self.assertRaises(poet.torch.Refused) as caught:
            poet.torch.trace(Net(), torch.zeros(1, 8), notes=[])
        self.assertRegex(str(caught.exception), r"by torch.fx: the network itself \(Net\): torch.fx cannot trace it")
        self.assertIn("by ONNX: torch.onnx.export fails: ", str(caught.exception))

    def test_recurrences_are_unrolled(self):
        import torch
        import poet.torch

        class Last(torch.nn.Module):
            def __init__(self, kind, **settings):
                super().__init__()
                self.rnn = kind(3, 4, batch_first=True, **settings)

            def forward(self, x):
                state = self.rnn(x)[1]
                return (state[0] if isinstance(self.rnn, torch.nn.LSTM) else state)[-1]

        x = torch.zeros(1, 2, 3)
        for kind in (torch.nn.GRU, torch.nn.LSTM):
            for both in (False, True):
                with self.subTest(kind=kind, both=both):
                    document = poet.torch.trace(Last(kind, num_layers=2, bidirectional=both), x, via="fx")
                    cells = [layer for layer in document["layers"] if layer["op"] == kind.__name__.lower()]
                    self.assertEqual(document["inputs"]["input"]["shape"], ["N", 2, 3])
                    # The last state of the last direction needs all of the first layer, and its own steps.
                    self.assertEqual(len(cells), 6 if both else 4)
                    self.assertEqual(sum("weights" not in cell for cell in cells), 3 if both else 2)
                    self.assertEqual([cell.get("reset_after") for cell in cells],
                                     [True if kind is torch.nn.GRU else None] * len(cells))
        for wrong, message in ((dict(proj_size=2), "proj_size is 2; expected 0"),):
            with self.assertRaisesRegex(poet.torch.Refused, r"rnn \(LSTM\): " + message):
                poet.torch.trace(Last(torch.nn.LSTM, **wrong), x, via="fx")

    def test_what_no_layer_stands_for_is_said_with_what_helps(self):
        import torch
        import poet.torch

        def refusal(net, *shape):
            with self.assertRaises(poet.torch.Refused) as caught:
                poet.torch.trace(net, torch.zeros(*shape), via="fx")
            return str(caught.exception)

        nn = torch.nn
        self.assertEqual(refusal(nn.Sequential(nn.MaxPool1d(2, dilation=2)), 1, 3, 8),
                         "0 (MaxPool1d): its windows are dilated by 2; expected a dilation of 1")
        self.assertIn("0 (RNN): no layer stands for it, and it makes several tensors",
                      refusal(nn.Sequential(nn.RNN(3, 4)), 1, 2, 3))
        self.assertIn("0 (BatchNorm1d): affine is False; expected affine=True",
                      refusal(nn.Sequential(nn.BatchNorm1d(3, affine=False)), 2, 3))

    def test_a_module_is_left_in_the_modes_it_was_in(self):
        import torch
        import poet.torch
        sys.path.insert(0, str(self.folder))
        import networks_of_test
        x = torch.zeros(1, 8)
        for via in ("fx", "onnx"):
            for training in (True, False):
                with self.subTest(via=via, training=training):
                    net = networks_of_test.FineTuned().train(training)
                    net.norm.train(not training)
                    net.fc.weight.requires_grad_(False)
                    with contextlib.suppress(poet.torch.Refused):  # by a program that reads no ONNX files
                        poet.torch.trace(net, x, via=via)
                    self.assertEqual([module.training for module in (net, net.fc, net.norm, net.drop)],
                                     [training, training, not training, training])
                    self.assertEqual([p.requires_grad for p in net.parameters()], [False, True, True, True])
                    self.assertEqual(net.switched, training)

    def test_layers_have_the_numbers_of_their_modules(self):
        import torch
        from torch import nn
        import poet.torch
        net = nn.Sequential(nn.Linear(8, 6), nn.BatchNorm1d(6, eps=1e-3, momentum=0.2), nn.LeakyReLU(0.3),
                            nn.Dropout(0.4), nn.LayerNorm(6, eps=1e-4), nn.GroupNorm(2, 6, eps=0.5),
                            nn.BatchNorm1d(6), nn.LeakyReLU(),
                            nn.Dropout(0), nn.Linear(6, 3))
        notes = []
        layers = poet.torch.trace(net, torch.zeros(1, 8), via="fx", notes=notes)["layers"]
        self.assertEqual(notes, [])
        numbers = [{key: layer[key] for key in ("epsilon", "momentum", "slope", "rate") if key in layer}
                   for layer in layers]
        self.assertEqual(numbers, [{}, {"epsilon": 1e-3, "momentum": 0.2}, {"slope": 0.3}, {"rate": 0.4},
                                   {"epsilon": 1e-4}, {"epsilon": 0.5}, {}, {}, {}, {}])

    def test_numbers_have_their_value(self):
        import torch
        import poet.torch

        class Scaled(torch.nn.Linear):
            def forward(self, x):
                return super().forward(x) * 0.25
        layers = poet.torch.trace(Scaled(8, 3), torch.zeros(1, 8), via="fx")["layers"]
        numbers = [layer for layer in layers if not layer.get("trainable", True)]
        self.assertEqual([number["value"] for number in numbers], [0.25])

    def test_what_a_layer_does_not_compute_is_stated_in_it(self):
        import torch
        from torch import nn
        import poet.torch
        for module, what in ((nn.LeakyReLU(-0.1), "its slope is -0.1"), (nn.GELU(approximate="tanh"), "by tanh"),
                             (nn.BatchNorm1d(8, momentum=None), "plain means"), (nn.Dropout(1.0), "drops everything")):
            with self.subTest(module=module):
                notes = []
                layers = poet.torch.trace(nn.Sequential(nn.Linear(8, 8), module), torch.zeros(1, 8), via="fx",
                                          notes=notes)["layers"]
                self.assertIn(what, layers[1]["differs"])
                self.assertEqual(len(notes), 1)
                self.assertIn("`run` and `export` refuse", notes[0])

    def test_norms_that_do_not_train_are_frozen(self):
        import torch
        from torch import nn
        import poet.torch

        def frozen(change, trainable=None):
            net = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8), nn.Dropout(0.3), nn.Linear(8, 8), nn.BatchNorm1d(8),
                                nn.Linear(8, 3))
            change(net)
            layers = poet.torch.trace(net, torch.zeros(2, 8), via="fx", trainable=trainable)["layers"]
            self.assertFalse([layer for layer in layers if layer["op"] == "batch_norm1d" and "trainable" in layer])
            return [layer["name"] for layer in layers if layer.get("frozen")], [layer["op"] for layer in layers]
        self.assertEqual(frozen(lambda net: None)[0], [])
        self.assertEqual(frozen(lambda net: net.eval())[0], [])
        self.assertEqual(frozen(lambda net: net[1].eval())[0], ["1"])
        self.assertEqual(frozen(lambda net: net[4].requires_grad_(False))[0], ["4"])
        self.assertEqual(frozen(lambda net: None, "last:2")[0], ["1"])
        self.assertEqual(frozen(lambda net: None, "last:1")[0], ["1", "4"])
        self.assertNotIn("dropout", frozen(lambda net: net[2].eval())[1])

    def test_weights_that_do_not_train_may_be_bytes(self):
        import torch
        from torch import nn
        import poet.torch
        net = nn.Sequential(nn.Conv1d(2, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(24, 5), nn.Linear(5, 3))
        x = torch.zeros(1, 2, 8)
        layers = poet.torch.trace(net, x, via="fx", trainable="last:1", frozen_weights="int8")["layers"]
        self.assertEqual([layer["name"] for layer in layers if layer.get("frozen_weights") == "int8"], ["0", "3"])
        with self.assertRaisesRegex(ValueError, "no convolution or dense layer is frozen; expected trainable"):
            poet.torch.trace(net, x, via="fx", frozen_weights="int8")
        with self.assertRaisesRegex(ValueError, "found frozen_weights='int4'; expected 'float32' or 'int8'"):
            poet.torch.trace(net, x, via="fx", frozen_weights="int4")

    def test_parameters_that_do_not_train_may_be_copied(self):
        import torch
        from torch import nn
        import poet.torch
        net = nn.Sequential(nn.Conv1d(2, 4, 3), nn.BatchNorm1d(4), nn.ReLU(), nn.Flatten(), nn.Linear(24, 5))
        x = torch.zeros(1, 2, 8)

        def copied(**settings):
            layers = poet.torch.trace(net, x, via="fx", frozen_parameters="copied", **settings)["layers"]
            return [layer["name"] for layer in layers if layer.get("frozen_parameters") == "copied"]
        self.assertEqual(copied(trainable="0"), ["1", "4"])
        self.assertEqual(copied(trainable="0", frozen_weights="int8"), ["1"])
        self.assertEqual(copied(trainable="1"), ["4"])
        for settings in ({}, {"trainable": "last:1"}):
            with self.assertRaisesRegex(ValueError, "no layer with a layer that trains below it is frozen"):
                copied(**settings)
        with self.assertRaisesRegex(ValueError, "found frozen_parameters='ram'; expected 'in_place' or 'copied'"):
            poet.torch.trace(net, x, via="fx", frozen_parameters="ram")

    def test_notes_are_warnings_of_python(self):
        import torch
        import poet
        with self.assertWarnsRegex(UserWarning, "CELU.* is taken for a custom layer.*run and export refuse it"):
            poet.Model.from_torch(torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.CELU()), torch.zeros(1, 8))


class WithoutTorch(TestCase):
    def test_it_says_what_is_missing(self):
        (self.folder / "torch.py").write_text("raise ModuleNotFoundError('none', name='torch')\n")
        run = subprocess.run([sys.executable, "-B", "-m", "poet.torch", "a:B", "--input", "1"], capture_output=True,
                             text=True, cwd=self.folder, env={**os.environ, "PYTHONPATH": str(PACKAGE)})
        self.assertEqual(run.returncode, 2)
        self.assertEqual(run.stderr, "poet.torch: error: PyTorch is not installed (Debian: python3-torch; elsewhere: "
                                     "pip install torch)\n")


if __name__ == "__main__":
    unittest.main()
