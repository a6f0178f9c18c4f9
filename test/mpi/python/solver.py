"""A halo exchange on which rank 0 is late: its assemble() has eight times the work of the others."""
from job import job

UNIT = 200_000


def assemble(units):
    total = 0
    for i in range(units * UNIT):  # the late loop
        total += (i * i + 7) % 11
    return total


def relax(values):
    total = 0.0
    for i in range(UNIT):
        total += i * 0.5
    return values[0] + total


def exchange():
    job.exchange((job.rank + 1) % job.size, (job.rank - 1) % job.size)


def solve(steps):
    values = [0.0]
    for _ in range(steps):
        assemble(8 if job.rank == 0 else 1)
        exchange()
        relax(values)
        job.barrier()


if __name__ == "__main__":
    solve(12)
    job.finalize()
