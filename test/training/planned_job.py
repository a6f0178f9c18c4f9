"""A plan of a training job: what runs where, and what must wait for what.

Times are integers in nanoseconds. A moment is the latest of some earlier moments, each plus a delay, so that the times of
all events, the length of each step and the critical path follow from the plan alone.
"""

LAUNCH = 4_000  # a call of the runtime
LAUNCH_LATENCY = 6_000  # from its begin to the kernel's
GAP = 1_000  # between activities of a stream, or after another one's event
SYNC_LATENCY = 3_000  # from the last kernel's end to the return of a synchronising call
LATENCY = 3_000  # of a message
BYTES_PER_NS = 100  # of a message
PYTHON = 2_000  # between operators

COMPUTE_STREAM = 7


def ring_time(operation, ranks, size):
    """Of `size` bytes by NCCL's ring algorithms: steps times latency, and the bytes that each link carries."""
    steps = {"AllReduce": 2 * (ranks - 1), "AllGather": ranks - 1, "ReduceScatter": ranks - 1, "SendRecv": 1}[operation]
    block = size if operation == "SendRecv" else size // ranks
    return steps * (LATENCY + block // BYTES_PER_NS)


class Rank:
    """One thread and some streams. Events are (category, name, begin moment, end moment, arguments, stream)."""

    def __init__(self, job, rank):
        self.job = job
        self.rank = rank
        self.cpu = job.moment([])
        self.streams = {}  # last end
        self.pending = {}  # events that the next activity of a stream waits for
        self.last_launch = {}  # by stream: correlation of the last launch
        self.events = []
        self.modules = []

    def event(self, category, name, begin, end, stream=None, **arguments):
        self.events.append((category, name, begin, end, arguments, stream))

    def cpu_time(self, nanoseconds):
        self.cpu = self.job.moment([(self.cpu, nanoseconds)])

    def enter(self, module):
        self.modules.append((module, self.cpu))

    def leave(self):
        module, begin = self.modules.pop()
        self.event("python_function", f"nn.Module: {module}", begin, self.cpu)

    def operator(self, name, nanoseconds, category="cpu_op"):
        """Work of the CPU alone."""
        begin = self.cpu
        self.cpu_time(nanoseconds)
        self.event(category, name, begin, self.cpu)
        self.cpu_time(PYTHON)

    def runtime(self, name, nanoseconds=LAUNCH):
        """A call of the runtime; its begin and its correlation."""
        begin = self.cpu
        self.cpu_time(nanoseconds)
        correlation = self.job.next_correlation()
        self.event("cuda_runtime", name, begin, self.cpu, correlation=correlation)
        return begin, correlation

    def start_on(self, stream, after):
        """The begin of the next activity of a stream, launched at `after`."""
        waits = [(after, LAUNCH_LATENCY)] + [(end, GAP) for end in self.pending.pop(stream, [])]
        if stream in self.streams:
            waits.append((self.streams[stream], GAP))
        return self.job.moment(waits)

    def kernel(self, operator, name, nanoseconds, stream=COMPUTE_STREAM, cpu=3_000):
        """An operator that launches a kernel."""
        begin = self.cpu
        self.cpu_time(cpu)
        launched, correlation = self.runtime("cudaLaunchKernel")
        self.cpu_time(1_000)
        self.event("cpu_op", operator, begin, self.cpu)
        self.cpu_time(PYTHON)
        start = self.start_on(stream, launched)
        end = self.job.moment([(start, nanoseconds)])
        self.streams[stream] = end
        self.event("kernel", name, start, end, stream, correlation=correlation)

    def wait_event(self, stream, other):
        """What comes next on `stream` waits for what `other` has been given so far."""
        if other not in self.streams:
            return
        _, recorded = self.runtime("cudaEventRecord", 1_000)
        begin, waiting = self.runtime("cudaStreamWaitEvent", 1_000)
        self.event("cuda_sync", "Stream Wait Event", begin, self.job.moment([(begin, 500)]), stream, wait_on_stream=other,
                   correlation=waiting, wait_on_cuda_event_record_corr_id=recorded)
        self.pending.setdefault(stream, []).append(self.streams[other])

    def collective(self, group, operation, size, stream, peer=None):
        """An NCCL kernel that waits for the compute stream. `group`: name and ranks; `peer`: ("send" or "recv", rank)."""
        begin = self.cpu
        self.cpu_time(3_000)
        self.wait_event(stream, COMPUTE_STREAM)
        launched, correlation = self.runtime("cudaLaunchKernelExC")
        self.cpu_time(1_000)
        self.event("cpu_op", f"c10d::{operation.lower()}_", begin, self.cpu)
        self.cpu_time(PYTHON)
        start = self.start_on(stream, launched)
        name, ranks = group
        arguments = {"correlation": correlation, "Collective name": operation.lower(), "In msg nelems": size // 4,
                     "Out msg nelems": size // 4, "dtype": "Float", "Group size": len(ranks), "Process Group Name": name,
                     "Process Group Ranks": str(list(ranks))}
        if operation == "AllGather":
            arguments["In msg nelems"] //= len(ranks)
        if operation == "ReduceScatter":
            arguments["Out msg nelems"] //= len(ranks)
        key = (name, tuple(ranks))
        if peer:
            direction, other = peer
            arguments["Collective name"] = direction
            arguments["Dst Rank" if direction == "send" else "Src Rank"] = other
            source, target = (self.rank, other) if direction == "send" else (other, self.rank)
            key = ("p2p", source, target)
        end = self.job.join(key, self.rank, start, ring_time(operation, len(ranks), size), 2 if peer else len(ranks))
        self.streams[stream] = end
        kernel = "ncclDevKernel_SendRecv" if peer else f"ncclDevKernel_{operation}_Sum_f32_RING_SIMPLE"
        self.event("kernel", f"{kernel}(ncclDevKernelArgsStorage<4096ul>)", start, end, stream, **arguments)

    def synchronise(self):
        begin = self.cpu
        waits = [(begin, 2_000)] + [(end, SYNC_LATENCY) for end in self.streams.values()]
        self.cpu = self.job.moment(waits)
        self.event("cuda_runtime", "cudaDeviceSynchronize", begin, self.cpu, correlation=self.job.next_correlation())

    def step(self, number, begin):
        self.event("user_annotation", f"ProfilerStep#{number}", begin, self.cpu)


class Job:
    def __init__(self, ranks):
        self.waits = []  # of each moment: earlier ones and delays
        self.collectives = {}  # by key, rank and count: the moment of its end
        self.starts = {}
        self.counts = {}
        self.correlation = 0
        self.ranks = [Rank(self, rank) for rank in range(ranks)]

    def moment(self, waits):
        self.waits.append(waits)
        return len(self.waits) - 1

    def next_correlation(self):
        self.correlation += 1
        return self.correlation

    def join(self, key, rank, start, duration, members):
        """Ends a kernel of a collective `duration` after its last member began."""
        count = self.counts.get((key, rank), 0)
        self.counts[key, rank] = count + 1
        end = self.collectives.setdefault((key, count), None)
        if end is None:
            end = self.moment([])
            self.collectives[key, count] = end
        self.waits[end].append((start, duration))
        self.starts.setdefault((key, count), []).append(start)
        assert len(self.waits[end]) <= members
        return end

    def times(self):
        """Of all moments. A collective's end may have a smaller number than what it waits for."""
        after = [[] for _ in self.waits]
        missing = [len(waits) for waits in self.waits]
        for moment, waits in enumerate(self.waits):
            for earlier, _ in waits:
                after[earlier].append(moment)
        ready = [moment for moment, count in enumerate(missing) if count == 0]
        times = [0] * len(self.waits)
        done = 0
        while ready:
            moment = ready.pop()
            done += 1
            times[moment] = max((times[earlier] + delay for earlier, delay in self.waits[moment]), default=0)
            for later in after[moment]:
                missing[later] -= 1
                if missing[later] == 0:
                    ready.append(later)
        assert done == len(self.waits), "the plan waits for itself"
        return times
