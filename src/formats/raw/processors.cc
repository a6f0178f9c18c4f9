#include "formats/raw/rank_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "formats/raw/findings.h"

namespace slackline::raw {
namespace {

using Mask = std::array<std::uint64_t, std::size(decltype(slk_raw_header::processors){})>;

std::uint64_t count_of(const Mask& processors) {
  std::uint64_t count = 0;
  for (const std::uint64_t word : processors) {
    count += static_cast<std::uint64_t>(std::popcount(word));
  }
  return count;
}

struct Host {
  std::uint64_t ranks = 0;
  std::uint64_t threads = 0;  // of all its ranks, those of OpenMP's largest teams included
  std::uint64_t without_cpu_time = 0;
  Mask processors{};  // of all its ranks
  bool known = true;
  std::int64_t computation_ns = 0;
  std::int64_t off_processor_ns = 0;
};

void add(const RankFiles& rank, const ProcessorUse& use, Host& host) {
  ++host.ranks;
  host.threads += use.threads;
  if (rank.header().knows_cpu_time == 0 || rank.files.size() > 1) ++host.without_cpu_time;
  bool any = false;
  for (std::size_t i = 0; i < host.processors.size(); ++i) {
    const std::uint64_t word = rank.header().processors[i];
    host.processors[i] |= word;
    any = any || word != 0;
  }
  host.known = host.known && any;
  host.computation_ns += use.computation_ns;
  host.off_processor_ns += use.off_processor_ns;
}

std::string off_share(const Host& host) {
  if (host.computation_ns == 0 || host.without_cpu_time > 0) return {};
  return fmt::format(
      ", without a processor for {:.0f} % of their computation",
      100 * static_cast<double>(host.off_processor_ns) / static_cast<double>(host.computation_ns));
}

std::string processors_text(std::uint64_t count) {
  return fmt::format("{} {}", count, count == 1 ? "processor" : "processors");
}

/// The time of the processors on which a group of ranks may run, during one rank's run.
struct GroupTime {
  std::int64_t total_ns = 0;  // idle time included; 0 unknown
  std::int64_t stolen_ns = 0;
  std::int64_t used_ns = 0;
  double used_by_ranks = 0;  // of the processors' time: a share, as the ranks' intervals differ

