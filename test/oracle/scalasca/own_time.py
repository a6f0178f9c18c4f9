"""What ranks did by themselves, by activity: (call path, MPI call or "computation")."""
import collections

import otf2_text


class OwnTime:
    """Of one rank. `points`: between which it will be asked."""

    def __init__(self, rank, points, rules):
        self.points, self.rules, self.timeline = points, rules, rank.timeline
        self.start = rank.start
        self.until = {}  # each point's call begins: time by activity since the start
        sums = collections.Counter()
        for what, _, length in rank.timeline:
            if isinstance(what, otf2_text.Call):
                if what.index in points.of_call:
                    self.until[what.index] = dict(sums)
                what = what.activity
            sums[what] += length
        self.whole = dict(sums)

    def passed(self, start, end):
        """From one point's call, with all of it, to another one's, without it."""
        before, until = self.until[start.index], self.until[end.index]
        return {a: t - before.get(a, 0) for a, t in until.items() if t > before.get(a, 0)}

    def since(self, start, partner, end):
        """Without waiting, since it was in step with a partner at point `start`."""
        own = collections.Counter(self.passed(start.call, end))
        for point in self.points.between(start.call, end):
            own[point.call.activity] -= point.waited
        own = +own
        own[start.call.activity] += start.after(partner) - (start.call.leave - start.call.enter)
        if self.rules.rest_of_waiting_pays:
            own[start.call.activity] -= start.waited_after(partner)
        if self.rules.from_common_moment:
            own += self.early_time(start, partner)
        return +own

    def early_time(self, start, partner):
        """The computation after the common moment and right before the point's call."""
        own = collections.Counter()
        since, until = start.since[partner], start.call.enter
        for what, begin, length in reversed(self.timeline):
            if begin >= until:
                continue
            if isinstance(what, otf2_text.Call) or begin + length <= since:
                break
            own[what] += min(begin + length, until) - max(begin, since)
        else:
            first = self.timeline[0][1]
            own["", otf2_text.COMPUTATION] += max(0, first - max(since, self.start))
            own["", otf2_text.LATE_START] += max(0, self.start - since)
        return own

    def without_waiting(self):
        """Over the whole run."""
        own = collections.Counter(self.whole)
        for point in self.points.of_call.values():
            own[point.call.activity] -= point.waited
        return +own
