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
from poet.torch._arguments import parsed
from poet.torch._check import check_unasked
from poet.torch._export import expect_export, export
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


def expect_trace(arguments: argparse.Namespace) -> None:
    """Without --measure. Raises ValueError."""
    for option in ("log", "watts", "evaluation", "updates"):
        if getattr(arguments, option):
            raise ValueError(f"found --{option} without --measure")
    if arguments.optimizer == "adamw":
        raise ValueError("found --optimizer adamw without --measure; expected sgd, momentum or adam")
    if arguments.loss and ":" in arguments.loss:
        raise ValueError(f"found --loss {arguments.loss} without --measure; expected cross_entropy or mse")


def write_both(text: bytes, stored: Optional[bytes], arguments: argparse.Namespace) -> None:
    """Model and parameters, or none of them. Raises ValueError."""
    option, path = "--export", arguments.export
    try:
        if path is not None:
            os.makedirs(path, exist_ok=True)
        option, path = "--parameters-output", arguments.parameters_output
        if stored is not None:
            write(stored, path)
        option, path = "--output", arguments.output
        write(text, path)
    except OSError as error:
        if stored is not None and option == "--output":
            os.remove(arguments.parameters_output)
        raise ValueError(f"{option} {path}: {error.strerror}") from error


def main() -> int:
    arguments = parsed()
    notes: List[str] = []
    document: Dict[str, Any] = {}
    arrays: Optional[Dict[str, Any]] = None
    place = f"{arguments.network}: "
    try:
        expect_export(arguments)
        if arguments.measure:
            text = measured(make(arguments.network), arguments)
        else:
            expect_trace(arguments)
            arrays = None if arguments.parameters_output is None else {}
            document = traced(make(arguments.network), arguments, notes, arrays)
            text = text_of(document)
        stored = None if arrays is None else npz_of(arrays)
        for note in notes:
            print(f"poet.torch: warning: {note}", file=sys.stderr)
        place = ""
        write_both(text, stored, arguments)
        return 0 if arguments.export is None else export(document, arguments)
    except (Refused, ValueError, PoetError) as error:
        print(f"poet.torch: error: {place}{error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("poet.torch: interrupted", file=sys.stderr)
        sys.exit(130)
