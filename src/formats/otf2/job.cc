// Ranks and communicators of an archive.
//
// Score-P's convention: the group COMM_LOCATIONS lists, by rank, the location that called MPI_Init;
// a communicator's group (COMM_GROUP) holds indices into that list, and COMM_SELF groups stand for
// each rank by itself. Archives without that group exist (some converters write none): then every
// process is a rank, in order of definition.

#include "formats/otf2/job.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_set>

#include "formats/otf2/conventions.h"
#include "formats/otf2/findings.h"

namespace slackline::otf2 {
namespace {

__extension__ using Wide = unsigned __int128;
using GroupKind = Definitions::GroupKind;

// The most locations that MPI knows, or nothing.
const Definitions::Group* mpi_locations(const Definitions& d) {
  const Definitions::Group* best = nullptr;
  for (const auto& [id, group] : d.groups) {
    if (group.kind != GroupKind::comm_locations) continue;
    if (best == nullptr || group.members.size() > best->members.size()) best = &group;
  }
  return best;
}

class RankFinder {
 public:
  explicit RankFinder(const Definitions& d) : d_(d) {
    for (const auto& location : d.locations) {
      process_of_[location.id] = location.group;
      if (location.is_thread) locations_of_[location.group].push_back(&location);
    }
    for (const auto& process : d.processes) host_of_.try_emplace(process.id, &process.host);
  }

  std::vector<Job::Rank> find() {
    std::vector<Job::Rank> ranks;
    if (const auto* group = mpi_locations(d_)) {
      for (const std::uint64_t master : group->members) ranks.push_back(rank_of(master));
    }
    if (!ranks.empty()) return ranks;
    for (const auto& process : d_.processes) {
      const auto found = locations_of_.find(process.id);
      if (!process.is_process || found == locations_of_.end()) continue;
      ranks.push_back(rank_of(found->second.front()->id));
    }
    return ranks;
  }

 private:
  Job::Rank rank_of(std::uint64_t master) const {
    Job::Rank rank;
    rank.locations.push_back(master);
    const auto process = process_of_.find(master);
    if (process == process_of_.end()) return rank;
    for (const auto* location : locations_of_.at(process->second)) {
      rank.events += location->events;
      if (location->id != master && location->events > 0) rank.locations.push_back(location->id);
    }
    const auto host = host_of_.find(process->second);
    if (host != host_of_.end()) rank.host = *host->second;
    return rank;
  }

