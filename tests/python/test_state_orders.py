"""State is a dependency: every legal order of a recorded step's nodes gives the same parameters and state, bit by bit.

An interpreter runs the calls of a recorded step one by one. All legal orders are tried at once: in any order that has
computed the same set of nodes, memory and tensors must be the same. So each set is compared over all of its last nodes,
and by induction all orders agree. What the model allows to be computed again is computed again in each set as well.
"""
import importlib.util
import json
import os
import subprocess
import unittest

from support import TestCase

HAS_TORCH = importlib.util.find_spec("torch") is not None


def recorded(step):
    """The lines of a step, the call of each operation, and what memory held when it was first used."""
    import torch
    from poet.torch import _measure
    from torch.utils._pytree import tree_flatten, tree_map

    calls = []
    held = {}

    def bytes_of(tensor):
        return torch.tensor([], dtype=torch.uint8).set_(tensor.storage().untyped() if hasattr(
            tensor.storage(), "untyped") else tensor.storage()._untyped()).clone()

    class Calls(_measure.WholeStep):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            tensors = [value for value in tree_flatten((args, kwargs))[0] if isinstance(value, torch.Tensor)]
            before = [(value, bytes_of(value)) for value in tensors]
            count = len(self.calls)
            out = super().__torch_dispatch__(func, types, args, kwargs)
            for value, content in before:
                held.setdefault(self.find(value).memory, content)

            def operand(value):
                if not isinstance(value, torch.Tensor):
                    return value
                return _Operand(self.find(value).memory, value.dtype, value.size(), value.stride(),
                                value.storage_offset())

            made = [(position, self.find(value).memory) for position, value in enumerate(tree_flatten(out)[0])
                    if isinstance(value, torch.Tensor) and value.numel()]
            if len(self.calls) > count:
                calls.append((func, tree_map(operand, args), tree_map(operand, kwargs), made))
            return out

    original = _measure.WholeStep
    _measure.WholeStep = Calls
    try:
        tape = _measure.record_once(step)
    finally:
        _measure.WholeStep = original
    return _measure.lines_of(tape), calls, held


class _Operand:
    def __init__(self, number, *form):
        self.number = number
        self.form = form

    def on(self, content):
        import torch
        dtype, size, stride, offset = self.form
        return torch.tensor([], dtype=dtype).set_(content.storage()._untyped() if hasattr(
            content.storage(), "_untyped") else content.storage().untyped(), offset, size, stride)


class Interpreter:
    """Nodes of a model on memory: what a set of computed nodes has made of it."""

    def __init__(self, model, lines, calls, held):
        self.nodes = model["nodes"]
        self.index = {node["name"]: k for k, node in enumerate(self.nodes)}
        self.start = {}
        self.call = {}  # by first node of an operation: line, made nodes, written nodes, before each of these
        kinds = {line["id"]: line["kind"] for line in lines if line["event"] == "memory"}
        holder = {}  # by memory in the arena: the node whose value it has
        next_node = 0
        operations = iter(calls)
        for line in lines:
            if line["event"] == "memory":
                if line["kind"] == "input":
                    holder[line["id"]] = next_node
                    self.start[("value", next_node)] = held.get(line["id"])
                    next_node += 1
                elif line["id"] in held:
                    self.start[("memory", line["id"])] = held[line["id"]]
            if line["event"] != "op":
                continue
            first = next_node
            assert self.nodes[first]["op"] == line["op"], (self.nodes[first], line)
            before = dict(holder)
            for each in line["writes"]:
                if kinds.get(each, "input") == "input":
                    holder[each] = next_node
                    next_node += 1
            for each in line["makes"]:
                holder[each["id"]] = next_node
                kinds[each["id"]] = "input"
                next_node += 1
            next_node = max(next_node, first + 1)
            if line.get("statistics") and next_node == first + 1:
                next_node += 1
            self.call[first] = (next(operations), before, dict(holder), range(first, next_node),
                                line.get("statistics", []))
        assert next_node == len(self.nodes)
        self.precedes = self.pairs()

    def pairs(self):
        """By node, what comes before it: docs/order.md."""
        before = [{self.index[name] for name in node["inputs"]} for node in self.nodes]
        readers, writer = {}, {}
        for k, node in enumerate(self.nodes):
            for name in node.get("writes_parameters", []):
                before[k] |= {writer[name]} if name in writer else readers.get(name, set())
                writer[name] = k
            for name in node.get("reads_parameters", []):
                assert name not in writer, f"{node['name']} reads {name} after its change, and no edge says so"
                readers.setdefault(name, set()).add(k)
        return [each - {k} for k, each in enumerate(before)]

    def computed(self, node, memory, keeps_statistics=False):
        """The memory after a node."""
        from torch.utils._pytree import tree_flatten, tree_map
        if node not in self.call:
            return memory
        (func, args, kwargs, made), before, after, nodes, statistics = self.call[node]
        memory = dict(memory)
        used = {}

        def operand(value):
            if not isinstance(value, _Operand):
                return value
            if value.number not in used:
                key = ("value", before[value.number]) if value.number in before else ("memory", value.number)
                used[value.number] = (key, memory[key].clone())
            return value.on(used[value.number][1])

        out = tree_flatten(func(*tree_map(operand, args), **tree_map(operand, kwargs)))[0]
        for number, (key, content) in used.items():
            if key[0] == "memory" and not (keeps_statistics and number in statistics):
                memory[key] = content
            elif number in after and after[number] in nodes:
                memory[("value", after[number])] = content
        for position, number in made:
            if number in after and after[number] in nodes and number not in used:
                storage = out[position].storage()
                import torch
                untyped = storage._untyped() if hasattr(storage, "_untyped") else storage.untyped()
                memory[("value", after[number])] = torch.tensor([], dtype=torch.uint8).set_(untyped).clone()
        return memory

    def may_repeat(self, node, done):
        """Whether the model allows that a node is computed again after these."""
        if not self.nodes[node].get("recompute", True):
            return False
        names = set(self.nodes[node].get("reads_parameters", []))
        return not any(names & set(self.nodes[each].get("writes_parameters", [])) for each in done)


