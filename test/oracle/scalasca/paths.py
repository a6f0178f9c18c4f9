"""The critical path of a run, and how much each activity matters for its length.

Sums are by (rank, activity).
"""
import collections
import dataclasses


def critical_path(run, sync, own_times):
    """Back from the end of the rank that entered MPI_Finalize last, from each wait to whom it was
    for. What precedes MPI_Init is not in it, nor is MPI_Finalize."""
    path = collections.Counter()
    end = max((r.calls[-1] for r in run.ranks), key=lambda call: call.enter)
    while True:
        point = next((p for p in sync.points[end.rank].before(end)
                      if p.waited > 0 or is_init(p.call)), None)
        if point is None:
            return +path
        for activity, length in own_times[end.rank].passed(point.call, end).items():
            path[end.rank, activity] += length
        if is_init(point.call):
            return +path
        path[end.rank, point.call.activity] -= point.waited
        end = point.wait.cause


def is_init(call):
    return call.region in ("MPI_Init", "MPI_Init_thread")


def own_times_by_rank(own_times):
    """Without waiting, of the whole run."""
    return collections.Counter({(rank, activity): length for rank, own in enumerate(own_times)
                                for activity, length in own.without_waiting().items()})


@dataclasses.dataclass
class Impact:
    global_path: dict  # the critical path of all ranks, by activity
    critical_path_activities: dict
    critical_imbalance_impact: dict
    non_critical_path_activities: dict


def impact(path, own):
    """`path`: the critical path; `own`: what ranks did without waiting.

    A rank spends the path's length on the path's activities, on others, and waiting. What it does
    less of an activity than the path has is where it could wait; its waiting is shared out by that,
    and then over the ranks on which the path has the activity.
    """
    whole = collections.Counter()
    for (_, activity), length in path.items():
        whole[activity] += length
    ranks = sorted({rank for rank, _ in own})
    return Impact(
        dict(whole),
        {k: min(whole[k[1]], t) for k, t in own.items() if min(whole[k[1]], t) > 0},
        _imbalance_impact(path, own, whole, ranks),
        {k: t - whole[k[1]] for k, t in own.items() if t > whole[k[1]]})


def _imbalance_impact(path, own, whole, ranks):
    waiting = collections.Counter()  # by activity, of all ranks
    for rank in ranks:
        less = {a: max(0, t - own.get((rank, a), 0)) for a, t in whole.items()}
        all_less = sum(less.values())
        if all_less == 0:
            continue
        busy = sum(t for (r, _), t in own.items() if r == rank)
        for activity, t in less.items():
            waiting[activity] += t * (sum(whole.values()) - busy) / all_less
    shared = {(r, a): t / whole[a] * waiting[a] for (r, a), t in path.items()}
    return {k: t for k, t in shared.items() if t > 0}
