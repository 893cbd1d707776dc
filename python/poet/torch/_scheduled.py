"""The module that runs a schedule, in a training loop that stays as it was."""
from __future__ import annotations

import os
import statistics
from collections import deque
from typing import Any, List, Optional, Sequence, Union

from poet.torch._capture import capture, check_inputs, check_kinds, kept_state, shapes_of
from poet.torch._compile import Source, bound, tensors_of
from poet.torch._graph import Graph
from poet.torch._memory import give_back_freed_memory, peak_of
from poet.torch._pages import PageFile, disk_in
from poet.torch._plan import Plan, cache_path, facts_of
from poet.torch._planning import News, make_plan, printed, seconds_in_eager_mode
from poet.torch._pytorch import torch
from poet.torch._running import Apply, Running, as_captured
from poet.torch._tape import shape_of
from poet.torch._updates import Updates

from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten  # noqa: E402  (after the check for torch)


class Scheduled(torch.nn.Module):  # type: ignore[misc]
    """A module whose training steps run by a plan. It shares parameters, buffers and names with the given one.

    Attributes:
        net: the given module.
        plan: `print(net.plan)` shows RAM, time and the proof; `net.plan.save(path)` keeps it.
        updates: of the optimizer, if it runs inside of the step.
        torn: how far a failed step got that has updated parameters.
    """

    def __init__(self, net: Any, plan: Plan, paging: Optional[str] = None, updates: Optional[Updates] = None) -> None:
        super().__init__()
        self.__dict__.update(net=net, plan=plan, updates=updates, torn="", training=net.training,
                             _modules=net._modules, _parameters=net._parameters, _buffers=net._buffers)
        self._paging = paging
        self.__dict__["others"] = [Scheduled(net, each, paging, updates) for each in plan.others]
        self._source = Source(Graph(plan.step, plan.updates), plan.program)
        self._seconds: Any = deque(maxlen=101)
        self._page_files: List[PageFile] = []
        self._bind()
        self.finish(self.take_page_file())  # a full disk says so now

    def _bind(self) -> None:
        """Puts the program on the tensors that the module has now."""
        values = self.plan.step.values
        tensors = tensors_of(self.net, values)
        for value in values:
            if value.number in tensors and shape_of(tensors[value.number]) != value.shape:
                raise ValueError(f"{value.name} has another shape, type or layout than in the plan: found "
                                 f"{shape_of(tensors[value.number])}, expected {value.shape}; schedule the network "
                                 "anew")
        update = None if self.updates is None else self.updates.update
        self.__dict__["run"] = bound(self._source, tensors, update)
        named = dict(self.net.named_parameters())
        self.__dict__["trained"] = [named[name] for name in self.plan.step.parameters]
        self.__dict__["written"] = [tensors[value.number].detach() for value in self.plan.step.written_buffers()]
        # Walking through the module in each step would take milliseconds. What is assigned anew is found in the dicts.
        modules = list(self.net.named_modules())
        self.__dict__["_parts"] = modules, [
            (f"{name}.{key}" if name else key, holder, key) for name, module in modules
            for holder in (module._parameters, module._buffers) for key, tensor in holder.items() if tensor is not None]
        self._modes = self._mode()
        self._places = self._place()

    def _mode(self) -> List[bool]:
        modules, tensors = self._parts
        return [module.training for _, module in modules] + [holder[key].requires_grad for _, holder, key in tensors]

    def _place(self) -> List[int]:
        return [holder[key].data_ptr() for _, holder, key in self._parts[1]]

    def forward(self, *inputs: Any) -> Any:
        """The output of the network: by the plan in training mode, else as the given module computes it."""
        if not torch.is_grad_enabled() or not self.net.training:
            return self.net(*inputs)
        if self.others:
            found = shapes_of(inputs)
            other = next((each for each in self.others if each.plan.shapes == found), None)
            if other is not None:
                other.__dict__["torn"] = self.__dict__["torn"] = self.__dict__["torn"] or other.__dict__["torn"]
                return other(*inputs)
        flat = tree_flatten(inputs)[0]
        self._check(flat, inputs)
        given = as_captured([each for each in flat if isinstance(each, torch.Tensor)], self.plan.step.inputs)
        return tree_unflatten(list(Apply.apply(self, given, *self.trained)), self.plan.step.spec)

    def _check(self, flat: List[Any], inputs: Any) -> None:
        """Raises what says why the plan is not for this step, and what to do."""
        if self.torn:
            raise RuntimeError(self.torn)
        check_inputs(flat)
        found = shapes_of(inputs)
        if found != self.plan.shapes:
            known = ", ".join(each.extents() for each in [self.plan, *self.plan.others])
            raise ValueError(f"found inputs of {found}, the plan is for {known} and types as at the capture; use "
                             "drop_last=True in the DataLoader, or name further shapes by shapes=[...]")
        if self._mode() != self._modes:
            modules, tensors = self._parts
            names = [name or "the network" for name, *_ in [*modules, *tensors]]
            changed = next(name for name, now, then in zip(names, self._mode(), self._modes) if now != then)
            raise ValueError(f"the mode or requires_grad of {changed} changed since the network was scheduled; "
                             "schedule it anew")
        if str(torch.is_autocast_cpu_enabled()) != self.plan.facts["autocast"]:
            raise ValueError("autocast was switched since the network was scheduled; schedule and train inside of it, "
                             "or put it into forward()")
        if self._place() != self._places:
            self._bind()

    def take_page_file(self) -> Optional[PageFile]:
        """A page file that no other step is using."""
        if not self._source.page_bytes:
            return None
        if self._paging is None:
            raise ValueError("the plan has page files; expected paging=, the folder for them")
        return self._page_files.pop() if self._page_files else PageFile(self._paging, self._source.page_bytes)

    def finish(self, file: Optional[PageFile], seconds: Optional[float] = None) -> None:
        """Takes back a page file, and notes what a step took."""
        if file is not None:
            self._page_files.append(file)
        if seconds is not None:
            self._seconds.append(seconds)
            self.plan.figures["measured_seconds"] = statistics.median(self._seconds)

    def trial(self, inputs: Any) -> None:
        """Runs a step without updates, and enters the peak that PyTorch's profiler sees. All stays as it was."""
        flat = [each for each in tree_flatten(inputs)[0] if isinstance(each, torch.Tensor)]
        seeds = tuple(torch.zeros(seed.shape[0], dtype=seed.shape[3]) for seed in self.plan.step.seeds)

        def step() -> Any:
            running = Running(self, as_captured(flat, self.plan.step.inputs))
            running.forward()
            return running.backward(seeds)

        with kept_state(self.net):
            step()
            seed_bytes = sum(seed.bytes for seed in self.plan.step.seeds)
            self.plan.figures["measured_bytes"] = peak_of(step) + seed_bytes
            step()

    def train(self, mode: bool = True) -> Scheduled:
        """As of the given module."""
        self.net.train(mode)
        self.training = mode
        return self

    def state_dict(self, *arguments: Any, **keys: Any) -> Any:
        """As of the given module."""
        return self.net.state_dict(*arguments, **keys)

    def load_state_dict(self, *arguments: Any, **keys: Any) -> Any:
        """As of the given module. After it, a module goes on whose step has failed amid its updates."""
        found = self.net.load_state_dict(*arguments, **keys)
        for each in [self, *self.others]:
            each.__dict__["torn"] = ""
        return found

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if "net" not in self.__dict__:
                raise
            return getattr(self.net, name)

    def __reduce_ex__(self, protocol: Any) -> Any:
        if self.updates is not None:
            raise TypeError("found a copy of a network with optimizer=, whose optimizer has the parameters of the one "
                            "network; copy .net, and schedule the copy with an optimizer of its own")
        return Scheduled, (self.net, self.plan, self._paging)


