#include "formats/raw/processors.h"

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

void add(const RankFiles& rank, const RankCalls& calls, Host& host) {
  ++host.ranks;
  host.threads += calls.parallel_regions().locations();
  if (rank.header().knows_cpu_time == 0 || rank.files.size() > 1) ++host.without_cpu_time;
  bool any = false;
  for (std::size_t i = 0; i < host.processors.size(); ++i) {
    const std::uint64_t word = rank.header().processors[i];
    host.processors[i] |= word;
    any = any || word != 0;
  }
  host.known = host.known && any;
  for (std::size_t i = 0; i < calls.size(); ++i) host.computation_ns += calls.gap_ns(i);
  for (const Pause& pause : calls.pauses()) {
    if (pause.kind == PauseKind::no_processor)
      host.off_processor_ns += pause.end_ns - pause.begin_ns;
  }
}

std::string off_share(const Host& host) {
  if (host.computation_ns == 0 || host.without_cpu_time > 0) return {};
  return fmt::format(
      ", without a processor for {:.0f} % of their computation",
      100 * static_cast<double>(host.off_processor_ns) / static_cast<double>(host.computation_ns));
}

/// Ranks that may run on the same processors have measured the same time.
void note_stolen_time(std::span<const RankFiles> ranks, TraceBuilder& trace) {
  constexpr std::uint64_t kBelievable = std::uint64_t{1} << 60;
  struct Time {
    std::int64_t total_ns = 0;
    std::int64_t stolen_ns = 0;
  };
  std::map<std::tuple<std::string, std::string, Mask>, Time> times;
  for (const RankFiles& rank : ranks) {
    if (rank.files.empty()) continue;
    const slk_raw_header& h = rank.header();
    if (h.processors_ns > kBelievable || h.stolen_ns > h.processors_ns) continue;
    Mask mask{};
    std::ranges::copy(h.processors, mask.begin());
    Time& time = times[{h.host, h.boot_id, mask}];
    if (static_cast<std::int64_t>(h.processors_ns) <= time.total_ns) continue;
    time = {static_cast<std::int64_t>(h.processors_ns), static_cast<std::int64_t>(h.stolen_ns)};
  }
  TraceInfo& info = trace.info();
  for (const auto& [where, time] : times) {
    if (time.total_ns > kTimeLimit_ns - info.processors_ns) return;
    info.processors_ns += time.total_ns;
    info.stolen_ns += time.stolen_ns;
  }
}

std::string processors_text(std::uint64_t count) {
  return fmt::format("{} {}", count, count == 1 ? "processor" : "processors");
}

/// Threads of OpenMP for which there are no processors: where the launcher binds a rank to one, or
/// where too many were asked for.
void note_oversubscribed_threads(const RankFiles& rank, const RankCalls& calls,
                                 Findings& findings) {
  Mask mask{};
  std::ranges::copy(rank.header().processors, mask.begin());
  const std::uint64_t processors = count_of(mask);
  const std::uint64_t threads = calls.parallel_regions().locations();
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

void note_processors(std::span<const RankFiles> ranks, TraceBuilder& trace) {
  std::map<std::pair<std::string, std::string>, Host> hosts;  // by name and boot
  std::uint64_t sampled = 0;
  Findings findings;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (ranks[r].files.empty()) continue;
    const slk_raw_header& header = ranks[r].header();
    if (header.knows_cpu_time == 2) ++sampled;
    const RankCalls& calls = trace.calls(static_cast<std::int32_t>(r));
    add(ranks[r], calls, hosts[{header.host, header.boot_id}]);
    note_oversubscribed_threads(ranks[r], calls, findings);
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
  note_missing_counters(ranks, findings);
  note_stolen_time(ranks, trace);
  findings.merge(trace.findings());
  trace.findings() = findings;
}

}  // namespace slackline::raw
