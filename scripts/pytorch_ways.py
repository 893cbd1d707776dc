"""The networks of pytorch_tables.py, and what a user would run else: checkpoints, and hooks that write to a disk."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests" / "python")]
#: Batch and extent of the images.
IMAGES = {"resnet18": (4, 128), "resnet50": (2, 96), "squeezenet1_1": (4, 128), "mobilenet_v2": (2, 192),
          "mobilenet_v3_small": (4, 128), "shufflenet_v2_x0_5": (4, 160), "efficientnet_b0": (2, 96),
          "mnasnet0_5": (4, 160), "alexnet": (8, 96), "densenet121": (2, 64), "regnet_y_400mf": (2, 96)}
NETWORKS = ("unet", "lstm", "gpt", "encoder", *IMAGES)


def make(name):
    """Larger networks than the tests', their inputs, targets and losses."""
    import torch
    import torch_networks as networks

    torch.manual_seed(1)
    if name == "unet":
        return networks.UNet(16, 3), torch.randn(2, 3, 128, 128), torch.randn(2, 1, 128, 128), networks.squares
    if name == "gpt":
        return (networks.Gpt(128, 96, 4, 4, 96), torch.randint(0, 128, (4, 96)), networks.labels(384, 128),
                networks.cross_entropy)
    if name == "lstm":
        return networks.Lstm(32, 64), torch.randn(32, 24, 32), networks.labels(32), networks.cross_entropy
    if name == "encoder":
        layer = torch.nn.TransformerEncoderLayer(64, 4, 256, 0.1, batch_first=True)
        net = torch.nn.Sequential(torch.nn.TransformerEncoder(layer, 4), torch.nn.Flatten(),
                                  torch.nn.Linear(48 * 64, 10))
        return net, torch.randn(8, 48, 64), networks.labels(8), networks.cross_entropy
    import torchvision

    batch, extent = IMAGES[name]
    return (getattr(torchvision.models, name)(num_classes=10), torch.randn(batch, 3, extent, extent),
            networks.labels(batch), networks.cross_entropy)


def chain_of(net):
    """The modules that the network runs one after another, and those that hold them, in order."""
    from torch import nn

    children = dict(net.named_children())
    if "layer1" in children or "stage2" in children or "trunk_output" in children:
        holders = [name for name in children if name not in ("avgpool", "fc")]
    else:
        holders = [name for name in ("features", "layers", "blocks", "0") if name in children][:1]

    def flat(module):
        if type(module) in (nn.Sequential, nn.ModuleList) or type(module).__name__ == "AnyStage":
            return [each for child in module.children() for each in flat(child)]
        return flat(module.layers) if isinstance(module, nn.TransformerEncoder) else [module]

    return [each for name in holders for each in flat(children[name])], holders


def checkpointed(net, segments, outside):
    """The network with `checkpoint_sequential` over its chain.

    Parameters get no gradients if the input of their segment needs none: either the input is made to need one, or so
    many modules at the start are run as they are.
    """
    import torch
    from torch.utils.checkpoint import checkpoint_sequential

    class Chain(torch.nn.ModuleList):
        def forward(self, x):
            for module in self[:outside]:
                x = module(x)
            return checkpoint_sequential(list(self)[outside:], segments, x if x.requires_grad else
                                         x.detach().requires_grad_())

    chain, holders = chain_of(net)
    setattr(net, holders[0], Chain(chain))
    for name in holders[1:]:
        setattr(net, name, torch.nn.Identity())
    return net


def blocks_checkpointed(net):
    """`torch.utils.checkpoint` around the blocks of a network with skips."""
    from torch.utils.checkpoint import checkpoint

    for block in [*net.down, net.middle, *net.back]:
        block.forward = (lambda run: lambda x: checkpoint(run, x, use_reentrant=False))(block.forward)
    return net


class ToDisk:
    """Every tensor that autograd saves goes to a file at once, and comes back when it is asked for."""

    def __init__(self, net, folder):
        self.net, self.folder, self.own = net, folder, {each.data_ptr() for each in net.parameters()}

    def __call__(self, x):
        import torch
        from poet.torch._pages import PageFile

        file, end = PageFile(self.folder, 1 << 28), [0]

        def pack(tensor):
            if tensor.data_ptr() in self.own or tensor.numel() < 1024 or not tensor.is_contiguous():
                return tensor
            kept = tensor.detach().clone()
            file.write(kept, end[0]).result()
            end[0] += kept.numel() * kept.element_size()
            return end[0] - kept.numel() * kept.element_size(), tensor.shape, kept.stride(), tensor.dtype

        def unpack(packed):
            if isinstance(packed, torch.Tensor):
                return packed
            slot, shape, stride, kind = packed
            tensor, read = file.read((shape, stride, 0, kind), slot)
            read.result()
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            return self.net(x)
