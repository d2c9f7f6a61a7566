"""The feature trunks of LPIPS as lists of layers: AlexNet, VGG16 and SqueezeNet 1.1.

Shapes and weight names are torchvision's (`features.0.weight`, ...); taps are those of LPIPS
(Zhang et al. 2018), each after a ReLU.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor

State = Mapping[str, Tensor]
Span = tuple[int, int]
"""Cells from the first to before the last, along an axis."""


@dataclass(frozen=True)
class Layer(ABC):
    """A layer that looks at `kernel` x `kernel` cells every `stride` cells, from `padding` cells
    beyond the edge on, where `outside` stands. `tap`: LPIPS compares its output."""

    kernel: int
    stride: int
    padding: int
    tap: bool
    outside: ClassVar[float] = 0.0

    @abstractmethod
    def run(self, x: Tensor, padding: int) -> Tensor:
        """The output for batch x channels x height x width. `padding` is the layer's own, or 0
        where x already brings the cells beyond the edge."""

    def size(self, cells: int) -> int:
        """How many cells come out of so many, along an axis; below 1 where they are too few."""
        return (cells + 2 * self.padding - self.kernel) // self.stride + 1

    def reached(self, changed: Span, cells_out: int) -> Span:
        """The outputs that see any of the inputs `changed`; empty where there are none."""
        low = -((self.kernel - 1 - self.padding - changed[0]) // self.stride)
        high = (changed[1] - 1 + self.padding) // self.stride
        return max(0, low), max(max(0, low), min(cells_out, high + 1))

    def seen(self, outputs: Span) -> Span:
        """The inputs that `outputs` see; may lie beyond the edge."""
        low = outputs[0] * self.stride - self.padding
        return low, (outputs[1] - 1) * self.stride - self.padding + self.kernel


@dataclass(frozen=True)
class Convolution(Layer):
    """A convolution and a ReLU."""

    weight: Tensor
    bias: Tensor

    def run(self, x: Tensor, padding: int) -> Tensor:
        return F.conv2d(x, self.weight, self.bias, self.stride, padding).relu_()


@dataclass(frozen=True)
class MaxPool(Layer):
    ceil: bool
    outside: ClassVar[float] = float("-inf")

    def run(self, x: Tensor, padding: int) -> Tensor:
        return F.max_pool2d(x, self.kernel, self.stride, padding, ceil_mode=self.ceil)

    def size(self, cells: int) -> int:
        extra = self.stride - 1 if self.ceil else 0
        return (cells - self.kernel + extra) // self.stride + 1


@dataclass(frozen=True)
class Expand(Layer):
    """The second half of a Fire module: a 1 x 1 and a 3 x 3 convolution, stacked, and a ReLU."""

    one: Convolution
    three: Convolution

    def run(self, x: Tensor, padding: int) -> Tensor:
        edge = self.padding - padding
        inner = x[:, :, edge : x.shape[2] - edge, edge : x.shape[3] - edge]
        return torch.cat([self.one.run(inner, 0), self.three.run(x, padding)], dim=1)


def layers(trunk: str, state: State) -> list[Layer]:
    """The layers of `alex`, `vgg` or `squeeze` with the weights of torchvision's state dict.

    Raises KeyError where a weight is missing, ValueError where one has another shape.
    """
    return list({"alex": _alexnet, "vgg": _vgg16, "squeeze": _squeezenet}[trunk](state))


def _convolution(
    state: State,
    name: str,
    shape: tuple[int, int, int],
    stride: int = 1,
    padding: int = 0,
    tap: bool = False,
) -> Convolution:
    """`shape`: channels in, channels out, kernel."""
    weight, bias = state[f"{name}.weight"], state[f"{name}.bias"]
    cells_in, cells_out, kernel = shape
    if weight.shape != (cells_out, cells_in, kernel, kernel) or bias.shape != (cells_out,):
        raise ValueError(f"{name} has the shape {tuple(weight.shape)}")
    # Channels last: oneDNN then works on the pictures' own layout, about twice as fast.
    weight = weight.contiguous(memory_format=torch.channels_last)
    return Convolution(kernel, stride, padding, tap, weight, bias)


def _pool(kernel: int, ceil: bool = False) -> MaxPool:
    return MaxPool(kernel, 2, 0, False, ceil)


def _alexnet(state: State) -> Iterator[Layer]:
    yield _convolution(state, "features.0", (3, 64, 11), 4, 2, tap=True)
    yield _pool(3)
    yield _convolution(state, "features.3", (64, 192, 5), 1, 2, tap=True)
    yield _pool(3)
    for index, into, out in ((6, 192, 384), (8, 384, 256), (10, 256, 256)):
        yield _convolution(state, f"features.{index}", (into, out, 3), 1, 1, tap=True)


def _vgg16(state: State) -> Iterator[Layer]:
    channels = 3
    for group, out in (
        ((0, 2), 64),
        ((5, 7), 128),
        ((10, 12, 14), 256),
        ((17, 19, 21), 512),
        ((24, 26, 28), 512),
    ):
        if group[0]:
            yield _pool(2)
        for index in group:
            last = index == group[-1]
            yield _convolution(state, f"features.{index}", (channels, out, 3), 1, 1, tap=last)
            channels = out


def _squeezenet(state: State) -> Iterator[Layer]:
    yield _convolution(state, "features.0", (3, 64, 3), 2, tap=True)
    channels = 64
    # Fire modules: index in torchvision's list, channels squeezed to and expanded to (each half).
    for group in (
        ((3, 16, 64), (4, 16, 64)),
        ((6, 32, 128), (7, 32, 128)),
        ((9, 48, 192), (10, 48, 192), (11, 64, 256), (12, 64, 256)),
    ):
        yield _pool(3, ceil=True)
        for index, squeezed, half in group:
            name = f"features.{index}"
            yield _convolution(state, f"{name}.squeeze", (channels, squeezed, 1))
            one = _convolution(state, f"{name}.expand1x1", (squeezed, half, 1))
            three = _convolution(state, f"{name}.expand3x3", (squeezed, half, 3), 1, 1)
            # LPIPS taps the last module before each pooling and all of the last group.
            yield Expand(3, 1, 1, index not in (3, 6), one, three)
            channels = 2 * half
