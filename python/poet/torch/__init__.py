"""Networks of PyTorch as model files of poet-solve, and training loops of PyTorch by its schedules (`scheduled()`).

    python -m poet.torch torchvision.models:resnet18 --input 1,3,224,224 --output net.json

`trace()` does the same from Python, and `check()` compares outputs, loss and gradients with autograd's. Modules become
layers by torch.fx where it can trace them, else by an ONNX export and `poet-solve import`. docs/import.md has more.
"""
from poet._compared import Check
from poet.torch._check import check
from poet.torch._document import trace
from poet.torch._layers import Refused
from poet.torch._plan import Plan
from poet.torch._scheduled import Scheduled, scheduled
from poet.torch._state import state_dict
from poet.torch._tape import Unschedulable

__all__ = ["Check", "Plan", "Refused", "Scheduled", "Unschedulable", "check", "scheduled", "state_dict", "trace"]
