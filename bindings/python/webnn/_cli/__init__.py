"""The command line: what each command takes, and errors in one line."""

import argparse
import importlib
import os
import sys

import webnn
from webnn._definition import visible

_DESCRIPTION = "Looks at this machine, and at models (.onnx, .webnn), through the library."

# Each command is a module beside this one, imported when it is asked for.
_COMMANDS = {
    "info": "Versions, and what a context of each kind gets.",
    "run": "Runs a model once and says what comes out.",
    "bench": "Times a model, step by step.",
    "export": "Writes a model as a graph file, a JavaScript module or a drawing.",
    "replay": "Runs a saved comparison on every backend that is here.",
}


# ---- arguments


def _count(text):
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
    return int(text)


def _shape(text):
    name, equals, sizes = text.rpartition("=")
    sizes = sizes.split(",") if sizes else []
    if not equals or not name or not all(size.strip().isdecimal() for size in sizes):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=1,3,224,224")
    return name, [int(size) for size in sizes]


def _model_arguments(command):
    command.add_argument("model", metavar="MODEL", help="an .onnx model or a .webnn graph file")
    command.add_argument("--shape", metavar="NAME=SIZES", type=_shape, action="append", default=[],
                         help="the shape of an input that the model leaves open: x=1,3,224,224")


def _context_arguments(command):
    command.add_argument("--input", metavar="NAME=DATA", action="append", default=[], dest="inputs",
                         help="an .npy file, random, zeros or ones; random is what inputs get that aren't named")
    command.add_argument("--seed", metavar="N", type=int, default=0, help="of random inputs, 0 by default")
    command.add_argument("--device", choices=("cpu", "gpu"), default="cpu")
    command.add_argument("--backend", choices=("auto", "onednn", "opencl", "reference"), default="auto")
    command.add_argument("--threads", metavar="N", type=_count, default=0, help="by default as many as there are cores")
    command.add_argument("--math", choices=("exact", "fast"), default="exact", help="fast: products in less precision")


def _parser():
    parser = argparse.ArgumentParser(prog="python -m webnn", description=_DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"webnn {webnn.__version__}")
    commands = parser.add_subparsers(metavar="command", dest="command")

    def add(name):
        return commands.add_parser(name, help=_COMMANDS[name], description=_COMMANDS[name])

    add("info")
    command = add("run")
    _model_arguments(command)
    _context_arguments(command)
    command.add_argument("--output", metavar="DIR", help="a folder for the outputs, as NAME.npy")
    command = add("bench")
    _model_arguments(command)
    _context_arguments(command)
    command.add_argument("--runs", metavar="N", type=_count, default=20, help="20 by default")
    command.add_argument("--top", metavar="N", type=_count, help="only the N steps that take longest, these first")
    command.add_argument("--picture", metavar="FILE.svg", help="draws where the time goes")
    command = add("export")
    _model_arguments(command)
    command.add_argument("out", metavar="OUT", help="a .webnn, .js, .mjs, .svg or .dot file")
    command = add("replay")
    command.add_argument("file", help="what Comparison.save wrote")
    command.add_argument("--engine", metavar="MODULE:NAME", help="a Context or a function as testing.compare takes it, "
                         "instead of the backends")
    return parser


def main(arguments=None):
    """0 when all went well, 1 after an error or a difference, 2 when the arguments are wrong."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help()
        return 0
    try:
        code = importlib.import_module(f"{__name__}.{options.command}").main(options)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # who read our output has enough; nor may the interpreter's last flush fail
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    except (webnn.Error, OSError, ImportError, TypeError, ValueError, MemoryError) as error:
        print(f"webnn: {_in_words(error)}", file=sys.stderr)
        return 1


def _in_words(error):
    """An error in one line; the system's without its number, the file first as elsewhere."""
    text = str(error)
    if isinstance(error, ModuleNotFoundError) and error.name == "numpy":
        text += ": this command needs NumPy (pip install numpy)"
    if isinstance(error, OSError) and error.filename is not None:
        reason = "there is no such file" if isinstance(error, FileNotFoundError) else error.strerror
        text = f"{os.fsdecode(error.filename) if not isinstance(error.filename, int) else error.filename}: {reason}"
    return visible(" ".join(text.split())) or type(error).__name__
