"""Colour arithmetic: OKLab mixing, contrast, and the scales that turn a weight into a colour.

The same few functions exist in `ui/web/base/colour.ts`; `tests/ui/style/test_theme.py` runs both and compares them.
OKLab: B. Ottosson, "A perceptual color space for image processing" (2020). Contrast: WCAG 2.1, 1.4.3.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

GAMMA = 0.6
"""A weight w is drawn at position w ** GAMMA of its scale, so that small weights stay visible."""

Floats = npt.NDArray[np.float64]

_RGB_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LMS_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
_LAB_TO_LMS = np.linalg.inv(_LMS_TO_LAB)
_LMS_TO_RGB = np.linalg.inv(_RGB_TO_LMS)


def parse_hex(colour: str) -> Floats:
    """`#rrggbb` as three numbers from 0 to 1 (gamma-encoded sRGB)."""
    digits = colour.removeprefix("#")
    if len(digits) != 6:
        raise ValueError(f"expected a colour written as #rrggbb, got {colour!r}")
    return np.array([int(digits[i : i + 2], 16) for i in (0, 2, 4)]) / 255


def format_hex(rgb: Sequence[float] | Floats) -> str:
    """Three numbers from 0 to 1 as `#rrggbb`; values outside are clipped."""
    return "#" + "".join(f"{int(np.floor(min(1.0, max(0.0, float(c))) * 255 + 0.5)):02x}" for c in rgb)


def _linear(rgb: Floats) -> Floats:
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def _encoded(linear: Floats) -> Floats:
    safe = np.clip(linear, 0, 1)
    return np.where(safe <= 0.0031308, 12.92 * safe, 1.055 * safe ** (1 / 2.4) - 0.055)


def to_oklab(colour: str) -> Floats:
    """`#rrggbb` as OKLab lightness, a, b."""
    return _LMS_TO_LAB @ np.cbrt(_RGB_TO_LMS @ _linear(parse_hex(colour)))


def from_oklab(lab: Floats) -> str:
    """OKLab lightness, a, b as `#rrggbb`."""
    return format_hex(_encoded(_LMS_TO_RGB @ (_LAB_TO_LMS @ lab) ** 3))


def mix(start: str, end: str, share: float) -> str:
    """The colour `share` of the way from start to end in OKLab, where equal steps look equal."""
    if share <= 0:
        return start.lower()
    if share >= 1:
        return end.lower()
    a, b = to_oklab(start), to_oklab(end)
    return from_oklab(a + (b - a) * share)


def sequential(weight: float, panel: str, colour: str, gamma: float = GAMMA) -> str:
    """Colour of a weight in 0..1: the panel at 0, the kind's colour at 1."""
    return mix(panel, colour, min(1.0, max(0.0, weight)) ** gamma)


def diverging(value: float, negative: str, neutral: str, positive: str) -> str:
    """Colour of a difference in -1..1: grey at 0, one hue on each side."""
    return mix(neutral, positive, value) if value >= 0 else mix(neutral, negative, -value)


def luminance(colour: str) -> float:
    """Relative luminance, 0 (black) to 1 (white)."""
    return float(np.array([0.2126, 0.7152, 0.0722]) @ _linear(parse_hex(colour)))


def contrast(first: str, second: str) -> float:
    """WCAG contrast ratio, 1 (equal) to 21 (black on white); text needs 4.5."""
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)
