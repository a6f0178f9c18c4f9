"""Who waited for whom, and where ranks were in step.

A wait is the beginning of a call that lasts until another rank's call begins. A point is a call of
a rank after which it goes on together with others: both sides of a wait are points, and so are
collectives that hold everybody together. What of the call comes after the common moment is the
rank's own doing, so a point knows that moment for each partner.
"""
import bisect
import collections
import dataclasses

import otf2_text

KIND_OF_COLLECTIVE = {
    "BCAST": "one_to_all", "SCATTER": "one_to_all", "SCATTERV": "one_to_all",
    "GATHER": "all_to_one", "GATHERV": "all_to_one", "REDUCE": "all_to_one",
    "BARRIER": "barrier", "ALLGATHER": "all_to_all", "ALLGATHERV": "all_to_all",
    "ALLTOALL": "all_to_all", "ALLREDUCE": "all_to_all", "REDUCE_SCATTER": "all_to_all",
    "REDUCE_SCATTER_BLOCK": "all_to_all", "SCAN": "scan", "EXSCAN": "scan",
}
COMPLETION_AFTER = {"wait_at_nxn": "nxn_completion", "wait_at_barrier": "barrier_completion"}


@dataclasses.dataclass(eq=False, slots=True)
class Wait:
    pattern: str
    call: otf2_text.Call
    cause: otf2_text.Call  # of another rank
    length: int
    members: tuple = ()  # of the collective: the ranks that were in it


@dataclasses.dataclass(eq=False, slots=True)
class Point:
    call: otf2_text.Call
    partners: dict = dataclasses.field(default_factory=dict)  # their calls, by rank
    since: dict = dataclasses.field(default_factory=dict)  # when each is on its own, by rank
    wait: Wait | None = None

    @property
    def waited(self):
        return 0 if self.wait is None else self.wait.length

    def after(self, partner):
        """The part of the call that comes after being in step."""
        return self.call.over - max(self.call.enter, self.since[partner])

    def waited_after(self, partner):
        """And what of the call's own waiting lies in that."""
        return max(0, self.waited - max(0, self.since[partner] - self.call.enter))


class Points:
    """Of one rank, in program order."""

    def __init__(self):
        self.of_call = {}

    def at(self, call):
        return self.of_call.setdefault(call.index, Point(call))

    def sort(self):
        self.indices = sorted(self.of_call)

    def before(self, call):
        """Backwards from a call."""
        for i in range(bisect.bisect_left(self.indices, call.index) - 1, -1, -1):
            yield self.of_call[self.indices[i]]

    def between(self, call, other):
        first = bisect.bisect_right(self.indices, call.index)
        last = bisect.bisect_left(self.indices, other.index)
        return [self.of_call[i] for i in self.indices[first:last]]

    def last_with(self, partner, call):
        return next(p for p in self.before(call) if partner in p.partners)


