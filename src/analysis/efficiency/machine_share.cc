#include "analysis/efficiency/machine_share.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/arithmetic.h"
#include "base/units.h"
#include "calls/disturbance.h"

namespace slackline {
namespace {

constexpr std::string_view kInvoluntary = "ru_nivcsw";

std::optional<std::size_t> counter_of(const Trace& trace, std::string_view name) {
  const auto& names = trace.counters();
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

std::uint64_t sum_of(const Trace& trace, std::int32_t rank, std::string_view name) {
  const auto which = counter_of(trace, name);
  const RankCalls& calls = trace.calls(rank);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; which && i <= calls.size(); ++i) sum += calls.counter(*which, i);
  return sum;
}

double share_of(const RankMachineTime& t) {
  return ratio_of(static_cast<double>(t.lost_ns), static_cast<double>(t.computation_ns));
}

Value number(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

const Rows<RankMachineTime> kStretches{
    {"stretches", &RankMachineTime::stretches},
    {"interrupted_stretches", &RankMachineTime::interrupted},
    {"involuntary_switches", &RankMachineTime::involuntary_switches},
    {"voluntary_switches", &RankMachineTime::voluntary_switches},
    {"migrations", &RankMachineTime::migrations},
    {"minor_faults", &RankMachineTime::minor_faults},
    {"major_faults", &RankMachineTime::major_faults}};

}  // namespace

RankMachineTime& RankMachineTime::operator+=(const RankMachineTime& other) {
  computation_ns += other.computation_ns;
  lost_ns += other.lost_ns;
  stretches += other.stretches;
  interrupted += other.interrupted;
  involuntary_switches += other.involuntary_switches;
  voluntary_switches += other.voluntary_switches;
  migrations += other.migrations;
  minor_faults += other.minor_faults;
  major_faults += other.major_faults;
  return *this;
}

double MachineShare::lost_share() const {
  return share_of(all);
}

bool counts_interruptions(const Trace& trace) {
  return trace.timed() && counter_of(trace, kInvoluntary).has_value();
}

RankMachineTime rank_machine_time(const Trace& trace, std::int32_t rank) {
  RankMachineTime t;
  const auto involuntary = counter_of(trace, kInvoluntary);
  const RankCalls& calls = trace.calls(rank);
  for (std::size_t i = 1; i < calls.size(); ++i) {
    const std::int64_t length = calls.gap_ns(i);
    if (length <= 0) continue;
    ++t.stretches;
    t.computation_ns += length;
    if (!involuntary || calls.counter(*involuntary, i) == 0) continue;
    ++t.interrupted;
    t.lost_ns += calls.paused_ns(i, PauseKind::no_processor);
  }
  t.involuntary_switches = sum_of(trace, rank, kInvoluntary);
  t.voluntary_switches = sum_of(trace, rank, "ru_nvcsw");
  t.migrations = sum_of(trace, rank, "cpu_migrations");
  t.minor_faults = sum_of(trace, rank, "ru_minflt");
  t.major_faults = sum_of(trace, rank, "ru_majflt");
  return t;
}

MachineShare machine_share(std::span<const RankMachineTime> ranks, const TraceInfo& info) {
  MachineShare share;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const RankMachineTime& t = ranks[r];
    share.all += t;
    if (share_of(t) <= share.rank_lost_share) continue;
    share.rank = static_cast<std::int32_t>(r);
    share.rank_lost_share = share_of(t);
  }
  if (info.processors_ns > 0) {
    share.stolen_share =
        static_cast<double>(info.stolen_ns) / static_cast<double>(info.processors_ns);
    share.other_processes_share = other_processes_share(info);
  }
  return share;
}

std::optional<MachineShare> machine_share(const Trace& trace) {
  if (!counts_interruptions(trace)) return std::nullopt;
  std::vector<RankMachineTime> ranks;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) ranks.push_back(rank_machine_time(trace, r));
  return machine_share(ranks, trace.info());
}

Facts machine_facts(const MachineShare& s) {
  const RankMachineTime& t = s.all;
  Facts facts{
      {{"the machine's share of computation", s.lost_share(), Unit::ratio,
        "time without a processor"},
       {"largest share of a rank", s.rank_lost_share, Unit::ratio, fmt::format("rank {}", s.rank)},
       {"interrupted stretches", number(t.interrupted), Unit::count,
        fmt::format("of {} between two calls", format_count(t.stretches))},
       {"context switches", number(t.involuntary_switches), Unit::count,
        fmt::format("involuntary, in computation; voluntary: {}",
                    format_count(t.voluntary_switches))},
       {"migrations", number(t.migrations), Unit::count, "found on another processor than before"},
       {"page faults", number(t.minor_faults + t.major_faults), Unit::count,
        fmt::format("{} of them read from disk", format_count(t.major_faults))}}};
  if (s.stolen_share) {
    facts.facts.push_back({"steal time", *s.stolen_share, Unit::ratio,
                           "of the processors' time, taken by the hypervisor"});
  }
  if (s.other_processes_share.value_or(0) > 0) {
    facts.facts.push_back({"other processes", *s.other_processes_share, Unit::ratio,
                           "of the processors' time, used outside of the job"});
  }
  return facts;
}

const Rows<MachineShare> kMachineShare{
    {"computation_ns", [](auto& s) { return s.all.computation_ns; }},
    {"off_processor_ns", [](auto& s) { return s.all.lost_ns; }},
    {"off_processor_share", &MachineShare::lost_share},
    {"rank", &MachineShare::rank},
    {"rank_off_processor_share", &MachineShare::rank_lost_share},
    {kSpliced, &MachineShare::all, kStretches},
    {"stolen_share", &MachineShare::stolen_share},
    {"other_processes_share", &MachineShare::other_processes_share}};

}  // namespace slackline
