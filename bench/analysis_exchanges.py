#!/usr/bin/env python3
"""The exchanges of an analysis in the job as a program, for `slackline predict`.

    analysis_exchanges.py RANKS CALLS [PART] > analysis.txt

RANKS ranks have recorded CALLS calls each; as in runtime/record/job_analysis.cc there is a process for each 50,000
calls, at most one for each rank. PART 10 has a tenth of the exchanges, with a tenth of the computation, for large jobs. The figures of one process are those of doc/parallel-analysis.md, "Analysis in the job":
exchanges, bytes sent and CPU time for a call, and what each takes whatever it has."""
import sys

EXCHANGES = 60
BYTES_PER_CALL = 25
NS_PER_CALL = 1000
START_NS = 30_000_000
CALLS_PER_PROCESS = 50_000


def process(rank, size, calls, exchanges, out):
    others = [p for p in range(size) if p != rank]
    each = max(1, calls * BYTES_PER_CALL // EXCHANGES // max(1, len(others)))
    out.write(f"rank {rank}\n")
    for _ in range(exchanges):
        out.write(f"compute {(START_NS + calls * NS_PER_CALL) // EXCHANGES}\nalltoall bytes=8 elem=8\n")
        for i, other in enumerate(others):
            out.write(f"irecv from={other} bytes={each} req={2 * i + 1}\nisend to={other} bytes={each} req={2 * i + 2}\n")
        for first in range(1, 2 * len(others) + 1, 1000):
            out.write(f"waitall reqs={first}..{min(first + 999, 2 * len(others))}\n")


def main():
    ranks, calls, part = (int(word) for word in [*sys.argv[1:], "1"][:3])
    size = min(ranks, 1 + ranks * calls // CALLS_PER_PROCESS)
    sys.stdout.write(f"slackline-trace 1 untimed ranks={size}\n")
    for rank in range(size):
        process(rank, size, ranks * calls // size, EXCHANGES // part, sys.stdout)


if __name__ == "__main__":
    main()
