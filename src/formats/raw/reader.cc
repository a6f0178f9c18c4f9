// From the recorder's files to a Trace.
//
// Files are mapped and indexed in parallel; communicators are named serially, because the ids are
// shared; then every rank is read on its own. Nothing here needs the ranks' cooperation: clocks
// were measured by the recorder, and communicators are recognised by their members.

#include "formats/raw/reader.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/error.h"
#include "base/parallel.h"
#include "formats/raw/findings.h"
#include "formats/raw/processors.h"
#include "formats/raw/rank_reader.h"
#include "trace/sample_wire.h"
#include "trace/trace_builder.h"

namespace slackline {

namespace {

using raw::ClockMap;
using raw::CommViews;
using raw::File;
using raw::RankFiles;
using raw::RankResult;
namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".slkraw";
constexpr std::string_view kSampleSuffix = ".slksamples";

std::vector<fs::path> raw_files(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    if (entry.path().extension() == kSuffix) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

/// `directory` itself or its `raw/`.
std::vector<fs::path> find_files(const fs::path& directory) {
  auto files = raw_files(directory);
  return files.empty() ? raw_files(directory / "raw") : files;
}

std::vector<File> open_files(const std::vector<fs::path>& paths) {
  std::vector<std::unique_ptr<File>> opened(paths.size());
  parallel_for(paths.size(), [&](std::size_t i) { opened[i] = std::make_unique<File>(paths[i]); });
  std::vector<File> files;
  for (auto& file : opened) files.push_back(std::move(*file));
  return files;
}

/// Most files decide how many ranks there were. A lie is bounded: a job of which so few files
/// are left that there are over 65,536 ranks for each is not believed.
std::int32_t world_size(const std::vector<File>& files) {
  constexpr std::size_t kRanksPerFile = 65536;
  std::map<std::int32_t, std::size_t> votes;
  for (const File& file : files) {
    const auto size = static_cast<std::size_t>(file.header().world_size);
    if (file.valid() && size <= kRanksPerFile * files.size()) ++votes[file.header().world_size];
  }
  std::int32_t best = 0;
  for (const auto& [size, count] : votes) {
    if (best == 0 || count > votes[best]) best = size;
  }
  return best;
}

/// Adds the files of samples that lie beside the ranks' files.
void open_samples(const fs::path& folder, std::vector<RankFiles>& ranks) {
  parallel_for(ranks.size(), [&](std::size_t r) {
    for (const File& file : ranks[r].files) {
      const fs::path path = (folder / file.name()).replace_extension(kSampleSuffix);
      std::error_code ignored;
      if (!fs::exists(path, ignored)) continue;
      File samples(path);
      const bool same_run = samples.valid() && samples.sampling().version >= SLK_SAMPLES_OLDEST &&
                            samples.sampling().version <= SLK_SAMPLES_VERSION &&
                            samples.header().monotonic_ns == ranks[r].header().monotonic_ns &&
                            samples.header().pid == ranks[r].header().pid;
      if (same_run) ranks[r].samples.push_back(std::move(samples));
    }
  });
}

std::string_view why_not_sampled(std::uint32_t state) {
  switch (state) {
    case SLK_SAMPLING_NO_SIGNAL:
      return "the program uses all signals that could be used";
    case SLK_SAMPLING_NO_TIMER:
      return "the system gave no timer";
    case SLK_SAMPLING_TAKEN_OVER:
      return "the program uses the signal itself";
    case SLK_SAMPLING_TIMER_CLOSED:
      return "the program closed the file descriptor of the timer";
    default:
      return "no samples were written";
  }
}

/// Notes the ranks that were not sampled where others were, and takes the interval.
void describe_sampling(const std::vector<RankFiles>& ranks, TraceBuilder& trace, Samples& samples) {
  const bool sampled = std::ranges::any_of(ranks, [](const auto& r) { return !r.samples.empty(); });
  if (!sampled) return;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (ranks[r].files.empty()) continue;
    slk_sampling_header header{};
    if (!ranks[r].samples.empty()) header = ranks[r].samples.front().sampling();
    constexpr std::uint64_t kLongest = 1'000'000'000'000;
    const auto interval = static_cast<std::int64_t>(std::min(header.interval_ns, kLongest));
    samples.interval_ns = std::max(samples.interval_ns, interval);
    if (header.state != SLK_SAMPLING_ON) {
      trace.findings().add(raw::kNotSampled,
                           fmt::format("rank {}: {}", r, why_not_sampled(header.state)));
    }
  }
}

/// The files of each rank; the ranks that have none have an empty list.
std::vector<RankFiles> group_by_rank(std::vector<File> files, std::int32_t ranks,
                                     Findings& findings) {
  std::vector<RankFiles> grouped(static_cast<std::size_t>(ranks));
  for (File& file : files) {
    findings.merge(file.findings());
    if (!file.valid()) continue;
    if (file.header().world_size != ranks) {
      findings.add(raw::kMixedJobs, file.name());
      continue;
    }
    auto& rank = grouped[static_cast<std::size_t>(file.header().rank)];
    const bool threads = file.name().find(".t") != std::string::npos;
    if (!rank.files.empty() && !threads) {
      findings.add(raw::kDuplicateFile, file.name());
      continue;
    }
    rank.files.push_back(std::move(file));
  }
  return grouped;
}

void note_missing(const std::vector<RankFiles>& ranks, Findings& findings) {
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (ranks[r].files.empty()) findings.add(kMissingRanks, fmt::format("rank {}", r));
  }
}

void describe_job(const std::vector<RankFiles>& ranks, TraceBuilder& trace) {
  TraceInfo& info = trace.info();
  info.recorder = "slackline";
  std::uint64_t abandoned = 0;
  for (const RankFiles& rank : ranks) {
    if (rank.files.empty()) continue;
    const slk_raw_header& h = rank.header();
    if (info.mpi_version.empty()) {
      info.program = h.program;
      info.mpi_version = h.mpi_version;
      if (h.mpi_library == SLK_MPI_OPENMPI) info.mpi_library = "Open MPI";
      if (h.mpi_library == SLK_MPI_MPICH) info.mpi_library = "MPICH";
      info.started = fmt::format(
          "{:%Y-%m-%dT%H:%M:%SZ}",
          fmt::gmtime(static_cast<std::time_t>(h.realtime_ns / 1'000'000'000 % 100'000'000'000)));
    }
    info.cpu_ns += static_cast<std::int64_t>(h.cpu_ns % (std::uint64_t{1} << 53));
    abandoned += h.abandoned_calls;
    info.lost_calls += h.lost_calls % (std::uint64_t{1} << 53);
    const double calls = static_cast<double>(std::max<std::uint64_t>(h.calls, rank.order.size()));
    const double cost_ns = static_cast<double>(h.cost_ns) / 1000;
    constexpr std::uint64_t kBelievable = std::uint64_t{1} << 53;
    if (h.recording_ns > 0 && h.recording_ns < kBelievable) {
      info.recording_ns += static_cast<std::int64_t>(h.recording_ns);
    } else if (cost_ns < 1e6) {  // the rank did not reach its end
      info.recording_ns += static_cast<std::int64_t>(std::min(calls * cost_ns, 1e18));
    }
  }
  if (info.lost_calls > 0) trace.findings().add(raw::kLostCalls, {}, info.lost_calls);
  if (abandoned > 0) trace.findings().add(raw::kAbandonedCalls, {}, abandoned);
}

void describe_rank(const RankFiles& rank, const ClockMap& clock, std::int32_t r,
                   TraceBuilder& trace) {
  RankInfo& info = trace.rank_info(r);
  info.present = !rank.files.empty();
  info.finalized = info.present && rank.header().finalized == 1;
  if (!info.present) return;
  info.host = rank.header().host;
  info.clock_offset_ns = clock.offset_ns;
  info.clock_drift = clock.drift;
  info.clock_error_ns = clock.error_ns;
  const std::string who = fmt::format("rank {}", r);
  if (!info.finalized) trace.findings().add(kNotFinalized, who);
  if (!clock.known) trace.findings().add(kClockUnknown, who);
  const std::string hidden = rank.header().hidden_calls;
  if (!hidden.empty()) trace.findings().add(raw::kHiddenCalls, fmt::format("{}: {}", who, hidden));
}

/// The earliest begin of all calls, on rank 0's clock.
std::int64_t trace_zero(const std::vector<RankFiles>& ranks, const std::vector<ClockMap>& clocks) {
  std::int64_t zero = std::numeric_limits<std::int64_t>::max();
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (const raw::Place place : ranks[r].order) {
      const slk_record head = ranks[r].at(place).head;
      zero = std::min(zero, clocks[r](static_cast<std::int64_t>(head.begin_ns)));
    }
  }
  return zero == std::numeric_limits<std::int64_t>::max() ? 0 : zero;
}

