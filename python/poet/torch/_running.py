"""One step of a scheduled module: a generator inside of an autograd function, suspended while the loss is computed."""
from __future__ import annotations

import time
from typing import Any, Callable, List, Tuple

from poet.torch._pytorch import torch
from poet.torch._tape import shape_of
from poet.torch._timing import below_autograd


def as_captured(tensors: Any, values: Any) -> List[Any]:
    """The tensors, or copies, with the strides that the captured calls read."""
    def one(tensor: Any, value: Any) -> Any:
        size, stride, offset, kind = value.shape
        if shape_of(tensor) == value.shape:
            return tensor
        with torch.no_grad():
            if tensor.is_contiguous() and tensor.storage_offset() == offset == 0:
                other = tensor.as_strided(size, stride)  # strides of extents of 1 say nothing
                if other.is_contiguous():
                    return other
            return torch.empty_strided(size, stride, dtype=kind).copy_(tensor)

    return list(map(one, tensors, values))


class Running:
    """A step under way, and what a failed one goes back to. `owner` is the scheduled module."""

    def __init__(self, owner: Any, inputs: List[Any]) -> None:
        self._owner = owner
        self._buffers = [(buffer, buffer.clone()) for buffer in owner.written]
        self._random = torch.get_rng_state()
        self._watched = inputs + owner.trained
        self._pages = owner.take_page_file()
        self._generator = owner.run(self._pages, *inputs)
        self._seconds = 0.0
        self._versions: List[int] = []

    def forward(self) -> Tuple[Any, ...]:
        outputs: Tuple[Any, ...] = self._resume(lambda: next(self._generator))
        self._watched += [each for each in outputs if isinstance(each, torch.Tensor)]
        self._versions = [each._version for each in self._watched]
        return outputs

    def backward(self, seeds: Tuple[Any, ...]) -> List[Any]:
        if self._versions != [each._version for each in self._watched]:
            raise RuntimeError("a parameter, an input or an output was changed in place between the forward and the "
                               "backward pass, which needs what it was; change it afterwards, or change a clone()")
        self._watched = []
        if self._owner.updates is not None:
            self._owner.updates.done = 0
        given = tuple(as_captured(seeds, self._owner.plan.step.seeds))
        gradients: List[Any] = self._resume(lambda: self._generator.send(given))
        self._owner.finish(self._pages, self._seconds)
        return gradients

    def _resume(self, function: Callable[[], Any]) -> Any:
        start = time.thread_time()
        try:
            with below_autograd(), torch.autocast("cpu", enabled=False):
                return function()
        except StopIteration as ended:
            return ended.value
        except BaseException as error:
            self._undo(error)
            raise
        finally:
            self._seconds += time.thread_time() - start

    def _undo(self, error: BaseException) -> None:
        """Buffers and random state become as they were before the step; or an error says how far it got."""
        owner = self._owner
        if owner.updates is not None and owner.updates.done:
            owner.torn = (f"{owner.updates.done} of {len(owner.trained)} parameters were updated before a step failed; "
                          "load parameters by load_state_dict() to go on")
            raise RuntimeError(owner.torn) from error
        for buffer, before in self._buffers:
            buffer.copy_(before)
        torch.set_rng_state(self._random)


class Apply(torch.autograd.Function):  # type: ignore[misc]
    """Forward: the program up to the loss. Backward: the rest of it."""

    @staticmethod
    def forward(ctx: Any, owner: Any, inputs: List[Any], *parameters: Any) -> Tuple[Any, ...]:
        ctx.running = Running(owner, inputs)
        ctx.graded = owner.plan.step.is_differentiable
        outputs = ctx.running.forward()
        ctx.mark_non_differentiable(*[each for each, graded in zip(outputs, ctx.graded)
                                      if isinstance(each, torch.Tensor) and not graded])
        return outputs

    @staticmethod
    def backward(ctx: Any, *seeds: Any) -> Tuple[Any, ...]:
        if torch.is_grad_enabled():
            raise RuntimeError("a scheduled step has no second derivatives (create_graph=True); take derivatives of "
                               "the given network, which is .net")
        if ctx.running is None:
            raise RuntimeError("a scheduled step was asked for its gradients twice; its tensors are gone after the "
                               "first time, in spite of retain_graph: add the losses up, or call the network again")
        running, ctx.running = ctx.running, None
        gradients = running.backward(tuple(seed for seed, graded in zip(seeds, ctx.graded) if graded))
        return (None, None, *gradients)
