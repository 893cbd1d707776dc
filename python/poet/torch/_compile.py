"""A schedule's program as straight Python: a local variable for each value, no look-up and no branch.

The source is a generator. It runs to the output, yields it, gets the gradients of the outputs, and returns the
gradients of the parameters. Operations, parameters and constants are names of the module that it becomes part of, and
so are views of what stays where it is, which are made once.

What it holds is counted as it is written, by the meaning of the program and not by the solver's model: the peak here is
what PyTorch will allocate.
"""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Set, Tuple

from poet.torch._graph import RANDOM_STATE_BYTES, Graph, What
from poet.torch._pytorch import torch
from poet.torch._tape import SILENT_WRITES, Call, Value, View
from poet.torch._timing import overload

#: Operations whose binding in `torch` takes the same arguments and parses them in C, three times as fast.
_IN_C = {"mm.default", "addmm.default", "mul.Tensor", "add.Tensor", "sub.Tensor", "div.Tensor", "bmm.default",
         "sigmoid.default", "tanh.default", "cat.default"}

Instruction = Dict[str, Any]


def _fast(name: str) -> Any:
    _, packet, which = name.split(".")
    if f"{packet}.{which}" in _IN_C:
        return getattr(torch, packet)
    function = overload(name)
    if packet == "mkldnn_rnn_layer":  # of PyTorch 2, which makes what its gradients read if gradients are enabled
        return torch.enable_grad()(function)
    return getattr(function, "_op", function)


