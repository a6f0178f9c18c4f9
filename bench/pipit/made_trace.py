"""A trace to measure with: ranks that exchange with six neighbours and reduce, step after step, with regions."""
import numpy as np

NEIGHBOURS = np.array([1, -1, 6, -6, 7, -7])
EVENTS_OF_STEP = 2 * (2 * len(NEIGHBOURS) + 1) + 2 * len(NEIGHBOURS) + 4  # calls, their messages, two regions


def made_trace(slackline, path, ranks, steps):
    """Writes it to `path` and returns it. pipit sees about ranks * steps * EVENTS_OF_STEP events."""
    operations = np.array(["MPI_Send"] * len(NEIGHBOURS) + ["MPI_Recv"] * len(NEIGHBOURS) + ["MPI_Allreduce"])
    of_step = len(operations)
    calls = {name: [] for name in ("rank", "operation", "begin_ns", "end_ns", "bytes", "peer", "tag")}
    regions = {name: [] for name in ("rank", "region", "begin_ns", "end_ns")}
    random = np.random.default_rng(1)
    for rank in range(ranks):
        count = steps * of_step
        time = random.lognormal(7, 0.4, count).astype(np.int64) + 1
        gap = random.lognormal(6, 0.5, count).astype(np.int64) + 1
        gap[::of_step] += 20000
        end = np.cumsum(gap + time)
        peers = np.concatenate([(rank + NEIGHBOURS) % ranks, (rank - NEIGHBOURS) % ranks, [-1]])
        numbers = np.arange(len(NEIGHBOURS))
        for name, values in {
            "rank": np.full(count, rank), "operation": np.tile(operations, steps), "begin_ns": end - time, "end_ns": end,
            "bytes": np.tile([*[8000, 8000, 800, 800, 80, 80] * 2, 8], steps), "peer": np.tile(peers, steps),
            "tag": np.tile([*numbers, *numbers, 8], steps),
        }.items():
            calls[name].append(values)
        begin_of_step, end_of_step = (end - time)[::of_step] - 10000, end[of_step - 1::of_step]
        for name, begin in (("step", begin_of_step), ("exchange", begin_of_step + 9000)):
            regions["rank"].append(np.full(steps, rank))
            regions["region"].append(np.full(steps, name))
            regions["begin_ns"].append(begin)
            regions["end_ns"].append(end_of_step if name == "step" else (end - time)[of_step - 1::of_step] - 1)
    return slackline.from_arrow({name: np.concatenate(parts) for name, parts in calls.items()}, path,
                                regions={name: np.concatenate(parts) for name, parts in regions.items()})
