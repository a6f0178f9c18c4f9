// From the recorder's files to a Trace.
//
// Files are mapped and indexed in parallel; communicators are named serially, because the ids are
// shared; then every rank is read on its own. Nothing here needs the ranks' cooperation: clocks
// were measured by the recorder, and communicators are recognised by their members. Several
// processes share the ranks; what is told of one to all others is small.

#include "formats/raw/reader.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/packed.h"
#include "base/parallel.h"
#include "formats/raw/call_frames.h"
#include "formats/raw/findings.h"
#include "formats/raw/rank_files.h"
#include "formats/raw/rank_reader.h"
#include "parallel/process_group.h"
#include "trace/rank_range.h"
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

/// Throws Error in all processes where they see different files: each reads a part of them.
void require_same_files(const std::vector<RankFiles>& ranks, ProcessGroup& group) {
  std::string seen;
  for (const RankFiles& rank : ranks) {
    for (const auto* files : {&rank.files, &rank.samples}) {
      for (const File& file : *files) seen += fmt::format("{} {} ", file.name(), file.bytes());
    }
    seen += '\n';
  }
  const auto all = gather_all(group, std::vector{std::hash<std::string>()(seen)});
  const auto other =
      std::ranges::find_if(all, [&](std::size_t hash) { return hash != all.front(); });
  if (other == all.end()) return;
  throw Error("cannot read the recording as several processes",
              fmt::format("process {} sees other files than process 0", other - all.begin()),
              "Put it where all processes see the same files, and wait until the job has ended.");
}

void note_missing(const std::vector<RankFiles>& ranks, Findings& findings) {
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (ranks[r].files.empty()) findings.add(kMissingRanks, fmt::format("rank {}", r));
  }
}

/// What a rank's records say, for all processes.
struct RankRecords {
  std::uint64_t count = 0;
  // By rank 0's clock: when its first call began, and when it was last seen alive.
  std::int64_t first_begin_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_sign_ns = std::numeric_limits<std::int64_t>::min();
};

std::string why_lost(std::int32_t error) {
  if (error == 0) return "for an unknown reason";
  if (error == EFBIG) return "the limit of a file's size was reached (--size-limit, ulimit -f)";
  return std::system_category().message(error);
}

/// Returns how many there are.
std::uint64_t note_lost_calls(const slk_raw_header& header, std::size_t rank, Findings& findings) {
  const std::uint64_t lost = header.lost_calls % (std::uint64_t{1} << 53);
  if (lost > 0) {
    findings.add(raw::kLostCalls, fmt::format("rank {}: {}", rank, why_lost(header.lost_reason)),
                 lost);
  }
  return lost;
}

void describe_job(const std::vector<RankFiles>& ranks, std::span<const RankRecords> records,
                  TraceBuilder& trace) {
  TraceInfo& info = trace.info();
  info.recorder = "slackline";
  std::uint64_t abandoned = 0;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (ranks[r].files.empty()) continue;
    const slk_raw_header& h = ranks[r].header();
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
    info.lost_calls += note_lost_calls(h, r, trace.findings());
    const double calls = static_cast<double>(std::max(h.calls, records[r].count));
    const double cost_ns = static_cast<double>(h.cost_ns) / 1000;
    constexpr std::uint64_t kBelievable = std::uint64_t{1} << 53;
    if (h.recording_ns > 0 && h.recording_ns < kBelievable) {
      info.recording_ns += static_cast<std::int64_t>(h.recording_ns);
    } else if (cost_ns < 1e6) {  // the rank did not reach its end
      info.recording_ns += static_cast<std::int64_t>(std::min(calls * cost_ns, 1e18));
    }
  }
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
  const auto note = [&](const FindingKind& kind, const std::string& names) {
    if (!names.empty()) trace.findings().add(kind, fmt::format("{}: {}", who, names));
  };
  note(raw::kHiddenCalls, rank.header().hidden_calls);
  note(raw::kUnrecordedCalls, rank.header().unrecorded_calls);
  note(raw::kUnseenLibraries, rank.header().unseen_libraries);
  if (const std::int32_t launched = rank.header().launched;
      launched > 1 && rank.header().world_size == 1) {
    trace.findings().add(raw::kSeparateJobs, fmt::format("{} of {} processes", who, launched));
  }
}

