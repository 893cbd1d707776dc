"""python -m poet.torch module:Class --input 1,3,224,224 --output net.json"""
from __future__ import annotations

import argparse
import contextlib
import errno
import importlib
import io
import json
import os
import sys
import traceback
from typing import Any, Dict, List, Optional

from poet._matrices import require_numpy
from poet._program import EXIT_OK, Files, run
from poet.errors import PoetError
from poet.torch import Refused, trace
from poet.torch._check import check_unasked
from poet.torch._pytorch import torch


def text_of(document: Dict[str, Any]) -> bytes:
    """The document with a line for each layer."""
    lines = ",\n".join("    " + json.dumps(layer) for layer in document["layers"])
    head = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in document.items() if key != "layers")
    return f'{{\n{head},\n  "layers": [\n{lines}\n  ]\n}}\n'.encode()


def npz_of(arrays: Dict[str, Any]) -> bytes:
    """What numpy.load() and `run --parameters` read."""
    file = io.BytesIO()
    require_numpy().savez(file, **arrays)
    return file.getvalue()


def write(content: bytes, path: Optional[str]) -> None:
    """The file whole or not at all; without a path, to stdout."""
    if path is None:
        sys.stdout.write(content.decode())
        return
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(part, "wb") as file:
            file.write(content)
        os.replace(part, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(part)
        raise


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


def raised(error: BaseException) -> str:
    """The exception of a user's code in one line, with its place."""
    *_, last = traceback.extract_tb(error.__traceback__)
    place = "" if last.filename == __file__ else f" ({last.filename}, line {last.lineno})"
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}{': ' if lines else ''}{lines[0] if lines else ''}{place}"


def find(network: str) -> Any:
    """What MODULE:CLASS names. Raises ValueError."""
    module, colon, path = network.partition(":")
    if not module or not colon or not path:
        raise ValueError("expected MODULE:CLASS, such as torchvision.models:resnet18")
    sys.path.insert(0, os.getcwd())
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise ValueError(f"the module '{module}' cannot be imported: {error}") from error
        raise ValueError(f"there is no module '{error.name}', neither installed nor in this folder") from error
    except Exception as error:
        raise ValueError(f"the module '{module}' cannot be imported: {raised(error)}") from error
    try:
        for name in path.split("."):
            found = getattr(found, name)
    except AttributeError as error:
        raise ValueError(f"the module '{module}' has no '{path}'") from error
    return found


def make(network: str) -> Any:
    """The module of PyTorch that MODULE:CLASS makes. Raises ValueError."""
    factory = find(network)
    try:
        net = factory()
    except Exception as error:
        raise ValueError(f"called without arguments, it raises {raised(error)}; expected what makes the network so, "
                         "such as a function of your own") from error
    if not isinstance(net, torch.nn.Module):
        raise ValueError(f"what it makes is a {type(net).__name__}; expected a torch.nn.Module")
    return net


def traced(net: Any, arguments: argparse.Namespace, notes: List[str],
           parameters: Optional[Dict[str, Any]]) -> Dict[str, Any]:
    """The document. Raises ValueError with what the network says to its inputs, besides what `trace()` raises."""
    kind = torch.int64 if arguments.indices else torch.float32
    inputs = tuple(torch.zeros(each, dtype=kind) for each in arguments.input)
    try:
        document = trace(net, *inputs, loss=arguments.loss, trainable=arguments.trainable,
                         custom=dict(arguments.custom), via=arguments.via, notes=notes, parameters=parameters,
                         frozen_weights=arguments.frozen_weights, frozen_parameters=arguments.frozen_parameters,
                         backward=arguments.backward)
        if arguments.optimizer is not None:
            document = {**document, "optimizer": arguments.optimizer}
        if not arguments.no_check:
            check_unasked(net, inputs, document, {"loss": arguments.loss, "via": arguments.via})
        return document
    except (Refused, ValueError, PoetError):
        raise
    except Exception as error:
        shapes = " and ".join(",".join(map(str, each)) for each in arguments.input)
        raise ValueError(f"with --input {shapes} it raises {raised(error)}") from error


