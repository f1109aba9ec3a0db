"""onnxruntime, where it is installed: one way to start a model on it."""

from __future__ import annotations

import os

from recairn.core.errors import ModelFailed, ModelMissing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EXTRA_HINT = "pip install 'recairn[onnx]'"
# Beyond this many threads the memory bus is the limit.
MOST_THREADS = 8
# Only errors: onnxruntime has a lot to say about models that other people exported.
_ERRORS = 3


def has_onnxruntime() -> bool:
    from importlib.util import find_spec

    return find_spec("onnxruntime") is not None


def started(model: bytes | str, *, threads: int = 0) -> Any:
    """A session of the model, given as its content or its path; 0 threads: a few of the cores.

    Raises ModelMissing without onnxruntime, ModelFailed for what it cannot run.
    """
    try:
        import onnxruntime
    except ImportError:
        raise ModelMissing("this model needs onnxruntime", EXTRA_HINT) from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or min(usable_cores(), MOST_THREADS)
    options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS
    try:
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its exceptions have no base of their own
        what = model if isinstance(model, str) else "the model"
        raise ModelFailed(f"onnxruntime cannot run {what}: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    return (str(error).split("\n") or [type(error).__name__])[0]


def usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
