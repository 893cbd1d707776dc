"""The command line of python -m poet.torch."""
from __future__ import annotations

import argparse
from typing import Any, List


def shape(text: str) -> List[int]:
    extents = [int(part) for part in text.split(",")]
    if min(extents) < 1:
        raise ValueError
    return extents


def flops(text: str) -> Any:
    name, _, number = text.partition("=")
    if not name or int(number) < 1:
        raise ValueError
    return name, int(number)


def loss(text: str) -> str:
    if text not in ("cross_entropy", "mse") and ":" not in text:
        raise ValueError
    return text


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m poet.torch",
                                     description="A network of PyTorch as a model file of poet-solve.")
    parser.add_argument("network", metavar="MODULE:CLASS",
                        help="what makes the network when it is called without arguments")
    parser.add_argument("--input", type=shape, action="append", required=True, metavar="N,N...",
                        help="the extents of an input")
    parser.add_argument("--indices", action="store_true", help="the inputs are indices (int64)")
    parser.add_argument("--output", metavar="FILE", help="write the model there, whole or not at all")
    parser.add_argument("--parameters-output", metavar="FILE.npz",
                        help="write the network's parameters there, for run --parameters")
    parser.add_argument("--loss", metavar="LOSS", type=loss,
                        help="cross_entropy or mse; with --measure also MODULE:FUNCTION, which makes the loss of what "
                             "the network returns")
    parser.add_argument("--trainable", metavar="WHICH", help="all, last:N or a pattern of names, such as *.bias")
    parser.add_argument("--frozen-weights", choices=("float32", "int8"), default="float32",
                        help="int8: weights of convolutions and dense layers that do not train are bytes")
    parser.add_argument("--frozen-parameters", choices=("in_place", "copied"), default="in_place",
                        help="copied: parameters of frozen layers that gradients pass go into RAM first")
    parser.add_argument("--backward", choices=("none",), help="none: for inference alone, so that nothing has to train")
    parser.add_argument("--custom", type=flops, action="append", default=[], metavar="CLASS=FLOPS",
                        help="FLOPs for an element of the output of modules of this class")
    parser.add_argument("--via", choices=("fx", "onnx"), help="torch.fx or ONNX alone")
    parser.add_argument("--no-check", action="store_true", help="do not compare the model with the network")
    parser.add_argument("--measure", action="store_true",
                        help="run training steps on this machine and write nodes with their measured times and sizes")
    parser.add_argument("--log", metavar="FILE", help="with --measure: write what was recorded there, as JSON lines")
    parser.add_argument("--optimizer", choices=("sgd", "momentum", "adam", "adamw"),
                        help="what updates the parameters; sgd without; adamw with --measure alone")
    parser.add_argument("--evaluation", action="store_true",
                        help="with --measure: the network in evaluation mode, which norms and dropouts heed")
    parser.add_argument("--updates", choices=("early", "as-recorded"),
                        help="with --measure: each update as soon as its gradient is there, as usual, or at the end")
    parser.add_argument("--watts", type=float, metavar="W", help="with --measure: the power of computing; 1 without")
    parser.add_argument("--export", metavar="DIR",
                        help="then solve for --platform, and write model, parameters, schedule and its C99 there; if "
                             "nothing fits, say what would")
    parser.add_argument("--platform", metavar="NAME|FILE", help="with --export: the board")
    parser.add_argument("--ram-budget", metavar="RAM", help="with --export: as for poet-solve; chip without")
    parser.add_argument("--runtime-budget", metavar="TIME", help="with --export: as for poet-solve; 1.5 without")
    return parser.parse_args()