def differences(first, second):
    import torch
    return [key for key in sorted(set(first) | set(second), key=str)
            if key not in first or key not in second or not torch.equal(first[key], second[key])]


@unittest.skipUnless(HAS_TORCH, "no PyTorch (Debian: python3-torch)")
class StateOrders(TestCase):
    def interpreter(self, net, data, optimizer):
        from poet.torch._measure import record_once, text_of_log
        from poet.torch._step import Step
        step = Step(net, (data,), lambda out: (out * out).sum(), optimizer)
        step.data = lambda: ([data.clone()], None)
        record_once(step)
        lines, calls, held = recorded(step)
        head = {"format": "poet-step-log", "version": 1, "name": "net"}
        words = [os.environ["POET_SOLVE"], "import", "-", "--trace", "--updates", "as-recorded"]
        model = json.loads(subprocess.run(words, input=text_of_log([head] + lines), stdout=subprocess.PIPE,
                                          stderr=subprocess.PIPE, check=True).stdout)
        result = Interpreter(model, lines, calls, held)
        given = result.start
        for node in range(len(result.nodes)):
            given = result.computed(node, given)
        final = {name: value for name, value in net.named_parameters()}
        names = {line["id"]: line["name"] for line in lines
                 if line["event"] == "memory" and line["kind"] == "parameter"}
        for number, name in names.items():  # the interpreter does what PyTorch does
            value = final[name].detach()
            self.assertTrue(bool((_Operand(number, value.dtype, value.size(), value.stride(), 0).on(
                given[("memory", number)]) == value).all()), name)
        return result, given

    def compare_all_orders(self, net, data, optimizer):
        """All sets of nodes that legal orders compute first; returns how many steps lead to them, and repetitions."""
        found, given = self.interpreter(net, data, optimizer)
        everyone = frozenset(range(len(found.nodes)))
        idle = {k for k in everyone if not found.precedes[k] and not any(k in each for each in found.precedes)}
        start = found.start
        for node in sorted(idle):  # a counter, or what nobody reads: the same whenever it comes
            start = found.computed(node, start)
            for memory in (start, given):
                memory.pop(("value", node), None)  # a handle of PyTorch's profiler is another one each time
        level = {frozenset(idle): start}
        steps = repeated = 0
        while level:
            following = {}
            for done, memory in level.items():
                if done == everyone:
                    self.assertEqual(differences(memory, given), [])
                for node in everyone - done:
                    if not found.precedes[node] <= done:
                        continue
                    steps += 1
                    after = found.computed(node, memory)
                    known = following.setdefault(done | {node}, after)
                    self.assertEqual(differences(known, after), [], found.nodes[node]["name"])
                for node in (done - idle) & set(found.call):
                    if found.may_repeat(node, done):
                        repeated += 1
                        again = found.computed(node, memory, keeps_statistics=True)
                        self.assertEqual(differences(memory, again), [], found.nodes[node]["name"])
            level = following
        return steps, repeated

    def nets(self):
        import torch

        class Scaled(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.w = torch.nn.Parameter(torch.randn(4))

            def forward(self, x):
                return x * self.w

        class Normed(Scaled):
            def __init__(self, calls):
                super().__init__()
                self.calls = calls
                self.norm = torch.nn.BatchNorm1d(4, affine=False)

            def forward(self, x):
                x = x * self.w
                for _ in range(self.calls):
                    x = self.norm(x) * x
                return x

        torch.manual_seed(1)
        data = torch.randn(3, 4)
        return {**{name: (Scaled(), data, name) for name in ("sgd", "momentum", "adam", "adamw")},
                "statistics": (Normed(1), data, "sgd"), "shared statistics": (Normed(2), data, "sgd")}

    def test_all_legal_orders_agree_to_the_bit(self):
        for name, case in self.nets().items():
            with self.subTest(name):
                steps, repeated = self.compare_all_orders(*case)
                self.assertGreater(steps, 12)
                self.assertGreater(repeated, 5)

    def test_orders_without_the_state_do_not(self):
        """The comparison sees what is wrong: without the state among the dependencies, orders differ."""
        original = Interpreter.pairs

        def without_state(self):
            stateless = {k for k, node in enumerate(self.nodes)
                         if node["bytes"] == 0 and node.get("writes_parameters", []) not in ([], ["w"])}
            return [before - stateless for before in original(self)]

        Interpreter.pairs = without_state
        try:
            for name in ("momentum", "adam"):
                with self.subTest(name), self.assertRaises(AssertionError):
                    self.compare_all_orders(*self.nets()[name])
        finally:
            Interpreter.pairs = original


if __name__ == "__main__":
    unittest.main()
