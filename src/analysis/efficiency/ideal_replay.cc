// The ideal network: what is left of the run when messages take no time.
//
// Every rank replays its calls with the measured computation between them. A call ends when it has
// begun and everything that it completes has been begun by the other side; nothing else costs time.
// What remains inside MPI is waiting that no network can take away. The replay visits the calls in
// an order that causality allows (replay.h), so each call is computed once from times that are
// final. Cost: linear in calls.

#include "analysis/efficiency/ideal_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "calls/collective_scope.h"
#include "calls/gap_walk.h"
#include "calls/replay.h"
#include "calls/run_span.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

constexpr std::int64_t kNotReplayed = std::numeric_limits<std::int64_t>::min();

}  // namespace

/// What the replay of the ideal run asks, and the times that it finds.
class IdealRules {
 public:
  IdealRules(const Trace& trace, const CallMatching& matching, const IdealOptions& options,
             IdealRun& run)
      : trace_(trace), matching_(matching), options_(options), run_(run) {
    const auto ranks = static_cast<std::size_t>(trace.ranks());
    run.begin_ns.resize(ranks);
    run.end_ns.resize(ranks);
    run.computation_ns.resize(ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
      const RankCalls& calls = trace.calls(static_cast<std::int32_t>(r));
      run.begin_ns[r].reserve(calls.size() + 1);
      GapWalk& gaps = gaps_.emplace_back(calls);
      run.end_ns[r].reserve(calls.size());
      const std::int64_t gap = gaps.next().outside_ns;
      run.begin_ns[r].push_back(calls.start_ns() + gap);
      run.computation_ns[r] = calls.start_ns() - run.start_ns + gap;
    }
    latest_.assign(matching.collectives().size(), kNotReplayed);
    not_synchronising_ = not_synchronising(trace, matching);
    windows_ = WindowWaits(trace);
  }

  const WindowWaits& window_waits() const { return windows_; }

  bool sender_waits(const MessageCalls& m) const {
    return m.send == m.send_done && m.buffered == 0 &&
           (m.synchronous != 0 || m.bytes >= options_.rendezvous_bytes);
  }

  CollectiveRule rule(const CollectiveInstance& c) const {
    if (not_synchronising_[static_cast<std::size_t>(&c - matching_.collectives().data())]) {
      return CollectiveRule::none;
    }
    if (options_.causality == CollectiveCausality::data) return rule_by_data(c);
    if (operation_class(c.operation) == OperationClass::comm_create ||
        collective_scope(c.operation) == CollectiveScope::freeing ||
        c.operation == Operation::finalize) {
      return CollectiveRule::none;
    }
    return c.operation == Operation::reduce ? CollectiveRule::root_waits : CollectiveRule::all_wait;
  }

  /// Flattened, so that a completion costs no call.
  [[gnu::flatten]] void step(std::int32_t rank, CallIndex call) {
    const auto r = static_cast<std::size_t>(rank);
    const RankCalls& calls = trace_.calls(rank);
    std::int64_t now = run_.begin_ns[r].back();
    matching_.for_completions(rank, call, [&](const CallMatching::Completion& c) {
      now = std::max(now, reason(rank, c));
    });
    for (const WindowWait& w : windows_.of(rank, call)) {
      now = std::max(now, begin(w.source, w.source_call));
    }
    const std::int64_t kept = keeps_time(calls.operation(call)) ? kept_time(rank, call) : 0;
    now += kept;
    run_.end_ns[r].push_back(now);
    const std::int64_t gap = gaps_[r].next().outside_ns;
    run_.computation_ns[r] += kept + gap;
    run_.begin_ns[r].push_back(now + gap);
  }

 private:
  /// Calls whose time is the rank's own, and not the network's.
  static bool keeps_time(Operation operation) {
    return operation_class(operation) == OperationClass::io;
  }

  /// The measured time of such a call, from when all had come that it waits for.
  std::int64_t kept_time(std::int32_t rank, CallIndex call) {
    std::int64_t from = trace_.calls(rank).begin_ns(call);
    matching_.for_completions(rank, call, [&](const CallMatching::Completion& c) {
      if (c.kind != CallMatching::Completion::Kind::collective) return;
      const CollectiveInstance& collective = matching_.collective(c.id);
      if (rule(collective) != CollectiveRule::all_wait) return;
      from = std::max(from, last_measured_entry(c.id));
    });
    return std::max<std::int64_t>(0, trace_.calls(rank).end_ns(call) - from);
  }

