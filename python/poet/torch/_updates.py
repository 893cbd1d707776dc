"""An optimizer that updates each parameter behind its gradient, by the optimizer's own step with this parameter alone.

So the bits are the same as after a separate step, and learning rates are read each time. The optimizer has to treat
parameters one by one. Afterwards no parameter has a gradient, and the user's `step()` finds nothing to do.
"""
from __future__ import annotations

import copy
from collections import defaultdict
from typing import Any, Dict, List

from poet.torch._memory import peak_of
from poet.torch._pytorch import torch
from poet.torch._tape import Unschedulable
from poet.torch._timing import seconds_of

from torch.utils._pytree import tree_flatten  # noqa: E402  (after the check for torch)

#: Optimizers that need all gradients at once, or to compute the loss again.
_NEED_ALL = ("LBFGS", "SparseAdam")


class Updates:
    """Args:
        optimizer: with all parameters of the network that train.
        named: all parameters that train, by name.

    Attributes:
        done: how many parameters the present step has updated.
    """

    def __init__(self, optimizer: Any, named: Dict[str, Any]) -> None:
        self.optimizer = optimizer
        self.done = 0
        if type(optimizer).__name__ in _NEED_ALL:
            raise Unschedulable(f"optimizer={type(optimizer).__name__} needs all gradients at once; leave it out, and "
                                "call its step() after the backward pass")
        groups = {id(parameter): group for group in optimizer.param_groups for parameter in group["params"]}
        for name, parameter in named.items():
            if id(parameter) not in groups:
                raise Unschedulable(f"the optimizer does not have {name}; expected one with all parameters that train, "
                                    "or requires_grad_(False) for this one")
            if parameter._backward_hooks:
                raise Unschedulable(f"{name} has a hook, which would not see its gradient; leave out optimizer=")
            if parameter.grad is not None:
                raise Unschedulable(f"{name} has a gradient already, which would be lost; call zero_grad() first")
        self._parts = [(parameter, groups[id(parameter)]) for parameter in named.values()]

    def update(self, place: int, gradient: Any) -> None:
        """What a program calls when the gradient of the parameter of this place is there."""
        parameter, group = self._parts[place]
        if parameter.grad is not None:
            raise RuntimeError("a parameter has a gradient of its own, which an update inside of the step would lose; "
                               "call zero_grad(), or leave out optimizer= to accumulate gradients")
        optimizer, groups = self.optimizer, self.optimizer.param_groups
        parameter.grad = gradient
        optimizer.param_groups = [{**group, "params": [parameter]}]
        try:
            type(optimizer).step(optimizer)
        finally:
            optimizer.param_groups = groups
            parameter.grad = None
        self.done += 1

    def costs(self, names: List[str]) -> Dict[str, Any]:
        """Seconds, and bytes beside gradient and state, of each parameter's update; `state` has the bytes of all state.

        They are measured on a parameter and an optimizer apart.
        """
        known: Dict[Any, Dict[str, Any]] = {}
        found: Dict[str, Any] = {}
        for name, (parameter, group) in zip(names, self._parts):
            key = tuple(parameter.shape), tuple(parameter.stride()), parameter.dtype, id(group)
            if key not in known:
                known[key] = self._cost(parameter, group)
            found[name] = known[key]
        return found

    def _cost(self, parameter: Any, group: Any) -> Dict[str, Any]:
        twin = torch.nn.Parameter(torch.zeros_like(parameter))
        apart = copy.copy(self.optimizer)
        apart.state, apart.param_groups = defaultdict(dict), [{**group, "params": [twin]}]
        twin.grad = torch.ones_like(twin)

        def step() -> None:
            type(apart).step(apart)

        step()  # makes its state
        state = sum(each.numel() * each.element_size() for each in tree_flatten(dict(apart.state[twin]))[0]
                    if isinstance(each, torch.Tensor))
        return {"seconds": seconds_of(step), "bytes": peak_of(step), "state": state}
