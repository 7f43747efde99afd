"""`replay`: a comparison that was saved, once more."""

from webnn.testing import replay


def main(options):
    outcomes = replay(options.file)
    for name, outcome in outcomes:
        print(f"{name}: {outcome}")
    return 0 if all(outcome for _, outcome in outcomes) else 1
