"""`python -m poet.torch --measure`: what is recorded of a training step, beside PyTorch's own profiler.

A module with all that a log knows is always tried; eight networks of torchvision with POET_CASES=8, for minutes.
"""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest

from support import PACKAGE, TestCase

HAS_TORCH = importlib.util.find_spec("torch") is not None
NETWORK = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(8)
        self.pool = torch.nn.MaxPool2d(2)
        self.drop = torch.nn.Dropout(0.5)
        self.fc = torch.nn.Linear(8 * 8 * 8, 10)
    def forward(self, x):
        x = self.pool(torch.nn.functional.relu(self.norm(self.conv1(x)), inplace=True))
        return self.fc(self.drop(x.flatten(1)))

class Pair(Net):
    def forward(self, x, y):
        return {"out": super().forward(x * y.mean()), "aside": y}

def loss(out):
    return (out["out"] ** 2).sum() + out["aside"].sum()

class Other(Net):
    calls = 0
    def forward(self, x):
        Other.calls += 1
        return super().forward(x * 2 if Other.calls % 3 == 0 else x)
"""
TORCHVISION = ("resnet18", "mobilenet_v2", "mobilenet_v3_small", "squeezenet1_1", "vgg11", "densenet121",
               "shufflenet_v2_x1_0", "efficientnet_b0")


def profiled_peak(step):
    """The most that is allocated at any time of a step, as PyTorch's profiler reports it."""
    from poet.torch._memory import start_ns
    from torch.profiler import ProfilerActivity, profile

    step.forget()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        inputs, target = step.data()
        step.run(inputs, target)
        del inputs, target
    changes = [event for event in profiler.profiler.kineto_results.events() if event.name() == "[memory]"]
    peak = held = 0
    for event in sorted(changes, key=start_ns):
        held += event.nbytes()
        peak = max(peak, held)
    return peak