def _like(inputs: Any, extents: Any) -> Any:
    """Arguments like these, whose tensors have other extents: one list of them, or a list for each tensor."""
    flat, spec = tree_flatten(inputs)
    wanted = [extents] if all(isinstance(each, int) for each in extents) else list(extents)
    if len(wanted) != sum(isinstance(each, torch.Tensor) for each in flat):
        raise ValueError(f"shapes: found {extents}, expected the extents of each input")
    rest = iter(wanted)
    return tree_unflatten([torch.full(tuple(next(rest)), int(each.is_floating_point()), dtype=each.dtype)
                           if isinstance(each, torch.Tensor) else each for each in flat], spec)


def _numbers(inputs: Any) -> int:
    """How many there are in all tensors."""
    return sum(each.numel() for each in tree_flatten(inputs)[0] if isinstance(each, torch.Tensor))


class _Planner:
    """Makes or finds the plan for inputs of one shape, by the arguments of `scheduled()`."""

    def __init__(self, net: Any, updates: Optional[Updates], given: Optional[Plan], cache: bool, dry: bool, news: News,
                 **wishes: Any) -> None:
        self.net, self.updates, self.given, self.cache, self.dry, self.news = net, updates, given, cache, dry, news
        self.wishes = wishes

    def plan(self, inputs: Any, ram: Union[str, float]) -> Plan:
        """Raises what `scheduled()` does."""
        facts = facts_of(self.net, inputs, None if self.updates is None else self.updates.optimizer)
        inputs = tree_map(lambda each: each.detach().clone() if isinstance(each, torch.Tensor) else each, inputs)
        self.news("captures two steps")
        step = capture(self.net, inputs, self.dry)
        if self.given is not None:
            found = self.given.of(shapes_of(inputs)) or self.given
            found.check(facts, step)
            return found
        wishes = self.wishes
        path = cache_path(facts, (ram, wishes["runtime"], wishes["paging"] is not None, wishes["seconds"]))
        if self.cache and path.is_file():
            try:
                kept = Plan.load(path)
                kept.check(facts, step)
                return kept
            except ValueError:  # of another version, or of other functions that forward() calls
                path.unlink(missing_ok=True)
        disk = None if wishes["paging"] is None else disk_in(wishes["paging"])
        eager_seconds = seconds_in_eager_mode(self.net, inputs, step, self.news)
        made = make_plan(self.net, inputs, step, eager_seconds, facts, ram, wishes["runtime"], disk, self.updates,
                         wishes["seconds"], self.news)
        self.news("tries a step")
        Scheduled(self.net, made, wishes["paging"]).trial(inputs)
        if self.cache:
            path.parent.mkdir(parents=True, exist_ok=True)
            made.save(path)
        return made

    def plans(self, examples: List[Any], ram: Union[str, float]) -> Plan:
        """The plan for the largest example, with its budget for all others."""
        made: List[Plan] = []
        for inputs in sorted(examples, key=_numbers, reverse=True):
            try:
                made.append(self.plan(inputs, int(made[0].figures["budget_bytes"]) if made else ram))
            except Exception as error:
                if len(examples) > 1:
                    extents = " and ".join(str(list(each[0])) for each in shapes_of(inputs) if isinstance(each, tuple))
                    error.args = (f"inputs of {extents}: {error}", *error.args[1:])
                raise
        self.news("")
        if self.given is None:
            made[0].others = made[1:]
        return self.given or made[0]


