"""Calls MPI_Barrier from frames of all kinds, and writes for each call which functions were active,
as Python says: one line a call, with name and line of each, outermost first.

    frames.py FILE [REPEATS]        FILE.RANK is written"""
import functools
import sys
import threading

from job import job

truth = []


def mark():
    """To be called on the line of the barrier."""
    frames = []
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        frames.append(f"{getattr(code, 'co_qualname', code.co_name)}:{frame.f_lineno}")
        frame = frame.f_back
    truth.append(" ".join(reversed(frames)))


def barrier():
    mark(), job.barrier()


class Solver:
    def __init__(self, calls_at_end=False):
        self.calls_at_end = calls_at_end

    def step(self):
        mark(), job.barrier()
        barrier()

    @staticmethod
    def fixed():
        mark(), job.barrier()

    @property
    def residual(self):
        mark(), job.barrier()
        return 0

    def __lt__(self, other):
        mark(), job.barrier()
        return False

    def __del__(self):
        if self.calls_at_end:
            mark(), job.barrier()


def recurse(depth):
    if depth == 0:
        mark(), job.barrier()
        return 0
    return 1 + recurse(depth - 1)


def numbers(n):
    for i in range(n):
        mark(), job.barrier()
        yield i


def delegating(n):
    yield from numbers(n)


def raising():
    try:
        raise ValueError("planned")
    except ValueError:
        mark(), job.barrier()
    finally:
        barrier()


def passing_through():
    try:
        failing()
    except KeyError:
        mark(), job.barrier()


def failing():
    mark(), job.barrier()
    raise KeyError("planned")


def decorated(function):
    @functools.wraps(function)
    def wrapper(*arguments):
        mark(), job.barrier()
        return function(*arguments)
    return wrapper


@decorated
def by_name(first, second):
    mark(), job.barrier()
    return first + second


async def waiting():
    mark(), job.barrier()


async def coroutine():
    await waiting()
    mark(), job.barrier()


def run_coroutine():
    running = coroutine()
    try:
        running.send(None)
    except StopIteration:
        pass


def from_c():
    """The interpreter's C functions stand between these."""
    list(map(lambda _: (mark(), job.barrier()), range(2)))
    sorted([Solver(), Solver()])
    [(mark(), job.barrier()) for _ in range(2)]
    sum((mark(), job.barrier(), 1)[2] for _ in range(2))
    functools.reduce(lambda a, b: recurse(a + b), [1, 1, 1])
    max([1, 2], key=lambda _: (barrier(), 1)[1])


def dropped(number):
    """A function that is gone after its call: its code, too, and another one may lie where it was."""
    space = {"mark": mark, "job": job}
    exec(f"def made_{number}():\n{'    # a line' * 0}    {'pass; ' * (number % 7)}mark(), job.barrier()\n", space)
    space.pop(f"made_{number}")()


def in_thread():
    thread = threading.Thread(target=lambda: (recurse(2), barrier()))
    thread.start()
    thread.join()


def größe():
    mark(), job.barrier()


def once():
    barrier()
    solver = Solver()
    solver.step()
    Solver.fixed()
    solver.residual
    recurse(6)
    for _ in numbers(3):
        pass
    list(delegating(2))
    raising()
    passing_through()
    by_name(1, second=2) if False else by_name(1, 2)
    run_coroutine()
    from_c()
    Solver(calls_at_end=True)
    for number in range(40):
        dropped(number)
    in_thread()
    größe()


def main():
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 3):
        once()
    with open(f"{sys.argv[1]}.{job.rank}", "w", encoding="utf-8") as file:
        file.write("\n".join(truth) + "\n")
    job.finalize()


main()
