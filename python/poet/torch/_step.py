"""A training step of a module as users run it, for `_measure`: forward pass, loss, backward pass, optimizer."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from poet.torch._pytorch import torch

#: The name of a loss, or a function of what the module returns.
Loss = Union[str, Callable[[Any], Any], None]
RATE = 1e-3
OPTIMIZERS: Dict[str, Callable[[Any], Any]] = {
    "sgd": lambda parameters: torch.optim.SGD(parameters, lr=RATE),
    "momentum": lambda parameters: torch.optim.SGD(parameters, lr=RATE, momentum=0.9),
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=RATE),
    "adamw": lambda parameters: torch.optim.AdamW(parameters, lr=RATE),
}


def _loss_of(name: Optional[str], out: Any) -> Tuple[Callable[[Any, Any], Any], Any]:
    """The loss, and a target of zeros for it."""
    if name == "mse" or (name is None and out.dim() != 2):
        return torch.nn.functional.mse_loss, torch.zeros_like(out)
    return torch.nn.functional.cross_entropy, torch.zeros(out.shape[0], dtype=torch.int64)


def _first(out: Any) -> Any:
    """The output that the loss is of: networks with auxiliary heads have several."""
    if isinstance(out, dict):
        return next(iter(out.values()))
    return out if isinstance(out, torch.Tensor) else out[0]


class Step:
    """A training step of a module."""

    def __init__(self, net: Any, inputs: Tuple[Any, ...], loss: Loss = None, optimizer: str = "sgd",
                 training: bool = True) -> None:
        self.net = net.train(training)
        self.shapes = [(x.shape, x.dtype) for x in inputs]
        self.loss: Callable[[Any, Any], Any]
        self.target_shape: Any = None
        if callable(loss):
            own = loss
            self.loss = lambda out, target: own(out)
        else:
            with torch.no_grad():
                named, target = _loss_of(loss, _first(net(*inputs)))
            self.loss = lambda out, target: named(_first(out), target)
            self.target_shape = (target.shape, target.dtype)
        self.optimizer = OPTIMIZERS[optimizer](net.parameters())

    def data(self) -> Tuple[List[Any], Any]:
        """The inputs and the target; floating-point ones have random numbers, which change what they can."""
        def numbers(shape: Any, kind: Any) -> Any:
            return (torch.randn if kind.is_floating_point else torch.zeros)(shape, dtype=kind)

        return [numbers(*each) for each in self.shapes], self.target_shape and numbers(*self.target_shape)

    def run(self, inputs: List[Any], target: Any, backward: Callable[[], None] = lambda: None) -> None:
        loss = self.loss(self.net(*inputs), target)
        backward()
        loss.backward()
        self.optimizer.step()

    def forget(self) -> None:
        self.optimizer.zero_grad(set_to_none=True)

    def state(self) -> List[Tuple[str, Any]]:
        """What the optimizer keeps for the next step, named."""
        names = {id(parameter): name for name, parameter in self.net.named_parameters()}
        return [(f"{names.get(id(parameter), 'parameter')}.{key}", value)
                for parameter, kept in self.optimizer.state.items()
                for key, value in kept.items() if isinstance(value, torch.Tensor)]
