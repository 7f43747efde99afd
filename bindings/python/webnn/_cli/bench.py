"""`bench`: where the time of a model goes, and how far from what the machine can do."""

import collections
import dataclasses
import pathlib
import statistics
import time

import numpy as np

import webnn
from webnn._definition import visible

from . import models

_WARM_UP = 2


@dataclasses.dataclass(frozen=True)
class Peaks:
    """What this context reaches when it has nothing else to do: flops and bytes a second."""

    flops: float
    bytes: float

    def share(self, step):
        """How much of the machine a step uses: of its products, or of its memory, whichever is more."""
        return max(step["flops"] / self.flops, step["bytes"] / self.bytes) / step["seconds"] if step["seconds"] else 0.0


@dataclasses.dataclass(frozen=True)
class Report:
    """What was measured; `seconds` are of whole runs."""

    title: str
    info: dict
    steps: list
    seconds: list
    peaks: Peaks
    memory: dict

    @property
    def in_steps(self):
        return sum(step["seconds"] for step in self.steps)


# ---- measuring


def measure(context, graph, inputs, runs, title):
    """Runs and profiled runs in turn, so that what disturbs the one disturbs the other; steps have their medians."""
    outputs = {name: np.empty(one.shape, one.data_type) for name, one in graph.outputs.items()}
    peaks = Peaks(**context.measure_peaks())
    seconds, profiles = [], []
    for i in range(_WARM_UP + runs):
        begin = time.perf_counter()
        context.compute(graph, inputs, outputs)
        took = time.perf_counter() - begin
        profile = graph.profile(inputs, runs=1)
        if i >= _WARM_UP:
            seconds.append(took)
            profiles.append(profile)
    steps = [dict(same[0], seconds=statistics.median(step["seconds"] for step in same)) for same in zip(*profiles)]
    return Report(title, context.info, steps, seconds, peaks, graph.memory)


# ---- telling


_NUMBERS = ("step", "time", "share", "GFLOP/s", "GB/s", "of peak", "threads")
_WORDS = ("operations", "kernel", "label", "operands and result")


def duration(seconds):
    """In the unit that reads well."""
    return f"{seconds * 1e3:.3f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.1f} µs"


def _rate(amount, seconds):
    return f"{amount / seconds / 1e9:.1f}" if amount and seconds else "-"


def _rows(report, top):
    order = list(enumerate(report.steps, 1))
    if top is not None:
        order = sorted(order, key=lambda item: -item[1]["seconds"])[:top]
    total = report.in_steps or 1.0
    for i, step in order:
        yield (str(i), duration(step["seconds"]), f"{step['seconds'] / total:.1%}",
               _rate(step["flops"], step["seconds"]), _rate(step["bytes"], step["seconds"]),
               f"{report.peaks.share(step):.0%}", str(step["threads"]), step["operations"], step["kernel"], visible(step["label"]),
               step["shapes"])


def _table(rows, n_numbers):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [cell.rjust(width) if i < n_numbers else cell.ljust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]
        yield "  ".join(cells).rstrip()


def by_kernel(steps):
    """(kernel, how many steps, seconds), the longest first."""
    found = collections.defaultdict(lambda: [0, 0.0])
    for step in steps:
        found[step["kernel"]][0] += 1
        found[step["kernel"]][1] += step["seconds"]
    return sorted(((kernel, n, seconds) for kernel, (n, seconds) in found.items()), key=lambda item: -item[2])


def _kernels(report):
    total = report.in_steps or 1.0
    yield ("steps", "time", "share", "kernel")
    for kernel, n, seconds in by_kernel(report.steps):
        yield str(n), duration(seconds), f"{seconds / total:.1%}", kernel


def _mib(n):
    return f"{n / 2**20:.1f} MiB"


def text(report, top=None):
    info, peaks, memory = report.info, report.peaks, report.memory
    median, flops = statistics.median(report.seconds), sum(step["flops"] for step in report.steps)
    driver = f", {info['driver']}" if info["driver"] else ""
    yield f"{visible(report.title)}: {len(report.steps)} steps"
    yield f"{info['backend']} on {info['device']}{driver}, {info['threads']} threads"
    yield (f"peak here: {peaks.flops / 1e9:.1f} GFLOP/s in products of float32 matrices, "
           f"{peaks.bytes / 1e9:.1f} GB/s of memory (what fits the caches may be faster)")
    yield ""
    yield from _table([_NUMBERS + _WORDS, *_rows(report, top)], len(_NUMBERS))
    yield ""
    yield from _table(list(_kernels(report)), 3)
    yield ""
    yield f"steps    {duration(report.in_steps)} in all, medians of {len(report.seconds)} profiled runs"
    yield f"run      {duration(median)}, median of {len(report.seconds)}; the best {duration(min(report.seconds))}"
    if flops:
        yield (f"products {flops / 1e9:.3f} GFLOP a run: {flops / median / 1e9:.1f} GFLOP/s, "
               f"{flops / median / peaks.flops:.0%} of the peak")
    yield (f"memory   weights {_mib(memory['weights'])}, arena {_mib(memory['arena'])}, "
           f"scratch {_mib(memory['scratch'])}")


def main(options):
    with models.open_context(options) as context, models.build(context, options) as graph:
        report = measure(context, graph, models.feeds(graph, options), options.runs, pathlib.Path(options.model).name)
    for line in text(report, options.top):
        print(line)
    if options.picture:
        from .picture import picture

        with open(options.picture, "w", encoding="utf-8") as file:
            file.write(picture(report))
        print(f"wrote {options.picture}")
    return 0