/// The counters that any rank has read become the trace's; gives the trace's number of each.
std::vector<std::optional<std::size_t>> name_counters(const std::vector<RankFiles>& ranks,
                                                      TraceBuilder& trace) {
  constexpr std::array kNames{
#define SLACKLINE_COUNTER_NAME(identifier, name) std::string_view(name),
      SLK_COUNTERS(SLACKLINE_COUNTER_NAME)
#undef SLACKLINE_COUNTER_NAME
  };
  std::uint32_t read = 0;
  for (const RankFiles& rank : ranks) {
    // With several threads it is not known between which calls of the rank they gained.
    if (rank.files.size() == 1) read |= rank.header().counters;
  }
  std::vector<std::optional<std::size_t>> numbers(kNames.size());
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if ((read >> i & 1) != 0) numbers[i] = trace.add_counter(kNames[i]);
  }
  return numbers;
}

void keep_counters(const std::vector<raw::CounterReading>& readings,
                   std::span<const std::optional<std::size_t>> numbers, RankCallsBuilder& calls) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!numbers[i]) continue;
    std::vector<std::uint64_t> gained;
    for (const raw::CounterReading& reading : readings) {
      if (reading.gained[i] == 0) continue;
      if (gained.empty()) gained.resize(calls.size() + 1);
      gained[reading.call] += reading.gained[i];
    }
    if (!gained.empty()) calls.set_counter(*numbers[i], std::move(gained));
  }
}

