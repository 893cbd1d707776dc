"""Networks of PyTorch, written as people write them, for import_of_torch.py."""
import math

import torch
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    def __init__(self, width, heads, causal, steps):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))
        self.register_buffer("mask", torch.tril(torch.ones(steps, steps)).view(1, 1, steps, steps))

    def forward(self, x):
        n, s, h = x.shape
        q, k, v = (f(x).view(n, s, self.heads, h // self.heads).permute(0, 2, 1, 3) for f in (self.q, self.k, self.v))
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(h // self.heads)
        if self.causal:
            scores = scores.masked_fill(self.mask == 0, float("-inf"))
        context = torch.matmul(torch.softmax(scores, dim=-1), v)
        return self.out(context.permute(0, 2, 1, 3).reshape(n, s, h))


class Block(nn.Module):
    def __init__(self, width, heads, causal, steps):
        super().__init__()
        self.attention = Attention(width, heads, causal, steps)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.fc1, self.fc2 = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.fc2(nn.functional.gelu(self.fc1(self.norm2(x))))


class Transformer(nn.Module):
    """BERT of two blocks, or a decoder like GPT-2."""

    def __init__(self, causal, vocabulary=50, width=16, steps=8):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Parameter(torch.zeros(1, steps, width))
        self.blocks = nn.ModuleList(Block(width, 4, causal, steps) for _ in range(2))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary if causal else 2, bias=False)

    def forward(self, x):
        x = self.tokens(x) + self.positions
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(6, 10, batch_first=True)
        self.fc = nn.Linear(10, 3)

    def forward(self, x):
        y, _ = self.lstm(x)
        return self.fc(y[:, -1])


class UNet(nn.Module):
    def __init__(self):
        super().__init__()

        def pair(a, b):
            return nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(), nn.Conv2d(b, b, 3, padding=1), nn.ReLU())
        self.down1, self.down2, self.bottom = pair(3, 8), pair(8, 16), pair(16, 32)
        self.pool, self.up2 = nn.MaxPool2d(2), nn.ConvTranspose2d(32, 16, 2, stride=2)
        self.up1 = nn.Upsample(scale_factor=2, mode="nearest")
        self.join2, self.join1, self.head = pair(32, 16), pair(24, 8), nn.Conv2d(8, 1, 1)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(self.pool(a))
        c = self.join2(torch.cat([self.up2(self.bottom(self.pool(b))), b], dim=1))
        return self.head(self.join1(torch.cat([self.up1(c), a], dim=1)))


def NETWORKS():
    """Name: a network, an input, and its trained parameters."""
    indices = torch.zeros(1, 8, dtype=torch.int64)
    networks = {"BERT of two blocks": (Transformer(False), indices), "decoder like GPT-2": (Transformer(True), indices),
                "LSTM": (Lstm(), torch.zeros(1, 5, 6)), "U-Net": (UNet(), torch.zeros(1, 3, 32, 32))}
    return {name: (net, x, sum(p.numel() for p in net.parameters())) for name, (net, x) in networks.items()}


class Pools(nn.Module):
    """A convolution over time, as in keyword spotting."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(3, 4, 3)
        self.slopes = nn.PReLU(4)
        self.norm = nn.BatchNorm1d(4)
        self.max = nn.MaxPool1d(3, stride=2, padding=1)
        self.elu = nn.ELU(0.5)
        self.avg = nn.AvgPool1d(2, stride=1, padding=1, count_include_pad=False)
        self.plus = nn.Softplus()
        self.slope = nn.PReLU()
        self.all = nn.AdaptiveAvgPool1d(1)
        self.fc = nn.Linear(4, 5)

    def forward(self, x):
        x = self.avg(self.elu(self.max(self.norm(self.slopes(self.conv(x))))))
        x = F.log_softmax(self.plus(x), 1)
        return self.fc(self.all(self.slope(x)).flatten(1))


class Recurrent(nn.Module):
    """The outputs of all steps and the last states, as a class of a sequence."""

    def __init__(self, kind, **settings):
        super().__init__()
        self.rnn = kind(3, 4, **settings)
        self.directions = 2 if settings.get("bidirectional") else 1
        self.fc = nn.Linear(2 * 4 * self.directions, 5)

    def forward(self, x):
        y, state = self.rnn(x)
        h = state[0] if isinstance(self.rnn, nn.LSTM) else state
        last = torch.cat((h[-2], h[-1]), 1) if self.directions == 2 else h[-1]
        return self.fc(torch.cat((y.mean(1 if self.rnn.batch_first else 0), last), 1))


class Cells(nn.Module):
    """A loop over time by hand."""

    def __init__(self):
        super().__init__()
        self.first = nn.GRUCell(3, 4)
        self.second = nn.LSTMCell(4, 4, bias=False)
        self.fc = nn.Linear(4, 5)

    def forward(self, x):
        h = self.first(x[:, 0])
        a, c = self.second(h)
        h = self.first(x[:, 1], h)
        a, c = self.second(h, (a, c))
        return self.fc(a)


# Networks of signals, their inputs, and ways. An export by ONNX opens the first extent, which is not the batch where time comes first, and
# unrolls cells into products. Last states of several layers or directions fix its batch.
SIGNALS = [
    ("pools", Pools, (2, 3, 17), ("fx", "onnx")),
    ("gru", lambda: Recurrent(nn.GRU, batch_first=True), (2, 3, 3), ("fx", "onnx")),
    ("lstm, time first", lambda: Recurrent(nn.LSTM), (3, 2, 3), ("fx",)),
    ("gru of both directions", lambda: Recurrent(nn.GRU, batch_first=True, bidirectional=True), (2, 3, 3), ("fx",)),
    ("lstm of both directions", lambda: Recurrent(nn.LSTM, batch_first=True, bidirectional=True), (1, 3, 3), ("fx", "onnx")),
    ("lstm of two layers", lambda: Recurrent(nn.LSTM, batch_first=True, num_layers=2), (1, 3, 3), ("fx", "onnx")),
    ("gru of two layers of both directions, without bias",
     lambda: Recurrent(nn.GRU, batch_first=True, num_layers=2, bidirectional=True, bias=False), (1, 3, 3), ("fx", "onnx")),
    ("cells", Cells, (2, 2, 3), ("fx",)),
]