  std::int64_t other_processes_ns() const {
    return std::max<std::int64_t>(
        0, used_ns - static_cast<std::int64_t>(used_by_ranks * static_cast<double>(total_ns)));
  }
};

bool is_believable(const slk_raw_header& h) {
  constexpr std::uint64_t kBelievable = std::uint64_t{1} << 60;
  return h.processors_ns > 0 && h.processors_ns <= kBelievable && h.stolen_ns <= h.processors_ns &&
         h.used_ns <= h.processors_ns;
}

/// Ranks that may run on the same processors have measured the same time; that of the shortest
/// interval has least of what is before and after the job.
void add(const slk_raw_header& h, GroupTime& time) {
  time.used_by_ranks +=
      static_cast<double>(h.used_by_process_ns) / static_cast<double>(h.processors_ns);
  const auto total = static_cast<std::int64_t>(h.processors_ns);
  if (time.total_ns != 0 && total >= time.total_ns) return;
  time.total_ns = total;
  time.stolen_ns = static_cast<std::int64_t>(h.stolen_ns);
  time.used_ns = static_cast<std::int64_t>(h.used_ns);
}

/// The groups of one host, by their processors.
using HostTimes = std::map<Mask, GroupTime>;

/// Where groups share a part of their processors, it is not known which of them used it.
bool overlap(const HostTimes& groups) {
  Mask seen{};
  for (const auto& [mask, time] : groups) {
    for (std::size_t i = 0; i < mask.size(); ++i) {
      if ((seen[i] & mask[i]) != 0) return true;
      seen[i] |= mask[i];
    }
  }
  return false;
}

/// Adds a finding of a tenth of a processor and more, where the clock's ticks of 10 ms can tell.
void note_other_processes(const std::string& host, const Mask& mask, const GroupTime& time,
                          Findings& findings) {
  constexpr double kMuch = 0.1;
  constexpr std::int64_t kLeast_ns = 100'000'000;
  const std::uint64_t processors = count_of(mask);
  if (processors == 0) return;
  const double length = static_cast<double>(time.total_ns) / static_cast<double>(processors);
  const std::int64_t other = time.other_processes_ns();
  const double used = static_cast<double>(other) / length;
  if (other < kLeast_ns || used < kMuch) return;
  findings.add(kOtherProcesses,
               fmt::format("{}: {:.2f} of {}", host, used, processors_text(processors)));
}

void note_processor_time(std::span<const RankFiles> ranks, TraceBuilder& trace,
                         Findings& findings) {
  std::map<std::pair<std::string, std::string>, HostTimes> hosts;
  for (const RankFiles& rank : ranks) {
    if (rank.files.empty() || !is_believable(rank.header())) continue;
    const slk_raw_header& h = rank.header();
    Mask mask{};
    std::ranges::copy(h.processors, mask.begin());
    add(h, hosts[{h.host, h.boot_id}][mask]);
  }
  TraceInfo& info = trace.info();
  for (const auto& [host, groups] : hosts) {
    const bool shared = overlap(groups);
    for (const auto& [mask, time] : groups) {
      if (time.total_ns > kTimeLimit_ns - info.processors_ns) return;
      info.processors_ns += time.total_ns;
      info.stolen_ns += time.stolen_ns;
      if (shared || time.used_ns == 0) continue;
      info.other_processes_ns += time.other_processes_ns();
      note_other_processes(host.first, mask, time, findings);
    }
  }
}

/// Threads of OpenMP for which there are no processors: where the launcher binds a rank to one, or
/// where too many were asked for.
void note_oversubscribed_threads(const RankFiles& rank, std::uint64_t threads, Findings& findings) {
  Mask mask{};
  std::ranges::copy(rank.header().processors, mask.begin());
  const std::uint64_t processors = count_of(mask);
  if (processors == 0 || threads <= processors) return;
  findings.add(kOversubscribedThreads, fmt::format("rank {}: {} threads on {}", rank.header().rank,
                                                   threads, processors_text(processors)));
}

void note_missing_counters(std::span<const RankFiles> ranks, Findings& findings) {
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (ranks[r].files.empty() || ranks[r].header().missing_counters == 0) continue;
    findings.add(kNoHardwareCounters,
                 fmt::format("rank {}: {}", r,
                             std::generic_category().message(ranks[r].header().missing_reason)));
  }
}

}  // namespace

ProcessorUse processor_use(const RankCalls& calls) {
  ProcessorUse use{calls.parallel_regions().locations(), 0, 0};
  for (std::size_t i = 0; i < calls.size(); ++i) use.computation_ns += calls.gap_ns(i);
  for (const Pause& pause : calls.pauses()) {
    if (pause.kind != PauseKind::no_processor) continue;
    use.off_processor_ns += pause.end_ns - pause.begin_ns;
  }
  return use;
}

void note_processors(std::span<const RankFiles> ranks, std::span<const ProcessorUse> uses,
                     TraceBuilder& trace) {
  std::map<std::pair<std::string, std::string>, Host> hosts;  // by name and boot
  std::uint64_t sampled = 0;
  Findings findings;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (ranks[r].files.empty()) continue;
    const slk_raw_header& header = ranks[r].header();
    if (header.knows_cpu_time == 2) ++sampled;
    add(ranks[r], uses[r], hosts[{header.host, header.boot_id}]);
    note_oversubscribed_threads(ranks[r], uses[r].threads, findings);
  }
  for (const auto& [name, host] : hosts) {
    const std::uint64_t processors = count_of(host.processors);
    if (!host.known || host.threads <= processors) continue;
    if (host.ranks <= processors) {
      findings.add(kOversubscribedThreads,
                   fmt::format("{}: {} threads of {} ranks on {}", name.first, host.threads,
                               host.ranks, processors_text(processors)));
      continue;
    }
    findings.add(kOversubscribed,
                 fmt::format("{}: {} ranks on {}{}", name.first, host.ranks,
                             processors_text(processors), off_share(host)),
                 host.ranks);
    if (host.without_cpu_time > 0) findings.add(kNoCpuTime, name.first, host.without_cpu_time);
  }
  if (sampled > 0) findings.add(kCpuTimeSampled, {}, sampled);
  note_processor_time(ranks, trace, findings);
  note_missing_counters(ranks, findings);
  findings.merge(trace.findings());
  trace.findings() = findings;
}

}  // namespace slackline::raw
