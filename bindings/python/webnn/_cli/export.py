"""`export`: a model in another form."""

import pathlib

import webnn

from . import models


def main(options):
    out = pathlib.Path(options.out)
    write = _WRITERS.get(out.suffix.lower())
    if write is None:
        raise ValueError(f"{out}: must end in {', '.join(_WRITERS)}")
    if out.resolve() == pathlib.Path(options.model).resolve():
        raise ValueError(f"{out}: is the model itself")
    with webnn.ML().create_context().result() as context:
        builder = webnn.GraphBuilder(context)
        outputs = models.add_to(builder, options)
        for path in write(out, builder, outputs):
            print(f"wrote {path}, {path.stat().st_size:,} bytes")
    return 0


def _webnn(out, builder, outputs):
    from webnn import serialize

    serialize.save(out, builder, outputs)
    return [out]


def _js(out, builder, outputs):
    from webnn import js

    weights = out.with_suffix(".safetensors")
    weights_before = weights.stat().st_mtime_ns if weights.exists() else None
    js.save(out, builder, outputs)
    return [out, weights] if weights.exists() and weights.stat().st_mtime_ns != weights_before else [out]


def _text(name):
    def write(out, builder, outputs):
        from webnn import viz

        out.write_text(getattr(viz, name)(builder, outputs), encoding="utf-8")
        return [out]

    return write


_WRITERS = {".webnn": _webnn, ".js": _js, ".mjs": _js, ".svg": _text("svg"), ".dot": _text("dot")}