  /// Looked for once for each collective.
  std::int64_t last_measured_entry(std::uint32_t id) {
    std::int64_t& last = last_measured_.try_emplace(id, kNotReplayed).first->second;
    if (last != kNotReplayed) return last;
    for (const CollectiveMember& m : matching_.members(matching_.collective(id))) {
      last = std::max(last, trace_.calls(m.rank).begin_ns(m.enter));
    }
    return last;
  }

  /// The begin of a call that has begun; others are asked for only where a deadlock was broken.
  std::int64_t begin(std::int32_t rank, CallIndex call) const {
    const std::vector<std::int64_t>& begun = run_.begin_ns[static_cast<std::size_t>(rank)];
    return call < begun.size() ? begun[call] : kNotReplayed;
  }

  std::int64_t reason(std::int32_t rank, const CallMatching::Completion& c) {
    if (c.kind == CallMatching::Completion::Kind::incoming ||
        c.kind == CallMatching::Completion::Kind::probed) {
      const MessageCalls& m = matching_.message(c.id);
      return begin(m.source, m.send);
    }
    if (c.kind == CallMatching::Completion::Kind::outgoing) {
      const MessageCalls& m = matching_.message(c.id);
      return m.matched() && sender_waits(m) ? begin(m.destination, m.receive) : kNotReplayed;
    }
    return collective_reason(rank, c.id);
  }

  std::int64_t collective_reason(std::int32_t rank, std::uint32_t id) {
    const CollectiveInstance& c = matching_.collective(id);
    const CollectiveRule how = rule(c);
    if (how == CollectiveRule::none) return kNotReplayed;
    if (how == CollectiveRule::all_wait && latest_[id] != kNotReplayed) return latest_[id];
    if (how == CollectiveRule::wait_for_root) {
      const CollectiveMember* root = matching_.member(c, c.root);
      return root == nullptr ? kNotReplayed : begin(root->rank, root->enter);
    }
    if (how == CollectiveRule::root_waits && rank != c.root) return kNotReplayed;
    const CollectiveMember* me = matching_.member(c, rank);
    std::int64_t latest = kNotReplayed;
    if (me == nullptr) return latest;
    NeededMembers(trace_, matching_, c, how, *me).for_each([&](const CollectiveMember& m) {
      latest = std::max(latest, begin(m.rank, m.enter));
    });
    if (how == CollectiveRule::all_wait) latest_[id] = latest;
    return latest;
  }

  const Trace& trace_;
  const CallMatching& matching_;
  const IdealOptions& options_;
  IdealRun& run_;
  std::vector<GapWalk> gaps_;         // of each rank
  std::vector<std::int64_t> latest_;  // of each collective: the last arrival
  std::vector<bool> not_synchronising_;
  WindowWaits windows_;
  std::unordered_map<std::uint32_t, std::int64_t> last_measured_;  // entries, of collective I/O
};

std::string_view to_string(CollectiveCausality causality) {
  return causality == CollectiveCausality::dimemas ? "dimemas" : "data";
}

CollectiveCausality parse_collective_causality(std::string_view name) {
  if (name == "dimemas") return CollectiveCausality::dimemas;
  if (name == "data") return CollectiveCausality::data;
  throw usage_error(fmt::format("unknown collective causality '{}'", name), "no such name",
                    "Choose dimemas or data.");
}

IdealRun ideal_run(const Trace& trace, const CallMatching& matching, const IdealOptions& options) {
  IdealRun run;
  run.start_ns = run_span(trace).whole.begin_ns;
  IdealRules rules(trace, matching, options, run);
  Replay replay(trace, matching, rules);
  replay.run();
  run.released = replay.deadlocked();
  std::int64_t end = run.start_ns;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    auto& begins = run.begin_ns[static_cast<std::size_t>(r)];
    run.rank_end_ns.push_back(begins.back());
    begins.pop_back();
    if (!trace.calls(r).empty()) end = std::max(end, run.rank_end_ns.back());
  }
  run.runtime_ns = end - run.start_ns;
  return run;
}

Trace with_ideal_times(Trace measured, const IdealRun& ideal) {
  TraceBuilder trace = std::move(measured);
  std::vector<std::int64_t> times;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const auto rank = static_cast<std::size_t>(r);
    times.clear();
    for (std::size_t i = 0; i < trace.calls(r).size(); ++i) {
      times.push_back(ideal.begin_ns[rank][i]);
      times.push_back(ideal.end_ns[rank][i]);
    }
    trace.calls(r).retime(times);
  }
  return std::move(trace).build();
}

}  // namespace slackline