  const Definitions& d_;
  std::unordered_map<std::uint64_t, std::uint32_t> process_of_;
  std::unordered_map<std::uint32_t, const std::string*> host_of_;  // by process
  std::unordered_map<std::uint32_t, std::vector<const Definitions::Location*>> locations_of_;
};

std::vector<std::int32_t> members_of(const Definitions& d, std::uint32_t group, std::size_t ranks) {
  std::vector<std::int32_t> members;
  const auto found = d.groups.find(group);
  if (found == d.groups.end()) return members;
  for (const std::uint64_t member : found->second.members) {
    if (member < ranks) members.push_back(static_cast<std::int32_t>(member));
  }
  return members;
}

const Definitions::Group* group_of(const Definitions& d, std::uint32_t group) {
  const auto found = d.groups.find(group);
  return found == d.groups.end() ? nullptr : &found->second;
}

bool is_of_mpi(const Definitions& d, std::uint32_t group) {
  const Definitions::Group* const found = group_of(d, group);
  return found == nullptr || found->of_mpi;
}

bool is_self(const Definitions& d, std::uint32_t group) {
  const auto found = d.groups.find(group);
  return found != d.groups.end() && found->second.kind == GroupKind::comm_self;
}

// MPI_COMM_WORLD by its name, else the first communicator of all ranks in order.
std::uint32_t find_world(const Job& job, std::uint32_t none) {
  std::uint32_t by_members = none;
  for (const auto& [id, comm] : job.definitions.comms) {
    if (comm.inter || !is_of_mpi(job.definitions, comm.group)) continue;
    const auto members = members_of(job.definitions, comm.group, job.ranks.size());
    bool all = members.size() == job.ranks.size();
    for (std::size_t i = 0; all && i < members.size(); ++i) {
      all = members[i] == static_cast<std::int32_t>(i);
    }
    if (!all) continue;
    if (comm.name == "MPI_COMM_WORLD") return id;
    if (by_members == none) by_members = id;
  }
  return by_members;
}

std::string started(std::uint64_t ns) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  if (ns == 0) return {};
  const auto seconds = static_cast<std::time_t>(ns / kSecond % 100'000'000'000);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(seconds));
}

void describe_recording(const Definitions& d, TraceBuilder& trace) {
  TraceInfo& info = trace.info();
  const auto fact = [&](std::string_view key, std::string& into) {
    const auto found = d.properties.find(std::string(key));
    if (found != d.properties.end()) into = found->second;
  };
  if (!d.properties.contains(std::string(kVersionProperty))) {
    info.recorder = d.creator;
    info.started = started(d.started_ns);
  }
  fact(kRecorderProperty, info.recorder);
  fact(kProgramProperty, info.program);
  fact(kMpiProperty, info.mpi_library);
  fact(kMpiVersionProperty, info.mpi_version);
  fact(kStartedProperty, info.started);
  std::string flops;
  fact(kFlopsProperty, flops);
  double number = 0;
  const auto [end, error] = std::from_chars(flops.data(), flops.data() + flops.size(), number);
  if (error == std::errc() && std::isfinite(number) && number > 0) info.flops_per_second = number;
}

void add_communicators(Job& job, TraceBuilder& trace) {
  const std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  const std::uint32_t world = find_world(job, none);
  if (world == none) trace.findings().add(kNoWorld);
  const Definitions& d = job.definitions;
  for (const auto& [ref, comm] : d.comms) {
    if (!is_of_mpi(d, comm.group)) {
      const Definitions::Group* const group = group_of(d, comm.group);
      if (group->of_measurement) continue;
      trace.findings().add(kOtherCommunicators, fmt::format("{} '{}'", group->paradigm, comm.name));
      continue;
    }
    if (ref == world) {
      job.comms[ref] = {kCommWorld};
    } else if (!comm.inter && is_self(d, comm.group)) {
      job.comms[ref] = {kCommSelf};
    } else {
      Communicator added{members_of(d, comm.group, job.ranks.size()), {}, comm.name};
      if (comm.inter) added.remote = members_of(d, comm.remote_group, job.ranks.size());
      job.comms[ref] = {trace.add_communicator(std::move(added))};
    }
  }
}

// Locations whose events are not read: GPU streams, and what belongs to no MPI rank.
void count_locations_left_out(const Job& job, TraceBuilder& trace) {
  std::unordered_set<std::uint64_t> read;
  for (const Job::Rank& rank : job.ranks) read.insert(rank.locations.begin(), rank.locations.end());
  for (const Definitions::Location& location : job.definitions.locations) {
    if (location.events == 0 || read.contains(location.id)) continue;
    trace.findings().add(kLocationsLeftOut,
                         fmt::format("'{}' with {} events", location.name, location.events));
    trace.findings().add(kEventsLeftOut, {}, location.events);
  }
}

void find_counters(const Definitions& d, Job& job) {
  std::unordered_map<std::uint32_t, std::uint32_t> counter_of;
  for (const auto& [ref, metric] : d.metrics) {
    counter_of[ref] =
        metric.accumulates ? static_cast<std::uint32_t>(job.counters.size()) : Job::kNoCounter;
    if (metric.accumulates) job.counters.push_back(metric.name);
  }
  for (const auto& [ref, members] : d.metric_classes) {
    for (const std::uint32_t member : members) {
      const auto found = counter_of.find(member);
      job.metrics[ref].push_back(found == counter_of.end() ? Job::kNoCounter : found->second);
    }
  }
}

bool is_timed(const Definitions& d) {
  const auto found = d.properties.find(std::string(kTimedProperty));
  return found == d.properties.end() || found->second != "false";
}

}  // namespace

std::int64_t Job::time_ns(std::uint64_t ticks) const {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const std::uint64_t zero = definitions.clock_zero;
  const std::uint64_t rate = definitions.ticks_per_second;
  const bool before = ticks < zero;
  const std::uint64_t distance = before ? zero - ticks : ticks - zero;
  std::uint64_t ns = distance;
  if (rate != kSecond) {
    const auto rest = static_cast<Wide>(distance % rate) * kSecond / rate;
    const auto all = static_cast<Wide>(distance / rate) * kSecond + rest;
    ns = all > static_cast<Wide>(kTimeLimit_ns) ? std::uint64_t{kTimeLimit_ns}
                                                : static_cast<std::uint64_t>(all);
  }
  ns = std::min(ns, static_cast<std::uint64_t>(kTimeLimit_ns));
  return before ? -static_cast<std::int64_t>(ns) : static_cast<std::int64_t>(ns);
}

Job describe_job(Definitions definitions) {
  Job job;
  job.own = definitions.properties.contains(std::string(kVersionProperty));
  job.counts_pairs = job.own || definitions.creator.starts_with(kScoreP);
  const auto zero = definitions.properties.find(std::string(kZeroProperty));
  if (job.own && zero != definitions.properties.end()) {
    const std::string& text = zero->second;
    std::from_chars(text.data(), text.data() + text.size(), definitions.clock_zero);
  }
  job.ranks = RankFinder(definitions).find();
  find_counters(definitions, job);
  job.definitions = std::move(definitions);
  for (std::size_t i = 0; i < job.definitions.locations.size(); ++i) {
    job.location_index.emplace(job.definitions.locations[i].id, i);
  }
  return job;
}

TraceBuilder make_trace(Job& job) {
  TraceBuilder trace(static_cast<std::int32_t>(job.ranks.size()), is_timed(job.definitions));
  describe_recording(job.definitions, trace);
  add_communicators(job, trace);
  count_locations_left_out(job, trace);
  for (std::size_t r = 0; r < job.ranks.size(); ++r) {
    trace.rank_info(static_cast<std::int32_t>(r)).host = job.ranks[r].host;
  }
  return trace;
}

}  // namespace slackline::otf2
