"""python -m webnn: looks at this machine through the library."""

import argparse
import platform
import sys

import webnn


def info(_):
    """Versions, and what a context of each kind gets."""
    print(f"webnn {webnn.__version__}, Python {platform.python_version()}, {platform.platform()}")
    for device_type in ("cpu", "gpu"):
        with webnn.ML().create_context(device_type=device_type).result() as context:
            found = context.info
        line = f"{device_type}: {found['backend']} on {found['device']}, {found['threads']} threads"
        print(f"{line}, {found['driver']}" if found["driver"] else line)
        if found["why"]:
            print(f"     {found['why']}")
    for backend in ("onednn", "opencl", "reference"):
        try:
            webnn.ML().create_context(backend=backend).result().destroy()
            print(f"backend {backend}: yes")
        except webnn.Error as error:
            print(f"backend {backend}: no ({error})")
    return 0


def replay(options):
    """Runs a saved comparison on every backend that is here."""
    from webnn.testing import replay as run_again

    outcomes = run_again(options.file)
    for name, outcome in outcomes:
        print(f"{name}: {outcome}")
    return 0 if all(outcome for _, outcome in outcomes) else 1


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m webnn", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="command")
    command = commands.add_parser("info", help=info.__doc__)
    command.set_defaults(run=info)
    command = commands.add_parser("replay", help=replay.__doc__)
    command.add_argument("file", help="what Comparison.save wrote")
    command.set_defaults(run=replay)
    options = parser.parse_args(arguments)
    return options.run(options)


if __name__ == "__main__":
    sys.exit(main())
