"""Captures a training step of a module: forward, the place of the loss, and the backward pass from there.

The step is captured twice, the second time with other numbers in the inputs. A branch of Python, a random number of
another generator, or a tensor that was computed outside of PyTorch shows as a difference.
"""
from __future__ import annotations

import gc
import importlib
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Tuple

from poet.torch._dispatch import named_modules
from poet.torch._memory import is_out_of_memory
from poet.torch._pytorch import torch
from poet.torch._tape import Call, NumbersStay, Tape, Unschedulable, Value, View, shape_of

from torch.utils._pytree import tree_flatten, tree_map  # noqa: E402  (after the check for torch)

_functional_call: Any = (torch.func if hasattr(torch, "func") else
                         importlib.import_module("torch.nn.utils.stateless")).functional_call

#: Inputs that are a part of the plan as they are.
_PLAIN = (bool, int, float, str, type(None), torch.dtype, torch.device, torch.Size)


@dataclass(eq=False)
class Step:
    """A captured step."""

    values: List[Value]
    calls: List[Any]  # Call; a Value of the kind "seed" where it arrives; None where the loss is
    inputs: List[Value]
    parameters: List[str]  # that train
    owners: List[Value]  # their memory
    outputs: List[Any]  # a View for each tensor, else what it is
    is_differentiable: List[bool]  # of the outputs
    spec: Any  # of the outputs
    gradients: List[Optional[View]]  # of the parameters
    is_dry: bool = False  # captured without numbers

    @property
    def seeds(self) -> List[Value]:
        return [each for each in self.calls if isinstance(each, Value)]

    def written_buffers(self) -> List[Value]:
        return list(dict.fromkeys(buffer for call in self.calls if isinstance(call, Call) for buffer in call.buffers))


def check_kinds(net: Any) -> None:
    """Refuses modules that do more than a plain forward pass on this processor."""
    for name, parameter in list(net.named_parameters()) + list(net.named_buffers()):
        if isinstance(parameter, torch.nn.parameter.UninitializedTensorMixin):
            raise Unschedulable(f"{name} has no shape yet; call the network once before it is scheduled")
        if parameter.device.type != "cpu":
            raise Unschedulable(f"{name} is on {parameter.device}; schedules are tested on the CPU alone: move the "
                                "network by to('cpu')")
    for name, module in net.named_modules():
        where = f"{name or 'the network'} ({type(module).__name__})"
        if isinstance(module, (torch.nn.DataParallel, torch.nn.parallel.DistributedDataParallel)):
            raise Unschedulable(f"{where} spreads a step over devices; expected the module inside it: {name}.module")
        if type(module).__module__ == "poet.torch._scheduled":
            raise Unschedulable(f"{where} has a plan already; expected the module inside it: .net")
        if isinstance(module, torch.jit.ScriptModule):
            raise Unschedulable(f"{where} is compiled by torch.jit; expected the module from which it was compiled")
        for hooks in ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks"):
            if getattr(module, hooks, None):
                raise Unschedulable(f"{where} has hooks, which a schedule does not call; remove them, or put what they "
                                    "do into forward() (torch.nn.utils.parametrizations has norms without hooks)")
    if not net.training:
        raise Unschedulable("the network is in evaluation mode, in which nothing is scheduled; call train() first")
    if not any(parameter.requires_grad for parameter in net.parameters()):
        raise Unschedulable("no parameter of the network trains; set requires_grad of what shall train")


def check_inputs(inputs: List[Any]) -> None:
    """Raises Unschedulable for inputs that no schedule takes."""
    for number, each in enumerate(inputs):
        if not isinstance(each, torch.Tensor):
            if not isinstance(each, _PLAIN):
                raise Unschedulable(f"input {number} is a {type(each).__name__}; expected tensors, numbers and texts, "
                                    "alone or in tuples, lists and dictionaries")
            continue
        if each.layout != torch.strided or each.is_complex():
            raise Unschedulable(f"input {number} is sparse or complex; expected dense real numbers")
        if each.requires_grad:
            raise Unschedulable(f"input {number} wants a gradient of its own, which a schedule does not give; detach() "
                                "it, or make it a parameter of the network")


