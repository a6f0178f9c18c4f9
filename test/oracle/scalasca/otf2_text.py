"""An OTF2 archive, read through otf2-print: the calls of MPI of every rank, what belongs together,
and what the rank did between them."""
import collections
import dataclasses
import re
import subprocess

COMPUTATION = "computation"
LATE_START = "late start"
LOCAL_CALLS = {
    "MPI_Comm_rank", "MPI_Comm_size", "MPI_Initialized", "MPI_Finalized", "MPI_Wtime", "MPI_Wtick",
    "MPI_Get_count", "MPI_Get_processor_name", "MPI_Type_size",
}
WORLD_CREATION = {"MPI_Comm_split", "MPI_Comm_dup", "MPI_Comm_create"}  # without records: of all
NOT_COVERED = ("MPI_Start",)  # several messages of one call


@dataclasses.dataclass(slots=True)
class CollectiveRecord:
    comm: int
    operation: str
    root: int | None  # in the communicator
    sent: int
    received: int

    @property
    def moves(self):
        return self.sent > 0 or self.received > 0


@dataclasses.dataclass(eq=False, slots=True)
class Message:
    """And the calls that deal with it: the completing ones are those that start it, if blocking."""

    tag: int = 0
    send: "Call" = None
    send_done: "Call" = None
    receive: "Call" = None
    receive_done: "Call" = None


@dataclasses.dataclass(eq=False, slots=True)
class Call:
    """Of MPI. Times are integers, in units of Run.per_second."""

    rank: int
    index: int
    region: str
    path: str  # of user regions: "main/solve"
    enter: int
    end: int | None = None  # its END record, of a collective
    leave: int = 0
    collective: CollectiveRecord | None = None
    receives: list = dataclasses.field(default_factory=list)  # messages that it completes
    sends: list = dataclasses.field(default_factory=list)  # likewise

    @property
    def activity(self):
        return self.path, self.region

    @property
    def over(self):
        """When it is done; its region may be left later."""
        return self.leave if self.end is None else self.end


@dataclasses.dataclass
class Rank:
    calls: list = dataclasses.field(default_factory=list)
    # What it did in which order: (activity, since when, how long), or (call, since when, how long).
    timeline: list = dataclasses.field(default_factory=list)
    start: int | None = None  # of its first record


@dataclasses.dataclass
class Run:
    ranks: list
    communicators: dict  # to lists of ranks in MPI_COMM_WORLD; None: MPI_COMM_SELF
    per_second: int


