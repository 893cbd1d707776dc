"""Energy-optimal training schedules under a RAM budget, proven: the program `poet-solve` from Python.

    import poet
    schedule = poet.optimize("resnet18_cifar", "m4", ram=737719, runtime=1.5)
    print(schedule.energy, schedule.status)

Sizes are bytes, energies joules, times seconds. `from poet import solve` is the function of POET (ICML 2022), with its
signature and its milliseconds. docs/python.md has examples.
"""
import importlib
import os
from typing import Any, Callable

from . import _compared
from ._compared import Check, Differs, compare_unasked
from ._interrupted import Interrupted
from ._matrices import Matrices
from ._model import Model, ModelInfo, comparisons, models
from ._optimize import optimize
from ._platform import Platform, platforms
from ._poet import POETResult, POETSolution, solve
from ._points import Point, Sweep
from ._program import find_program
from ._progress import Progress
from ._records import Gradient, Instruction, Node, Run, Stage
from ._schedule import Schedule
from ._sweep import sweep
from .errors import (Infeasible, InputError, InvalidSchedule, NoSchedule, PoetError, ProgramError, ProgramNotFound)

__version__ = "1.0.0"

__all__ = ["Check", "Differs", "Gradient", "Infeasible", "InputError", "Instruction", "Interrupted", "InvalidSchedule",
           "Matrices", "Model", "ModelInfo", "NoSchedule", "Node", "POETResult", "POETSolution", "Platform",
           "PoetError", "Point", "ProgramError", "ProgramNotFound", "Progress", "Run", "Schedule", "Stage", "Sweep",
           "check", "find_program", "models", "optimize", "platforms", "solve", "sweep"]


def check(net: Any, x: Any = None, y: Any = None, **settings: Any) -> Check:
    """Compares an import with what was imported: outputs in training and evaluation mode, loss and gradients.

    Args:
        net: the path of an ONNX file, which is computed in numpy; or a module of PyTorch.
        x, y: input and target of a module (`poet.torch.check`); an ONNX file is computed on seeded numbers.
        **settings: loss, platform, ram, runtime, effort, tolerance, seed; for a module also `via`, and for an ONNX file
            `shape` and `numbers` as of `Model.from_onnx`.

    Returns:
        a table that is true if all agree.

    Raises:
        ImportError: numpy or PyTorch is not installed.
        InputError: it cannot be imported, or a part of it cannot be computed.
    """
    if isinstance(net, (str, os.PathLike)):
        return _check_onnx(net, **settings)
    check_module: Callable[..., Check] = importlib.import_module("poet.torch").check
    return check_module(net, x, y, **settings)


def _check_onnx(path: Any, **settings: Any) -> Check:
    checked: Callable[..., Check] = importlib.import_module("poet._onnx_check").check_onnx
    return checked(path, **settings)


def _compare_onnx(path: Any, **settings: Any) -> None:
    compare_unasked(os.fspath(path), lambda: _check_onnx(path, most_flop=_compared.UNASKED_FLOP, **settings))


def _compare_module(*about: Any) -> None:
    importlib.import_module("poet.torch._check").check_unasked(*about)


comparisons.update(onnx=_compare_onnx, torch=_compare_module)