@contextmanager
def kept_state(net: Any) -> Iterator[None]:
    """Afterwards parameters and buffers are the same tensors; buffers and the random state hold what they held."""
    held = [(holder, dict(holder)) for module in net.modules() for holder in (module._parameters, module._buffers)]
    memory = [(tensor, tensor.data) for _, tensors in held for tensor in tensors.values() if tensor is not None]
    buffers = {name: buffer.clone() for name, buffer in net.named_buffers()}
    random = torch.get_rng_state()
    try:
        yield
    finally:
        for holder, tensors in held:
            holder.update(tensors)
        for tensor, data in memory:
            if tensor.data_ptr() != data.data_ptr():
                tensor.data = data
        with torch.no_grad():
            for name, buffer in net.named_buffers():
                buffer.copy_(buffers[name])
        torch.set_rng_state(random)


def _outline(step: Step) -> List[Tuple[Any, ...]]:
    """What has to be the same in each step, call by call."""
    def plain(leaf: Any) -> Any:
        return (leaf.value.number, leaf.shape) if isinstance(leaf, View) else str(leaf)

    return [(each.module, each.op, each.name, [plain(leaf) for leaf in each.leaves()]) for each in step.calls
            if isinstance(each, Call)]


def compare(one: Step, other: Step) -> None:
    """Raises Unschedulable if the two steps differ in more than the numbers of their inputs."""
    for mine, its in zip(_outline(one) + [("its end", "nothing")], _outline(other) + [("its end", "nothing")]):
        if mine != its:
            raise Unschedulable(f"two steps differ in their operations: {mine[1]} in {mine[0] or 'the network'}, then "
                                f"{its[1]} in {its[0] or 'the network'} or other arguments; expected the same in each "
                                "step: random numbers by PyTorch, branches by torch.where")
    for mine_, its_ in zip(one.values, other.values):
        if mine_.kind == "constant" and not torch.equal(mine_.constant, its_.constant):
            where = next((each.module for each in one.calls if isinstance(each, Call) and mine_ in each.reads), "")
            raise Unschedulable(f"a tensor of shape {list(mine_.shape[0])} in {where or 'the network'} comes from "
                                "outside of PyTorch's operations and differs from step to step; make it an input, or "
                                "compute it by operations of PyTorch")


def _needed(calls: List[Any], ends: List[View]) -> List[Any]:
    """Leaves out calls that nobody reads: they make no output, draw no numbers and write no buffer."""
    read = {view.value for view in ends}
    needed = []
    for call in reversed(calls):
        if isinstance(call, Call):
            if not (call.is_random or call.buffers or read.intersection(call.values())):
                continue
            read.update(call.reads)
        needed.append(call)
    return needed[::-1]


def _stand_ins(net: Any, inputs: Any) -> Tuple[Any, Dict[str, Any], Any]:
    """A mode that computes shapes alone, and tensors without numbers for parameters, buffers and inputs."""
    mode = importlib.import_module("torch._subclasses").FakeTensorMode()

    def one(tensor: Any) -> Any:
        return mode.from_tensor(tensor.detach()).requires_grad_(tensor.requires_grad)

    named = {name: one(each) for name, each in [*net.named_parameters(), *net.named_buffers()]}
    return mode, named, tree_map(lambda each: one(each) if isinstance(each, torch.Tensor) else each, inputs)