RankRecords records_of(const RankFiles& rank, const ClockMap& clock) {
  RankRecords records{rank.order.size()};
  const auto see_alive = [&](std::uint64_t ns) {
    if (ns == 0 || !raw::plausible_time(rank.header(), ns)) return;
    records.last_sign_ns = std::max(records.last_sign_ns, clock(static_cast<std::int64_t>(ns)));
  };
  for (const raw::Place place : rank.order) {
    const slk_record head = rank.at(place).head;
    const std::int64_t begin_ns = clock(static_cast<std::int64_t>(head.begin_ns));
    records.first_begin_ns = std::min(records.first_begin_ns, begin_ns);
    records.last_sign_ns = std::max(records.last_sign_ns, begin_ns);
    see_alive(head.end_ns);
  }
  for (const File& file : rank.samples) see_alive(file.sampling().alive_ns);
  return records;
}

/// The earliest begin of all calls, on rank 0's clock.
std::int64_t trace_zero(std::span<const RankRecords> ranks) {
  const std::int64_t zero =
      std::ranges::min_element(ranks, {}, &RankRecords::first_begin_ns)->first_begin_ns;
  return zero == std::numeric_limits<std::int64_t>::max() ? 0 : zero;
}

/// When the job ended, on rank 0's clock: when its launcher returned, as `slackline record` wrote
/// it down, else when any rank last recorded anything.
std::int64_t job_end(const fs::path& folder, const std::vector<RankFiles>& ranks,
                     std::span<const ClockMap> clocks, std::span<const RankRecords> records) {
  std::int64_t end_ns =
      std::ranges::max_element(records, {}, &RankRecords::last_sign_ns)->last_sign_ns;
  std::ifstream in(folder / kJobEndName);
  std::uint64_t launcher_end_ns = 0;
  in >> launcher_end_ns;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (ranks[r].files.empty()) continue;
    const slk_raw_header& h = ranks[r].header();
    const std::uint64_t local_ns = h.monotonic_ns + (launcher_end_ns - h.realtime_ns);
    if (launcher_end_ns > h.realtime_ns && raw::plausible_time(h, local_ns)) {
      end_ns = std::max(end_ns, clocks[r](static_cast<std::int64_t>(local_ns)));
    }
    break;
  }
  return end_ns;
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
}

/// The regions that a rank names, in the order in which they come up.
Bytes region_names(const RankResult& result) {
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  for (const raw::NamedRegionEvent& event : result.regions) {
    if (seen.insert(event.name).second) names.push_back(event.name);
  }
  Bytes bytes;
  pack(bytes, names);
  return bytes;
}

/// A job's recordings, of which each process reads those of a block of ranks. What is told of all
/// ranks is gathered, so that the trace is the same in all processes but for the calls.
class JobReader {
 public:
  JobReader(fs::path folder, std::vector<RankFiles>& ranks, TraceBuilder& trace,
            ProcessGroup& group)
      : folder_(std::move(folder)),
        ranks_(ranks),
        trace_(trace),
        group_(group),
        blocks_(rank_blocks(file_sizes(ranks), group.size())),
        own_(blocks_[static_cast<std::size_t>(group.rank())]) {}

  RankRange own() const { return own_; }

  void read(Samples& samples) {
    index_files();
    describe_ranks();
    const std::vector<RankRecords> records = gather_records();
    const std::vector<CommViews> views = name_communicators();
    const std::vector<raw::CallFrames> frames =
        raw::share_call_frames(ranks_, blocks_, trace_, group_);
    const std::int64_t zero = trace_zero(records);
    const std::int64_t end = job_end(folder_, ranks_, clocks_, records);
    std::vector<RankResult> results(ranks_.size());
    for_own_ranks([&](std::size_t r) {
      results[r] = raw::read_rank(ranks_[r], views[r], frames[r], trace_, clocks_[r], zero, end);
    });
    keep(results, samples);
    describe_job(ranks_, records, trace_);
    describe_sampling(ranks_, trace_, samples);
    note_processors();
  }

 private:
  static std::vector<std::uint64_t> file_sizes(const std::vector<RankFiles>& ranks) {
    std::vector<std::uint64_t> sizes;
    for (const RankFiles& rank : ranks) {
      std::uint64_t& size = sizes.emplace_back(0);
      for (const File& file : rank.files) size += file.bytes();
    }
    return sizes;
  }

  /// Calls work(rank), in threads, for those of the process's ranks that have files.
  template <class Work>
  void for_own_ranks(const Work& work) {
    parallel_for(static_cast<std::size_t>(own_.end - own_.first), [&](std::size_t i) {
      const std::size_t r = static_cast<std::size_t>(own_.first) + i;
      if (!ranks_[r].files.empty()) work(r);
    });
  }

  /// By rank, what of(rank) gives for those of the process that have it.
  template <class Of>
  auto gather(const Of& of) {
    std::vector<decltype(of(std::size_t{}))> mine;
    for (std::int32_t r = own_.first; r < own_.end; ++r) {
      mine.push_back(of(static_cast<std::size_t>(r)));
    }
    return gather_all(group_, mine);
  }

