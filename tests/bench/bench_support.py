"""What the tests of the benchmark share: rows as solves write them, and a folder for each test."""
import os
import pathlib
import tempfile
import unittest

PROGRAM, SYNTHETIC = os.environ.get("POET_SOLVE"), os.environ.get("POET_SYNTHETIC")
NAME = "linear/m4 4000 1.5x"
CONDITIONS = {"gap_asked": 1e-3, "time_limit_seconds": 20, "program_sha256": "build"}


def row_of(name=NAME, **changes):
    """A feasible one: baseline 100 J, energy 112 J, bound 106 J."""
    row = {"problem": name, "kind": "layered" if name.startswith("layered") else "chain",
           "set": "layered" if name.startswith("layered") else "sample", **CONDITIONS, "version": "1",
           "graph_sha256": "graph", "status": "feasible", "baseline_energy_joules": 100, "energy_joules": 112,
           "lower_bound_joules": 106, "rows": 10, "columns": 20, "nonzeros": 30, "node_count": 40, "wall_seconds": 20,
           "elapsed_seconds": 20.5, "first_schedule_seconds": 0.5, "processor_seconds": 19, "peak_rss_bytes": 2**20,
           "crashed": False, "failure": ""}
    row |= changes
    energy, bound = row["energy_joules"], row["lower_bound_joules"]
    row["gap"] = None if energy is None else 1 - bound / energy
    row["gap_extra"] = None if energy is None else (energy - bound) / (energy - 100)
    return row


def without_schedule(status, **changes):
    return row_of(status=status, energy_joules=None, wall_seconds=None, **{"lower_bound_joules": None, **changes})


class TestCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
