"""Slackline: performance analysis of MPI programs, from Python.

    >>> import slackline
    >>> trace = slackline.open("app.slk")
    >>> trace.calls(operation="MPI_Allreduce").to_pandas()
    >>> trace.graph().predict(L="3us").makespan_ns

What the commands know is here as tables of NumPy columns (:class:`Table`), which pandas, Polars,
DuckDB and pyarrow take without a copy, and as the dicts that ``--format json`` prints
(:func:`run`). Errors that a user can mend are :class:`Error`, with the command line's sentences in which
options are keywords.
Long computations release the GIL, and Ctrl-C interrupts them.
"""

from . import _core
from ._core import Error
from .commands import commands, run
from .example_traces import example
from .graph import Envelope, Graph, Prediction
from .importing import from_arrow
from .model import LogGPS, Platform
from .progress import on_progress, show_progress
from .reports import Report, diff, report, simulate
from .scenario import Scenario, whatif
from .summaries import CommMatrix, Efficiency, FlatProfile
from .table import Column, Table
from .trace import Trace
from .trace import open_trace as open  # noqa: A004  (slackline.open is the module's front door)

__version__: str = _core.version
__all__ = [
    "Column", "CommMatrix", "Efficiency", "Envelope", "Error", "FlatProfile", "Graph", "LogGPS", "Platform",
    "Prediction", "Report", "Scenario", "Table", "Trace", "commands", "diff", "example", "from_arrow", "on_progress", "open",
    "report", "run", "show_progress", "simulate", "whatif",
]
