"""Tables of sums over a run, with what can be asked of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .plots import plot_efficiency, plot_matrix
from .table import Table


class CommMatrix(Table):
    """Messages and bytes by pair of ranks, a row for each pair that exchanges any."""

    ranks: int = 0

    def to_numpy(self, what: str = "bytes") -> npt.NDArray[np.int64]:
        """Shape (ranks, ranks): ``[source, destination]``; `what` is ``"bytes"`` or ``"messages"``."""
        dense = np.zeros((self.ranks, self.ranks), dtype=np.int64)
        dense[self["source"], self["destination"]] = self[what]
        return dense

    def by_rank(self, what: str = "bytes") -> Table:
        """``rank``, ``sent`` and ``received``, a row for each rank; `what` as for
        :meth:`to_numpy`."""
        dense = self.to_numpy(what)
        return Table.of({"rank": (np.arange(self.ranks, dtype=np.int32), None, None),
                         "sent": (dense.sum(axis=1), None, None),
                         "received": (dense.sum(axis=0), None, None)})

    def plot(self, what: str = "bytes", ax: Any = None) -> Any:
        """The dense matrix as a picture; returns matplotlib's Axes."""
        return plot_matrix(self.to_numpy(what), what, ax)


class FlatProfile(Table):
    """Exclusive times by rank and name."""

    def load_imbalance(self) -> Table:
        """``name``, ``mean_ns`` over the ranks that have it, ``max_ns``, ``max_rank`` and
        ``imbalance``, the ratio of maximum and mean; by falling mean."""
        codes, names, _ = self.column("name")
        times, ranks = self["time_ns"], self["rank"]
        count = np.bincount(codes, minlength=len(names))
        order = np.lexsort((times, codes))
        last = order[np.cumsum(count)[count > 0] - 1]
        mean = np.bincount(codes, weights=times, minlength=len(names))[count > 0] / count[count > 0]
        by_mean = np.argsort(-mean, kind="stable")
        longest = last[by_mean]
        ratio = np.divide(times[longest], mean[by_mean], out=np.ones(len(mean)), where=mean[by_mean] > 0)
        return Table.of({"name": (codes[longest], names, None), "mean_ns": (mean[by_mean], None, None),
                         "max_ns": (times[longest], None, None), "max_rank": (ranks[longest], None, None),
                         "imbalance": (ratio, None, None)})

    def idle_time(self, operations: Sequence[str] = ("MPI_Wait", "MPI_Waitall", "MPI_Recv")) -> Table:
        """``rank`` and ``time_ns``, the time of each rank in these operations; what of that is
        waiting says :meth:`Trace.wait_states`."""
        codes, names, _ = self.column("name")
        chosen = np.isin(codes, [i for i, name in enumerate(names) if name in operations])
        ranks = np.unique(self["rank"])
        time = np.zeros(int(ranks.max(initial=-1)) + 1, dtype=np.int64)
        np.add.at(time, self["rank"][chosen], self["time_ns"][chosen])
        return Table.of({"rank": (ranks, None, None), "time_ns": (time[ranks], None, None)})


class Efficiency(Table):
    """POP's efficiency factors, a row for each."""

    def plot(self, variant: str = "multiplicative", interval: str = "analysed", ax: Any = None) -> Any:
        """The factors as bars; returns matplotlib's Axes."""
        chosen = (self["variant"] == variant) & (self["interval"] == interval)
        return plot_efficiency(self["factor"][chosen], self["value"][chosen], ax)
