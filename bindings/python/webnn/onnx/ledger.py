"""How much memory an import may take for what it computes, which a file of some bytes may ask for without end."""

import functools
import weakref

import numpy as np

from .errors import ModelError

_LIMIT = 1 << 28       # bytes, whatever the model's size
_TIMES_THE_MODEL = 8   # and for each byte of its weights: they may be widened, or unpacked
_UNCOUNTED = 1 << 10   # bytes: nodes are limited in number


class Ledger:
    """The bytes of computed arrays that live, and of all arrays that became constants of the graph."""

    def __init__(self, given):
        self._given = given  # the model's own bytes, of which views cost nothing
        self._allowed = _LIMIT
        self._handed_over = 0
        self._live = {}      # id of an array that owns memory → weak reference to it
        self._sum = [0]      # of their bytes: in a box, so that they needn't hold the ledger

    def allow(self, n_bytes):
        """More, for weights that were read."""
        self._allowed += _TIMES_THE_MODEL * n_bytes

    def claim(self, n_bytes):
        """Refuses what there is no room for; it is about to be computed."""
        if self._sum[0] + self._handed_over + n_bytes > self._allowed:
            raise ModelError(f"what is computed while importing would take more than {self._allowed} bytes")

    def count(self, array):
        """Takes up a computed array, or what it is a view on, until that is gone."""
        root = _root(array)
        if root.nbytes <= _UNCOUNTED or id(root) in self._live or self._is_given(root):
            return
        self.claim(root.nbytes)
        gone = functools.partial(_forget, self._live, self._sum, id(root), root.nbytes)
        self._live[id(root)] = weakref.ref(root, gone)
        self._sum[0] += root.nbytes

    def hand_over(self, array):
        """An array becomes a constant of the graph, for good: also a view, of which there may be many on one weight."""
        self.claim(array.nbytes)
        self._handed_over += array.nbytes

    def _is_given(self, root):
        """Whether it is a view on the model's bytes; a message makes new ones whenever it is asked for them."""
        owner = root.base.obj if isinstance(root.base, memoryview) else root.base
        return owner is not None and (owner is self._given or not isinstance(owner, bytes))


def _root(array):
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _forget(live, total, key, n_bytes, _):
    del live[key]
    total[0] -= n_bytes
