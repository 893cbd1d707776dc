"""What the tests of this folder share."""
import contextlib
import io
import os
import pathlib
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
