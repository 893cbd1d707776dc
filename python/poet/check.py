"""python -m poet.check net.onnx, or module:Class --input 1,3,32,32: compares an import with what was imported."""
from __future__ import annotations

import argparse
import importlib
import sys
import warnings

from . import check
from .errors import PoetError

DESCRIPTION = "Compares the model that an ONNX file or a module of PyTorch is imported as with the network itself."
EPILOG = "Exit status: 0 they agree; 1 they differ; 2 bad usage, or the network cannot be imported or computed."


def numbers(text: str) -> "list[int]":
    return [int(part) for part in text.split(",")]


def constant(text: str) -> "tuple[str, float]":
    name, _, number = text.rpartition("=")
    return name, float(number)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m poet.check", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("network", metavar="NET.onnx|MODULE:CLASS")
    parser.add_argument("--loss", choices=("cross_entropy", "mse"))
    parser.add_argument("--shape", type=numbers, metavar="N,N...", help="the extents of an ONNX file's first input")
    parser.add_argument("--set", type=constant, action="append", default=[], metavar="NAME=VALUE",
                        help="an input of an ONNX file that is a constant")
    parser.add_argument("--input", type=numbers, action="append", default=[], metavar="N,N...",
                        help="the extents of a module's input")
    parser.add_argument("--indices", action="store_true", help="a module's inputs are indices (int64)")
    parser.add_argument("--via", choices=("fx", "onnx"), help="a module goes by torch.fx or ONNX alone")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the data (default: 1)")
    return parser.parse_args()


def main() -> int:
    arguments = parsed()
    settings = {"loss": arguments.loss, "seed": arguments.seed}
    try:
        warnings.simplefilter("ignore")
        if arguments.input:
            net = importlib.import_module("poet.torch.__main__").make(arguments.network)
            inputs = importlib.import_module("poet.torch._check").seeded(net, arguments.input, arguments.indices,
                                                                         arguments.seed)
            found = check(net, inputs, via=arguments.via, **settings)
        else:
            found = check(arguments.network, shape=arguments.shape, numbers=dict(arguments.set), **settings)
    except (PoetError, OSError, ValueError, ImportError) as error:
        print(f"poet.check: error: {arguments.network}: {error}", file=sys.stderr)
        return 2
    print(found)
    return 0 if found else 1


if __name__ != "__main__":  # as a module, it would take the name of the function
    raise ImportError("poet.check is a function, and 'python -m poet.check' a command; this module cannot be imported")
sys.exit(main())
