"""A module of PyTorch as layers, by torch.fx."""
from __future__ import annotations

import importlib
from typing import AbstractSet, Any, Dict, List, Mapping, Optional, Sequence, Tuple

from poet.torch._calls import Call, Constant, Stack, State, Use, Value, bound, expect_known, stated
from poet.torch._functions import FUNCTIONS, METHODS, stochastic_depth
from poet.torch._layers import Layers, Refused, Unshown, Unsupported
from poet.torch._modules import custom, view
from poet.torch._pytorch import evaluated_in, torch
from poet.torch._tracer import KNOWN, is_known, traced

fx: Any = importlib.import_module("torch.fx")

#: What draws numbers, or has any, so that one run says nothing of the next.
RANDOM = ("rand", "normal", "bernoulli", "multinomial", "dropout", "uniform", "empty", "stochastic_depth")

#: What takes only the shape of a tensor.
FILLED = frozenset((torch.zeros_like, torch.ones_like, torch.full_like, "new_zeros", "new_ones", "new_full"))


def tensors_of(result: Any) -> List[Any]:
    found: List[Any] = []
    fx.node.map_aggregate(result, lambda each: found.append(each) if torch.is_tensor(each) else None)
    return found


def place_of(tensor: Any) -> int:
    return int(tensor.storage().data_ptr())


def is_constant(value: Any) -> bool:
    return isinstance(value, Constant)


def saved_by(module: Any, args: Sequence[Any]) -> List[str]:
    """What autograd keeps of a module's tensors for its gradient: "inputs", "output", both or none."""
    inputs = [a.detach().clone().requires_grad_(a.is_floating_point()) if torch.is_tensor(a) else a for a in args]
    places = set()

    def pack(tensor: Any) -> Any:
        places.add(tensor.data_ptr())
        return tensor
    try:
        with torch.enable_grad(), torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            output = module(*inputs)
    except RuntimeError:
        return ["inputs"]
    result = ["inputs"] if any(torch.is_tensor(i) and i.data_ptr() in places for i in inputs) else []
    return result + (["output"] if torch.is_tensor(output) and output.data_ptr() in places else [])


