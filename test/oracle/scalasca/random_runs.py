"""Random measured runs, in Slackline's text form (doc/formats/text.md).

A run is made call by call, each with the ranks that take part in it, so it cannot deadlock; when
calls begin and end follows from what they need of each other and from random lengths. Some runs
have few different lengths, so that much happens in the same moment.
"""
import dataclasses
import random

REGIONS = ("main", "solve", "halo", "output")
ALL_TO_ALL = ("allreduce", "alltoall", "allgather")
ONE_TO_ALL = ("bcast", "scatter")
ALL_TO_ONE = ("reduce", "gather")
SCANS = ("scan", "exscan")
COLLECTIVES = ("barrier", *ALL_TO_ALL, *ONE_TO_ALL, *ALL_TO_ONE, *SCANS)
WORLD = 0


@dataclasses.dataclass(eq=False)
class Request:
    number: int
    ready: int | None = None  # unknown until the other side of the message is posted


@dataclasses.dataclass(eq=False)
class HalfMessage:
    """Of which one side has been posted, without blocking."""

    sent: bool
    rank: "Rank"
    partner: "Rank"
    begin: int
    request: Request
    words: str


class Rank:
    def __init__(self, number, start):
        self.number, self.start, self.clock = number, start, start
        self.lines, self.regions, self.open = [], [], []
        self.requests = 0

    def call(self, words, end):
        self.lines.append(f"  @{self.clock} +{end - self.clock} {words}")
        self.clock = end

    def new_request(self, ready=None):
        self.requests += 1
        self.open.append(Request(self.requests, ready))
        return self.open[-1]


