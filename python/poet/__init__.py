"""Energy-optimal training schedules under a RAM budget, proven: the program `poet-solve` from Python.

    import poet
    schedule = poet.optimize("resnet18_cifar", "m4", ram=737719, runtime=1.5)
    print(schedule.energy, schedule.status)

Sizes are bytes, energies joules, times seconds. `from poet import solve` is the function of POET (ICML 2022), with its
signature and its milliseconds. docs/python.md has examples.
"""
import importlib
from typing import Any

from ._interrupted import Interrupted
from ._matrices import Matrices
from ._model import Model, ModelInfo, models
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

__version__ = "0.1.0"

__all__ = ["Gradient", "Infeasible", "InputError", "Instruction", "Interrupted", "InvalidSchedule", "Matrices", "Model",
           "ModelInfo", "NoSchedule", "Node", "POETResult", "POETSolution", "Platform", "PoetError", "Point",
           "ProgramError", "ProgramNotFound", "Progress", "Run", "Schedule", "Stage", "Sweep", "check", "find_program",
           "models", "optimize", "platforms", "solve", "sweep"]


def check(net: Any, x: Any, y: Any, **settings: Any) -> Any:
    """`poet.torch.check`: imports a module of PyTorch, solves a schedule, runs it, and compares it with autograd.

    Raises:
        ImportError: PyTorch is not installed.
    """
    return importlib.import_module("poet.torch").check(net, x, y, **settings)