class SyncPoints:
    def __init__(self, run, rules):
        self.run, self.rules = run, rules
        self.points = [Points() for _ in run.ranks]
        self.waits = []
        self.completions = []  # (pattern, call, length): from when all could go on, without a cause
        self._environment()
        self._collectives()
        for rank in run.ranks:
            for call in rank.calls:
                if not call.region.startswith("MPI_Test"):
                    self._messages(call)
        for of_rank in self.points:
            of_rank.sort()

    # What all kinds have in common.

    def _wait(self, pattern, call, cause, until, members=()):
        assert self.points[call.rank].at(call).wait is None, "a call waits for one thing"
        wait = Wait(pattern, call, cause, until - call.enter, members)
        self.waits.append(wait)
        self.points[call.rank].at(call).wait = wait

    def _complete(self, pattern, calls):
        could = max(min(c.over for c in calls), max(c.enter for c in calls))
        self.completions += [(pattern, c, c.over - could) for c in calls if c.over > could]

    def _join(self, calls):
        """All of them go on together."""
        since = min(c.over for c in calls)
        if not self.rules.from_first_leaving:
            since = max(since, max(c.enter for c in calls))
        for call in calls:
            self._add_partners(call, calls, since)

    def _add_partners(self, call, partners, since):
        point = self.points[call.rank].at(call)
        point.partners.update({c.rank: c for c in partners})
        point.since.update({c.rank: min(since, call.over) for c in partners})

    def _last(self, calls, order):
        """The first one in some order of those that came last."""
        by_rank = self.rules.last_by_world_rank
        ordered = sorted(calls, key=lambda c: c.rank if by_rank else order.index(c.rank))
        return max(ordered, key=lambda c: c.enter)

    def _all_overlap(self, calls):
        last_enter, first_over = max(c.enter for c in calls), min(c.over for c in calls)
        return last_enter < first_over + self.rules.touching_is_overlapping

    # Messages.

    def _messages(self, call):
        """A receive, or the wait for it, that begins before its send has a late sender; a send, or
        the wait for it, that is still under way when its receive is posted has a late receiver."""
        late_senders = [(min(m.send.enter, call.leave), m) for m in call.receives
                        if min(m.send.enter, call.leave) > call.enter]
        if late_senders:
            until, m = max(late_senders, key=lambda found: found[0])
            self._wait("late_sender", call, m.send, until)
            self._join([call, m.send])
            return
        # Scalasca takes blocking sends and waits; MPI_Sendrecv also lasts for its receive.
        blocks = not call.region.startswith("MPI_Sendrecv")
        late_receivers = [m for m in call.sends if blocks and self._waited_for_receiver(m)]
        if late_receivers:
            m = max(late_receivers, key=lambda m: m.receive.enter)
            self._wait("late_receiver", call, m.receive, m.receive.enter)
            self._join_late_receiver(m)

    def _waited_for_receiver(self, m):
        done, receive = m.send_done, m.receive
        return done.enter < receive.enter < done.leave + self.rules.touching_is_overlapping

    def _join_late_receiver(self, m):
        done, receive = m.send_done, m.receive
        self._join([done, receive])
        if not self.rules.late_receiver_from_earlier_leaving:
            self.points[done.rank].at(done).since[receive.rank] = max(done.leave, receive.leave)

    # Collectives.

    def _environment(self):
        """MPI_Init synchronises but nobody waits in it: how long a process takes to start is not
        known to be for others."""
        init = self._one_of_each(("MPI_Init", "MPI_Init_thread"))
        if init:
            self._join(init)
            self._complete("init_completion", init)
        finalize = self._one_of_each(("MPI_Finalize",))
        if finalize:
            self._all_wait("wait_at_finalize", finalize, finalize, range(len(self.run.ranks)))

    def _one_of_each(self, names):
        found = [next((c for c in r.calls if c.region in names), None) for r in self.run.ranks]
        return found if all(found) else None

    def _collectives(self):
        queues = collections.defaultdict(lambda: collections.defaultdict(collections.deque))
        for rank in self.run.ranks:
            for call in rank.calls:
                comm = 0 if call.region in otf2_text.WORLD_CREATION else None
                if call.collective is not None:
                    comm = call.collective.comm
                if comm is not None:
                    queues[comm][call.rank].append(call)
        for comm, of_rank in queues.items():
            members = self.run.communicators[comm]
            if members is None or len(members) < 2:
                continue
            while all(of_rank[r] for r in members):
                self._collective(members, [of_rank[r].popleft() for r in members])

    def _collective(self, members, calls):
        """`calls` in the order of the communicator's members."""
        overlap = self._all_overlap(calls)
        record = calls[0].collective
        kind = None if record is None else KIND_OF_COLLECTIVE.get(record.operation)
        moving = [c for c in calls if kind is not None and c.collective.moves]
        if kind == "scan":
            self._scan(members, calls, overlap)
        elif kind == "barrier":
            self._all_wait("wait_at_barrier", calls, calls, members)
        elif moving and kind == "one_to_all":
            self._one_to_all(members, calls, overlap)
        elif moving and kind == "all_to_one":
            self._all_to_one(members, calls, overlap)
        elif moving:
            self._all_wait("wait_at_nxn", calls, moving, members)
        elif kind is None and self.rules.creation_waits:
            self._all_wait("wait_at_creation", calls, calls, members)
        elif overlap and self.rules.every_collective_joins:
            self._join(calls)

    def _wait_in_collective(self, pattern, call, cause, members):
        """Whether it waited: a call that was left in the moment of its begin did not."""
        until = min(cause.enter, call.over)
        if until > call.enter:
            self._wait(pattern, call, cause, until, tuple(members))
        return until > call.enter

    def _one_to_all(self, members, calls, overlap):
        root = calls[record_root(calls)]
        waiting = [c for c in calls if c is not root and c.enter < root.enter
                   and c.collective.received > 0]
        waited = [c for c in waiting
                  if self._wait_in_collective("late_broadcast", c, root, members)]
        if overlap and self.rules.rooted_collectives_join_all:
            self._join(calls)
        elif self.rules.one_to_all_in_pairs:
            for call in waited:
                self._join([call, root])
        elif waiting:
            self._join_receivers(root, waiting)

    def _join_receivers(self, root, waiting):
        since = max(root.enter, min(c.over for c in waiting))
        self._add_partners(root, waiting, since)
        for call in waiting:
            self._add_partners(call, [root], since)

    def _all_to_one(self, members, calls, overlap):
        root = calls[record_root(calls)]
        last = self._last([c for c in calls if c.collective.sent > 0], members)
        waits = root.enter < last.enter and self._wait_in_collective(
            "early_reduce", root, last, members)
        if overlap and self.rules.rooted_collectives_join_all:
            self._join(calls)
        elif waits:
            self._join([root, last])

    def _scan(self, members, calls, overlap):
        """Each waits for the last of those before it."""
        if not self.rules.scans_have_costs:
            return  # such waiting is told, and nothing follows from it
        waited = []
        for i, call in enumerate(calls):
            last = self._last(calls[:i + 1], members)
            if self.rules.empty_scans_do_not_wait and not (call.collective.sent or
                                                           call.collective.received):
                continue
            if last is not call and self._wait_in_collective("early_scan", call, last, members):
                waited.append((call, last))
        if overlap and self.rules.every_collective_joins:
            self._join(calls)
        else:
            for pair in waited:
                self._join(pair)

    def _all_wait(self, pattern, calls, moving, members):
        last = self._last(moving, members)
        waiting = [c for c in moving if c.enter < last.enter]
        waited = [c for c in waiting if self._wait_in_collective(pattern, c, last, members)]
        if pattern in COMPLETION_AFTER:
            self._complete(COMPLETION_AFTER[pattern], moving)
        overlap = self._all_overlap(calls)
        if overlap or (not self.rules.partial_all_to_all_in_pairs and pattern != "wait_at_nxn"):
            self._join(calls)
        elif self.rules.partial_all_to_all_in_pairs:
            for call in waited:
                self._join([call, last])
        else:
            self._join([*waiting, last])


def record_root(calls):
    return calls[0].collective.root