def _otf2_print(*arguments):
    run = subprocess.run(["otf2-print", *arguments], capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


def _number(key, text):
    return int(re.search(key + r": (\d+)", text)[1])


def _reference(key, text):
    return int(re.search(key + r': ".*?" <(\d+)>', text)[1])


@dataclasses.dataclass
class _Definitions:
    ticks: int = 0
    zero: int = 0
    rank_of: dict = dataclasses.field(default_factory=dict)
    groups: dict = dataclasses.field(default_factory=dict)
    communicators: dict = dataclasses.field(default_factory=dict)
    artificial: set = dataclasses.field(default_factory=set)  # regions of the measurement itself


def _read_definitions(anchor):
    d = _Definitions()
    for line in _otf2_print("-G", anchor):
        kind, _, rest = line.partition(" ")
        if kind == "CLOCK_PROPERTIES":
            d.ticks, d.zero = _number("Ticks per Seconds", rest), _number("Global Offset", rest)
        elif kind == "LOCATION":
            d.rank_of[int(rest.split()[0])] = len(d.rank_of)
        elif kind == "REGION" and "Role: ARTIFICIAL" in rest:
            d.artificial.add(int(rest.split()[0]))
        elif kind == "GROUP":
            members = [int(m) for m in re.findall(r'(\d+) \("', line.partition("Members:")[2])]
            d.groups[int(rest.split()[0])] = members if "Type: COMM_GROUP" in rest else None
        elif kind == "COMM":
            d.communicators[int(rest.split()[0])] = d.groups[_reference("Group", rest)]
    return d


class _RankReader:
    """From the records of one rank to its calls."""

    def __init__(self, rank, definitions, rules):
        self.number, self.rules = rank, rules
        self.communicators, self.artificial = definitions.communicators, definitions.artificial
        self.out = Rank()
        self.sent, self.received = [], []  # (communicator, partner, message)
        self.open_regions, self.requests = [], {}
        self.call = None
        self.inside_local = False
        self.last = None

    def record(self, kind, time, rest):
        if self.out.start is None:
            self.out.start = time
        if kind in ("ENTER", "LEAVE") and _reference("Region", rest) in self.artificial:
            return
        if kind == "ENTER":
            self.enter(time, re.search(r'Region: "(.*?)"', rest)[1])
        elif kind == "LEAVE":
            self.leave(time)
        elif kind == "MPI_COLLECTIVE_END":
            self.collective_end(time, rest)
        elif kind in ("MPI_SEND", "MPI_ISEND", "MPI_RECV", "MPI_IRECV"):
            self.message(kind, rest)
        elif kind == "MPI_IRECV_REQUEST":
            self.requests[_number("Request", rest)] = Message(receive=self.call)
        elif kind == "MPI_ISEND_COMPLETE":
            self.completes_send(self.requests.pop(_number("Request", rest)))

    def path(self):
        return "/".join(self.open_regions)

    def pass_time(self, time):
        """What has been done until now ends."""
        if self.call is not None:
            self.out.timeline.append((self.call, self.last, time - self.last))
        elif self.last is not None and (self.open_regions or self.rules.time_outside_regions):
            self.out.timeline.append(((self.path(), COMPUTATION), self.last, time - self.last))
        self.last = time

    def enter(self, time, region):
        if self.call is not None or region.startswith(NOT_COVERED):
            raise ValueError(f"{region} is not covered here")
        if region in LOCAL_CALLS and self.rules.local_calls_are_computation:
            self.inside_local = True
            return
        self.pass_time(time)
        if region.startswith("MPI_"):
            self.call = Call(self.number, len(self.out.calls), region, self.path(), time)
            self.out.calls.append(self.call)
        else:
            self.open_regions.append(region)

    def leave(self, time):
        if self.inside_local:
            self.inside_local = False
            return
        call = self.call
        self.pass_time(time)
        if call is None:
            self.open_regions.pop()
        else:
            call.leave = self.last
        self.call = None

    def collective_end(self, time, rest):
        root = re.search(r"Root: (\d+)", rest)
        if not self.rules.collectives_end_when_left:
            self.call.end = time
        self.call.collective = CollectiveRecord(
            _reference("Communicator", rest), re.search(r"Operation: (\w+)", rest)[1],
            int(root[1]) if root else None, _number("Sent", rest), _number("Received", rest))

    def message(self, kind, rest):
        sends, request = "SEND" in kind, None
        if kind[4] == "I":
            request = _number("Request", rest)
        m = self.requests.pop(request) if kind == "MPI_IRECV" else Message()
        m.tag = _number("Tag", rest)
        comm = _reference("Communicator", rest)
        members = self.communicators[comm]
        partner = _number("Receiver" if sends else "Sender", rest)
        partner = self.number if members is None else members[partner]
        (self.sent if sends else self.received).append((comm, partner, m))
        if sends:
            m.send = self.call
            if request is None:
                self.completes_send(m)
            else:
                self.requests[request] = m
        else:
            m.receive = m.receive or self.call
            m.receive_done = self.call
            self.call.receives.append(m)

    def completes_send(self, m):
        m.send_done = self.call
        self.call.sends.append(m)


def _match(readers):
    """Gives each sent message what is known of its receiving, and the other way round."""
    under_way = collections.defaultdict(collections.deque)
    for r in readers:
        for comm, receiver, m in r.sent:
            under_way[comm, r.number, receiver, m.tag].append(m)
    # A stream's messages are received in the order of posting, not in that of completion.
    for r in readers:
        by_posting = sorted(r.received, key=lambda got: got[2].receive.index)
        for comm, sender, m in by_posting:
            other = under_way[comm, sender, r.number, m.tag].popleft()
            m.send, m.send_done = other.send, other.send_done
            other.receive, other.receive_done = m.receive, m.receive_done


def _clock(definitions, rules):
    zero, ticks = definitions.zero, definitions.ticks
    if rules.whole_nanoseconds:
        return lambda time: (time - zero) * 1_000_000_000 // ticks
    return lambda time: time - zero


def read(anchor, rules):
    """The run in the archive whose anchor file (.otf2) is given."""
    d = _read_definitions(anchor)
    clock = _clock(d, rules)
    readers = [_RankReader(r, d, rules) for r in d.rank_of.values()]
    record = re.compile(r"([A-Z_0-9]+) +(\d+) +(\d+) *(.*)")
    for line in _otf2_print(anchor):
        if found := record.fullmatch(line):
            kind, location, time, rest = found.groups()
            readers[d.rank_of[int(location)]].record(kind, clock(int(time)), rest)
    _match(readers)
    return Run([r.out for r in readers], d.communicators,
               1_000_000_000 if rules.whole_nanoseconds else d.ticks)
