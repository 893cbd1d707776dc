"""The module that runs a schedule, in a training loop that stays as it was."""
from __future__ import annotations

import statistics
from collections import deque
from pathlib import Path
from typing import Any, Dict, List, Optional, Union

from poet.torch._capture import Step, capture, check_inputs, check_kinds, kept_state, shapes_of
from poet.torch._compile import Source, bound, tensors_of
from poet.torch._graph import Graph
from poet.torch._memory import give_back_freed_memory, peak_of
from poet.torch._pages import PageFile, disk_in
from poet.torch._plan import Plan, cache_path, facts_of
from poet.torch._planning import News, make_plan, printed
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
            raise ValueError(f"found inputs of {found}, the plan is for {self.plan.shapes}; use drop_last=True in the "
                             "DataLoader, or schedule the network for each shape")
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
        self.__dict__["torn"] = ""
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


def _known(plan: Union[Plan, str, None], path: Optional[Path], facts: Dict[str, str], step: Step) -> Optional[Plan]:
    """The plan that is given, or the one in the cache, for this very step. Raises ValueError for a given one."""
    if plan is not None:
        given = plan if isinstance(plan, Plan) else Plan.load(plan)
        given.check(facts, step)
        return given
    if path is not None and path.is_file():
        try:
            kept = Plan.load(path)
            kept.check(facts, step)
            return kept
        except ValueError:  # of another version, or of other functions that forward() calls
            path.unlink(missing_ok=True)
    return None


def scheduled(net: Any, *inputs: Any, ram: Union[str, float] = "60%", runtime: Union[str, float] = 3,
              paging: Optional[str] = None, optimizer: Any = None, seconds: float = 60,
              plan: Union[Plan, str, None] = None, cache: bool = True, dry: bool = False,
              progress: Optional[News] = None) -> Scheduled:
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
    facts = facts_of(net, inputs, optimizer)
    inputs = tree_map(lambda each: each.detach().clone() if isinstance(each, torch.Tensor) else each, inputs)
    news = printed if progress is None else progress
    news("captures two steps")
    step = capture(net, inputs, dry)
    path = cache_path(facts, (ram, runtime, paging is not None, seconds)) if cache and plan is None else None
    found = _known(plan, path, facts, step)
    if found is not None:
        news("")
        return Scheduled(net, found, paging, updates)
    disk = None if paging is None else disk_in(paging)
    made = make_plan(net, inputs, step, facts, ram, runtime, disk, updates, seconds, news)
    news("tries a step")
    Scheduled(net, made, paging).trial(inputs)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        made.save(path)
    news("")
    return Scheduled(net, made, paging, updates)
