"""Plots: line charts as SVG, written by hand so that nothing has to be installed for them.

Transparent ground; ink and lines follow the reader's light or dark page. Every line is named at its end,
so colour is never the only way to tell two apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _HEIGHT = 720, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 168, 60, 52
_LIGHT = ("#0a58ca", "#b35900", "#1a7f37", "#8250df", "#bf3989", "#57606a", "#0f766e", "#a40e26")
_DARK = ("#58a6ff", "#f0a35e", "#56d364", "#bc8cff", "#ff8bc8", "#9aa4af", "#2dd4bf", "#ff7b72")


@dataclass(frozen=True)
class Line:
    """One named line through points."""

    name: str
    points: tuple[tuple[float, float], ...]
    ours: bool = False


@dataclass(frozen=True)
class Axis:
    """What a direction means, and where it is marked."""

    label: str
    ticks: tuple[float, ...]
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """0 at the first tick, 1 at the last."""
        low, high, at = (self._scaled(number) for number in (self.ticks[0], self.ticks[-1], value))
        return (at - low) / (high - low)

    def _scaled(self, value: float) -> float:
        return math.log10(max(value, 1e-9)) if self.logarithmic else value


def _style() -> str:
    def inks(colours: Sequence[str]) -> str:
        return " ".join(f".c{number} {{ stroke: {ink}; fill: {ink}; }}" for number, ink in enumerate(colours))

    return f"""
  text {{ font: 13px system-ui, sans-serif; fill: #24292f; }} .title {{ font-weight: 600; font-size: 15px; }}
  .grid {{ stroke: #d0d7de; }} {inks(_LIGHT)}
  .line.line {{ fill: none; stroke-width: 2; }} .ours.ours {{ stroke-width: 3.5; }} .name.name {{ stroke: none; }}
  @media (prefers-color-scheme: dark) {{ text {{ fill: #e6edf3; }} .grid {{ stroke: #3d444d; }} {inks(_DARK)} }}
"""


def chart(title: str, x: Axis, y: Axis, lines: Sequence[Line]) -> str:
    """The whole picture."""
    parts = [_grid(x, y), *(_drawn(line, number, x, y) for number, line in enumerate(lines)), _names(lines, x, y)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{escape(title)}">\n<title>{escape(title)}</title>\n<style>{_style()}</style>\n'
        f'<text class="title" x="{_LEFT}" y="22">{escape(title)}</text>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _across(x: Axis, value: float) -> float:
    return round(_LEFT + x.place(value) * (_WIDTH - _LEFT - _RIGHT), 1)


def _down(y: Axis, value: float) -> float:
    return round(_HEIGHT - _BOTTOM - y.place(value) * (_HEIGHT - _TOP - _BOTTOM), 1)


def _grid(x: Axis, y: Axis) -> str:
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    found = []
    for tick in y.ticks:
        place = _down(y, tick)
        found.append(f'<line class="grid" x1="{_LEFT}" y1="{place}" x2="{right}" y2="{place}"/>')
        found.append(f'<text x="{_LEFT - 8}" y="{place + 4}" text-anchor="end">{_short(tick)}</text>')
    found += [
        f'<text x="{_across(x, tick)}" y="{bottom + 20}" text-anchor="middle">{_short(tick)}</text>' for tick in x.ticks
    ]
    middle = (_LEFT + right) / 2
    found.append(f'<text x="{middle}" y="{_HEIGHT - 10}" text-anchor="middle">{escape(x.label)}</text>')
    found.append(f'<text x="{_LEFT - 48}" y="{_TOP - 14}">{escape(y.label)}</text>')
    return "\n".join(found)


def _drawn(line: Line, number: int, x: Axis, y: Axis) -> str:
    colour = f"c{number % len(_LIGHT)}"
    points = [(_across(x, across), _down(y, up)) for across, up in line.points]
    path = " ".join(f"{across},{down}" for across, down in points)
    dots = "".join(f'<circle class="{colour}" cx="{across}" cy="{down}" r="3"/>' for across, down in points)
    return f'<polyline class="line {colour}{" ours" if line.ours else ""}" points="{path}"/>{dots}'


def _names(lines: Sequence[Line], x: Axis, y: Axis) -> str:
    """Each name beside the end of its line, moved down where it would cover another."""
    ends = sorted((_down(y, line.points[-1][1]), number, line) for number, line in enumerate(lines) if line.points)
    found, last = [], -math.inf
    for down, number, line in ends:
        last = max(down + 4, last + 16)
        across = _across(x, line.points[-1][0]) + 10
        found.append(f'<text class="name c{number % len(_LIGHT)}" x="{across}" y="{last}">{escape(line.name)}</text>')
    return "\n".join(found)


def _short(value: float) -> str:
    if value >= 1_000_000:
        return f"{value / 1_000_000:g} M"
    return f"{value / 1_000:g} k" if value >= 1_000 and value % 1_000 == 0 else f"{value:,g}"


def ticks(most: float) -> tuple[float, ...]:
    """Round marks from 0 to at least `most`."""
    step = next(step for step in (1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1_000) if most <= 6 * step)
    return tuple(float(step * number) for number in range(math.ceil(most / step) + 1))
