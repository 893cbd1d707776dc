"""Recurrences of torch.nn as layers, one for each step."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Sequence

from poet.torch._calls import Call, State
from poet.torch._layers import Layers, Unsupported, other_than
from poet.torch._modules import dropped


def state_of(layers: Layers, name: str, parts: Sequence[str], extents: List[int]) -> State:
    whole = State(parts[0])
    if len(parts) > 1:
        rows = [layers.add("reshape", f"{name}.{i}", [part], shape=[1, *extents]) for i, part in enumerate(parts)]
        whole = State(layers.add("concat", name, rows, axis=0))
    whole.parts = tuple(parts)
    return whole


class Recurrence:
    """An LSTM or a GRU over sequences: a layer for each step of each layer and direction. The layers of one direction
    share the parameters of their first step."""

    def __init__(self, layers: Layers, call: Call) -> None:
        self.layers, self.name, self.module = layers, call.name, call.module
        m, shape = call.module, call.shapes[0]
        self.kind, self.rate = str(m.mode).lower(), m.dropout * (not call.is_evaluated)
        if getattr(m, "proj_size", 0):
            raise Unsupported(f"proj_size is {m.proj_size}; expected 0, and a Linear after it")
        if len(shape) != 3:
            raise Unsupported(f"its input has the shape {shape}; expected three extents, with a batch")
        self.directions = ("", "_reverse") if m.bidirectional else ("",)
        x = call.inputs[0]
        if not m.batch_first:
            x = layers.add("permute", f"{call.name}.batch_first", [x], order=[1, 0, 2])
            shape = (shape[1], shape[0], shape[2])
        self.x, (self.batch, self.steps, self.width) = x, shape
        self.states = dict(zip("hc", call.inputs[1:]))
        self.rows: List[str] = [""] * self.steps
        self.last: Dict[str, List[str]] = {"h": [], "c": []}

    def run(self) -> Any:
        layers, m = self.layers, self.module
        parts: List[str] = []
        for k in range(m.num_layers):
            is_top = k + 1 == m.num_layers
            outputs = [self.direction(k, d, is_top and len(self.directions) == 1, parts)
                       for d in range(len(self.directions))]
            self.rows = outputs[0]
            if len(outputs) > 1:
                self.rows = [layers.add("concat", f"{self.name}.l{k}.t{t}.both", pair, axis=None)
                             for t, pair in enumerate(zip(*outputs))]
                if is_top:
                    parts = [self.output(t, row) for t, row in enumerate(self.rows)]
            if not is_top:
                self.rows = [dropped(layers, "dropout", f"{self.name}.l{k}.t{t}.dropout", [row], self.rate)
                             for t, row in enumerate(self.rows)]
        y = layers.add("concat", f"{self.name}.y", parts)
        if not m.batch_first:
            y = layers.add("permute", f"{self.name}.time_first", [y], order=[1, 0, 2])
        extents = [self.batch, m.hidden_size]
        h = state_of(layers, f"{self.name}.h", self.last["h"], extents)
        if self.kind == "gru":
            return (y, h)
        return (y, (h, state_of(layers, f"{self.name}.cells", self.last["c"], extents)))

    def output(self, t: int, row: str) -> str:
        width = len(self.directions) * self.module.hidden_size
        return self.layers.add("reshape", f"{self.name}.t{t}.y", [row], shape=[self.batch, 1, width])

    def row(self, t: int) -> str:
        """The input of a step: of the first layer a part of the sequence, taken when it is first needed."""
        if not self.rows[t]:
            at = f"{self.name}.t{t}"
            part = self.layers.add("slice", at + ".x", [self.x], start=other_than(t, 0), size=1)
            self.rows[t] = self.layers.add("reshape", at + ".row", [part], shape=[self.batch, self.width])
        return self.rows[t]

    def first_state(self, which: str, name: str, index: int) -> str:
        shape = [self.batch, self.module.hidden_size]
        if which not in self.states:
            return self.layers.add_input(f"{name}.{which}0", shape, is_state=True)
        source = self.states[which]
        if self.module.num_layers * len(self.directions) > 1:
            source = self.layers.add("slice", f"{name}.{which}0.part", [source], start=other_than(index, 0), size=1,
                                     axis=0)
        return self.layers.add("reshape", f"{name}.{which}0", [source], shape=shape)

    def direction(self, k: int, d: int, is_output: bool, parts: List[str]) -> List[str]:
        """The states of all steps; their forms in the output are appended to `parts` if these are the output."""
        layers, m = self.layers, self.module
        ending = f"l{k}{self.directions[d]}"
        name = self.name if k == d == 0 else f"{self.name}.{ending}"
        index = k * len(self.directions) + d
        state = [self.first_state(which, name, index) for which in ("hc" if self.kind == "lstm" else "h")]
        weights = parameters(m, "_" + ending)
        outputs = [""] * self.steps
        order = range(self.steps) if d == 0 else range(self.steps - 1, -1, -1)
        for i, t in enumerate(order):
            h = layers.add_with_weight(self.kind, f"{name}.t{t}" if i else name, weights, [self.row(t), *state],
                                       bias=other_than(m.bias, True),
                                       reset_after=True if self.kind == "gru" else None)
            state = [h, h + ".c"] if self.kind == "lstm" else [h]
            outputs[t] = h
            if is_output:
                parts.append(self.output(t, h))
        for which, last in zip("hc", state):
            self.last[which].append(last)
        return outputs


def parameters(module: Any, ending: str = "") -> Dict[str, Any]:
    return {part: getattr(module, part + ending, None) for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")}


def recurrence(layers: Layers, call: Call) -> Any:
    return Recurrence(layers, call).run()


def cell(layers: Layers, call: Call) -> Any:
    """One step, whose states are inputs of the model unless it is given some."""
    m = call.module
    kind = "lstm" if call.kind == "LSTMCell" else "gru"
    if len(call.shapes[0]) != 2:
        raise Unsupported(f"its input has the shape {call.shapes[0]}; expected two extents, with a batch")
    shape = [call.shapes[0][0], m.hidden_size]
    state = call.inputs[1:] or [layers.add_input(f"{call.name}.{which}0", shape, is_state=True)
                                for which in ("hc" if kind == "lstm" else "h")]
    h = layers.add_with_weight(kind, call.name, parameters(m), [call.inputs[0], *state], bias=other_than(m.bias, True),
                               reset_after=True if kind == "gru" else None)
    return (h, h + ".c") if kind == "lstm" else h


RECURRENCES: Dict[str, Callable[[Layers, Call], Any]] = {
    "LSTM": recurrence, "GRU": recurrence, "LSTMCell": cell, "GRUCell": cell,
}