  /// Adds what add(rank, findings) gives for each rank to the trace's, in the order of ranks.
  template <class Add>
  void merge_findings(const Add& add) {
    Findings mine;
    for (std::int32_t r = own_.first; r < own_.end; ++r) add(static_cast<std::size_t>(r), mine);
    trace_.findings().merge(findings_of_all(group_, mine));
  }

  void index_files() {
    for_own_ranks([&](std::size_t r) {
      for (File& file : ranks_[r].files) file.index();
      for (File& file : ranks_[r].samples) file.index();
      raw::merge_threads(ranks_[r]);
    });
    merge_findings([&](std::size_t r, Findings& found) {
      for (const File& file : ranks_[r].files) found.merge(file.findings());
    });
  }

  void describe_ranks() {
    const auto present =
        std::ranges::find_if(ranks_, [](const RankFiles& rank) { return !rank.files.empty(); });
    clocks_.resize(ranks_.size());
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      if (!ranks_[r].files.empty()) {
        clocks_[r] = raw::clock_map(ranks_[r].header(), present->header());
      }
      describe_rank(ranks_[r], clocks_[r], static_cast<std::int32_t>(r), trace_);
    }
  }

  std::vector<RankRecords> gather_records() {
    std::vector<RankRecords> records(ranks_.size());
    for_own_ranks([&](std::size_t r) { records[r] = records_of(ranks_[r], clocks_[r]); });
    return gather([&](std::size_t r) { return records[r]; });
  }

  std::vector<CommViews> name_communicators() {
    const auto told = gather([&](std::size_t r) {
      std::vector<std::int64_t> words;
      raw::append_records(raw::records_where(ranks_[r], raw::tells_of_communicator), words);
      return bytes_of(words);
    });
    raw::Communicators communicators(trace_);
    std::vector<CommViews> views;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      std::span<const std::int64_t> words = raw::words_of(told[r]);
      const std::vector<raw::Record> records = raw::take_records(words);
      views.push_back(ranks_[r].files.empty() ? CommViews()
                                              : communicators.views(records, trace_.findings()));
    }
    return views;
  }

  void keep(std::vector<RankResult>& results, Samples& samples) {
    for (const Bytes& of : gather([&](std::size_t r) { return region_names(results[r]); })) {
      std::vector<std::string> names;
      std::span<const std::byte> rest(of);
      unpack(rest, names);
      for (const std::string& name : names) trace_.region_id(name);
    }
    merge_findings([&](std::size_t r, Findings& found) { found.merge(results[r].findings); });
    const auto counters = name_counters(ranks_, trace_);
    for (std::int32_t rank = own_.first; rank < own_.end; ++rank) {
      RankResult& result = results[static_cast<std::size_t>(rank)];
      keep_result(result, rank, trace_, samples);
      keep_counters(result.counters, counters, trace_.calls(rank));
    }
    std::vector<std::vector<raw::PersistentStart>> starts;
    for (RankResult& result : results) {
      std::ranges::sort(result.persistent, {}, &raw::PersistentStart::call);
      starts.push_back(std::move(result.persistent));
    }
    raw::separate_persistent_collectives(starts, own_, trace_, group_);
  }

  void note_processors() {
    const auto uses = gather([&](std::size_t r) {
      return raw::processor_use(trace_.calls(static_cast<std::int32_t>(r)));
    });
    raw::note_processors(ranks_, uses, trace_);
  }

  const fs::path folder_;
  std::vector<RankFiles>& ranks_;
  TraceBuilder& trace_;
  ProcessGroup& group_;
  const std::vector<RankRange> blocks_;  // by process
  const RankRange own_;
  std::vector<ClockMap> clocks_;
};

}  // namespace

bool looks_like_raw(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) && !find_files(path).empty();
}

fs::path merged_file(const fs::path& recording, std::int64_t process) {
  const auto files = find_files(recording);
  const fs::path folder = files.empty() ? recording : files.front().parent_path();
  return folder / fmt::format("process-{}{}", process, kMergedSuffix);
}

RawPart read_raw(const fs::path& directory, ProcessGroup& group) {
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
  require_same_files(grouped, group);
  note_missing(grouped, trace.findings());
  JobReader reader(paths.front().parent_path(), grouped, trace, group);
  Samples samples;
  reader.read(samples);
  return {std::move(trace).build(), std::move(samples), reader.own()};
}

Trace read_raw(const fs::path& directory, Samples* samples) {
  SingleProcess alone;
  RawPart all = read_raw(directory, alone);
  if (samples != nullptr) *samples = std::move(all.samples);
  return std::move(all.trace);
}

}  // namespace slackline
