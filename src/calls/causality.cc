#include "calls/causality.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

#include "base/parallel.h"
#include "calls/clocks.h"
#include "calls/collective_members.h"

namespace slackline {
namespace {

constexpr std::size_t kMessagesAtOnce = std::size_t{1} << 16;

/// What is known of some messages; the words come last, for the worst of all only.
struct Part {
  std::uint64_t messages = 0;
  std::uint64_t violations = 0;
  std::uint64_t on_one_clock = 0;
  std::uint64_t beyond_error = 0;
  std::int64_t worst_ns = 0;
  std::uint32_t worst = 0;  // which message or collective
};

/// The steps in which the trace's times go: 1 ns, or what divides all of the first ones.
std::int64_t resolution_ns(const Trace& trace) {
  constexpr std::size_t kLookedAt = 100;
  std::int64_t steps = 1'000'000;
  for (std::int32_t r = 0; r < trace.ranks() && steps > 1; ++r) {
    const RankCalls& calls = trace.calls(r);
    for (std::size_t i = 0; i < std::min(kLookedAt, calls.size()) && steps > 1; ++i) {
      while (calls.begin_ns(i) % steps != 0 || calls.end_ns(i) % steps != 0) steps /= 1000;
    }
  }
  return steps;
}

class Check {
 public:
  Check(const Trace& trace, const CallMatching& matching)
      : trace_(trace), matching_(matching), resolution_(resolution_ns(trace)) {}

  Part messages() const {
    const std::size_t count = matching_.messages().size();
    std::vector<Part> parts((count + kMessagesAtOnce - 1) / kMessagesAtOnce);
    parallel_for(parts.size(), [&](std::size_t i) {
      const std::size_t end = std::min(count, (i + 1) * kMessagesAtOnce);
      for (std::size_t id = i * kMessagesAtOnce; id < end; ++id) {
        add(static_cast<std::uint32_t>(id), parts[i]);
      }
    });
    Part all;
    for (const Part& part : parts) {
      all.messages += part.messages;
      all.violations += part.violations;
      all.on_one_clock += part.on_one_clock;
      all.beyond_error += part.beyond_error;
      keep_worse(part.worst, part.worst_ns, all);
    }
    return all;
  }

  /// The member that entered a collective last, and the first that left of those that depend on it.
  struct Extremes {
    std::int32_t last = -1;
    std::int32_t first = -1;
    std::int64_t entered_ns = std::numeric_limits<std::int64_t>::min();
    std::int64_t left_ns = std::numeric_limits<std::int64_t>::max();
  };
  Extremes extremes(std::uint32_t id, CollectiveShape shape) const {
    const CollectiveInstance& c = matching_.collective(id);
    Extremes found;
    for (const CollectiveMember& m : matching_.members(c)) {
      const bool is_root = m.rank == c.root;
      const std::int64_t begin = trace_.calls(m.rank).begin_ns(m.enter);
      const std::int64_t end = trace_.calls(m.rank).end_ns(m.enter);
      const bool needed = shape != CollectiveShape::root_to_all || is_root;
      const bool needs = shape != CollectiveShape::all_to_root || is_root;
      if (needed && begin > found.entered_ns) {
        found.entered_ns = begin;
        found.last = m.rank;
      }
      if (needs && end < found.left_ns && !trace_.calls(m.rank).is_cut(m.enter)) {
        found.left_ns = end;
        found.first = m.rank;
      }
    }
    return found;
  }

  Part collectives() const {
    Part all;
    if (matching_.collectives().empty()) return all;
    const std::vector<CollectiveShape> shapes = collective_shapes(trace_, matching_);
    for (std::uint32_t id = 0; id < shapes.size(); ++id) {
      if (shapes[id] == CollectiveShape::none) continue;
      const Extremes e = extremes(id, shapes[id]);
      if (e.last < 0 || e.first < 0 || e.entered_ns <= e.left_ns) continue;
      count(e.entered_ns - e.left_ns, e.last, e.first, all);
      if (e.entered_ns - e.left_ns <= all.worst_ns) continue;
      all.worst_ns = e.entered_ns - e.left_ns;
      all.worst = id;
    }
    return all;
  }

