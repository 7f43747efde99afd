"""The one exception of the importer."""

import webnn


class ModelError(webnn.OperationError):
    """The model is damaged, or holds something that can't be expressed; the message names the node."""