class RandomRun:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.grain = self.rng.choice((1, 1, 1000))
        self.has_regions = self.rng.random() < 0.5
        count = self.rng.randint(2, 9)
        self.ranks = [Rank(r, self.length(20_000) if self.rng.random() < 0.5 else 0)
                      for r in range(count)]
        self.communicators = [list(range(count))] + [
            self.rng.sample(range(count), self.rng.randint(2, count))
            for _ in range(self.rng.randint(0, 2))]
        self.tags, self.half_messages = 0, []
        # Few kinds, so that a run has many of the same.
        self.collectives = self.rng.sample(COLLECTIVES, self.rng.randint(1, 4))
        self.everybody_waits = self.rng.choice((0.0, 0.3, 1.0))

    def chance(self, probability):
        return self.rng.random() < probability

    def length(self, about):
        """Now and then nothing or much longer; always whole grains."""
        if self.grain > 1:
            return self.grain * self.rng.choice((0, 1, 1, 2, 3, 8))
        return int(about * self.rng.choice((0.1, 1, 1, 1, 6)) * self.rng.random())

    def text(self):
        self.environment("init", 0.7)
        for _ in range(self.rng.randint(5, 60)):
            self.step()
        for half in list(self.half_messages):
            self.answer(half)
        for rank in self.ranks:
            while rank.open:
                self.complete(rank)
            self.compute(rank)
            while rank.regions:
                self.leave_region(rank)
                rank.clock += self.length(10_000)
        self.environment("finalize", 0.9)
        return "\n".join([*self.header(), *(line for r in self.ranks for line in r.lines)]) + "\n"

    def header(self):
        yield f"slackline-trace 1 timed ranks={len(self.ranks)}"
        for number, members in enumerate(self.communicators[1:], 2):
            yield f"comm {number} members={','.join(map(str, members))}"

    def environment(self, name, together):
        """MPI_Init and MPI_Finalize; with some probability nobody leaves before all have come."""
        for rank in self.ranks:
            if name == "init":
                start = f" start={rank.start}" if rank.start else ""
                rank.lines.append(f"rank {rank.number}{start}")
                self.compute(rank)
        floor = max(r.clock for r in self.ranks) if self.chance(together) else 0
        for rank in self.ranks:
            rank.call(name, max(rank.clock, floor) + self.length(30_000))

    def step(self):
        for rank in self.ranks:
            if self.chance(0.4):
                self.compute(rank)
        what = self.rng.random()
        if what < 0.25:
            self.message()
        elif what < 0.35:
            self.ring()
        elif what < 0.45:
            self.post_half()
        elif what < 0.55 and self.half_messages:
            self.answer(self.rng.choice(self.half_messages))
        elif what < 0.75:
            self.complete(self.rng.choice(self.ranks))
        elif what < 0.77:
            self.split()
        else:
            self.collective()

    # What ranks do by themselves.

    def compute(self, rank):
        for _ in range(self.rng.randint(1, 3) if self.has_regions else 1):
            rank.clock += self.length(10_000)
            if self.has_regions and self.chance(0.3):
                self.change_region(rank)

    def change_region(self, rank):
        if rank.regions and (len(rank.regions) == 3 or self.chance(0.5)):
            self.leave_region(rank)
        else:
            rank.regions.append(self.rng.choice(REGIONS))
            rank.lines.append(f'  @{rank.clock} enter "{rank.regions[-1]}"')

    def leave_region(self, rank):
        rank.lines.append(f'  @{rank.clock} leave "{rank.regions.pop()}"')

    # Messages.

    def message_words(self, a, b):
        shared = [i for i, members in enumerate(self.communicators)
                  if a.number in members and b.number in members]
        comm = self.rng.choice(shared)
        self.tags += 1
        return f"tag={self.tags} bytes={self.rng.randint(0, 9) * 100}{comm_word(comm)}"

    def message(self):
        sender, receiver = self.rng.sample(self.ranks, 2)
        words = self.message_words(sender, receiver)
        self.transfer(sender, receiver, (sender.clock, None), (receiver.clock, None), words)

    def transfer(self, sender, receiver, sent, received, words):
        """Posts those sides that have no request yet, and tells both when they are ready."""
        (send_begin, send_request), (receive_begin, receive_request) = sent, received
        begin = send_begin
        if self.chance(0.5):  # rendezvous
            begin = max(send_begin, receive_begin)
            send_ready = begin + self.length(3000)
        else:
            send_ready = begin + self.length(500)
        receive_ready = max(receive_begin, begin + self.length(3000))
        to, source = f"to={receiver.number} {words}", f"from={sender.number} {words}"
        self.side(sender, "send", to, send_request, send_ready)
        self.side(receiver, "recv", source, receive_request, receive_ready)

    def side(self, rank, name, words, request, ready):
        if request is not None:
            request.ready = ready
        elif self.chance(0.5):
            rank.call(f"{name} {words}", max(rank.clock, ready) + self.length(200))
        else:
            request = rank.new_request(ready)
            rank.call(f"i{name} {words} req={request.number}", rank.clock + self.length(300))

    def ring(self):
        """Of MPI_Sendrecv: each sends to the one before it, and may go on waiting after that."""
        comm = self.rng.randrange(len(self.communicators))
        members = self.communicators[comm]
        members = self.rng.sample(members, self.rng.randint(2, min(4, len(members))))
        ranks, rendezvous = [self.ranks[m] for m in members], self.chance(0.5)
        begins = [r.clock for r in ranks]
        self.tags += 1
        for i, rank in enumerate(ranks):
            to, source = ranks[i - 1], (i + 1) % len(ranks)
            needed = max(begins[i], begins[source], begins[i - 1] if rendezvous else 0)
            rank.call(f"sendrecv to={to.number} tag={self.tags} bytes=8 "
                      f"from={ranks[source].number} rtag={self.tags} rbytes=8{comm_word(comm)}",
                      needed + self.length(2000))

    def post_half(self):
        rank, partner = self.rng.sample(self.ranks, 2)
        words, sent = self.message_words(rank, partner), self.chance(0.5)
        begin, request = rank.clock, rank.new_request()
        kind, whom = ("isend", "to") if sent else ("irecv", "from")
        rank.call(f"{kind} {whom}={partner.number} {words} req={request.number}",
                  begin + self.length(300))
        self.half_messages.append(HalfMessage(sent, rank, partner, begin, request, words))

    def answer(self, half):
        self.half_messages.remove(half)
        mine, theirs = (half.begin, half.request), (half.partner.clock, None)
        if half.sent:
            self.transfer(half.rank, half.partner, mine, theirs, half.words)
        else:
            self.transfer(half.partner, half.rank, theirs, mine, half.words)

    def complete(self, rank):
        able = [r for r in rank.open if r.ready is not None]
        if not able:
            return
        some = self.rng.sample(able, self.rng.randint(1, min(len(able), 5)))
        rank.open = [r for r in rank.open if r not in some]
        end = max([rank.clock, *(r.ready for r in some)]) + self.length(300)
        if len(some) == 1 and self.chance(0.5):
            rank.call(f"wait req={some[0].number}", end)
        else:
            rank.call(f"waitall reqs={','.join(str(r.number) for r in some)}", end)

    # Collectives.

    def collective(self):
        comm = self.rng.randrange(len(self.communicators))
        members = [self.ranks[m] for m in self.communicators[comm]]
        name = self.rng.choice(self.collectives)
        root = self.rng.choice(members)
        words = name + comm_word(comm)
        if name in ONE_TO_ALL + ALL_TO_ONE:
            words += f" root={root.number}"
        if name != "barrier":
            words += f" bytes={0 if self.chance(0.1) else 800} elem=8"
        for rank, end in zip(members, list(self.ends(name, members, root))):
            rank.call(words, end)

    def ends(self, name, members, root):
        """Without data that a rank needs it may leave early; now and then it does so with, as where
        an implementation buffers, or clocks disagree."""
        last = max(r.clock for r in members)
        everybody_waits = self.chance(self.everybody_waits)
        for i, rank in enumerate(members):
            needed = last
            if not everybody_waits:
                if name in SCANS:
                    needed = max(r.clock for r in members[:i + 1])
                elif name in ONE_TO_ALL:
                    needed = root.clock
                elif name in ALL_TO_ONE and rank is not root:
                    needed = 0
                elif self.chance(0.1):
                    needed = 0
            yield max(rank.clock, needed) + self.length(2000)

    def split(self):
        """All make a communicator together."""
        if len(self.communicators) == 1:
            return
        last = max(r.clock for r in self.ranks) if self.chance(0.5) else 0
        for rank in self.ranks:
            new = 2 if rank.number in self.communicators[1] else "null"
            rank.call(f"comm_split new={new}", max(rank.clock, last) + self.length(2000))


def comm_word(comm):
    return f" comm={comm + 1}" if comm > WORLD else ""


def random_run(seed):
    return RandomRun(seed).text()
