#!/usr/bin/env python3
"""Compares losses of networks for signals, imported by torch.fx and by ONNX, with those of PyTorch for the same numbers.

usage: signals_of_torch.py POET_SOLVE

The networks have what the layers of signals are made of: pools of one axis, activations with a slope or a number, and recurrences in any
number of layers, of one direction or both. Each is run by `poet-solve run` with the parameters of the PyTorch module, which has to give the
same loss. Exit status 77, which CTest takes for skipped, without torch.
"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError:
    print("skipped: no torch (Debian: python3-torch)")
    sys.exit(77)

sys.dont_write_bytecode = True  # next to the sources
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
os.environ["POET_SOLVE"] = sys.argv[1]
from poet.torch import trace  # noqa: E402

TOLERANCE = 1e-5


class Pools(nn.Module):
    """A convolution over time, as in keyword spotting."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(3, 4, 3)
        self.slopes = nn.PReLU(4)
        self.norm = nn.BatchNorm1d(4)
        self.max = nn.MaxPool1d(3, stride=2, padding=1)
        self.elu = nn.ELU(0.5)
        self.avg = nn.AvgPool1d(2, stride=1, padding=1, count_include_pad=False)
        self.plus = nn.Softplus()
        self.slope = nn.PReLU()
        self.all = nn.AdaptiveAvgPool1d(1)
        self.fc = nn.Linear(4, 5)

    def forward(self, x):
        x = self.avg(self.elu(self.max(self.norm(self.slopes(self.conv(x))))))
        x = F.log_softmax(self.plus(x), 1)
        return self.fc(self.all(self.slope(x)).flatten(1))


class Recurrent(nn.Module):
    """The outputs of all steps and the last states, as a class of a sequence."""

    def __init__(self, kind, **settings):
        super().__init__()
        self.rnn = kind(3, 4, **settings)
        self.directions = 2 if settings.get("bidirectional") else 1
        self.fc = nn.Linear(2 * 4 * self.directions, 5)

    def forward(self, x):
        y, state = self.rnn(x)
        h = state[0] if isinstance(self.rnn, nn.LSTM) else state
        last = torch.cat((h[-2], h[-1]), 1) if self.directions == 2 else h[-1]
        return self.fc(torch.cat((y.mean(1 if self.rnn.batch_first else 0), last), 1))


class Cells(nn.Module):
    """A loop over time by hand."""

    def __init__(self):
        super().__init__()
        self.first = nn.GRUCell(3, 4)
        self.second = nn.LSTMCell(4, 4, bias=False)
        self.fc = nn.Linear(4, 5)

    def forward(self, x):
        h = self.first(x[:, 0])
        a, c = self.second(h)
        h = self.first(x[:, 1], h)
        a, c = self.second(h, (a, c))
        return self.fc(a)


# Networks, inputs, and ways. An export by ONNX opens the first extent, which is no batch where time comes first, and unrolls cells into
# products. Last states of several layers or directions fix its batch.
NETWORKS = [
    ("pools", Pools, (2, 3, 17), ("fx", "onnx")),
    ("gru", lambda: Recurrent(nn.GRU, batch_first=True), (2, 3, 3), ("fx", "onnx")),
    ("lstm, time first", lambda: Recurrent(nn.LSTM), (3, 2, 3), ("fx",)),
    ("gru of both directions", lambda: Recurrent(nn.GRU, batch_first=True, bidirectional=True), (2, 3, 3), ("fx",)),
    ("lstm of both directions", lambda: Recurrent(nn.LSTM, batch_first=True, bidirectional=True), (1, 3, 3), ("fx", "onnx")),
    ("lstm of two layers", lambda: Recurrent(nn.LSTM, batch_first=True, num_layers=2), (1, 3, 3), ("fx", "onnx")),
    ("gru of two layers of both directions, without bias",
     lambda: Recurrent(nn.GRU, batch_first=True, num_layers=2, bidirectional=True, bias=False), (1, 3, 3), ("fx", "onnx")),
    ("cells", Cells, (2, 2, 3), ("fx",)),
]
RECURRENT = ("lstm", "gru")


def poet(*words):
    run = subprocess.run([sys.argv[1], *words], capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {run.stderr}")
    return run.stdout


def numbers_of(net, document):
    """The state of the module, by the names of the document: recurrent layers in the order in which PyTorch lists their parameters."""
    state = {name: value.numpy() for name, value in net.state_dict().items()}
    cells = [layer["name"] for layer in document["layers"] if layer["op"] in RECURRENT and "weights" not in layer]
    firsts = [name for name in state if "weight_ih" in name]
    assert len(cells) == len(firsts), (cells, firsts)
    for cell, first in zip(cells, firsts):
        for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            value = state.pop(first.replace("weight_ih", part), None)
            if value is not None:
                state[f"{cell}.{part}"] = value
    return state


def loss_of_run(net, document, x, target, folder):
    files = {name: os.path.join(folder, name) for name in ("net.json", "schedule.json", "w.npz", "x.npy", "zeros.npy", "target.npy")}
    with open(files["net.json"], "w", encoding="utf-8") as file:
        json.dump(document, file)
    numpy.savez(files["w.npz"], **numbers_of(net, document))
    numpy.save(files["x.npy"], x.numpy())
    numpy.save(files["target.npy"], target.numpy().astype("i4"))
    words = []
    for name, entry in list(document.get("inputs", {}).items()):
        if name == "input":
            continue
        shape = [x.shape[0] if extent == "N" else extent for extent in entry["shape"]]
        numpy.save(files["zeros.npy"], numpy.zeros(shape, "f4"))
        words += ["--input", f"{name}={files['zeros.npy']}"]
    batch = ["--batch-size", str(x.shape[0])] if "N" in json.dumps(document) else []
    poet("--model", files["net.json"], *batch, "--platform", "m4", "--ram-budget", "100%", "--runtime-budget", "2", "--effort", "fast",
         "--replace", "--output", files["schedule.json"])
    result = poet("run", files["schedule.json"], "--model", files["net.json"], "--parameters", files["w.npz"],
                  "--input", f"input={files['x.npy']}", *words, "--target", files["target.npy"])
    return json.loads(result)["losses"][0]


def main():
    problems = []
    torch.set_num_threads(1)
    torch.manual_seed(3)
    with tempfile.TemporaryDirectory() as folder:
        for name, make, shape, ways in NETWORKS:
            net, x = make().train(), torch.randn(shape)
            y = net(x)
            target = torch.arange(len(y)) % 5
            expected = F.cross_entropy(y, target).item()
            for via in ways:
                document = trace(net, x, via=via, notes=[])
                found = loss_of_run(net, document, x, target, folder)
                ops = {layer["op"] for layer in document["layers"]}
                if "custom" in ops:
                    problems.append(f"{name} by {via}: a custom layer")
                print(f"{name} by {via}: {found}, PyTorch has {expected}")
                if not abs(found - expected) <= TOLERANCE * abs(expected):
                    problems.append(f"{name} by {via}: the loss is {found}, PyTorch has {expected}")
    print("\n".join(problems) or "nothing wrong")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
