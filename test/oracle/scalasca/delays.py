"""Delay costs (Boehme): who is to blame for waiting.

A rank waits because another one came late. Since the two were last in step, the late one did
something longer, which is a delay, or waited itself. Both pay for the waiting in proportion: delays
as short-term costs; what falls to the late rank's own waits is handed on to those, whose own delays
pay it as long-term costs of the first wait's kind. So a wait comes after all that hand to it.
"""
import collections
import dataclasses
import graphlib

from own_time import OwnTime
from rules import kind_of


@dataclasses.dataclass(slots=True)
class Origin:
    direct: float = 0.0
    indirect: float = 0.0
    propagating: float = 0.0


@dataclasses.dataclass(eq=False, slots=True)
class Comparison:
    """Of the late rank with one that waited for it."""

    wait: object
    longer: dict  # what the late one did longer, by activity
    late_waits: list  # of the late one itself: (wait, how much of it)
    start: object  # the late one's point from which on they are compared

    @property
    def sum(self):
        return sum(self.longer.values()) + sum(length for _, length in self.late_waits)


class Delays:
    def __init__(self, run, sync, rules):
        self.rules, self.points = rules, sync.points
        self.own = [OwnTime(rank, points, rules) for rank, points in zip(run.ranks, sync.points)]
        self.short_term = collections.Counter()  # by (kind, rank, activity)
        self.long_term = collections.Counter()
        self.origins = {wait: Origin() for wait in sync.waits}
        self.handed = {wait: collections.Counter() for wait in sync.waits}  # by kind
        paid = [w for w in sync.waits if kind_of(w.pattern, rules) is not None]
        groups = self._groups(paid)
        for group in self._causes_last(groups):
            self._settle(group)

    def _groups(self, waits):
        """Waits that are settled together: those for the same member of one collective."""
        groups = collections.defaultdict(list)
        for wait in waits:
            groups[wait.cause if wait.members else wait].append(self._compare(wait))
        return list(groups.values())

    def _compare(self, wait):
        late, waiting = wait.cause.rank, wait.call.rank
        start, their_start = self._last_in_step(wait)
        theirs = self.own[waiting].since(their_start, late, wait.call)
        longer = self.own[late].since(start, waiting, wait.cause) - theirs
        return Comparison(wait, longer, self._waits_between(start, waiting, wait.cause), start)

    def _last_in_step(self, wait):
        """The points of the late rank and of the waiting one."""
        late, waiting = self.points[wait.cause.rank], self.points[wait.call.rank]
        if not self.rules.same_point_of_both:
            return (late.last_with(wait.call.rank, wait.cause),
                    waiting.last_with(wait.cause.rank, wait.call))
        for point in waiting.before(wait.call):
            there = point.partners.get(wait.cause.rank)
            if there is not None and there.index < wait.cause.index:
                return late.at(there), point
        raise ValueError("two ranks that were never in step")

    def _waits_between(self, start, partner, call):
        rest = start.waited_after(partner)
        waits = [(start.wait, rest)] if rest > 0 and self.rules.rest_of_waiting_pays else []
        between = self.points[call.rank].between(start.call, call)
        return waits + [(p.wait, p.wait.length) for p in between if p.wait is not None]

    def _causes_last(self, groups):
        group_of = {c.wait: i for i, group in enumerate(groups) for c in group}
        needs = {i: set() for i in range(len(groups))}
        for i, group in enumerate(groups):
            for comparison in group:
                for wait, _ in comparison.late_waits:
                    if wait in group_of:
                        needs[group_of[wait]].add(i)
        return [groups[i] for i in graphlib.TopologicalSorter(needs).static_order()]

    def _settle(self, group):
        for comparison in group:
            self._pay(comparison)
        if self.rules.exact_increments or not group[0].wait.members:
            for comparison in group:
                for late_wait, length in comparison.late_waits:
                    self._hand(late_wait, length, self._share_of_all(comparison))
        else:
            self._hand_late(group)

    def _share(self, comparison):
        """What each moment of a delay pays for the wait."""
        wait, whole = comparison.wait, comparison.sum
        share = wait.length / whole if whole > 0 else 0.0
        limited = self.rules.collective_shares_limited or not wait.members
        return min(share, 1.0) if limited else share

    def _share_of_handed(self, comparison):
        """And for what was handed to the wait, by kind."""
        handed, whole = self.handed[comparison.wait], comparison.sum
        return collections.Counter({k: c / whole for k, c in handed.items() if whole > 0})

    def _share_of_all(self, comparison):
        shares = self._share_of_handed(comparison)
        shares[kind_of(comparison.wait.pattern, self.rules)] += self._share(comparison)
        return shares

    def _pay(self, comparison):
        wait, share = comparison.wait, self._share(comparison)
        kind, rank = kind_of(wait.pattern, self.rules), wait.cause.rank
        of_handed = self._share_of_handed(comparison)
        for activity, longer in comparison.longer.items():
            self.short_term[kind, rank, activity] += share * longer
            for k, of_kind in of_handed.items():
                self.long_term[k, rank, activity] += of_kind * longer
        origin = self.origins[wait]
        origin.direct = share * sum(comparison.longer.values())
        origin.indirect = share * sum(length for _, length in comparison.late_waits)
        if self.rules.collectives_make_propagating or not wait.members:
            for late_wait, length in comparison.late_waits:
                # What delays two others is no more waiting for that.
                made = self.origins[late_wait]
                made.propagating = max(made.propagating, min(share, 1.0) * length)

    def _hand(self, wait, length, shares):
        for kind, share in shares.items():
            self.handed[wait][kind] += share * length

    # Costs handed on by a collective as Scalasca does it.

    def _hand_late(self, group):
        late = group[0].wait.cause
        start, met = self._start_of_group(late, group[0].wait.members)
        steps = collections.defaultdict(collections.Counter)
        for c in group:
            steps[met.get(c.wait.call.rank, start)].update(self._share_of_all(c))
        current = total = steps[start]
        for point in self.points[late.rank].between(start.call, late):
            if point in met.values():
                current, total = total, total + steps[point]
            if point.wait is not None:
                self._hand(point.wait, point.waited, current)

    def _start_of_group(self, late, members):
        """Back to where the late rank had been in step with every member; and the points where it
        met some of them later than that."""
        remaining, met = set(members) - {late.rank}, {}
        for point in self.points[late.rank].before(late):
            if remaining <= point.partners.keys():
                break
            for rank in remaining & point.partners.keys():
                met[rank] = point
            remaining -= point.partners.keys()
        return point, met
