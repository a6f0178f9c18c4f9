#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "trace/trace_builder.h"

namespace slackline::testing {

// Arbitrary traces for property tests. They need make no sense as MPI programs: formats must hold
// whatever a Trace can hold.

/// One arbitrary call that ends not before `begin`; `args` keeps its arguments alive.
inline Call arbitrary_call(std::int64_t begin, bool timed, std::vector<std::int64_t>& args) {
  using rc::gen::element;
  using rc::gen::inRange;
  Call call;
  call.operation = static_cast<Operation>(*inRange(0, static_cast<int>(kOperationCount)));
  call.flags = static_cast<std::uint8_t>(
      *rc::gen::weightedElement<int>({{6, 0}, {1, SLK_FLAG_FAILED}, {1, *inRange(0, 256)}}));
  call.thread = *rc::gen::weightedElement<std::uint16_t>({{8, 0}, {1, 1}, {1, 65535}});
  call.begin_ns = begin;
  call.end_ns = timed ? begin + *element<std::int64_t>(0, 17, 900, 1'000'000'007) : begin;
  call.bytes = *element<std::uint64_t>(0, 8, 4096, 1ull << 40, ~0ull);
  call.peer = *element<std::int32_t>(-1, 0, 1, 3, -2, -3, -4, -2147483647 - 1, 2147483647);
  call.tag = *element<std::int32_t>(0, 8, -1, 32767, 2147483647, -2147483647 - 1);
  call.comm = *element<std::uint32_t>(0, 1, 2, 77, kCommNull);
  call.request = *element<std::uint32_t>(0, 1, 2, 30, 0xffffffffu);
  args = *rc::gen::oneOf(
      rc::gen::just(std::vector<std::int64_t>{}),
      rc::gen::container<std::vector<std::int64_t>>(inRange<std::int64_t>(-5, 20)),
      rc::gen::map(inRange<std::int64_t>(0, 40),
                   [](std::int64_t n) { return std::vector<std::int64_t>(std::size_t(n), n); }),
      rc::gen::element(std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 9, 11, 13, 15, 8, 8},
                       std::vector<std::int64_t>{2, 5, 8, 0},
                       std::vector<std::int64_t>{3, 15, 1, 0, 8, 0, 4, 19, -3, -1, 0, 2},
                       std::vector<std::int64_t>{2, 1, 8, 3, 8, 1, 0, 16},
                       std::vector<std::int64_t>{INT64_MIN, INT64_MAX, -1, 0}),
      rc::gen::container<std::vector<std::int64_t>>(rc::gen::arbitrary<std::int64_t>()));
  call.args = args;
  return call;
}

/// A parallel region from `now` on; returns its end.
inline std::int64_t add_arbitrary_team(std::int64_t now, const RankCalls& calls,
                                       ParallelRegions& teams) {
  ParallelRegion region{.begin_ns = now, .end_ns = now + *rc::gen::inRange(0, 100'000)};
  region.length_ns = *rc::gen::inRange<std::int64_t>(0, region.end_ns - now + 1);
  region.instances = *rc::gen::element<std::uint32_t>(1, 1, 7, 100'000);
  region.before_call = static_cast<std::uint32_t>(calls.size());
  std::vector<LocationTime> times(static_cast<std::size_t>(*rc::gen::inRange(1, 5)));
  for (LocationTime& time : times) {
    time.busy_ns = *rc::gen::inRange<std::int64_t>(0, region.length_ns + 1);
    time.waiting_ns = *rc::gen::inRange<std::int64_t>(0, region.length_ns - time.busy_ns + 1);
  }
  teams.append(region, times);
  return region.end_ns;
}

inline void arbitrary_rank(TraceBuilder& trace, std::int32_t rank) {
  using rc::gen::element;
  RankInfo& info = trace.rank_info(rank);
  RankCallsBuilder& calls = trace.calls(rank);
  info.host = *element<std::string>("", "n0", "node 7", "a\"b\\c\n\x01");
  info.present = *rc::gen::weightedElement<bool>({{9, true}, {1, false}});
  info.finalized = *rc::gen::arbitrary<bool>();
  info.clock_offset_ns = *element<std::int64_t>(0, -12345, kTimeLimit_ns);
  info.clock_drift = *element<double>(0.0, 1e-6, -3.3333333333333333e-7);
  info.clock_error_ns = *element<std::int64_t>(0, 120);
  calls.set_start_ns(*element<std::int64_t>(0, 5, -7, 1'000'000));
  std::int64_t now = calls.start_ns();
  std::vector<std::int64_t> args;
  ParallelRegions teams;
  const int steps = *rc::gen::inRange(0, 30);
  for (int i = 0; i < steps; ++i) {
    now += *element<std::int64_t>(0, 0, 3, 100, 70'000, 5'000'000'000, -2);
    if (!trace.regions().empty() && *rc::gen::inRange(0, 5) == 0) {
      const auto region =
          static_cast<std::uint32_t>(*rc::gen::inRange<std::size_t>(0, trace.regions().size()));
      calls.append_region({.time_ns = now,
                           .region = region,
                           .before_call = static_cast<std::uint32_t>(calls.size()),
                           .enter = *rc::gen::arbitrary<bool>()});
      continue;
    }
    if (*rc::gen::inRange(0, 8) == 0) {
      const auto length = *element<std::int64_t>(0, 4, 1'000'000);
      calls.append_pause({now, now + length, static_cast<std::uint32_t>(calls.size()),
                          pause_kind(*rc::gen::inRange<std::uint8_t>(0, 5))});
      now += length;
    }
    if (trace.timed() && *rc::gen::inRange(0, 8) == 0) now = add_arbitrary_team(now, calls, teams);
    const Call call = arbitrary_call(now, trace.timed(), args);
    calls.append(call);
    now = call.end_ns;
  }
  if (!teams.empty()) calls.set_parallel_regions(std::move(teams));
  if (*rc::gen::inRange(0, 3) == 0) {
    const auto number = [] { return *element<std::uint64_t>(0, 1, 4096, kTimeLimit_ns); };
    std::vector<BlockingCalls> blocking(2);
    for (BlockingCalls& of : blocking) {
      of.kind = *element(BlockingKind::io, BlockingKind::sleep, BlockingKind::device);
      of.function = *element<std::string>("", "write", "nanosleep");
      of.file = *element<std::string>("", "/tmp/a b\"c\\", "pipe");
      of.calls = number();
      of.bytes = number();
      of.time_ns = static_cast<std::int64_t>(number());
      of.blocked_ns = std::min<std::int64_t>(of.time_ns, 7);
    }
    calls.set_blocking_calls(std::move(blocking));
  }
  if (*rc::gen::inRange(0, 3) == 0) {
    std::vector<RecordingCost> costs(kOperationCount);
    for (RecordingCost& cost : costs) {
      cost = {*element<std::uint32_t>(0, 1, 90, ~0u), *element<std::uint32_t>(0, 40)};
    }
    costs[0] = {};  // of no operation
    calls.set_recording_costs(std::move(costs));
  }
  if (*rc::gen::arbitrary<bool>()) calls.set_stop_ns(now + *element<std::int64_t>(0, 1, 5000));
  for (std::size_t which = 0; which < trace.counters().size(); ++which) {
    const auto gaps = *rc::gen::inRange<std::size_t>(0, calls.size() + 2);
    std::vector<std::uint64_t> values(gaps);
    for (auto& value : values) value = *element<std::uint64_t>(0, 1, 123'456'789, ~0ull);
    calls.set_counter(which, std::move(values));
  }
}

inline std::vector<std::int32_t> arbitrary_members(std::int32_t ranks) {
  return *rc::gen::container<std::vector<std::int32_t>>(rc::gen::inRange(0, ranks));
}

/// To be called inside rc::check.
inline Trace arbitrary_trace() {
  using rc::gen::element;
  TraceBuilder trace(*rc::gen::inRange(1, 6), *rc::gen::arbitrary<bool>());
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    trace.add_communicator({.members = arbitrary_members(trace.ranks()),
                            .remote = arbitrary_members(trace.ranks()),
                            .name = *element<std::string>("", "row", "my comm")});
  }
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    trace.region_id(*element<std::string>("solve", "0", "", "a b", "\"#\\", "tab\there"));
  }
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
    trace.add_counter(*element<std::string>("PAPI_TOT_INS", "", "a \"b\""));
  }
  trace.info().program = *element<std::string>("", "lmp -in x", "a#b");
  trace.info().mpi_library = *element<std::string>("", "Open MPI");
  trace.info().cpu_ns = *element<std::int64_t>(0, 123);
  trace.info().flops_per_second = *element<double>(0.0, 1e9, 2.3456789e9);
  trace.info().processors_ns = *element<std::int64_t>(0, 5'000'000'000);
  if (trace.info().processors_ns > 0)
    trace.info().stolen_ns = *element<std::int64_t>(0, 70'000'000);
  if (trace.info().processors_ns > 0)
    trace.info().other_processes_ns = *element<std::int64_t>(0, 3'000'000'000);
  trace.info().lost_calls = *element<std::uint64_t>(0, ~0ull);
  if (*rc::gen::arbitrary<bool>()) {
    constexpr FindingKind kKind{"some_kind", Severity::data_loss, "Something \"happened\"."};
    trace.findings().add(kKind, "rank 3", 7);
    trace.findings().add(kKind, "", 1);
  }
  for (std::int32_t r = 0; r < trace.ranks(); ++r) arbitrary_rank(trace, r);
  return std::move(trace).build();
}

inline bool same_rank_info(const RankInfo& a, const RankInfo& b) {
  return a.host == b.host && a.present == b.present && a.finalized == b.finalized &&
         a.clock_offset_ns == b.clock_offset_ns && a.clock_drift == b.clock_drift &&
         a.clock_error_ns == b.clock_error_ns;
}

inline bool same_pauses(const RankCalls& a, const RankCalls& b) {
  return std::ranges::equal(a.pauses(), b.pauses(), [](const Pause& x, const Pause& y) {
    return x.begin_ns == y.begin_ns && x.end_ns == y.end_ns && x.before_call == y.before_call &&
           x.kind == y.kind;
  });
}

/// Pauses, costs of recording, hardware counters and stops.
inline bool same_details(const Trace& a, const Trace& b) {
  if (a.counters() != b.counters()) return false;
  for (std::int32_t r = 0; r < a.ranks(); ++r) {
    const RankCalls& x = a.calls(r);
    const RankCalls& y = b.calls(r);
    if (x.stop_ns() != y.stop_ns() || !same_pauses(x, y) ||
        !std::ranges::equal(x.recording_costs(), y.recording_costs())) {
      return false;
    }
    for (std::size_t which = 0; which < a.counters().size(); ++which) {
      for (std::size_t gap = 0; gap <= x.size(); ++gap) {
        if (x.counter(which, gap) != y.counter(which, gap)) return false;
      }
    }
  }
  return true;
}

/// What same_content() leaves aside: facts about the recording, ranks, names, details and findings.
inline bool same_facts(const Trace& a, const Trace& b) {
  const TraceInfo& x = a.info();
  const TraceInfo& y = b.info();
  bool same = x.program == y.program && x.mpi_library == y.mpi_library &&
              x.mpi_version == y.mpi_version && x.recorder == y.recorder &&
              x.started == y.started && x.cpu_ns == y.cpu_ns && x.recording_ns == y.recording_ns &&
              x.lost_calls == y.lost_calls && x.flops_per_second == y.flops_per_second &&
              x.processors_ns == y.processors_ns && x.stolen_ns == y.stolen_ns &&
              x.other_processes_ns == y.other_processes_ns;
  for (std::int32_t r = 0; same && r < a.ranks(); ++r) {
    same = same_rank_info(a.rank_info(r), b.rank_info(r));
  }
  for (std::size_t c = 0; same && c < a.communicators().size(); ++c) {
    same = a.communicators()[c].name == b.communicators()[c].name;
  }
  same = same && same_details(a, b);
  const auto& f = a.findings().entries();
  const auto& g = b.findings().entries();
  if (f.size() != g.size()) return false;
  for (std::size_t i = 0; same && i < f.size(); ++i) {
    same = f[i].name == g[i].name && f[i].severity == g[i].severity &&
           f[i].sentence == g[i].sentence && f[i].count == g[i].count &&
           f[i].examples == g[i].examples;
  }
  return same;
}

}  // namespace slackline::testing
