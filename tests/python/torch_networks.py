"""Networks of PyTorch for the tests of schedules, small enough for a step in some tens of milliseconds."""
import torch
from torch import nn
from torch.nn import functional

cross_entropy = functional.cross_entropy


def digits():
    """Convolutions, batch norms, activations in place, dropout, pooling, a dense layer."""
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.MaxPool2d(2),
                         nn.Dropout(0.3), nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(inplace=True),
                         nn.Conv2d(16, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Flatten(), nn.Linear(1024, 10))


class UNet(nn.Module):
    """Skips over several levels."""

    def __init__(self, width=8, depth=2, drop=0.2):
        super().__init__()

        def block(inputs, outputs):
            return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs),
                                 nn.ReLU(inplace=True), nn.Dropout(drop),
                                 nn.Conv2d(outputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs),
                                 nn.ReLU(inplace=True))

        widths = [width << level for level in range(depth + 1)]
        self.down = nn.ModuleList(block(i, o) for i, o in zip([3] + widths, widths[:-1]))
        self.middle = block(widths[-2], widths[-1])
        self.up = nn.ModuleList(nn.ConvTranspose2d(i, o, 2, 2) for i, o in zip(widths[:0:-1], widths[-2::-1]))
        self.back = nn.ModuleList(block(i, o) for i, o in zip(widths[:0:-1], widths[-2::-1]))
        self.out = nn.Conv2d(width, 1, 1)

    def forward(self, x):
        skips = []
        for down in self.down:
            skips.append(down(x))
            x = functional.max_pool2d(skips[-1], 2)
        x = self.middle(x)
        for up, back in zip(self.up, self.back):
            x = back(torch.cat([up(x), skips.pop()], 1))
        return self.out(x)


class Block(nn.Module):
    """Of a GPT: attention and two dense layers, with norms before them."""

    def __init__(self, width, heads, drop):
        super().__init__()
        self.heads, self.norm1, self.norm2 = heads, nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.widen, self.narrow, self.drop = nn.Linear(width, 4 * width), nn.Linear(4 * width, width), nn.Dropout(drop)

    def forward(self, x):
        n, t, d = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(n, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        weights = q @ k.transpose(-1, -2) * (d // self.heads) ** -0.5
        weights = weights.masked_fill(torch.ones(t, t, dtype=torch.bool).triu(1), float("-inf")).softmax(-1)
        x = x + self.drop(self.project((self.drop(weights) @ v).transpose(1, 2).reshape(n, t, d)))
        return x + self.drop(self.narrow(functional.gelu(self.widen(self.norm2(x)))))


class Gpt(nn.Module):
    """The weights of the embedding are those of the last layer as well."""

    def __init__(self, letters=64, width=32, heads=2, layers=2, length=32):
        super().__init__()
        self.embed, self.place = nn.Embedding(letters, width), nn.Parameter(torch.randn(1, length, width) * 0.02)
        self.blocks = nn.Sequential(*(Block(width, heads, 0.1) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        return (self.norm(self.blocks(self.embed(x) + self.place)) @ self.embed.weight.t()).flatten(0, 1)


class Lstm(nn.Module):
    """Many small calls."""

    def __init__(self, inputs=16, width=32, classes=10):
        super().__init__()
        self.lstm, self.out = nn.LSTM(inputs, width, 2, batch_first=True), nn.Linear(width, classes)

    def forward(self, x):
        return self.out(self.lstm(x)[0][:, -1])


def encoder():
    return nn.Sequential(nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 2, 64, 0.1, batch_first=True), 2),
                         nn.Flatten(), nn.Linear(16 * 32, 10))


def squares(out, target):
    """The mean squared error. PyTorch 1.13's own keeps the memory of all squares with the number."""
    return (out - target).square().mean()


def labels(count, classes=10):
    return torch.randint(0, classes, (count,))


def make(name):
    """A network, its input, its target, and its loss."""
    torch.manual_seed(1)
    if name == "digits":
        return digits(), torch.randn(4, 3, 32, 32), labels(4), cross_entropy
    if name == "unet":
        return UNet(), torch.randn(2, 3, 32, 32), torch.randn(2, 1, 32, 32), squares
    if name == "gpt":
        return Gpt(), torch.randint(0, 64, (2, 32)), labels(64, 64), cross_entropy
    if name == "lstm":
        return Lstm(), torch.randn(4, 12, 16), labels(4), cross_entropy
    if name == "encoder":
        return encoder(), torch.randn(4, 16, 32), labels(4), cross_entropy
    import torchvision

    return getattr(torchvision.models, name)(num_classes=10), torch.randn(2, 3, 64, 64), labels(2), cross_entropy


SMALL = ("digits", "unet", "gpt")
#: The gradients of the parameters of the others are most of what a step holds.
FIVE = (*SMALL, "lstm", "encoder")
ALL = (*FIVE, "resnet18", "mobilenet_v2", "mobilenet_v3_small", "squeezenet1_1", "shufflenet_v2_x0_5",
       "shufflenet_v2_x1_0", "efficientnet_b0", "mnasnet0_5", "regnet_y_400mf")