void keep_result(RankResult& result, std::int32_t r, TraceBuilder& trace, Samples& samples) {
  if (!result.samples.empty()) samples.set(r, std::move(result.samples));
  trace.calls(r) = std::move(result.calls);
  for (const raw::NamedRegionEvent& event : result.regions) {
    trace.calls(r).append_region(
        {event.time_ns, trace.region_id(event.name), event.before_call, event.enter});
  }
  trace.findings().merge(result.findings);
}

void read_ranks(const std::vector<RankFiles>& ranks, TraceBuilder& trace, Samples& samples) {
  const auto present = std::ranges::find_if(ranks, [](const auto& r) { return !r.files.empty(); });
  std::vector<ClockMap> clocks(ranks.size());
  std::vector<CommViews> views(ranks.size());
  raw::Communicators communicators(trace);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (!ranks[r].files.empty()) {
      clocks[r] = raw::clock_map(ranks[r].header(), present->header());
      views[r] = communicators.views(raw::records_where(ranks[r], raw::tells_of_communicator),
                                     trace.findings());
    }
    describe_rank(ranks[r], clocks[r], static_cast<std::int32_t>(r), trace);
  }
  const std::int64_t zero = trace_zero(ranks, clocks);
  const std::vector<raw::CallFrames> frames = raw::read_call_frames(ranks, trace);
  std::vector<RankResult> results(ranks.size());
  parallel_for(ranks.size(), [&](std::size_t r) {
    if (ranks[r].files.empty()) return;
    results[r] = raw::read_rank(ranks[r], views[r], frames[r], trace, clocks[r], zero);
  });
  const auto counters = name_counters(ranks, trace);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const auto rank = static_cast<std::int32_t>(r);
    keep_result(results[r], rank, trace, samples);
    keep_counters(results[r].counters, counters, trace.calls(rank));
  }
  std::vector<std::vector<raw::PersistentStart>> starts;
  for (RankResult& result : results) {
    std::ranges::sort(result.persistent, {}, &raw::PersistentStart::call);
    starts.push_back(std::move(result.persistent));
  }
  raw::separate_persistent_collectives(starts, trace);
}

}  // namespace

bool looks_like_raw(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) && !find_files(path).empty();
}

Trace read_raw(const fs::path& directory, Samples* samples) {
  const auto paths = find_files(directory);
  if (paths.empty()) {
    throw Error(fmt::format("cannot read a recording in '{}'", directory.string()),
                "it contains no .slkraw files", "Name the folder that 'slackline record' wrote.");
  }
  std::vector<File> files = open_files(paths);
  const std::int32_t ranks = world_size(files);
  if (ranks == 0) {
    throw Error(fmt::format("cannot read the recording in '{}'", directory.string()),
                "none of its files has an intact header", "Record the program again.");
  }
  TraceBuilder trace(ranks, true);
  auto grouped = group_by_rank(std::move(files), ranks, trace.findings());
  open_samples(paths.front().parent_path(), grouped);
  note_missing(grouped, trace.findings());
  parallel_for(grouped.size(), [&](std::size_t r) {
    if (!grouped[r].files.empty()) raw::merge_threads(grouped[r]);
  });
  Samples unused;
  Samples& kept = samples == nullptr ? unused : *samples;
  read_ranks(grouped, trace, kept);
  describe_job(grouped, trace);
  describe_sampling(grouped, trace, kept);
  raw::note_processors(grouped, trace);
  return std::move(trace).build();
}

}  // namespace slackline
