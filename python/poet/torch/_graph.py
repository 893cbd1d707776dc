"""A captured step as a model of `nodes`.

A value is a node. What a call makes beside its first value is a node without time that is not computed again, as the
operation cannot run for it alone. So are the random state before a random call (with which a computation again begins),
the place of the loss, what arrives from it, each update of a parameter, and the end of the step, which reads what has
to be there then.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, NamedTuple, Optional

from poet.torch._capture import Step
from poet.torch._tape import Call, Value, View

RANDOM_STATE_BYTES = 5056
#: The loss is the user's: it may hold this many times the outputs' bytes, besides the gradient that it sends back.
LOSS_TIMES = 3
_LOSS_BYTES = 1024
_LOSS_STAYS_BYTES = 64  # the number itself, and where the backward pass starts
_LEAST_PAGE = 4096


class What(NamedTuple):
    """What a node stands for: the call at this place of the step, or the parameter of this place."""

    kind: str  # "state", "random", "call", "extra", "loss", "seed", "update", "end"
    place: int = -1
    value: Optional[Value] = None


@dataclass
class Disk:
    """Seconds of a transfer, and for each of its bytes."""

    transfer: float
    written: float
    read: float


class Graph:
    """The nodes of a step.

    Args:
        step: as captured and measured.
        updates: if the optimizer runs inside of the step: bytes that each parameter's update needs while it runs, and
            its seconds, by parameter. Without, gradients of all parameters are there at the end.
    """

    def __init__(self, step: Step, updates: Optional[Dict[str, Any]] = None) -> None:
        self.step = step
        self.updates = updates
        self.nodes: List[Dict[str, Any]] = []
        self.what: List[What] = []
        self.node_of: Dict[int, int] = {}  # by number of a value
        self._due = self._updates_after()
        self._learned = {step.owners[i].number: step.parameters[i] for due in self._due.values() for i in due}
        self._written = {buffer.number for buffer in step.written_buffers()}
        snapshot = RANDOM_STATE_BYTES + _LOSS_STAYS_BYTES + sum(buffer.bytes for buffer in step.written_buffers())
        state = self._add(What("state"), "state", snapshot, [], page=False)
        self._add_calls()
        held = [view.value for view in step.outputs if isinstance(view, View)] + step.seeds
        if updates is None:
            held += [view.value for view in step.gradients if view is not None]
        self._add(What("end"), "end", 0, [state] + self._nodes(held), backward=True,
                  workspace_bytes=self.cloned_bytes())

    def _updates_after(self) -> Dict[int, List[int]]:
        """By call, the parameters that nothing reads after it, and whose gradients are there."""
        due: Dict[int, List[int]] = {}
        if self.updates is None:
            return due
        last: Dict[int, int] = {}
        for place, call in enumerate(self.step.calls):
            if isinstance(call, Call):
                for value in call.reads + call.values():
                    last[value.number] = place
        for i, gradient in enumerate(self.step.gradients):
            if gradient is not None:
                after = max(last.get(self.step.owners[i].number, 0), last.get(gradient.value.number, 0),
                            len(self.step.calls) - 1 if gradient.value.kind != "node" else 0)
                due.setdefault(after, []).append(i)
        return due

    def cloned(self) -> List[int]:
        """Parameters whose gradients are copies at the end, as no two may share memory."""
        if self.updates is not None:
            return []
        seen = {view.value.number for view in self.step.outputs if isinstance(view, View)}
        found = []
        for i, gradient in enumerate(self.step.gradients):
            if gradient is not None:
                if gradient.value.kind != "node" or gradient.value.number in seen:
                    found.append(i)
                seen.add(gradient.value.number)
        return found

    def cloned_bytes(self) -> int:
        return sum(view.value.bytes for view in map(self.step.gradients.__getitem__, self.cloned()) if view is not None)

    def _nodes(self, values: List[Value]) -> List[int]:
        return sorted({self.node_of[value.number] for value in values if value.is_scheduled})

    def _add(self, what: What, op: str, size: int, inputs: List[int], **keys: Any) -> int:
        number = len(self.nodes)
        node = {"name": f"{number}.{op}", "op": op, "bytes": size, "inputs": inputs, "runtime_seconds": 0.0,
                "recompute": False, "backward": False, **keys}
        self.nodes.append(node)
        self.what.append(what)
        if what.value is not None:
            self.node_of[what.value.number] = number
        return number

    def _add_calls(self) -> None:
        outputs = [view.value for view in self.step.outputs if isinstance(view, View)]
        for place, call in enumerate(self.step.calls):
            if call is None:
                size = sum(value.bytes for value in outputs)
                self._add(What("loss"), "loss", 0, self._nodes(outputs),
                          workspace_bytes=LOSS_TIMES * size + _LOSS_BYTES)
            elif isinstance(call, Value):
                self._add(What("seed", place, call), "seed", call.bytes, [], page=False, backward=True)
            else:
                self._add_call(place, call, outputs)
            for i in self._due.get(place, []):
                self._add_update(i)

    def _add_call(self, place: int, call: Call, outputs: List[Value]) -> None:
        inputs = self._nodes(call.reads)
        if call.is_random:
            inputs.append(self._add(What("random", place), "random", RANDOM_STATE_BYTES, [], page=False,
                                    backward=call.is_backward))
        read = [self._learned[value.number] for value in call.reads if value.number in self._learned]
        changes = any(value.number in self._written for value in call.reads)
        again = not changes and not (call.writes and (call.makes or len(call.writes) > 1))
        values = call.values()
        extra = sum(value.bytes for value in values[1:]) + RANDOM_STATE_BYTES * call.is_random
        main = self._add(What("call", place, values[0] if values else None), call.op, values[0].bytes if values else 0,
                         inputs, runtime_seconds=call.seconds, backward=call.is_backward,
                         recompute=again and not (values and values[0] in outputs),
                         workspace_bytes=call.workspace + extra)
        if read:
            self.nodes[main]["reads_parameters"] = sorted(set(read))
        if len(call.writes) == 1:
            self.nodes[main]["in_place"] = self.node_of[call.writes[0][0].number]
        for value in values[1:]:
            self._add(What("extra", place, value), call.op, value.bytes, [main], backward=call.is_backward)
        for value in values:
            if value in outputs:
                self.nodes[self.node_of[value.number]]["page"] = False

    def _add_update(self, i: int) -> None:
        gradient = self.step.gradients[i]
        assert gradient is not None and self.updates is not None
        cost = self.updates[self.step.parameters[i]]
        self._add(What("update", i), "update", 0, self._nodes([gradient.value]), backward=True,
                  runtime_seconds=cost["seconds"], workspace_bytes=cost["bytes"],
                  writes_parameters=[self._learned[self.step.owners[i].number]])

    def document(self, name: str, disk: Optional[Disk]) -> Dict[str, Any]:
        """The model file. An energy is a time at one watt: what is least is the time of the step."""
        nodes = []
        for node in self.nodes:
            each = {**node, "inputs": [self.nodes[i]["name"] for i in node["inputs"]],
                    "energy_joules": node["runtime_seconds"]}
            if "in_place" in node:
                each["in_place"] = self.nodes[node["in_place"]]["name"]
            if disk is not None:
                out, back = (disk.transfer + node["bytes"] * rate for rate in (disk.written, disk.read))
                each.update(page_out_seconds=out, page_in_seconds=back, page_out_energy_joules=out,
                            page_in_energy_joules=back)
                each["page"] = node.get("page", True) and node["bytes"] >= _LEAST_PAGE
            nodes.append(each)
        document: Dict[str, Any] = {"format": "poet-model", "version": 2, "name": name, "backward": "explicit",
                                    "nodes": nodes}
        if self._learned:
            document["parameters"] = {self.step.parameters[i]: self.step.owners[i].bytes
                                      for due in self._due.values() for i in due
                                      if self._learned[self.step.owners[i].number] == self.step.parameters[i]}
        return document

    def plain(self) -> List[Dict[str, Any]]:
        """The program that computes each node once and frees it after its last use, as autograd does."""
        last = list(range(len(self.nodes)))
        for place, node in enumerate(self.nodes):
            for i in node["inputs"]:
                last[i] = place
        program: List[Dict[str, Any]] = []
        for place, node in enumerate(self.nodes):
            over = node.get("in_place")
            over = over if over is not None and last[over] == place else None
            program.append({"op": "compute", "node": place, "over": over})
            program += [{"op": "free", "node": i} for i in sorted({*node["inputs"], place})
                        if last[i] == place and i != over]
        return program
