"""Trains four networks with and without copies of one byte for gradients, and writes the table and the figure of
docs/copies.md about what that does to losses and accuracies.

usage: copies_training.py --program POET_SOLVE --page PAGE --figure FILE.svg [--kinds] [--networks N...] [--rows FILE]

It needs PyTorch, NumPy and the digits of scikit-learn. Every network is trained by `poet-solve run --data` without copies,
with copies of everything that may have one and, with --kinds, with copies of the tensors of one kind of layer alone, from
the same parameters and with the same batches. Rows that are in FILE are taken from there, and new ones are added to it.
"""
import argparse
import gzip
import importlib.util
import itertools
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy
import torch
from torch import nn

import panels
from baseline_tables import markdown, write_table

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))

SEEDS = (1, 2, 3)
BATCH = 32
LIMIT = 0.5  # points of accuracy that the copies of a kind of layer may cost in the mean
COLOURS = {"off": "#0072b2", "all": "#d55e00"}


class Digits(nn.Module):
    """The network of docs/tutorial.md with half of its channels."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.norm1 = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 8, 3, padding=1)
        self.norm2 = nn.BatchNorm2d(8)
        self.pool = nn.AvgPool2d(2)
        self.fc = nn.Linear(8 * 4 * 4, 10)

    def forward(self, x):
        x = torch.relu(self.norm1(self.conv1(x)))
        x = self.pool(torch.relu(self.norm2(self.conv2(x))))
        return self.fc(x.flatten(1))


class Keywords(nn.Module):
    """DS-CNN of MLPerf Tiny with fewer channels: a convolution, and four pairs of a depthwise and a pointwise one."""

    def __init__(self, channels=12):
        super().__init__()

        def block(inputs, size, **words):
            return [nn.Conv2d(inputs, channels, size, bias=False, **words), nn.BatchNorm2d(channels), nn.ReLU()]

        layers = block(1, 3, stride=2, padding=1) + [nn.Dropout(0.1)]
        for _ in range(4):
            layers += block(channels, 3, padding=1, groups=channels) + block(channels, 1)
        self.features = nn.Sequential(*layers, nn.AvgPool2d((12, 5)), nn.Flatten())
        self.fc = nn.Linear(channels, 12)

    def forward(self, x):
        return self.fc(self.features(x))


class Inverted(nn.Module):
    """Inverted residual blocks, as in MobileNetV3: wide depthwise convolutions between narrow sums."""

    def __init__(self, channels=8, wide=16):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels),
                                  nn.Hardswish())
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.Conv2d(channels, wide, 1, bias=False), nn.BatchNorm2d(wide), activation(),
                          nn.Conv2d(wide, wide, 3, padding=1, groups=wide, bias=False), nn.BatchNorm2d(wide),
                          activation(), nn.Conv2d(wide, channels, 1, bias=False), nn.BatchNorm2d(channels))
            for activation in (nn.ReLU6, nn.Hardswish))
        self.pool = nn.AvgPool2d(8)
        self.fc = nn.Linear(channels, 10)

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = x + block(x)
        return self.fc(self.pool(x).flatten(1))


class Encoder(nn.Module):
    """A transformer that reads the eight rows of a digit as eight tokens."""

    def __init__(self, width=16):
        super().__init__()
        self.embed = nn.Linear(8, width)
        self.position = nn.Parameter(0.1 * torch.randn(1, 8, width))
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(width, 4, 2 * width, dropout=0.0, activation="gelu", batch_first=True,
                                       norm_first=True) for _ in range(2))
        self.norm = nn.LayerNorm(width)
        self.fc = nn.Linear(width, 10)

    def forward(self, x):
        x = self.embed(x) + self.position
        for layer in self.layers:
            x = layer(x)
        return self.fc(self.norm(x).mean(1))


def digits():
    """The 1,797 digits of scikit-learn, from -1 to 1, in a random order; 512 of them are for testing."""
    found = importlib.util.find_spec("sklearn")
    folder = pathlib.Path(next(iter(found.submodule_search_locations))) if found else pathlib.Path("sklearn")
    table = numpy.loadtxt(gzip.open(folder / "datasets" / "data" / "digits.csv.gz"), delimiter=",", dtype="f4")
    table = table[numpy.random.RandomState(1).permutation(len(table))]
    return (table[:, :64] / 8 - 1).reshape(-1, 1, 8, 8), table[:, 64].astype("i4"), 1280


def rows_of_digits():
    images, labels, trained = digits()
    return images.reshape(-1, 8, 8), labels, trained


def made_keywords():
    """Spectrograms of 12 words, 24 times by 10 frequencies: each word is a sum of smooth ridges, which start at
    different times, are louder or softer, and lie in noise."""
    random = numpy.random.RandomState(7)
    count, times, frequencies = 1024 + 2048, numpy.arange(24), numpy.arange(10)
    words = [[random.uniform((4, 1, -0.5, 1), (20, 9, 0.5, 3)) for _ in range(3)] for _ in range(12)]
    labels = random.randint(12, size=count).astype("i4")
    sounds = numpy.zeros((count, 1, 24, 10), "f4")
    for sound, label in zip(sounds, labels):
        delay, loudness = random.uniform(-2, 2), random.uniform(0.6, 1.4)
        for middle, pitch, slope, length in words[label]:
            since = times - middle - delay
            ridge = numpy.exp(-(frequencies[None, :] - pitch - slope * since[:, None]) ** 2)
            sound[0] += loudness * numpy.exp(-(since / length) ** 2)[:, None] * ridge
    return (sounds + random.normal(0, 0.25, sounds.shape)).astype("f4"), labels, 1024


NETWORKS = {  # the module, its data, epochs, rate
    "digits": (Digits, digits, 20, 0.1),
    "encoder": (Encoder, rows_of_digits, 20, 0.1),
    "inverted": (Inverted, digits, 12, 0.1),
    "keywords": (Keywords, made_keywords, 20, 0.1),
}


class Trained:
    """A network with its data as files, and schedules of it that keep everything."""

    def __init__(self, program, network, folder, only_all):
        self.program, self.network, self.folder = program, network, folder
        self.module, data, self.epochs, self.rate = NETWORKS[network]
        x, y, trained = data()
        for name, samples in (("train", slice(0, trained)), ("test", slice(trained, None))):
            numpy.save(folder / f"x_{name}.npy", x[samples])
            numpy.save(folder / f"y_{name}.npy", y[samples])
        self.write(SEEDS[0], x[:BATCH])
        self.forward = self.solve("forward", "--backward", "none")
        self.schedules = {"off": self.solve("off", "--copies", "off")}
        info = json.loads(self.call("info", self.folder / "net.json", "--batch-size", BATCH, "--copies", "int8", "--json"))
        ops = {node["name"]: node["op"] for node in info["nodes"]}
        names = info["model"]["copies"]["tensors"]
        self.count = len(names)
        sets = {"all": names}
        if not only_all:  # no search chooses copies of dropout, which have to be tried as well
            tried = names + [name for name, op in ops.items() if op == "dropout"]
            sets |= {ops[name]: [other for other in tried if ops[other] == ops[name]] for name in tried}
        for kind, tensors in sets.items():
            (folder / "copies.json").write_text(json.dumps({"mode": "int8", "tensors": tensors}))
            self.schedules[kind] = self.solve(kind, "--copies", folder / "copies.json")

    def call(self, *words):
        run = subprocess.run([self.program, *map(str, words)], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise SystemExit(f"{' '.join(map(str, words))}: {run.stderr}")
        return run.stdout

    def write(self, seed, x):
        """net.json and the parameters of a seed."""
        import poet.torch
        torch.manual_seed(seed)
        parameters = {}
        net = poet.torch.trace(self.module(), torch.from_numpy(x), name=self.network, parameters=parameters)
        (self.folder / "net.json").write_text(json.dumps(net))
        numpy.savez(self.folder / "net.npz", **parameters)

    def solve(self, name, *words):
        path = self.folder / f"{name}.schedule.json"
        self.call("--model", self.folder / "net.json", "--batch-size", BATCH, "--platform", "m4", "--ram-budget", "100%",
                  "--runtime-budget", 2, "--no-paging", "--effort", "fast", "--time-limit-s", 5, "--output", path,
                  *words)
        return path

    def train(self, kind, seed):
        """A row; stdout of `run` has its epochs."""
        folder = self.folder
        self.write(seed, numpy.load(folder / "x_train.npy")[:BATCH])
        epochs = self.call("run", self.schedules[kind], "--model", folder / "net.json", "--parameters", folder / "net.npz",
                           "--data", folder / "x_train.npy", folder / "y_train.npy", "--epochs", self.epochs, "--rate",
                           self.rate, "--seed", seed, "--parameters-output", folder / "trained.npz")
        tested = self.call("run", self.forward, "--model", folder / "net.json", "--parameters", folder / "trained.npz",
                           "--data", folder / "x_test.npy", folder / "y_test.npy")
        test = json.loads(tested.splitlines()[-1])
        return {"network": self.network, "kind": kind, "seed": seed, "copies": self.count,
                "losses": [json.loads(line)["loss"] for line in epochs.splitlines()],
                "accuracy": 100 * test["correct"] / test["rows"], "test_loss": test["loss"]}


def rows_of(options):
    """The rows by network, kind and seed."""
    known = options.rows.read_text("utf-8").splitlines() if options.rows.exists() else []
    rows = {(row["network"], row["kind"], row["seed"]): row for row in map(json.loads, known)}
    seen = set()  # kinds: each is tried in the first network that has it
    for only_all in (True, False)[:1 + options.kinds]:
        for network in options.networks:
            with tempfile.TemporaryDirectory() as folder:
                trained = Trained(options.program, network, pathlib.Path(folder), only_all)
                kinds = [kind for kind in trained.schedules if kind not in seen]
                seen |= set(kinds) - {"off", "all"}
                for kind, seed in itertools.product(kinds, SEEDS):
                    if (network, kind, seed) in rows:
                        continue
                    row = trained.train(kind, seed)
                    print(f"{network} {kind} {seed}: {row['accuracy']:.2f} %, loss {row['losses'][-1]:.4f}",
                          file=sys.stderr)
                    rows[network, kind, seed] = row
                    with options.rows.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(row) + "\n")
    return rows


def done(rows, network, kind):
    """The seeds of which there are rows with and without copies: a stopped run has fewer."""
    return [seed for seed in SEEDS if all((network, each, seed) in rows for each in ("off", kind))]


def mean(rows, network, kind, value):
    return statistics.mean(value(rows[network, kind, seed]) for seed in done(rows, network, "all"))


def differences(rows, network, kind):
    """Points of accuracy that the copies of a kind bring, by seed."""
    return [rows[network, kind, seed]["accuracy"] - rows[network, "off", seed]["accuracy"]
            for seed in done(rows, network, kind)]


def table(rows, networks):
    lines = []
    for network in networks:
        def both(value, form, network=network):
            return [form.format(mean(rows, network, kind, value)) for kind in COLOURS]
        by_seed = differences(rows, network, "all")
        lines.append([f"`{network}`", str(rows[network, "all", SEEDS[0]]["copies"]),
                      *both(lambda row: row["accuracy"], "{:.2f} %"), f"{statistics.mean(by_seed):+.2f}",
                      ", ".join(f"{each:+.2f}" for each in by_seed), *both(lambda row: row["losses"][-1], "{:.4f}"),
                      *both(lambda row: row["test_loss"], "{:.4f}")])
    return markdown(["network", "copies", "accuracy without", "with", "points", "by seed", "loss without", "with",
                     "test loss without", "with"], lines)


def kind_table(rows, networks):
    """What the copies of one kind of layer cost alone, worst first."""
    lines = []
    for network, kind in sorted({(network, kind) for network, kind, _ in rows if network in networks}):
        if kind in COLOURS or len(done(rows, network, kind)) < len(SEEDS):
            continue
        points = differences(rows, network, kind)
        lines.append((statistics.mean(points), [f"`{kind}`", f"`{network}`", f"{statistics.mean(points):+.2f}",
                                                ", ".join(f"{each:+.2f}" for each in points),
                                                "no" if statistics.mean(points) < -LIMIT else "yes"]))
    lines.sort()
    return markdown(["copies of outputs of", "network", "points", "by seed", f"at most {LIMIT} lost"],
                    [cells for _, cells in lines])


def panel(rows, network):
    """One network: the loss over epochs on a logarithmic axis, a line for each seed, with and without copies."""
    curves = [(kind, rows[network, kind, seed]["losses"]) for kind in COLOURS
              for seed in done(rows, network, "all")]
    low, high = (numpy.log10(limit([limit(losses) for _, losses in curves])) for limit in (min, max))
    epochs = len(curves[0][1])

    def points(losses):
        return [(epoch / (epochs - 1), (numpy.log10(loss) - low) / (high - low)) for epoch, loss in enumerate(losses)]

    return panels.panel(network, [(0, "1"), (1, str(epochs))],
                        [(part, f"{10 ** (low + part * (high - low)):.2g}") for part in (0, 0.5, 1)],
                        [(COLOURS[kind], points(losses), False) for kind, losses in curves])


def figure(rows, networks):
    return panels.figure([panel(rows, network) for network in networks], 2,
                         [(COLOURS["off"], "without copies"), (COLOURS["all"], "copies of everything")],
                         "mean loss over epochs")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--page", type=pathlib.Path, required=True)
    parser.add_argument("--figure", type=pathlib.Path, required=True)
    parser.add_argument("--rows", type=pathlib.Path, default=pathlib.Path("build/copies-training.jsonl"))
    parser.add_argument("--kinds", action="store_true", help="also with copies of one kind of layer; prints a table")
    parser.add_argument("--networks", nargs="+", default=list(NETWORKS))
    options = parser.parse_args()
    os.environ["POET_SOLVE"] = options.program
    rows = rows_of(options)
    write_table(options.page, "training", table(rows, options.networks))
    if options.kinds:
        print(kind_table(rows, options.networks))
    options.figure.write_text(figure(rows, options.networks), encoding="utf-8")


if __name__ == "__main__":
    main()
