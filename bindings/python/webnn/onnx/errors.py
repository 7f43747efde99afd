"""The one exception of the importer, and how a model's text gets into messages."""

import webnn
from webnn._definition import visible

_LONGEST_NAME = 120
_LONGEST_MESSAGE = 1000


class ModelError(webnn.OperationError):
    """The model is damaged, or holds something that can't be expressed; the message names the node."""

    def __init__(self, message, *, located=False):
        super().__init__(fitted(message))
        self.located = located  # whether the message says where in the model


def shown(text):
    """A name of the model, cut, and without what can't be seen."""
    text = text if isinstance(text, str) else repr(text)  # damaged text comes as bytes
    return visible(text if len(text) <= _LONGEST_NAME else f"{text[:_LONGEST_NAME]}…")


def quoted(text):
    """The same in quotes."""
    return f"'{shown(text)}'"


def fitted(message):
    """A whole message, whatever the model's text in it: printable, and cut in the middle where it is long."""
    half = _LONGEST_MESSAGE // 2
    return visible(message if len(message) <= 2 * half else f"{message[:half]} … {message[-half:]}")