def _record(net: Any, inputs: Any, dry: bool = False) -> Step:
    """The calls of one step. `inputs` are the arguments, whose tensors are copies, so that no two share memory."""
    tape = Tape(not dry)
    mode: Any = nullcontext()
    named = kept = {**dict(net.named_parameters()), **dict(net.named_buffers())}
    if dry:
        mode, named, inputs = _stand_ins(net, inputs)
    for kind, names in (("parameter", net.named_parameters()), ("buffer", net.named_buffers())):
        for name, _ in names:
            tape.add(kind, named[name], name)
    given = [tape.add("input", each, f"input {number}") for number, each in enumerate(tree_flatten(inputs)[0])
             if isinstance(each, torch.Tensor)]
    trained = [name for name, parameter in net.named_parameters() if parameter.requires_grad]
    places = {name: tensor.data_ptr() for name, tensor in [*net.named_parameters(), *net.named_buffers()]}
    with mode, named_modules(net, tape.modules), torch.enable_grad():
        with NumbersStay(tape), tape:
            out = _functional_call(net, named, inputs) if dry else net(*inputs)
        for name, tensor in [*net.named_parameters(), *net.named_buffers()]:
            if tensor is not kept.get(name) or tensor.data_ptr() != places[name]:
                raise Unschedulable(f"{name} is assigned anew in forward(), which a schedule does not do; expected a "
                                    "write in place, such as by copy_() into a buffer")
        flat, spec = tree_flatten(out)
        graded = [isinstance(each, torch.Tensor) and each.requires_grad for each in flat]
        if not any(graded):
            raise Unschedulable("no output depends on a parameter that trains; expected one that a loss is of, alone "
                                "or in tuples, lists and dictionaries")
        tape.calls.append(None)
        outputs = [tape.view(each, "an output") if isinstance(each, torch.Tensor) else each for each in flat]
        ends = [each for each, is_graded in zip(flat, graded) if is_graded]
        seeds = [torch.zeros(each.shape, dtype=each.dtype) for each in ends]
        for number, seed in enumerate(seeds):
            tape.calls.append(tape.add("seed", seed, f"gradient {number}"))
        tape.is_backward = True
        with tape:
            found = torch.autograd.grad(ends, [named[name] for name in trained], seeds, allow_unused=True)
        gradients = [None if each is None else tape.view(each, "a gradient") for each in found]
    calls = _needed(tape.calls, [each for each in outputs + gradients if isinstance(each, View)])
    owners = [tape.view(named[name], name).value for name in trained]
    return Step(tape.values, calls, given, trained, owners, outputs, graded, spec, gradients, dry)


def _checkpointed(error: Exception) -> str:
    """What the function is called that torch.utils.checkpoint was about to compute again when it failed."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    function = getattr(frame.tb_frame.f_locals.get("ctx"), "run_function", None) if frame is not None else None
    return str(getattr(function, "__qualname__", type(function).__name__))


def capture(net: Any, inputs: Any, dry: bool = False) -> Step:
    """One step of the module with these arguments. The module, and the random state, are left as they were.

    Args:
        dry: computes shapes alone, which takes the memory of one call at most.

    Raises:
        Unschedulable: the step is no fixed list of calls.
    """
    def other(tensor: Any) -> Any:
        """Other numbers that are as valid: indices and labels of other samples."""
        if not isinstance(tensor, torch.Tensor):
            return tensor
        if tensor.is_floating_point():
            return tensor * 0.5
        return tensor.flip(0) if tensor.dim() else tensor.clone()

    try:
        with kept_state(net):
            step = _record(net, inputs, dry)
        with kept_state(net):
            compare(step, _record(net, tree_map(other, inputs), dry))
        return step
    except Unschedulable:
        raise
    except Exception as error:
        if "checkpoint" in str(error).lower() and ".grad()" in str(error):
            raise Unschedulable(f"torch.utils.checkpoint of {_checkpointed(error)} runs a part of forward() in the "
                                "backward pass; expected the network without it, as the plan chooses what is computed "
                                "again, or use_reentrant=False") from error
        if dry and "Fake" in str(error):
            raise Unschedulable(f"dry=True cannot follow a tensor from outside of the step ({str(error)[:80]}...); "
                                "make it a buffer or an input, or leave out dry=True") from error
        if dry or not is_out_of_memory(error):
            raise
    gc.collect()  # the error is gone, and with it what the step held
    return capture(net, inputs, True)


def shapes_of(inputs: Any) -> List[Any]:
    """What has to be the same in each call of a scheduled module: shapes and types of tensors, all else as it is."""
    return [shape_of(each)[0::3] if isinstance(each, torch.Tensor) else each for each in tree_flatten(inputs)[0]]