class Walk(fx.Interpreter):  # type: ignore[misc]
    """Runs a traced module once, and writes the layer of each node as its shape is known."""

    def __init__(self, traced: Any, layers: Layers, flops: Mapping[str, int], names: Sequence[str],
                 evaluated: AbstractSet[str]) -> None:
        super().__init__(traced)
        self.evaluated = evaluated
        self.layers, self.flops, self.names = layers, flops, list(names)
        self.values: Dict[Any, Any] = {}
        self.results: Dict[Any, Any] = {}
        self.at: Dict[int, List[Any]] = {}  #: the nodes whose tensors are in one storage
        self.versions: Dict[Any, List[int]] = {}
        self.changed: Dict[Any, Any] = {}  #: what has changed a node's tensor in place since its value was stated
        self.refused: List[str] = []
        self.unshown: List[str] = []
        self.first_output: Optional[Value] = None

    def run_node(self, node: Any) -> Any:
        result = self.as_in_training(node, super().run_node(node))
        changed = self.changed_by(node)
        self.results[node] = result
        self.versions[node] = [each._version for each in tensors_of(result)]
        for each in tensors_of(result):
            self.at.setdefault(place_of(each), []).append(node)
        try:
            for each in changed:
                if each.op == "get_attr":
                    raise Unsupported(f"it changes {each.target} in place; expected a tensor of its own")
            self.values[node] = self.value_of(node, result, [reader for each in changed for reader in each.users])
        except Unshown as error:
            self.unshown.append(str(error))
            self.values[node] = Value("input", result) if torch.is_tensor(result) else None
        except Unsupported as error:
            is_module = node.op == "call_module"
            what = type(self.fetch_attr(node.target)).__name__ if is_module else node.target
            name = node.target if is_module else node.name
            self.refused.append(f"{name} ({getattr(what, '__name__', what)}): {error}")
            self.values[node] = Value("input", result) if torch.is_tensor(result) else None
        self.changed.update({each: node for each in changed})
        return result

    def as_in_training(self, node: Any, result: Any) -> Any:
        """A dropout that is run in evaluation mode returns its input, and in training mode another tensor."""
        module = self.fetch_attr(node.target) if node.op == "call_module" else None
        is_copied = (getattr(module, "p", 0) and not getattr(module, "inplace", False)
                     and node.target not in self.evaluated)
        return result.clone() if is_copied and torch.is_tensor(result) else result

    def changed_by(self, node: Any) -> List[Any]:
        """The nodes whose tensors the run of a node has changed: their versions say it, but of a dropout."""
        module = self.fetch_attr(node.target) if node.op == "call_module" else None
        places = [place_of(each) for i in node.all_input_nodes for each in tensors_of(self.results[i])]
        found = []
        for other in dict.fromkeys(other for place in places for other in self.at[place]):
            tensors = tensors_of(self.results[other])
            versions = [each._version for each in tensors]
            if versions != self.versions[other] or (getattr(module, "inplace", False)
                                                    and places[0] in map(place_of, tensors)):
                found.append(other)
            self.versions[other] = versions
        return found

    def read(self, node: Any) -> Any:
        """The Value of a node, after what was done in place to its tensor."""
        writer = self.changed.pop(node, None)
        if writer is None:
            return self.values.get(node)
        old, new = self.results[node], self.results[writer]
        if torch.is_tensor(old) and torch.is_tensor(new) and old.data_ptr() == new.data_ptr() and \
                old.numel() == new.numel() and (old.is_contiguous() and new.is_contiguous()
                                                or old.stride() == new.stride()):
            value = self.read(writer)
            if isinstance(value, Value) and old.shape != new.shape:
                value = Value(view(self.layers, f"{node.name}.view", value.name, value.shape, tuple(old.shape)), old)
            self.values[node] = value
        elif node not in self.changed.values() and self.is_view(node):
            self.values[node] = self.value_of(node, old)
        else:
            self.changed[node] = writer
            raise Unsupported(f"it reads {node.name}, of which {writer.name} has changed a part in place; expected "
                              f"another tensor, such as {node.name}.clone()")
        return self.values[node]

    def is_view(self, node: Any) -> bool:
        name = str(getattr(node.target, "__name__", node.target))
        return node.op != "call_module" and not name.endswith("_") and any(
            i in self.at[place_of(each)] for i in node.all_input_nodes for each in tensors_of(self.results[node]))

    def of(self, what: Any) -> Any:
        """Arguments with the Value of each node."""
        return fx.node.map_aggregate(what, lambda a: self.read(a) if isinstance(a, fx.Node) else a)

    def value_of(self, node: Any, result: Any, more_readers: Sequence[Any] = ()) -> Any:
        if node.op == "placeholder":
            if not torch.is_tensor(result):
                return result
            name = self.layers.add_input(self.names.pop(0), result.shape, not result.is_floating_point())
            return Value(name, result)
        if node.op == "output":
            found = self.of(node.args[0])
            while isinstance(found, (tuple, list, dict)):
                found = next(iter(found.values())) if isinstance(found, dict) else found[0]
            self.first_output = found
            return found
        if node.op == "get_attr":
            if not torch.is_tensor(result):
                return result
            numbers = result if result.is_floating_point() else result.float()
            value = stated(result.item()) if not result.requires_grad and result.numel() == 1 else None
            name = self.layers.add_parameter(node.target, numbers, value)
            if result.requires_grad:
                return Value(name, result, True)
            constant = Constant(self.layers, node.target, result)
            constant.name = name
            return constant
        return self.pack(self.call_of(node, result, more_readers), result)

    def call_of(self, node: Any, result: Any, more_readers: Sequence[Any] = ()) -> Any:
        args, kwargs = self.of(node.args), dict(self.of(node.kwargs))
        found: List[Value] = []
        fx.node.map_aggregate((args, kwargs), lambda a: found.append(a) if isinstance(a, Value) else None)
        if node.meta.get("no_grad") and any(self.layers.is_learned(v.name) for v in found if not is_constant(v)):
            raise Unshown(f"{node.name}: it is computed in torch.no_grad(), which stops gradients that layers would "
                          "compute; expected layers below it that do not train")
        if node.target in ("detach", "detach_") or node.target is getattr and node.args[1] == "data":
            if self.layers.is_learned(found[0].name):
                raise Unshown(f"{node.name}: it stops gradients (detach), which layers would compute; expected layers "
                              "below it that do not train")
            return found[0].name
        if node.op == "call_module":
            return self.module_of(node, args, kwargs, result)
        is_random = any(word in str(getattr(node.target, "__name__", node.target)) for word in RANDOM)
        if tensors_of(result) and not is_random and (all(map(is_constant, found)) or node.target in FILLED):
            return fx.node.map_aggregate(result, lambda each: Constant(self.layers, node.name, each))
        readers = [type(self.fetch_attr(each.target)) if each.op == "call_module" else each.target
                   for each in (*node.users, *more_readers) if each is not node]
        use = Use(self.layers, node.name, args, kwargs, result, readers)
        has_tensor = any(isinstance(a, (Value, tuple, list)) for a in list(args) + list(kwargs.values()))
        if node.op == "call_function" and getattr(node.target, "__name__", "") == "stochastic_depth":
            return stochastic_depth(use)
        makes_tensor = torch.is_tensor(result) or (isinstance(result, (tuple, list)) and any(map(torch.is_tensor,
                                                                                                 result)))
        if not has_tensor or (not makes_tensor and node.op == "call_method") or not makes_tensor:
            return None if makes_tensor else result
        table: Mapping[Any, Any] = FUNCTIONS if node.op == "call_function" else METHODS
        if node.target not in table:
            raise Unsupported("no layer stands for it; expected a function that docs/import.md lists, or a module of "
                              "its own for --custom CLASS=FLOPS")
        made = table[node.target](use)
        use.left(node.target)
        return made

    def module_of(self, node: Any, args: Sequence[Any], kwargs: Dict[str, Any], result: Any) -> Any:
        module = self.fetch_attr(node.target)
        flat: List[Value] = []
        arguments = bound(module, args, kwargs)
        fx.node.map_aggregate(list(arguments.values()), lambda a: flat.append(a) if isinstance(a, Value) else None)
        if node.meta.get("no_grad") and any(each.requires_grad for each in module.parameters()):
            raise Unshown(f"{node.target}: it is computed in torch.no_grad(), and has parameters that train; expected "
                          "requires_grad_(False)")
        call = Call(module, node.target, arguments, flat, result, node.target in self.evaluated)
        kind = type(module).__name__
        if is_known(module) and kind not in self.flops:
            expect_known(module, arguments)
            if kind != "Embedding" and not all(v.tensor.is_floating_point() or is_constant(v) for v in flat):
                raise Unsupported("it reads whole numbers or truths; expected real numbers")
            made = KNOWN[kind](self.layers, call)
            call.module.left()
            return made
        if not torch.is_tensor(result):
            raise Unsupported("no layer stands for it, and it makes several tensors, which no custom layer does; "
                              "expected a module that docs/import.md lists")
        # Unless a user says otherwise: a product of each weight with each row of the input.
        each = self.flops.get(kind)
        if each is None:
            parameters = sum(p.numel() for p in module.parameters())
            each = max(1, 2 * parameters * result.shape[0] // max(1, result.shape[-1] * result.shape[0]))
            self.layers.notes.append(f"{node.target} ({kind}) is taken for a custom layer of {each} FLOPs for an "
                                     "element of its output: it can be solved, and run and export refuse it")
        return custom(self.layers, call, each, saved_by(module, [v.tensor for v in flat]))

    def pack(self, names: Any, result: Any) -> Any:
        if isinstance(names, (tuple, list)):
            return tuple(self.pack(n, r) for n, r in zip(names, result))
        if isinstance(names, State):
            return Stack(names, result)
        return Value(names, result) if isinstance(names, str) and torch.is_tensor(result) else names


def by_fx(net: Any, inputs: Tuple[Any, ...], names: Sequence[str], flops: Mapping[str, int],
          apart: Mapping[str, int]) -> Tuple[Layers, Value]:
    """The layers of a module, and what its first output is. Raises Refused."""
    graph = traced(net, inputs, flops).eval()  # a copy, as what the run changes is not the user's
    stored = {each.data_ptr(): name for name, each in reversed(list(graph.state_dict(keep_vars=True).items()))}
    layers = Layers(stored, apart)
    walk = Walk(graph, layers, flops, names, evaluated_in(net))
    with torch.no_grad():
        walk.run(*[each.clone() for each in inputs])
    if walk.names:
        raise ValueError(f"found {len(names)} inputs; the network reads {len(names) - len(walk.names)} of them")
    if walk.unshown:
        raise Unshown("\n".join(walk.unshown))
    if walk.refused:
        raise Refused("\n".join(walk.refused))
    kinds = sorted({type(module).__name__ for module in net.modules()})
    for kind in flops:
        if kind not in kinds:
            raise ValueError(f"no module is a '{kind}', of which FLOPs are stated; expected one of {', '.join(kinds)}")
    if not isinstance(walk.first_output, Value):
        raise Refused("the network's first output is no tensor that a layer makes; expected one, or a tuple or "
                      "dictionary that begins with one")
    return layers, walk.first_output
