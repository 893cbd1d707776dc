"""What a dispatch mode of PyTorch, which sees each operation of a step, has to know to describe one."""
from __future__ import annotations

import importlib
from contextlib import contextmanager
from typing import Any, Iterator, List, Tuple

from poet.torch._pytorch import torch

_reductions: Any = importlib.import_module("torch.multiprocessing.reductions")
#: A reference that tells when a storage is gone, and keeps its address from being used again until it is dropped.
StorageWeakRef: Any = _reductions.StorageWeakRef
#: What gives other numbers each time: words in the names of operations.
RANDOM = ("bernoulli", "dropout", "multinomial", "normal", "rand", "uniform", "exponential")


def is_random(op: str) -> bool:
    """Whether an operation of this name draws numbers, by its name."""
    return any(word in op for word in RANDOM)


def arguments_of(func: Any, args: Any, kwargs: Any) -> List[Tuple[Any, Any]]:
    """What the schema of an operation says of each argument that is given, and the argument."""
    schema = func._schema.arguments
    return list(zip(schema, args)) + [(each, kwargs[each.name]) for each in schema if each.name in kwargs]


def is_written(argument: Any) -> bool:
    """Whether an operation writes this argument, by its schema; some schemas are silent."""
    return argument.alias_info is not None and bool(argument.alias_info.is_write)


@contextmanager
def named_modules(net: torch.nn.Module, modules: List[str]) -> Iterator[None]:
    """The last of the names is the module that the forward pass is in."""
    def leave(*_: Any) -> None:
        modules.pop()

    handles = []
    for name, module in net.named_modules():
        handles.append(module.register_forward_pre_hook(lambda *_, name=name: modules.append(name)))
        handles.append(module.register_forward_hook(leave))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