@unittest.skipUnless(HAS_TORCH, "no PyTorch (Debian: python3-torch)")
class MeasuredSteps(TestCase):
    def run_module(self, *words, status=0):
        environment = dict(os.environ, PYTHONPATH=PACKAGE, PYTHONDONTWRITEBYTECODE="1")
        ended = subprocess.run([sys.executable, "-m", "poet.torch", *words], cwd=self.folder, env=environment,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(ended.returncode, status, ended.stderr)
        return ended

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        with open(os.path.join(self.folder, "nets.py"), "w", encoding="utf-8") as file:
            file.write(NETWORK)

    def test_a_step_becomes_nodes(self):
        ended = self.run_module("nets:Net", "--input", "2,3,16,16", "--measure", "--log", "step.jsonl",
                                "--watts", "2")
        self.assertIn("operations of", ended.stderr)
        model = json.loads(ended.stdout)
        nodes = {node["name"]: node for node in model["nodes"]}
        conv = nodes["conv1.convolution"]
        self.assertEqual(conv["bytes"], 2 * 8 * 16 * 16 * 4)
        self.assertEqual(conv["inputs"], ["input"])
        self.assertEqual(conv["reads_parameters"], ["conv1.weight", "conv1.bias"])
        self.assertEqual(conv["energy_joules"], 2 * conv["runtime_seconds"])
        self.assertGreater(conv["runtime_seconds"], 0)
        relu = next(node for node in model["nodes"] if node["op"] == "relu_")
        self.assertEqual(relu["in_place"], "norm.native_batch_norm")
        random = [node["name"] for node in model["nodes"] if node["op"] == "bernoulli_"]
        self.assertTrue(random)
        self.assertFalse(any(nodes[name].get("recompute", True) for name in random))
        updated = {name for node in model["nodes"] for name in node.get("writes_parameters", [])}
        layers = ("conv1", "norm", "fc")
        self.assertLess({f"{layer}.{part}" for layer in layers for part in ("weight", "bias")}, updated)
        statistics = {f"norm.{name}" for name in ("running_mean", "running_var", "num_batches_tracked")}
        self.assertEqual(set(model["parameters"]), updated - statistics)
        self.assertEqual(set(model["state"]), statistics)
        norm = nodes["norm.native_batch_norm"]
        self.assertTrue(norm.get("recompute", True), "it changes running statistics in passing")
        places = {name: place for place, name in enumerate(nodes)}
        update = next(node for node in model["nodes"] if node.get("writes_parameters") == ["fc.weight"])
        last = next(node for node in model["nodes"] if node["op"] == "convolution_backward")
        self.assertLess(places[update["name"]], places[last["name"]], "updates are early")
        with open(os.path.join(self.folder, "step.jsonl"), encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        self.assertEqual(lines[0]["format"], "poet-step-log")
        seconds = sum(line.get("seconds", 0) for line in lines)
        self.assertAlmostEqual(sum(node["runtime_seconds"] for node in model["nodes"]), seconds)

    def test_several_inputs_a_loss_an_optimizer_and_evaluation_mode(self):
        ended = self.run_module("nets:Pair", "--input", "2,3,16,16", "--input", "5", "--measure",
                                "--loss", "nets:loss", "--optimizer", "adam", "--evaluation",
                                "--updates", "as-recorded", "--log", "step.jsonl")
        model = json.loads(ended.stdout)
        names = [node["name"] for node in model["nodes"]]
        self.assertIn("input2", names)
        self.assertNotIn("target", names)
        self.assertFalse([node for node in model["nodes"] if node["op"] == "bernoulli_"], "no dropout in evaluation")
        self.assertNotIn("norm.running_mean", model["state"])
        self.assertIn("fc.weight.exp_avg", model["state"])
        self.assertEqual(model["nodes"][-1]["writes_parameters"], ["fc.bias"], "the order is as recorded")
        with open(os.path.join(self.folder, "step.jsonl"), encoding="utf-8") as file:
            recorder = json.loads(file.readline())["recorder"]
        self.assertEqual((recorder["threads"], recorder["optimizer"]), (1, "adam"))
        self.assertTrue(recorder["torch"])
        self.assertGreaterEqual(recorder["spread"], 0)
        self.assertEqual("the machine is busy" in ended.stderr, recorder["spread"] > 0.1)

    def test_clipping_holds_updates_back(self):
        with open(os.path.join(self.folder, "clipped.jsonl"), "w", encoding="utf-8") as file:
            lines = [{"format": "poet-step-log", "version": 1, "name": "clipped"},
                     {"event": "memory", "id": 0, "bytes": 4, "kind": "input"}]
            for k in range(1, 5):
                lines += [{"event": "memory", "id": k, "bytes": 4, "kind": "parameter", "name": f"w{k}"},
                          {"event": "op", "op": "gradient", "backward": True, "seconds": 1,
                           "reads": [k + 9 if k > 1 else 0], "makes": [{"id": k + 10, "bytes": 4}]}]
            lines += [{"event": "op", "op": "norm", "backward": True, "seconds": 1, "reads": [11, 12, 13, 14],
                       "makes": [{"id": 20, "bytes": 4}]}]
            lines += [{"event": "op", "op": "update", "backward": True, "seconds": 1, "reads": [20, k + 10],
                       "writes": [k]} for k in range(1, 5)]
            file.writelines(json.dumps(line) + "\n" for line in lines)
        ended = subprocess.run([os.environ["POET_SOLVE"], "import", "clipped.jsonl", "--trace"], cwd=self.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
        self.assertIn("4 of 4 updates wait for node 'norm'", ended.stderr)

    def test_the_nodes_have_schedules_that_verify_accepts(self):
        self.run_module("nets:Net", "--input", "2,3,16,16", "--measure", "--output", "net.json")
        program = os.environ["POET_SOLVE"]
        schedule = os.path.join(self.folder, "schedule.json")
        words = ["--model", "./net.json", "--no-paging", "--ram-budget", "90%", "--runtime-budget", "2",
                 "--time-limit-s", "5", "--output", schedule]
        solved = subprocess.run([program, *words], cwd=self.folder, check=False)
        self.assertEqual(solved.returncode, 0)
        self.assertEqual(subprocess.run([program, "verify", schedule], check=False).returncode, 0)
        with open(schedule, encoding="utf-8") as file:
            document = json.load(file)
        again = {"format": "poet-model", "version": 2, "name": "again", "nodes": document["nodes"]}
        with open(os.path.join(self.folder, "again.json"), "w", encoding="utf-8") as file:
            json.dump(again, file)
        for name in ("net", "again"):
            info = json.loads(subprocess.run([program, "info", f"./{name}.json", "--no-paging", "--json"],
                                             cwd=self.folder, stdout=subprocess.PIPE, check=True).stdout)
            self.assertEqual(info["baseline_peak_ram_bytes"], document["summary"]["baseline_peak_ram_bytes"])
            self.assertEqual(info.get("memory"), document["summary"]["memory"] if name == "net" else None)

    def test_other_operations_in_each_step_are_refused(self):
        ended = self.run_module("nets:Other", "--input", "2,3,16,16", "--measure", status=2)
        self.assertIn("two training steps differ in their operations", ended.stderr)
        self.assertEqual(ended.stdout, "")

    def test_options_of_the_other_way_are_refused(self):
        ended = self.run_module("nets:Net", "--input", "2,3,16,16", "--measure", "--via", "fx", status=2)
        self.assertIn("found --via with --measure", ended.stderr)
        ended = self.run_module("nets:Net", "--input", "2,3,16,16", "--watts", "2", status=2)
        self.assertIn("without --measure", ended.stderr)

    def check_beside_the_profiler(self, net, shape):
        import torch
        from poet.torch._measure import Step, record, text_of_log

        before = {name: value.clone() for name, value in net.state_dict().items()}
        torch.set_num_threads(1)
        lines = record(net, torch.zeros(shape))
        for name, value in net.state_dict().items():
            self.assertTrue(torch.equal(value, before[name]), f"{name} has been trained")
        words = [os.environ["POET_SOLVE"], "import", "-", "--trace", "--updates", "as-recorded"]
        ended = subprocess.run(words, input=text_of_log(lines), stdout=subprocess.PIPE, check=True)
        info = subprocess.run([os.environ["POET_SOLVE"], "info", "-", "--json"], input=ended.stdout,
                              stdout=subprocess.PIPE, check=True)
        peak = profiled_peak(Step(net, (torch.zeros(shape),)))
        graph = json.loads(info.stdout)["baseline_peak_ram_bytes"]
        seconds = sum(line.get("seconds", 0) for line in lines) / lines[0]["step_seconds"]
        return graph / peak - 1, seconds - 1

    def test_the_peak_is_that_of_the_profiler(self):
        import torch
        sys.path.insert(0, self.folder)
        self.addCleanup(sys.path.remove, self.folder)
        torch.manual_seed(1)
        import nets
        peak, _ = self.check_beside_the_profiler(nets.Net(), (8, 3, 16, 16))
        self.assertLess(abs(peak), 0.05)

    @unittest.skipUnless(int(os.environ.get("POET_CASES", "0")) >= len(TORCHVISION), "minutes: needs POET_CASES=8")
    def test_networks_of_torchvision(self):
        import torchvision
        for name in TORCHVISION:
            peak, seconds = self.check_beside_the_profiler(getattr(torchvision.models, name)(), (4, 3, 128, 128))
            print(f"{name}: peak {100 * peak:+.2f} %, sum of times {100 * seconds:+.1f} %", file=sys.stderr)
            with self.subTest(name):
                self.assertLess(abs(peak), 0.05)
                self.assertLess(abs(seconds), 0.25)


if __name__ == "__main__":
    unittest.main()
