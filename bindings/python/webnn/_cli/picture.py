"""The picture of a bench: time as a bar of steps, the steps under the machine's roof, the longest ones by name."""

import collections
import math
import statistics

from webnn._definition import visible
from webnn.viz.nodes import family
from webnn.viz.svg import COLOURS, FADED, INK, RULE, Paper, fit, text_width

from .bench import duration

_WIDTH, _MARGIN = 1040, 28
_LONGEST = 16


def _colour(step):
    return COLOURS[family(step["operations"].partition("+")[0])][0]


def _ticks(low, high):
    """Powers of ten, or 1-2-5 steps where these are few."""
    decades = [10.0**k for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    ticks = [tick for tick in decades if low <= tick <= high]
    if len(ticks) < 3:
        ticks = [d * m for d in decades for m in (1, 2, 5) if low <= d * m <= high]
    return ticks


def _number(value):
    return f"{value:.3g}" if value < 1e4 else f"{value:.0f}"


def _log(low, high, begin, end):
    """A logarithmic axis from `begin` to `end`."""
    return lambda value: begin + (math.log(value) - math.log(low)) / (math.log(high) - math.log(low)) * (end - begin)


def _span(values, *more):
    """The ends of an axis that has everything with some room."""
    found = [value for value in (*values, *more) if value > 0]
    return min(found) / 1.7, max(found) * 1.7


def _tip(report, i, step):
    seconds = step["seconds"]
    lines = [f"{i + 1}  {step['operations']}  {step['label']}", step["kernel"], step["shapes"], duration(seconds)]
    if seconds and step["flops"]:
        lines.append(f"{step['flops'] / seconds / 1e9:.1f} GFLOP/s")
    if seconds:
        lines.append(f"{step['bytes'] / seconds / 1e9:.1f} GB/s, {report.peaks.share(step):.0%} of the peak")
    return "\n".join(lines)


def picture(report):
    longest = sorted(range(len(report.steps)), key=lambda i: -report.steps[i]["seconds"])[:_LONGEST]
    paper = Paper(_WIDTH, 690, f"Where the time of {visible(report.title)} goes")
    _heading(paper, report)
    _timeline(paper, report, y=84)
    _roof(paper, report, left=84, right=600, top=232, bottom=540)
    _memory(paper, report, left=84, right=600, top=600, bottom=640)
    _list(paper, report, longest, left=650, right=_WIDTH - _MARGIN, top=232)
    return str(paper)


def _heading(paper, report):
    info = report.info
    room = _WIDTH - 2 * _MARGIN
    median, flops = statistics.median(report.seconds), sum(step["flops"] for step in report.steps)
    words = f"{duration(median)} a run, {duration(report.in_steps)} in {len(report.steps)} steps"
    if flops:
        words += f", {flops / median / 1e9:.1f} GFLOP/s"
    driver = f", {info['driver']}" if info["driver"] else ""
    where = f"{info['backend']} on {info['device']}{driver}, {info['threads']} threads"
    paper.text(_MARGIN, 36, fit(visible(report.title), 17, room, bold=True), 17, INK, weight=600)
    paper.text(_MARGIN, 56, fit(f"{words}, {where}", 12, room), 12, FADED)


# ---- time


def _timeline(paper, report, y):
    total, width, x, height = report.in_steps or 1.0, _WIDTH - 2 * _MARGIN, float(_MARGIN), 36
    shares = collections.Counter()
    for i, step in enumerate(report.steps):
        wide = step["seconds"] / total * width
        shares[family(step["operations"].partition("+")[0])] += step["seconds"]
        paper.open("g", title=_tip(report, i, step))
        paper.add("rect", x=x, y=y, width=max(wide - 0.6, 0.3), height=height, fill=_colour(step))
        name = f"{i + 1}  {step['operations'].replace('+', ' + ')}"
        if wide > 70:
            paper.text(x + 6, y + 22, fit(name, 10, wide - 12), 10, "#ffffff")
        paper.close("g")
        x += wide
    for k in range(6):
        at = _MARGIN + k / 5 * width
        paper.add("path", d=f"M{at:.1f} {y + height} v5", stroke=FADED)
        anchor = "start" if k == 0 else "end" if k == 5 else "middle"
        paper.text(at, y + height + 17, duration(total * k / 5) if k else "0", 10, FADED, anchor)
    _legend(paper, shares, total, y + height + 44)


def _legend(paper, shares, total, y):
    x = float(_MARGIN)
    for name, seconds in shares.most_common():
        words = f"{name} {seconds / total:.0%}" if seconds >= 0.005 * total else f"{name} <1%"
        if x + 18 + text_width(words, 11) > _WIDTH - _MARGIN:
            break
        paper.add("rect", x=x, y=y - 9, width=11, height=11, rx=2, fill=COLOURS[name][0])
        paper.text(x + 16, y, words, 11, INK)
        x += 16 + text_width(words, 11) + 18


# ---- rates


def _title(paper, left, y, words, rest):
    paper.text(left, y, words, 12, INK, weight=600)
    paper.text(left + text_width(words, 12, bold=True) + 6, y, rest, 11, FADED)


def _points(paper, report, chosen, place):
    """The steps as circles whose areas are times, large ones below."""
    most = max((report.steps[i]["seconds"] for i in chosen), default=0) or 1.0
    for i in sorted(chosen, key=lambda i: -report.steps[i]["seconds"]):
        step = report.steps[i]
        x, y = place(step)
        paper.open("g", title=_tip(report, i, step))
        paper.add("circle", cx=x, cy=y, r=2.5 + 9 * math.sqrt(step["seconds"] / most), fill=_colour(step),
                  fill_opacity=0.62, stroke="#ffffff", stroke_width=0.8)
        paper.close("g")


def _roof(paper, report, left, right, top, bottom):
    """Rate over intensity: the slope is memory, the flat part is arithmetic."""
    peaks = report.peaks
    chosen = [i for i, step in enumerate(report.steps) if step["flops"] and step["seconds"]]
    _title(paper, left - 56, top - 18, "Products under the roof", f"peak {peaks.flops / 1e9:.0f} GFLOP/s, "
           f"{peaks.bytes / 1e9:.1f} GB/s")
    if not chosen:
        paper.text((left + right) / 2, (top + bottom) / 2, "no step multiplies", 11, FADED, "middle")
        return
    steps = [report.steps[i] for i in chosen]
    ridge = peaks.flops / peaks.bytes
    x_ends = _span([step["flops"] / step["bytes"] for step in steps], ridge)
    y_ends = _span([step["flops"] / step["seconds"] for step in steps], peaks.flops)
    x, y = _log(*x_ends, left, right), _log(*y_ends, bottom, top)
    for tick in _ticks(*x_ends):
        paper.add("path", d=f"M{x(tick):.1f} {top} V{bottom}", stroke="#eef2f7")
        paper.text(x(tick), bottom + 15, _number(tick), 10, FADED, "middle")
    for tick in _ticks(y_ends[0] / 1e9, y_ends[1] / 1e9):
        paper.add("path", d=f"M{left} {y(tick * 1e9):.1f} H{right}", stroke="#eef2f7")
        paper.text(left - 6, y(tick * 1e9) + 3.5, _number(tick), 10, FADED, "end")
    paper.text((left + right) / 2, bottom + 31, "FLOP for each byte read or written", 10, FADED, "middle")
    paper.add("text", "GFLOP/s", font_size=10, fill=FADED, text_anchor="middle",
              transform=f"translate({left - 44} {(top + bottom) / 2}) rotate(-90)")
    start = max(x_ends[0], y_ends[0] / peaks.bytes)
    paper.add("path", d=f"M{x(start):.1f} {y(start * peaks.bytes):.1f} L{x(ridge):.1f} {y(peaks.flops):.1f} H{right}",
              fill="none", stroke=INK, stroke_width=1.6, stroke_linejoin="round")
    _points(paper, report, chosen,
            lambda step: (x(step["flops"] / step["bytes"]), y(step["flops"] / step["seconds"])))
    paper.add("rect", x=left, y=top, width=right - left, height=bottom - top, fill="none", stroke=RULE)


def _memory(paper, report, left, right, top, bottom):
    """Steps that only move data, by how fast they do."""
    chosen = [i for i, step in enumerate(report.steps) if not step["flops"] and step["bytes"] and step["seconds"]]
    if not chosen:
        return
    rates = [report.steps[i]["bytes"] / report.steps[i]["seconds"] for i in chosen]
    ends = _span(rates, report.peaks.bytes)
    x, middle = _log(*ends, left, right), (top + bottom) / 2
    paper.text(left - 12, middle - 3, "All others,", 10, FADED, "end")
    paper.text(left - 12, middle + 10, "GB/s", 10, FADED, "end")
    for tick in _ticks(ends[0] / 1e9, ends[1] / 1e9):
        paper.add("path", d=f"M{x(tick * 1e9):.1f} {top} V{bottom}", stroke="#eef2f7")
        paper.text(x(tick * 1e9), bottom + 15, _number(tick), 10, FADED, "middle")
    at = x(report.peaks.bytes)
    paper.add("path", d=f"M{at:.1f} {top} V{bottom}", stroke=INK, stroke_width=1.6)
    _points(paper, report, chosen, lambda step: (x(step["bytes"] / step["seconds"]), middle))
    paper.add("rect", x=left, y=top, width=right - left, height=bottom - top, fill="none", stroke=RULE)


# ---- names


def _list(paper, report, longest, left, right, top):
    _title(paper, left, top - 18, "The longest steps", "time, share of the peak")
    most = max((report.steps[i]["seconds"] for i in longest), default=0) or 1.0
    for k, i in enumerate(longest):
        step, y = report.steps[i], top + k * 26
        numbers = f"{duration(step['seconds'])} · {report.peaks.share(step):.0%}"
        name = f"{i + 1}  {step['operations'].replace('+', ' + ')}"
        label = visible(step["label"])
        room = right - left - text_width(numbers, 10) - 10
        paper.open("g", title=_tip(report, i, step))
        shown = fit(name, 10, room, bold=True)
        paper.text(left, y + 8, shown, 10, INK, weight=600)
        used = text_width(shown, 10, bold=True) + 8
        if label and room - used > 40:
            paper.text(left + used, y + 8, fit(label, 10, room - used, keep_end=True), 10, FADED)
        paper.text(right, y + 8, numbers, 10, INK, "end")
        paper.add("rect", x=left, y=y + 12, width=right - left, height=5, rx=2.5, fill="#f1f5f9")
        paper.add("rect", x=left, y=y + 12, width=max((right - left) * step["seconds"] / most, 2.0), height=5, rx=2.5,
                  fill=_colour(step))
        paper.close("g")
