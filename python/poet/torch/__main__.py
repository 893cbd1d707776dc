"""python -m poet.torch module:Class --input 1,3,224,224 --output net.json"""
from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from typing import Any, Dict, List, Optional

from poet.torch import Refused, torch, trace


def write(document: Dict[str, Any], path: Optional[str]) -> None:
    """The document with a line for each layer; the file whole or not at all."""
    lines = ",\n".join("    " + json.dumps(layer) for layer in document["layers"])
    head = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in document.items() if key != "layers")
    text = f'{{\n{head},\n  "layers": [\n{lines}\n  ]\n}}\n'
    if path is None:
        sys.stdout.write(text)
        return
    part = f"{path}.{os.getpid()}.part"
    with open(part, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(part, path)


def shape(text: str) -> List[int]:
    extents = [int(part) for part in text.split(",")]
    if min(extents) < 1:
        raise ValueError
    return extents


def flops(text: str) -> Any:
    name, _, number = text.partition("=")
    return name, int(number)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m poet.torch",
                                     description="A network of PyTorch as a model file of poet-solve.")
    parser.add_argument("network", metavar="MODULE:CLASS",
                        help="what makes the network when it is called without arguments")
    parser.add_argument("--input", type=shape, action="append", required=True, metavar="N,N...",
                        help="the extents of an input")
    parser.add_argument("--indices", action="store_true", help="the inputs are indices (int64)")
    parser.add_argument("--output", metavar="FILE", help="write the model there, whole or not at all")
    parser.add_argument("--loss", choices=("cross_entropy", "mse"))
    parser.add_argument("--trainable", metavar="WHICH", help="all, last:N or a pattern of names")
    parser.add_argument("--custom", type=flops, action="append", default=[], metavar="CLASS=FLOPS")
    parser.add_argument("--via", choices=("fx", "onnx"), help="torch.fx or ONNX alone")
    arguments = parser.parse_args()
    module, _, attribute = arguments.network.partition(":")
    sys.path.insert(0, os.getcwd())
    try:
        net = getattr(importlib.import_module(module), attribute)()
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        parser.error(f"{arguments.network}: {error}; expected MODULE:CLASS that can be called without arguments")
    kind = torch.int64 if arguments.indices else torch.float32
    notes: List[str] = []
    try:
        document = trace(net, *(torch.zeros(each, dtype=kind) for each in arguments.input), loss=arguments.loss,
                         trainable=arguments.trainable, custom=dict(arguments.custom), via=arguments.via, notes=notes)
    except (Refused, ValueError, OSError) as error:
        print(f"poet.torch: error: {arguments.network}: {error}", file=sys.stderr)
        return 2
    for note in notes:
        print(f"poet.torch: warning: {note}", file=sys.stderr)
    write(document, arguments.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
