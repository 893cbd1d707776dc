"""What torch.fx makes of a module: a graph of its calls."""
from __future__ import annotations

import copy
import dis
import importlib
import inspect
import operator
from functools import partial
from typing import Any, Callable, Dict, Iterator, Mapping, Sequence

from poet.torch._layers import Refused
from poet.torch._modules import MODULES
from poet.torch._pytorch import in_training, torch
from poet.torch._recurrence import RECURRENCES

fx: Any = importlib.import_module("torch.fx")


#: The function for each class of modules that layers stand for.
KNOWN: Dict[str, Callable[..., Any]] = {**MODULES, **RECURRENCES}


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
    return type(module).__name__ in KNOWN and type(module).__module__.startswith(("torch.nn.modules.", "torchvision."))


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

    def create_node(self, *arguments: Any, **keywords: Any) -> Any:
        node = super().create_node(*arguments, **keywords)
        node.meta["no_grad"] = not torch.is_grad_enabled()
        return node

    def call_module(self, m: Any, forward: Any, args: Any, kwargs: Any) -> Any:
        plain = PLAIN.get(type(m))
        try:
            return super().call_module(m, partial(plain, m) if plain else forward, args, kwargs)
        except Exception:
            if not self.failed:
                self.failed, self.kind = self.path_of_module(m), type(m).__name__
            raise


class Concrete(fx.Proxy):  # type: ignore[misc]
    """A traced tensor that has one beside it, so that questions about shapes have answers."""

    value: Any = None

    def __getattr__(self, key: str) -> Any:
        if key in ("shape", "ndim", "dtype", "device", "is_cuda", "layout"):
            return getattr(self.value, key)
        return super().__getattr__(key)

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(len(self.value))])


class Beside(Tracer):
    """Computes what it traces, so that the shapes of tensors are numbers."""

    def __init__(self, flops: Mapping[str, int], inputs: Sequence[Any]) -> None:
        super().__init__(flops)
        self.inputs, self.computes = [each.clone() for each in inputs], False
        self.values: Dict[Any, Any] = {}

    def proxy(self, node: Any) -> Any:
        return Concrete(node, self)

    def create_proxy(self, kind: str, target: Any, args: Any, kwargs: Any, *more: Any, **named: Any) -> Any:
        proxy = super().create_proxy(kind, target, args, kwargs, *more, **named)
        node = proxy.node
        args, kwargs = fx.node.map_arg((node.args, node.kwargs), self.value_of)
        self.computes = True
        try:
            with torch.no_grad():
                proxy.value = self.values[node] = self.computed(node, args, kwargs)
        finally:
            self.computes = False
        found = []
        fx.node.map_aggregate(proxy.value, lambda each: found.append(torch.is_tensor(each)))
        return proxy if any(found) or kind == "output" else proxy.value

    def value_of(self, node: Any) -> Any:
        return self.values[node] if node in self.values else operator.attrgetter(node.target)(self.root)

    def computed(self, node: Any, args: Any, kwargs: Any) -> Any:
        kind, target = node.op, node.target
        if kind == "placeholder":
            return self.inputs.pop(0) if self.inputs else args[0]
        if kind == "get_attr":
            return self.value_of(node)
        if kind == "call_module":
            module = self.root.get_submodule(target)
            modes = [(each, each.training) for each in module.modules()]
            for each, _ in modes:
                each.training = False
            try:
                return module.forward(*args, **kwargs)
            finally:
                for each, mode in modes:
                    each.training = mode
        if kind == "call_method":
            return getattr(args[0], target)(*args[1:], **kwargs)
        return target(*args, **kwargs) if kind == "call_function" else args[0]

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: Any) -> Any:
        return attr_val if self.computes else super().getattr(attr, attr_val, parameter_proxy_cache)

    def call_module(self, m: Any, forward: Any, args: Any, kwargs: Any) -> Any:
        return forward(*args, **kwargs) if self.computes else super().call_module(m, forward, args, kwargs)


def in_place(name: str) -> Callable[[Any, Any], Any]:
    """`x += y`: a traced value has no method for that, so that Python would take `x = x + y`."""
    function = getattr(operator, name)
    return lambda proxy, other: proxy.tracer.create_proxy("call_function", function, (proxy, other), {}, name[1:])


#: What proxies do otherwise than torch.fx 1.13 does it.
CHANGED: Dict[str, Callable[..., Any]] = {"__iter__": unpacked, **{f"__{name}__": in_place(name) for name in (
    "iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "imatmul", "iand", "ior", "ixor")}}


def graph_of(net: Any, tracer: Tracer) -> Any:
    """The graph of a module in training mode. Raises Refused, with what torch.fx says."""
    original = {name: fx.Proxy.__dict__.get(name) for name in CHANGED}
    buffers = [(name, each, each._version, each.clone()) for name, each in net.named_buffers()]
    try:
        for name, function in CHANGED.items():
            setattr(fx.Proxy, name, function)
        with in_training(net):
            graph = tracer.trace(net)
        for name, each, version, before in buffers:
            if each._version != version:
                each.copy_(before)
                raise ValueError(f"it changes {name} in place")
        return fx.GraphModule(net, graph, type(net).__name__)
    except Exception as error:
        first_line = next(iter(str(error).splitlines()), "")
        raise Refused(f"{tracer.failed or 'the network itself'} ({tracer.kind or type(net).__name__}): torch.fx cannot "
                      f"trace it: {type(error).__name__}: {first_line}") from error
    finally:
        for name, before in original.items():
            setattr(fx.Proxy, name, before) if before is not None else delattr(fx.Proxy, name)


def traced(net: Any, inputs: Sequence[Any], flops: Mapping[str, int]) -> Any:
    """A module as a graph on a copy of it, which may run. Shapes are numbers if the module asks for them."""
    try:
        return copy.deepcopy(graph_of(net, Tracer(flops)))
    except Refused as symbolic:
        try:
            return graph_of(copy.deepcopy(net), Beside(flops, inputs))
        except Refused:
            raise symbolic
    except RuntimeError as error:  # of copying a tensor with a history, such as a weight of weight_norm
        raise Refused(f"the network has a tensor that is computed of parameters beforehand: {error}") from error
