"""The reference for ONNX computes what ONNX's own tests of its operators state (Debian: libonnx-testdata)."""
import collections
import pathlib
import unittest

from support import TestCase, needs_numpy, numpy

DATA = pathlib.Path("/usr/share/libonnx-testdata/data")
# A change that computes fewer of them is a mistake; raise it when there are more.
LEAST = 560
BFLOAT16 = 16
#: The reference computes no random numbers, and keeps the digits that a narrower type has not.
RANDOM = ("training_dropout", "training_dropout_default", "training_dropout_default_mask", "training_dropout_mask")


def ended(folder):
    """How the test of a folder ended: `equal`, or why it was not compared; an AssertionError if numbers differ."""
    from poet._onnx_file import read_graph, read_tensor
    from poet._onnx_reference import Unsupported, evaluate
    from poet.errors import InputError
    graph = read_graph((folder / "model.onnx").read_bytes())
    if folder.name[len("test_"):] in RANDOM:
        return "random numbers"
    if BFLOAT16 in [each.kind for each in graph.inputs.values()] + [node.attributes.get("to") for node in graph.nodes]:
        return "bfloat16, which the files of the tests have as whole numbers"
    compared = 0
    for data in sorted(folder.glob("test_data_set_*")):
        try:
            inputs = [read_tensor((data / f"input_{i}.pb").read_bytes())[1] for i in range(len(graph.inputs))]
            wanted = [read_tensor((data / f"output_{i}.pb").read_bytes())[1] for i in range(len(graph.outputs))]
        except (InputError, IndexError, ValueError, OSError):
            return "no tensors of numbers"
        try:
            found = evaluate(graph, dict(zip(graph.inputs, inputs)))
        except Unsupported as error:
            return str(error)
        for name, want in zip(graph.outputs, wanted):
            have = found[name]
            if have.shape != want.shape:
                raise AssertionError(f"{folder.name}: found the shape {have.shape}, expected {want.shape}")
            near = 1e-2 if want.dtype == numpy.float16 else 1e-4
            if not numpy.allclose(have, want, near, near, equal_nan=True):
                raise AssertionError(f"{folder.name}: found {have}, expected {want}")
            compared += 1
    return "equal" if compared else "no data"


@needs_numpy
@unittest.skipUnless(DATA.is_dir(), "no tests of ONNX (Debian: libonnx-testdata)")
class Backend(TestCase):
    def test_operators_compute_what_their_tests_state(self):
        ends = collections.Counter()
        for folder in sorted(path.parent for path in DATA.rglob("model.onnx")):
            with self.subTest(folder=folder.name):
                ends[ended(folder)] += 1
        self.assertGreaterEqual(ends["equal"], LEAST, ends.most_common())


if __name__ == "__main__":
    unittest.main()
