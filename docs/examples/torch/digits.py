"""Learns the 1,797 digits of scikit-learn twice: in eager mode, and within 40 % of its RAM. The losses are the same."""
import copy
import gzip

import numpy
import poet.torch
import torch
from torch import nn
from torch.nn.functional import cross_entropy

path = "/usr/lib/python3/dist-packages/sklearn/datasets/data/digits.csv.gz"
table = torch.from_numpy(numpy.loadtxt(gzip.open(path), delimiter=",", dtype="f4"))
images, labels = (table[:, :64] / 8 - 1).reshape(-1, 1, 8, 8), table[:, 64].long()


def block(inputs, outputs):
    return [nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True), nn.Dropout(0.05)]


def train(net, optimizer):
    torch.manual_seed(2)
    losses = []
    for start in 4 * list(range(0, 1536, 64)):
        loss = cross_entropy(net(images[start:start + 64]), labels[start:start + 64])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


torch.manual_seed(1)
eager = nn.Sequential(*block(1, 16), *(layer for _ in range(6) for layer in block(16, 16)), nn.AvgPool2d(2),
                      nn.Flatten(), nn.Linear(256, 10))
net = poet.torch.scheduled(copy.deepcopy(eager), images[:64], ram="40%", seconds=20)
losses = [train(each, torch.optim.SGD(each.parameters(), 0.05, momentum=0.9)) for each in (eager, net)]
right = (net.eval()(images[1536:]).argmax(1) == labels[1536:]).float().mean()
print(net.plan)
print(f"losses {losses[1][0]:.4f} to {losses[1][-1]:.4f}, the same to the bit: {losses[0] == losses[1]}")
print(f"{right:.1%} of the test set right")