def scheduled(net: Any, *inputs: Any, ram: Union[str, float] = "60%", runtime: Union[str, float] = 3,
              paging: Optional[str] = None, optimizer: Any = None, seconds: float = 60,
              plan: Union[Plan, str, None] = None, cache: bool = True, dry: bool = False,
              progress: Optional[News] = None, shapes: Sequence[Any] = ()) -> Scheduled:
    """A module that trains within a RAM budget, with the bits of the given one.

        net = poet.torch.scheduled(net, x, ram="40%")
        for x, y in batches:
            loss = cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()

    Args:
        net: a `torch.nn.Module` in training mode, on the CPU. Its parameters and buffers stay where they are.
        *inputs: that it is called with; each step has inputs of these shapes.
        ram: what the step may hold: bytes, such as "64MiB", a share of what it holds in eager mode, such as "40%", or
            "min". Parameters, optimizer state and the batch are beside it.
        runtime: the most time of a step, as a multiple of eager's.
        paging: a folder for page files.
        optimizer: updates each parameter as soon as its gradient is there; its `step()` then has nothing left to do.
        seconds: of the solve, at most.
        plan: what `net.plan.save()` has written, in place of making one.
        cache: whether plans are kept in the user's folder for caches, and found there.
        dry: captures without the memory of a step in eager mode, which may not fit. So it does if PyTorch finds no
            memory.
        progress: called with a line of text whenever there is news; without it, a terminal shows them.
        shapes: extents of further inputs, such as [(8, 3, 32, 32)], or a list of them for each of several inputs. Each
            shape has a plan within the same bytes: a share is of the largest.

    Raises:
        Unschedulable: a step is no fixed list of calls; the message names the module or the line, and a way out.
        Infeasible, NoSchedule: there is no schedule within the budgets.
        ValueError: the plan is for something else; the message names what differs.
    """
    give_back_freed_memory()  # before anything is freed: holes that are there are filled again, and stay resident
    check_kinds(net)
    check_inputs(tree_flatten(inputs)[0])
    named = {name: each for name, each in net.named_parameters() if each.requires_grad}
    updates = None if optimizer is None else Updates(optimizer, named)
    given = Plan.load(plan) if isinstance(plan, (str, os.PathLike)) else plan
    others = shapes if given is None else [[each[0] for each in other.shapes if isinstance(each, tuple)]
                                           for other in [given, *given.others] if other.shapes != shapes_of(inputs)]
    planner = _Planner(net, updates, given, cache, dry, printed if progress is None else progress, runtime=runtime,
                       paging=paging, seconds=seconds)
    examples = [inputs] + ([_like(inputs, each) for each in others] if given is None or given.others else [])
    return Scheduled(net, planner.plans(examples, ram), paging, updates)
