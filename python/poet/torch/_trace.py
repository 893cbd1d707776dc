"""A module of PyTorch as layers, by torch.fx."""
from __future__ import annotations

import copy
import dis
import importlib
import inspect
from functools import partial
from typing import AbstractSet, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from poet.torch._pytorch import evaluated_in, in_training, torch
from poet.torch._functions import FUNCTIONS, METHODS, Stack, State, Use, Value, stated, stochastic_depth
from poet.torch._layers import Layers, Unsupported
from poet.torch._modules import MODULES, Call, custom
from poet.torch._recurrence import RECURRENCES

fx: Any = importlib.import_module("torch.fx")


#: The function for each class of modules that layers stand for.
KNOWN: Dict[str, Callable[[Layers, Call], Any]] = {**MODULES, **RECURRENCES}


class Refused(Exception):
    """Nodes that no layer stands for, a line each."""


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


def unpacked(proxy: Any) -> Any:
    """The parts of a traced value in `a, b = x.chunk(2)`: torch.fx 1.13 does not know the bytecode of Python 3.11."""
    frame = inspect.currentframe()
    caller = frame.f_back if frame is not None else None
    for instruction in dis.get_instructions(caller.f_code) if caller is not None else ():
        if caller is not None and instruction.offset == caller.f_lasti and instruction.opname == "UNPACK_SEQUENCE":
            return iter([proxy[i] for i in range(int(instruction.argval))])
    return proxy.tracer.iter(proxy)


def is_known(module: Any) -> bool:
    """Whether a layer stands for a module; a user's class of the same name is another one."""
    return type(module).__name__ in KNOWN and type(module).__module__.startswith(("torch.", "torchvision."))


def _encoder_layer(layer: Any, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None, **_: Any) -> Any:
    if layer.norm_first:
        x = src + layer._sa_block(layer.norm1(src), src_mask, src_key_padding_mask)
        return x + layer._ff_block(layer.norm2(x))
    x = layer.norm1(src + layer._sa_block(src, src_mask, src_key_padding_mask))
    return layer.norm2(x + layer._ff_block(x))


def _encoder(encoder: Any, src: Any, mask: Any = None, src_key_padding_mask: Any = None, **_: Any) -> Any:
    for layer in encoder.layers:
        src = layer(src, src_mask=mask, src_key_padding_mask=src_key_padding_mask)
    return src if encoder.norm is None else encoder.norm(src)


#: Modules whose own code first asks, of the values of tensors, whether a fused kernel for inference could do it, and
#: what they compute if not: torch.fx cannot follow such questions, and in a training step the answer is no.
PLAIN: Mapping[Any, Callable[..., Any]] = {torch.nn.TransformerEncoderLayer: _encoder_layer,
                                           torch.nn.TransformerEncoder: _encoder}


class Tracer(fx.Tracer):  # type: ignore[misc]
    """Goes into every module that contains modules for which layers stand: as one custom layer it would have the costs
    of no layer. A user's FLOPs for a class are the exception."""

    def __init__(self, flops: Mapping[str, int]) -> None:
        super().__init__()
        self.flops = flops
        self.failed = self.kind = ""  #: the innermost module that could not be traced, and its class

    def is_leaf_module(self, m: Any, module_qualified_name: str) -> bool:
        if type(m).__name__ in self.flops:
            return True
        if not super().is_leaf_module(m, module_qualified_name):
            return False
        return is_known(m) or not any(is_known(part) for part in m.modules() if part is not m)

    def call_module(self, m: Any, forward: Any, args: Any, kwargs: Any) -> Any:
        plain = PLAIN.get(type(m))
        try:
            return super().call_module(m, partial(plain, m) if plain else forward, args, kwargs)
        except Exception:
            if not self.failed:
                self.failed, self.kind = self.path_of_module(m), type(m).__name__
            raise