 private:
  void add(std::uint32_t id, Part& part) const {
    const MessageCalls& m = matching_.message(id);
    if (m.receive_done == kNoCall || trace_.calls(m.destination).is_cut(m.receive_done)) return;
    ++part.messages;
    const std::int64_t early = trace_.calls(m.source).begin_ns(m.send) -
                               trace_.calls(m.destination).end_ns(m.receive_done);
    if (early <= 0) return;
    count(early, m.source, m.destination, part);
    keep_worse(id, early, part);
  }
  void count(std::int64_t early, std::int32_t a, std::int32_t b, Part& part) const {
    ++part.violations;
    if (have_one_clock(trace_, a, b)) {
      ++part.on_one_clock;
      return;
    }
    const std::int64_t steps = resolution_ > 1 ? resolution_ : 0;
    const std::int64_t error =
        trace_.rank_info(a).clock_error_ns + trace_.rank_info(b).clock_error_ns + steps;
    if (early > error) ++part.beyond_error;
  }
  /// Among equally large violations, the one whose receive comes first is kept.
  void keep_worse(std::uint32_t id, std::int64_t early, Part& part) const {
    if (early < part.worst_ns || early == 0) return;
    const auto place = [this](std::uint32_t of) {
      const MessageCalls& m = matching_.message(of);
      return std::tuple(m.destination, m.receive);
    };
    if (early == part.worst_ns && place(id) >= place(part.worst)) return;
    part.worst_ns = early;
    part.worst = id;
  }

  const Trace& trace_;
  const CallMatching& matching_;
  std::int64_t resolution_;
};

}  // namespace

CausalityCheck check_causality(const Trace& trace, const CallMatching& matching) {
  if (!trace.timed()) return {};
  const Check whole(trace, matching);
  const Part found = whole.messages();
  CausalityCheck check;
  check.messages = found.messages;
  check.violations = found.violations;
  check.worst_ns = found.worst_ns;
  check.on_one_clock = found.on_one_clock;
  if (found.violations > 0) {
    const MessageCalls& worst = matching.message(found.worst);
    check.worst = fmt::format("rank {} received from rank {} (tag {}) {} ns before it was sent",
                              worst.destination, worst.source,
                              sent_message(trace, matching, found.worst).tag, found.worst_ns);
  }
  const Part together = whole.collectives();
  check.collectives = together.violations;
  check.worst_collective_ns = together.worst_ns;
  check.collectives_on_one_clock = together.on_one_clock;
  check.beyond_error = found.beyond_error + together.beyond_error;
  if (together.violations > 0) {
    const CollectiveInstance& worst = matching.collective(together.worst);
    const std::vector<CollectiveShape> shapes = collective_shapes(trace, matching);
    const Check::Extremes e = whole.extremes(together.worst, shapes[together.worst]);
    check.worst_collective = fmt::format("rank {} left {} {} ns before rank {} entered it", e.first,
                                         mpi_name(worst.operation), together.worst_ns, e.last);
  }
  return check;
}

const std::string& worst_violation(const CausalityCheck& check) {
  return check.worst_ns >= check.worst_collective_ns ? check.worst : check.worst_collective;
}

void report_causality(const CausalityCheck& check, TraceBuilder& trace) {
  const auto add = [&trace](std::uint64_t all, std::uint64_t on_one_clock, const std::string& worst,
                            const FindingKind& one, const FindingKind& several) {
    if (on_one_clock > 0) trace.findings().add(one, worst, on_one_clock);
    if (all > on_one_clock) trace.findings().add(several, worst, all - on_one_clock);
  };
  add(check.violations, check.on_one_clock, check.worst, kReceivedBeforeSent, kCausalityViolated);
  add(check.collectives, check.collectives_on_one_clock, check.worst_collective,
      kLeftBeforeEnteredOnOneClock, kLeftBeforeEntered);
}

CausalityCheck count_causality_violations(TraceBuilder& trace, const CallMatching& matching) {
  CausalityCheck check = check_causality(trace, matching);
  report_causality(check, trace);
  return check;
}

}  // namespace slackline