class Source:
    """The Python source of a program, and the peak of what it holds.

    Args:
        is_timed: whether it calls `mark(place)` before the call of this place of the step, and `mark(-1)` before what
            is none.

    Attributes:
        text: the source of `run(inputs)`.
        names: what the source calls, by name, without tensors of the network.
        views: name of a view: the name of its base, and its shape.
        peak: bytes.
        page_bytes: of the page file.
    """

    def __init__(self, graph: Graph, program: List[Instruction], is_timed: bool = False) -> None:
        self.graph, self.step, self._is_timed = graph, graph.step, is_timed
        self.names: Dict[str, Any] = {"as_strided": torch.as_strided, "get_random": torch.get_rng_state,
                                      "set_random": torch.set_rng_state}
        self.views: Dict[str, Tuple[str, Any]] = {}
        self.peak = 0
        self.page_bytes = max([each["slot"] + graph.nodes[each["node"]]["bytes"] for each in program
                               if each["op"].startswith("page")] or [0])
        self._lines: List[str] = []
        self._held: Dict[str, int] = {}  # by variable
        self._in_flight: Dict[str, str] = {}  # variable: what waits for its transfer
        self._is_read: Set[str] = set()  # of these, the page-ins
        self._over: Dict[int, str] = {}  # value that is written in place by the present call: its new variable
        self._computed: Set[int] = set()
        self._times: Dict[int, int] = {}
        for each in program:
            if each["op"] == "compute":
                self._times[each["node"]] = self._times.get(each["node"], 0) + 1
        self._seeds_are_here = False
        for each in program:
            getattr(self, "_" + each["op"])(each, graph.what[each["node"]])
        inputs = ", ".join(["pages"] + [f"v{value.number}" for value in self.step.inputs])
        self.text = f"def run({inputs}):\n    " + "\n    ".join(self._lines) + "\n"

    # ---- what is held

    def _take(self, name: str, size: int, workspace: int = 0) -> None:
        self._held[name] = size
        self._reach(workspace)

    def _reach(self, more: int) -> None:
        self.peak = max(self.peak, sum(self._held.values()) + more)

    def _drop(self, name: str) -> None:
        self._held.pop(name, None)

    # ---- words

    def _add(self, line: str) -> None:
        self._lines.append(line)

    def _word(self, leaf: Any) -> str:
        """An argument as Python."""
        if isinstance(leaf, View):
            return self._seen(leaf)
        if isinstance(leaf, (list, tuple)):
            inner = ", ".join(map(self._word, leaf))
            return f"[{inner}]" if isinstance(leaf, list) else f"({inner}{',' if len(leaf) == 1 else ''})"
        if leaf is None or isinstance(leaf, (bool, int)) or (isinstance(leaf, float) and abs(leaf) < float("inf")):
            return repr(leaf)
        return self._named("k", leaf)

    def _named(self, prefix: str, thing: Any) -> str:
        for name, other in self.names.items():
            if other is thing and name.startswith(prefix):
                return name
        name = f"{prefix}{len(self.names)}"
        self.names[name] = thing
        return name

    def _seen(self, view: View) -> str:
        name = self._over.get(view.value.number, f"v{view.value.number}")
        self._arrived(name)
        if view.shape == view.value.shape:
            return name
        size, stride, offset, _ = view.shape
        if view.value.kind in ("parameter", "buffer", "constant"):
            seen = "_".join(map(str, ("w", name, *size, "s", *stride, "o", offset)))
            self.views[seen] = name, (size, stride, offset)
            return seen
        return f"as_strided({name}, {size}, {stride}, {offset})"

    def _arrived(self, name: str) -> None:
        """Waits for a page-in, if one is on its way."""
        if name in self._is_read:
            self._is_read.discard(name)
            self._add(f"{self._in_flight.pop(name)}.result()")

    def _settled(self, name: str) -> None:
        """Waits for any transfer: the memory is about to be given back or written."""
        self._is_read.discard(name)
        if name in self._in_flight:
            self._add(f"{self._in_flight.pop(name)}.result()")

    # ---- instructions

    def _free(self, each: Instruction, what: What) -> None:
        if what.kind == "state":
            return  # a failed step needs it to the end
        name = f"s{what.place}" if what.kind == "random" else None
        if what.value is not None:
            name = f"v{what.value.number}"
            self._settled(name)
        if name in self._held:
            self._add(f"{name} = None")
            self._drop(name)

    def _page_out(self, each: Instruction, what: What) -> None:
        assert what.value is not None
        name = f"v{what.value.number}"
        self._settled(name)
        self._in_flight[name] = f"p{what.value.number}"
        self._add(f"p{what.value.number} = pages.write({name}, {each['slot']})")

    def _page_in(self, each: Instruction, what: What) -> None:
        assert what.value is not None
        name = f"v{what.value.number}"
        self._settled(name)
        self._in_flight[name] = f"p{what.value.number}"
        self._is_read.add(name)
        self._add(f"{name}, p{what.value.number} = pages.read({self._word(what.value.shape)}, {each['slot']})")
        self._take(name, what.value.bytes)

    def _move(self, each: Instruction, what: What) -> None:
        """Offsets in one block are not used here."""

    def _compute(self, each: Instruction, what: What) -> None:
        if self._is_timed and what.kind in ("call", "loss", "end"):
            self._add(f"mark({what.place if what.kind == 'call' else -1})")
        getattr(self, "_compute_" + what.kind)(each, what)
        self._computed.add(each["node"])

    def _compute_state(self, each: Instruction, what: What) -> None:
        self._take("state", self.graph.nodes[each["node"]]["bytes"])

    def _compute_extra(self, each: Instruction, what: What) -> None:
        """The call has made it."""

    def _compute_random(self, each: Instruction, what: What) -> None:
        if self._times[each["node"] + 1] > 1:  # the call follows its random state
            self._add(f"s{what.place} = get_random()")
            self._take(f"s{what.place}", RANDOM_STATE_BYTES)

    def _compute_loss(self, each: Instruction, what: What) -> None:
        # An alias: the output itself would own, through its grad_fn, the generator that holds it.
        outputs = "".join(self._word(leaf) + (".detach(), " if isinstance(leaf, View) else ", ")
                          for leaf in self.step.outputs)
        seeds = "".join(f"v{value.number}, " for value in self.step.seeds)
        self._add(f"{seeds}= yield ({outputs})")
        self._reach(self.graph.nodes[each["node"]]["workspace_bytes"])

    def _compute_seed(self, each: Instruction, what: What) -> None:
        assert what.value is not None
        self._take(f"v{what.value.number}", what.value.bytes)

    def _compute_update(self, each: Instruction, what: What) -> None:
        gradient = self.step.gradients[what.place]
        assert gradient is not None
        self._add(f"update({what.place}, {self._seen(gradient)})")
        self._reach(self.graph.nodes[each["node"]]["workspace_bytes"])

    def _compute_end(self, each: Instruction, what: What) -> None:
        cloned = self.graph.cloned()
        words = []
        for i, gradient in enumerate(self.step.gradients):
            if gradient is None or self.graph.updates is not None:
                words.append("None")
            else:
                words.append(self._seen(gradient) + (".clone()" if i in cloned else ""))
        for name in list(self._in_flight):  # a step leaves nothing behind
            self._settled(name)
        self._add(f"return [{', '.join(words)}]")
        self._reach(self.graph.cloned_bytes())

    def _compute_call(self, each: Instruction, what: What) -> None:
        call: Call = self.step.calls[what.place]
        is_first = each["node"] not in self._computed
        self._begin_writes(call, each.get("over"))
        args, kwargs = call.args, call.kwargs
        if not is_first and call.op in SILENT_WRITES:  # statistics are of one computation
            *silent, _ = SILENT_WRITES[call.op]
            args = tuple(None if place in silent else leaf for place, leaf in enumerate(args))
        words = ", ".join([*map(self._word, args), *(f"{key}={self._word(leaf)}" for key, leaf in kwargs.items())])
        redraws = call.is_random and not is_first
        if redraws:
            self._add(f"t = get_random(); set_random(s{what.place})")
        self._write_call(call, f"{self._named('f_' + call.op, _fast(call.name))}({words})", is_first,
                         RANDOM_STATE_BYTES * redraws)
        if redraws:
            self._add("set_random(t); t = None")
        self._over = {}

    def _begin_writes(self, call: Call, over: Optional[int]) -> None:
        """What is written in place takes over the memory of the value before, or is a copy of it."""
        for before, after in call.writes:
            old, new = f"v{before.number}", f"v{after.number}"
            if over is not None and over == self.graph.node_of[before.number]:
                self._settled(old)
                self._add(f"{new} = {old}; {old} = None")
                self._drop(old)
            else:
                self._arrived(old)
                self._add(f"{new} = {old}.clone()")
            self._take(new, after.bytes)
            self._over[before.number] = new

    def _write_call(self, call: Call, text: str, is_first: bool, workspace: int) -> None:
        made = call.makes if is_first else call.makes[:1]
        self._reach(call.workspace + workspace + sum(value.bytes for _, value in call.makes))
        returns = overload(call.name)._schema.returns
        if len(returns) == 1 and [position for position, _ in made] == [0] and "[]" not in str(returns[0].type):
            text = f"v{made[0][1].number} = {text}"
        elif made:
            text = f"o = {text}; " + "; ".join(f"v{value.number} = o[{position}]" for position, value in made)
            text += "; o = None"
        self._add(text)
        for _, value in made:
            self._take(f"v{value.number}", value.bytes)


def bound(source: Source, tensors: Dict[int, Any], update: Optional[Callable[[int, Any], None]],
          mark: Optional[Callable[[int], None]] = None) -> Callable[..., Any]:
    """The function that the source is, on these parameters and buffers, by number of their values."""
    names = dict(source.names, update=update or (lambda place, gradient: None), mark=mark)
    for value in source.step.values:
        if value.kind == "constant":
            names[f"v{value.number}"] = value.constant
    for number, tensor in tensors.items():
        names[f"v{number}"] = tensor.detach()
    for name, (base, shape) in source.views.items():
        names[name] = torch.as_strided(names[base], *shape)
    exec(compile(source.text, "<schedule>", "exec"), names)
    function: Callable[..., Any] = names["run"]
    return function


def tensors_of(net: Any, values: List[Value]) -> Dict[int, Any]:
    """Parameters and buffers of the module by number of their values."""
    named = {**dict(net.named_buffers()), **dict(net.named_parameters())}
    return {value.number: named[value.name] for value in values if value.kind in ("parameter", "buffer")}
