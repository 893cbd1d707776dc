"""What the tests of this folder share."""
import contextlib
import io
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
import warnings

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = SOURCE / "python"

try:
    import numpy
except ImportError:
    numpy = None

needs_numpy = unittest.skipIf(numpy is None, "no numpy (Debian: python3-numpy)")

TINY = [{"name": "conv1", "op": "conv2d", "inputs": ["input"], "out_channels": 8, "kernel": 3, "padding": 1},
        {"name": "relu1", "op": "relu", "inputs": ["conv1"]},
        {"name": "pool", "op": "global_avg_pool", "inputs": ["relu1"]},
        {"name": "fc", "op": "linear", "inputs": ["pool"], "out_features": 10},
        {"name": "loss", "op": "cross_entropy", "inputs": ["fc"], "classes": 10}]


class TestCase(unittest.TestCase):
    """A test with a folder of its own and without the program's warnings."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("ignore")


def quiet(function, *arguments, **keys):
    """The result of a function, without what it prints."""
    with contextlib.redirect_stdout(io.StringIO()):
        return function(*arguments, **keys)


def python(code, status=0, **environment):
    """Runs a script in a Python of its own and returns what it prints."""
    search = os.pathsep.join([str(PACKAGE), str(SOURCE / "tests" / "python")])
    run = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True,
                         env={**os.environ, "PYTHONPATH": search, **environment})
    if run.returncode != status:
        raise AssertionError(f"found exit status {run.returncode}, expected {status}:\n{run.stdout}{run.stderr}")
    return run.stdout


def random_nodes(seed):
    """The document of a model of measured nodes: a random graph with a backward pass along it."""
    draw = random.Random(seed)
    forward = draw.randint(3, 7)
    nodes = []
    for k in range(2 * forward):
        if k < forward:
            inputs = {k - 1} if k > 0 else set()
        else:  # a gradient reads the one before it, and forward nodes
            inputs = {k - 1, 2 * forward - 1 - k}
        for _ in range(draw.randint(0, 2)):
            if k > 0:
                inputs.add(draw.randrange(k))
        nodes.append({"name": f"n{k}", "bytes": 4 * draw.randint(1, 60), "runtime_seconds": draw.uniform(0.1, 1),
                      "energy_joules": draw.uniform(0.1, 1), "page_in_energy_joules": draw.uniform(0.01, 0.6),
                      "page_out_energy_joules": draw.uniform(0.01, 0.6), "inputs": [f"n{i}" for i in sorted(inputs)],
                      "backward": k >= forward})
    return {"format": "poet-model", "version": 1, "name": f"random {seed}", "nodes": nodes}
