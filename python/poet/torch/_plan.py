"""A plan: a captured step, its schedule, and what both are for. It knows no tensor of the network, and can be saved."""
from __future__ import annotations

import hashlib
import os
import pickle
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Optional, Union

from poet.torch._capture import Step, compare, shapes_of
from poet.torch._pytorch import torch
from poet.torch._tape import Unschedulable

_FORMAT = "poet-torch-plan 2"


def _code_of(function: Any) -> str:
    """What a function computes, without addresses and lines."""
    code = getattr(function, "__code__", None)
    if code is None:
        return str(type(function))
    plain = [each for each in code.co_consts if not hasattr(each, "co_code")]
    inner = [each.co_code for each in code.co_consts if hasattr(each, "co_code")]
    return hashlib.sha256(repr((code.co_code, plain, inner, code.co_names)).encode()).hexdigest()[:16]


def facts_of(net: Any, inputs: Any, optimizer: Any) -> Dict[str, str]:
    """All that a plan depends on, under names for people."""
    facts = {"version of PyTorch": str(torch.__version__)}
    for name, module in net.named_modules():
        where = f"module {name}" if name else "the network"
        facts[where] = f"{type(module).__name__}({module.extra_repr()})"
        facts[f"mode of {where}"] = "training" if module.training else "evaluation"
        facts[f"forward() of {where}"] = _code_of(type(module).forward)
    for kind, tensors in (("parameter", net.named_parameters()), ("buffer", net.named_buffers())):
        for name, tensor in tensors:
            facts[f"{kind} {name}"] = (f"{list(tensor.shape)} {tensor.dtype} strides {list(tensor.stride())}"
                                       f"{' trains' if tensor.requires_grad else ''}")
    for number, each in enumerate(shapes_of(inputs)):
        facts[f"input {number}"] = f"{list(each[0])} {each[1]}" if isinstance(each, tuple) else repr(each)
    facts["autocast"] = str(torch.is_autocast_cpu_enabled())
    if optimizer is not None:
        facts["optimizer"] = type(optimizer).__name__
        for number, group in enumerate(optimizer.param_groups):
            flags = {key: value for key, value in group.items() if isinstance(value, bool) or value is None}
            facts[f"optimizer's group {number}"] = str(flags)
    return facts


@dataclass(eq=False)
class Plan:
    """A schedule for the training steps of one network, with inputs of one shape.

    Attributes:
        facts: what it is for.
        shapes: of the inputs.
        step: the captured step.
        program: instructions, as in a schedule file.
        updates: costs of the updates inside of the step, by parameter; None if they are outside.
        figures: bytes and seconds of the step: eager, predicted, measured; and of what is there beside it.
        proof: status, gap and bound of the solver.
        others: plans for inputs of other shapes, within the same budget.
    """

    facts: Dict[str, str]
    shapes: List[Any]
    step: Step
    program: List[Dict[str, Any]]
    updates: Optional[Dict[str, Any]]
    figures: Dict[str, float] = field(default_factory=dict)
    proof: Dict[str, Any] = field(default_factory=dict)
    others: List[Plan] = field(default_factory=list)

    def of(self, shapes: List[Any]) -> Optional[Plan]:
        """The plan for inputs of these shapes."""
        return next((each for each in [self, *self.others] if each.shapes == shapes), None)

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the plan, whole or not at all."""
        part = Path(f"{os.fspath(path)}.{os.getpid()}.part")
        try:
            with open(part, "wb") as file:
                pickle.dump((_FORMAT, self), file)
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)

    @staticmethod
    def load(path: Union[str, os.PathLike[str]]) -> Plan:
        """Reads a plan. Like every pickle, it may run code: load no plan that you would not run.

        Raises:
            ValueError: the file is no plan of this version.
        """
        try:
            with open(path, "rb") as file:
                form, plan = pickle.load(file)
        except (pickle.UnpicklingError, EOFError, AttributeError, ImportError, TypeError, ValueError) as error:
            raise ValueError(f"{os.fspath(path)}: found no plan; expected what plan.save() has written") from error
        if form != _FORMAT or not isinstance(plan, Plan):
            raise ValueError(f"{os.fspath(path)}: found {form}, expected {_FORMAT}; schedule the network anew")
        return plan

    def check(self, facts: Dict[str, str], step: Step) -> None:
        """Raises ValueError with the first thing in which a network, its inputs, a version or a call differ."""
        for name in [*self.facts, *facts]:
            mine, other = self.facts.get(name, "nothing"), facts.get(name, "nothing")
            if mine != other:
                raise ValueError(f"the plan is for another step: {name}: found {other}, the plan has {mine}; make a "
                                 "plan for it by leaving out plan=")
        try:  # functions that forward() calls are no facts
            compare(self.step, step)
        except Unschedulable as error:
            raise ValueError(f"the plan is for another step: {error}") from error

    def __str__(self) -> str:
        """A table of RAM and time, and the proof; of each shape, if there are several."""
        f = self.figures
        rows = [f"{'':12}{'RAM, bytes':>14}{'share':>8}{'seconds':>11}{'ratio':>8}"]
        for name in ("eager", "predicted", "measured"):
            held, seconds = f.get(f"{name}_bytes"), f.get(f"{name}_seconds")
            if held is not None and seconds is not None:
                rows.append(f"{name:12}{int(held):14}{held / f['eager_bytes']:8.1%}{seconds:11.3g}"
                            f"{seconds / f['eager_seconds']:8.3f}")
        beside = {"parameters": "parameters", "gradients": "gradients that exist", "state": "optimizer state",
                  "batch": "batch"}
        rows.append("beside it: " + ", ".join(f"{words} {int(f[key + '_beside'])}" for key, words in beside.items()
                                              if f.get(key + "_beside")) + " bytes")
        rows.append(f"{self.proof['status']}: at most {self.proof['gap']:.2%} above the least time within "
                    f"{int(f['budget_bytes'])} bytes; {self.proof['recompute_count']} computations again, "
                    f"{self.proof['page_out_count']} page-outs")
        for each in self.others:
            rows += [f"inputs of {each.extents()}:", str(each)]
        return "\n".join(([f"inputs of {self.extents()}:"] if self.others else []) + rows)

    def extents(self) -> str:
        """The shapes of the inputs, for people."""
        return " and ".join(str(list(each[0])) for each in self.shapes if isinstance(each, tuple))


def cache_path(facts: Dict[str, str], wishes: Any) -> Path:
    """Where the plan for this question is kept: in the user's folder for caches."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "poet-solve"
    digest = hashlib.sha256(repr((_FORMAT, sorted(facts.items()), wishes)).encode()).hexdigest()
    return folder / f"plan-{digest[:32]}.pt"