class Walk(fx.Interpreter):  # type: ignore[misc]
    """Runs a traced module once, and writes the layer of each node as its shape is known."""

    def __init__(self, traced: Any, layers: Layers, flops: Mapping[str, int], names: Sequence[str],
                 evaluated: AbstractSet[str]) -> None:
        super().__init__(traced)
        self.evaluated = evaluated
        self.layers, self.flops, self.names = layers, flops, list(names)
        self.values: Dict[Any, Any] = {}
        self.refused: List[str] = []
        self.first_output: Optional[Value] = None

    def run_node(self, node: Any) -> Any:
        result = super().run_node(node)
        try:
            self.values[node] = self.value_of(node, result)
        except Unsupported as error:
            is_module = node.op == "call_module"
            what = type(self.fetch_attr(node.target)).__name__ if is_module else node.target
            name = node.target if is_module else node.name
            self.refused.append(f"{name} ({getattr(what, '__name__', what)}): {error}")
            self.values[node] = Value("input", result) if torch.is_tensor(result) else None
        return result

    def of(self, what: Any) -> Any:
        """Arguments with the Value of each node."""
        return fx.node.map_aggregate(what, lambda a: self.values.get(a, None) if isinstance(a, fx.Node) else a)

    def value_of(self, node: Any, result: Any) -> Any:
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
            shape = list(result.shape) or [1]
            trains = None if isinstance(result, torch.nn.Parameter) and result.requires_grad else False
            value = stated(result.item()) if trains is False and result.numel() == 1 else None
            name = self.layers.add("parameter", node.target, [], shape=shape, trainable=trains, value=value)
            self.layers.numbers[name] = result.detach().cpu().reshape(shape).numpy()
            return Value(name, result)
        return self.pack(self.call_of(node, result), result)

    def call_of(self, node: Any, result: Any) -> Any:
        args, kwargs = self.of(node.args), dict(self.of(node.kwargs))
        if node.op == "call_module":
            return self.module_of(node, args, kwargs, result)
        use = Use(self.layers, node.name, args, kwargs, result)
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
        return table[node.target](use)

    def module_of(self, node: Any, args: Sequence[Any], kwargs: Dict[str, Any], result: Any) -> Any:
        module = self.fetch_attr(node.target)
        flat: List[Value] = []
        fx.node.map_aggregate([*args, *kwargs.values()], lambda a: flat.append(a) if isinstance(a, Value) else None)
        call = Call(module, node.target, [v.name for v in flat], [v.shape for v in flat], result,
                    node.target in self.evaluated)
        kind = type(module).__name__
        if kind in KNOWN and kind not in self.flops:
            return KNOWN[kind](self.layers, call)
        if not torch.is_tensor(result):
            raise Unsupported("no layer stands for it, and it makes several tensors, which no custom layer does; "
                              "expected a module that docs/import.md lists")
        # Unless a user says otherwise: a product of each weight with each row of the input.
        each = self.flops.get(kind)
        if each is None:
            parameters = sum(p.numel() for p in module.parameters())
            each = max(1, 2 * parameters * result.shape[0] // max(1, result.shape[-1] * result.shape[0]))
            self.layers.notes.append(f"{node.target} ({kind}) is taken for a custom layer of {each} FLOPs for an "
                                     "element of its output")
        return custom(self.layers, call, each, saved_by(module, [v.tensor for v in flat]))

    def pack(self, names: Any, result: Any) -> Any:
        if isinstance(names, (tuple, list)):
            return tuple(self.pack(n, r) for n, r in zip(names, result))
        if isinstance(names, State):
            return Stack(names, result)
        return Value(names, result) if isinstance(names, str) and torch.is_tensor(result) else names


def by_fx(net: Any, inputs: Tuple[Any, ...], names: Sequence[str], flops: Mapping[str, int]) -> Tuple[Layers, Value]:
    """The layers of a module, and what its first output is. Raises what torch.fx raises, or Refused."""
    tracer = Tracer(flops)
    original = fx.Proxy.__iter__
    fx.Proxy.__iter__ = unpacked
    try:
        with in_training(net):
            traced = fx.GraphModule(net, tracer.trace(net), type(net).__name__)
    except Exception as error:
        first_line = next(iter(str(error).splitlines()), "")
        raise Refused(f"{tracer.failed or 'the network itself'} ({tracer.kind or type(net).__name__}): torch.fx cannot "
                      f"trace it: {type(error).__name__}: {first_line}") from error
    finally:
        fx.Proxy.__iter__ = original
    # What the run changes, such as running means, is not the user's.
    traced = copy.deepcopy(traced).eval()
    layers = Layers()
    walk = Walk(traced, layers, flops, names, evaluated_in(net))
    with torch.no_grad():
        walk.run(*inputs)
    if walk.names:
        raise ValueError(f"found {len(names)} inputs; the network reads {len(names) - len(walk.names)} of them")
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
