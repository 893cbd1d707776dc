"""PyTorch, or a word about what is missing; a module of a user in training mode."""
from __future__ import annotations

import contextlib
import importlib
import sys
from typing import Any, FrozenSet, Iterator

try:
    torch: Any = importlib.import_module("torch")
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    reason = "PyTorch is not installed (Debian: python3-torch; elsewhere: pip install torch)"
    if sys.argv[:1] == ["-m"]:  # python -m poet.torch, typed by a person
        print(f"poet.torch: error: {reason}", file=sys.stderr)
        sys.exit(2)
    raise ImportError(reason, name="torch") from None


def evaluated_in(net: Any) -> FrozenSet[str]:
    """The names of modules in evaluation mode, such as norms that stay as they are, in a network that trains.

    A network that is in evaluation mode as a whole says nothing about how it is trained: it has none.
    """
    if not net.training:
        return frozenset()
    return frozenset(name for name, module in net.named_modules() if not module.training)


@contextlib.contextmanager
def in_training(net: Any) -> Iterator[Any]:
    """The module in training mode; afterwards each of its modules and parameters is as it was.

    Users keep parts of a network in evaluation mode, such as norms that they fine-tune around. Modules may have a
    train() of their own, which does more than set a flag, so that it has the first word.
    """
    modes = [(module, module.training) for module in net.modules()]  # a module comes before those that it contains
    trained = [(parameter, parameter.requires_grad) for parameter in net.parameters()]
    try:
        yield net.train()
    finally:
        for module, mode in modes:
            if module is net or module.training != mode:
                module.train(mode)
        for module, mode in modes:
            module.training = mode
        for parameter, flag in trained:
            parameter.requires_grad_(flag)