def measured(net: Any, arguments: argparse.Namespace) -> bytes:
    """The document of measured nodes, by the program, of a log that is written where the arguments say."""
    from poet.torch._measure import record, text_of_log, warning_of

    for option, value in (("--trainable", arguments.trainable), ("--custom", arguments.custom),
                          ("--via", arguments.via), ("--parameters-output", arguments.parameters_output),
                          ("--frozen-weights", arguments.frozen_weights != "float32"),
                          ("--backward", arguments.backward),
                          ("--frozen-parameters", arguments.frozen_parameters != "in_place")):
        if value:
            raise ValueError(f"found {option} with --measure; expected one of them")
    if arguments.indices:
        inputs = [torch.zeros(each, dtype=torch.int64) for each in arguments.input]
    else:
        inputs = [torch.zeros(each) for each in arguments.input]
    try:
        loss = find(arguments.loss) if arguments.loss and ":" in arguments.loss else arguments.loss
        lines = record(net, *inputs, loss=loss, name=arguments.network.partition(":")[2],
                       optimizer=arguments.optimizer or "sgd", training=not arguments.evaluation)
    except ValueError:
        raise
    except Exception as error:
        shapes = " and ".join(",".join(map(str, each)) for each in arguments.input)
        raise ValueError(f"with --input {shapes} it raises {raised(error)}") from error
    log = text_of_log(lines)
    if arguments.log is not None:
        write(log, arguments.log)
    with Files() as files:
        words = ["import", files.add("step.jsonl", log.decode()), "--trace"]
        for option, value in (("--watts", arguments.watts), ("--updates", arguments.updates)):
            words += [] if value is None else [option, str(value)]
        finished = run(words, files)
    if finished.status != EXIT_OK:
        raise ValueError(finished.message())
    for warning in (*finished.warnings(), warning_of(lines)):
        if warning is not None:
            print(f"poet.torch: warning: {warning}", file=sys.stderr)
    seconds = sum(line.get("seconds", 0.0) for line in lines)
    print(f"poet.torch: {sum(line.get('event') == 'op' for line in lines)} operations of {1e3 * seconds:.4g} ms; "
          f"a step that nobody records takes {1e3 * lines[0]['step_seconds']:.4g} ms", file=sys.stderr)
    return finished.out.encode()


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
    return parser.parse_args()


def main() -> int:
    arguments = parsed()
    notes: List[str] = []
    arrays: Optional[Dict[str, Any]] = None if arguments.parameters_output is None else {}
    try:
        if arguments.measure:
            arrays = None
            text = measured(make(arguments.network), arguments)
        else:
            for option in ("log", "watts", "evaluation", "updates"):
                if getattr(arguments, option):
                    raise ValueError(f"found --{option} without --measure")
            if arguments.optimizer == "adamw":
                raise ValueError("found --optimizer adamw without --measure; expected sgd, momentum or adam")
            if arguments.loss and ":" in arguments.loss:
                raise ValueError(f"found --loss {arguments.loss} without --measure; expected cross_entropy or mse")
            text = text_of(traced(make(arguments.network), arguments, notes, arrays))
        stored = None if arrays is None else npz_of(arrays)
    except (Refused, ValueError, PoetError) as error:
        print(f"poet.torch: error: {arguments.network}: {error}", file=sys.stderr)
        return 2
    for note in notes:
        print(f"poet.torch: warning: {note}", file=sys.stderr)
    try:
        option, path = "--parameters-output", arguments.parameters_output
        if stored is not None:
            write(stored, path)
        option, path = "--output", arguments.output
        write(text, path)
    except OSError as error:
        if stored is not None and option == "--output":  # both or none
            os.remove(arguments.parameters_output)
        print(f"poet.torch: error: {option} {path}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("poet.torch: interrupted", file=sys.stderr)
        sys.exit(130)
