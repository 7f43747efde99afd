"""`replay`: a comparison that was saved, once more."""

import importlib
import sys

from webnn.testing import replay


def engine(name):
    """What MODULE:NAME names; modules in the current folder are found."""
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise ValueError(f"an engine is MODULE:NAME, not {name!r}")
    sys.path.insert(0, "")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"engine {name!r}: {error}") from error
    finally:
        sys.path.remove("")


def main(options):
    outcomes = replay(options.file, engine=None if options.engine is None else engine(options.engine))
    for name, outcome in outcomes:
        print(f"{name if options.engine is None else options.engine}: {outcome}")
    return 0 if all(outcome for _, outcome in outcomes) else 1
