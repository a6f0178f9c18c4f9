#include "app/load/watched_job.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <span>
#include <utility>

#include "base/error.h"
#include "formats/raw/call_frames.h"
#include "formats/raw/clock_map.h"
#include "formats/raw/findings.h"
#include "formats/raw/growing_file.h"
#include "formats/raw/rank_files.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;
using raw::GrowingFile;

constexpr std::size_t kSlices = 60;
/// Where a function is missing, those of this many ranks are looked up: they may be shown next.
constexpr std::size_t kNamedAhead = 256;
constexpr std::int64_t kSecond_ns = 1'000'000'000;

constexpr FindingKind kOtherThreads{
    "unwatched_threads", Severity::notice,
    "Further threads of ranks that call MPI; top shows the thread that called MPI_Init only."};

std::int64_t clock_ns(clockid_t which) {
  timespec t{};
  clock_gettime(which, &t);
  return static_cast<std::int64_t>(t.tv_sec) * kSecond_ns + t.tv_nsec;
}

/// Tells this machine since it was started from all others; empty: not known.
const std::string& own_boot() {
  static const std::string id = [] {
    std::string text;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> text;
    return text;
  }();
  return id;
}

/// ISO 8601, in UTC.
std::string date_of(std::uint64_t realtime_ns) {
  constexpr std::uint64_t kLatest_s = 100'000'000'000;
  const auto seconds =
      static_cast<std::time_t>(realtime_ns / static_cast<std::uint64_t>(kSecond_ns) % kLatest_s);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(seconds));
}

bool is_here(const slk_raw_header& header) {
  return !own_boot().empty() && own_boot() == header.boot_id;
}

std::vector<fs::path> raw_files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".slkraw") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

/// When a job passed MPI_Init, by the clock of a rank's host; 0: unknown.
std::uint64_t start_of(const std::vector<fs::path>& files) {
  std::uint64_t start = 0;
  for (const fs::path& path : files) {
    slk_raw_header header{};
    std::ifstream in(path, std::ios::binary);
    in.read(reinterpret_cast<char*>(&header), sizeof header);
    if (in && raw::check_header(header)) start = std::max(start, header.realtime_ns);
  }
  return start;
}

/// The folder of raw files of the job that began last: `directory`, its raw/, or that of a folder
/// in it, as a command that starts several jobs has. Empty: there is none.
fs::path newest_recording_in(const fs::path& directory) {
  std::vector<fs::path> folders{directory, directory / "raw"};
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    folders.push_back(entry.path() / "raw");
  }
  fs::path newest;
  std::uint64_t latest = 0;
  for (const fs::path& folder : folders) {
    const std::vector<fs::path> files = raw_files_in(folder);
    if (files.empty()) continue;
    const std::uint64_t start = start_of(files);
    if (newest.empty() || start > latest) newest = folder;
    latest = std::max(latest, start);
  }
  return newest;
}

/// A folder in which a job may yet begin to record is empty, or has an empty raw/.
void require_place_for_recording(const fs::path& directory) {
  const std::string problem = fmt::format("cannot watch '{}'", directory.string());
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  if (!fs::exists(status)) {
    throw Error(problem, "no such folder", "Name the folder into which 'slackline record' writes.");
  }
  if (!fs::is_directory(status)) {
    throw Error(problem, "it is a file, not the folder of a job that is recorded",
                "Use 'slackline report' for a finished trace.");
  }
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().extension() == ".slk") {
      throw Error(problem, "its job has ended, and the recording is a trace now",
                  fmt::format("Use 'slackline report {}'.", directory.string()));
    }
    if (entry.path().filename() != "raw") {
      throw Error(problem, "it contains no recording",
                  "Name the folder into which 'slackline record' writes.");
    }
  }
}

}  // namespace

/// One rank's file and what is known from it.
struct WatchedJob::Rank {
  Rank(fs::path path, std::int64_t slice_ns, std::size_t slices)
      : file(std::move(path)), activity(slice_ns, slices) {}

  const slk_raw_header& header() const { return file.header(); }
  std::int64_t time(std::uint64_t local_ns) const {
    return clock(static_cast<std::int64_t>(local_ns));
  }
  bool runs() const { return !ended && !gone; }

  GrowingFile file;
  RecentActivity activity;
  raw::ClockMap clock;
  std::uint64_t last_begin = 0;  // of the last call, by the rank's clock
  std::uint8_t last_op = SLK_OP_none;
  std::uint32_t losses = 0;                    // kinds of them that the computation before it has
  std::vector<GrowingFile::Position> modules;  // records that are needed to read call paths
  std::map<std::uint32_t, GrowingFile::Position> paths;
  GrowingFile::State state = GrowingFile::State::empty;
  bool grown = false;  // since the look before
  bool ended = false;
  bool gone = false;
  bool elsewhere = false;  // its process number is of another namespace
};

/// A rank at the time of a look.
struct WatchedJob::Seen {
  const Rank* rank = nullptr;
  RankStatus status{};
  std::vector<TimeInterval> calls{};  // unsettled
  std::int64_t until_ns = 0;          // when it is known to have run last
  RecentActivity::Period recent{};

  RecentActivity::Present present() const { return {calls, until_ns}; }
};

/// The functions of call paths, each looked up once.
class WatchedJob::Names {
 public:
  /// Whether a path of the rank was not looked up yet.
  bool lacks(const Seen& seen) const {
    return std::ranges::any_of(seen.recent.by_path, [&](const auto& path) {
      return seen.rank->paths.contains(path.first) && !known_.contains({seen.rank, path.first});
    });
  }

  /// Looks up what is not known yet of these ranks' paths, all at once: opening the files of a
  /// program and its libraries is what costs.
  void find(std::span<const Seen> wanted) {
    std::vector<std::pair<const Rank*, std::vector<std::uint32_t>>> unknown;
    std::vector<std::vector<raw::KeptRecord>> kept;
    for (const Seen& seen : wanted) {
      const Rank* const rank = seen.rank;
      std::vector<GrowingFile::Position> positions;
      std::vector<std::uint32_t> paths;
      for (const auto& [path, ns] : seen.recent.by_path) {
        const auto at = rank->paths.find(path);
        if (at == rank->paths.end() || known_.contains({rank, path})) continue;
        positions.push_back(at->second);
        paths.push_back(path);
      }
      if (paths.empty()) continue;
      positions.insert(positions.end(), rank->modules.begin(), rank->modules.end());
      std::ranges::sort(positions);
      kept.push_back(rank->file.records_at(positions));
      unknown.emplace_back(rank, std::move(paths));
    }
    std::vector<std::vector<raw::CodeRecords>> files(kept.size());
    for (std::size_t f = 0; f < kept.size(); ++f) {
      std::vector<raw::Record>& records = files[f].emplace_back().records;
      for (const raw::KeptRecord& record : kept[f]) records.push_back({record.head, record.args});
    }
    const std::vector<raw::CallFrames> frames = raw::read_call_frames(files, trace_);
    for (std::size_t f = 0; f < files.size(); ++f) {
      if (kept[f].empty()) continue;  // the recorder was writing it; at another time
      const auto& [rank, paths] = unknown[f];
      for (const std::uint32_t path : paths) known_[{rank, path}] = frames[f].of(0, path);
    }
  }

  /// In which the rank spends most of that computation.
  std::optional<BusiestFunction> busiest(const Rank& rank,
                                         const RecentActivity::Period& period) const {
    std::map<std::pair<std::string, std::string>, std::int64_t> sums;
    for (const auto& [path, ns] : period.by_path) {
      const auto known = known_.find({&rank, path});
      if (known == known_.end() || known->second == 0) continue;
      const CodeLocation& at = trace_.call_tree().location(known->second);
      sums[{at.function, at.file}] += ns;
    }
    const auto most =
        std::ranges::max_element(sums, {}, [](const auto& sum) { return sum.second; });
    if (most == sums.end() || most->second == 0) return std::nullopt;
    return BusiestFunction{most->first.first, most->first.second, most->second};
  }

 private:
  TraceBuilder trace_{1, true};
  std::map<std::pair<const Rank*, std::uint32_t>, FrameId> known_;
};

WatchedJob::WatchedJob(fs::path directory, std::int64_t recent_ns)
    : directory_(std::move(directory)),
      recent_ns_(recent_ns),
      slice_ns_(recent_ns == 0
                    ? kSecond_ns
                    : std::max<std::int64_t>(1, recent_ns / static_cast<std::int64_t>(kSlices))),
      names_(std::make_unique<Names>()) {
  discover();
}

WatchedJob::~WatchedJob() = default;

void WatchedJob::discover() {
  if (folder_.empty()) {
    folder_ = newest_recording_in(directory_);
    if (folder_.empty()) return require_place_for_recording(directory_);
  }
  const auto known = [&] {
    const auto with_header = std::ranges::find_if(
        files_, [](const auto& f) { return f.second->header().world_size > 0; });
    return with_header != files_.end() &&
           files_.size() >= static_cast<std::size_t>(with_header->second->header().world_size);
  };
  if (known()) return;
  std::size_t others = 0;
  for (const fs::path& path : raw_files_in(folder_)) {
    if (path.stem().string().find(".t") != std::string::npos) {
      ++others;
    } else if (!files_.contains(path)) {
      files_.emplace(path, std::make_unique<Rank>(path, slice_ns_, recent_ns_ == 0 ? 1 : kSlices));
    }
  }
  other_threads_ = others;
}

void WatchedJob::read(Rank& rank) {
  rank.grown = false;
  rank.state = rank.file.read([&](const raw::Record& record, GrowingFile::Position position) {
    const slk_record& head = record.head;
    rank.grown = true;
    switch (head.op) {
      case SLK_REC_MODULE:
      case SLK_REC_PYTHON:
      case SLK_REC_PYTHON_CODE:
        rank.modules.push_back(position);
        return;
      case SLK_REC_CALL_PATH:
        rank.paths[head.request] = position;
        return;
      case SLK_REC_STAGE_WRITTEN:
        if (rank.activity.begun()) {
          rank.activity.add_recording({rank.time(head.begin_ns), rank.time(head.end_ns)});
        }
        return;
      case SLK_REC_OFF_PROCESSOR:
      case SLK_REC_BLOCKED: {
        const std::uint32_t kind = head.op == SLK_REC_BLOCKED ? 1 : 2;
        if (head.begin_ns != rank.last_begin || (rank.losses & kind) != 0) return;
        rank.losses |= kind;
        constexpr std::uint64_t kLongest = std::uint64_t{1} << 53;
        rank.activity.add_loss(static_cast<std::int64_t>(std::min(head.bytes, kLongest)));
        return;
      }
      default:
        break;
    }
    if (head.op >= SLK_OPERATION_COUNT && head.op != SLK_REC_ISENDRECV) return;
    if (!rank.activity.begun()) {
      rank.clock = raw::clock_map(rank.header(), files_.begin()->second->header());
    }
    const bool sound = raw::plausible_time(rank.header(), head.end_ns);
    const std::uint64_t end = sound ? head.end_ns : head.begin_ns;
    rank.activity.add_call({rank.time(head.begin_ns), rank.time(end)}, head.path,
                           raw::sent_bytes(record));
    rank.last_begin = head.begin_ns;
    rank.last_op = head.op;
    rank.losses = 0;
  });
  const slk_raw_header& header = rank.header();
  if (rank.grown && rank.gone) rank.elsewhere = true;
  rank.gone = is_here(header) && !rank.elsewhere && kill(header.pid, 0) != 0 && errno == ESRCH;
  const bool finalized = header.finalized == 1 && rank.file.unsettled().empty() &&
                         (rank.last_op == SLK_OP_finalize || rank.gone);
  rank.ended = finalized || rank.state == GrowingFile::State::gone;
}

/// On rank 0's clock.
std::int64_t WatchedJob::present_ns() const {
  std::int64_t latest = 0;
  bool runs = false;
  const Rank* here = nullptr;
  const Rank* any = nullptr;
  for (const auto& [path, rank] : files_) {
    if (!rank->activity.begun()) continue;
    runs = runs || rank->runs();
    std::int64_t end = rank->activity.last_end_ns();
    for (const slk_record& call : rank->file.unsettled()) {
      end = std::max(end, rank->time(std::max(call.begin_ns, call.end_ns)));
    }
    latest = any == nullptr ? end : std::max(latest, end);
    any = rank.get();
    if (here == nullptr && is_here(rank->header())) here = rank.get();
  }
  if (!runs || any == nullptr) return latest;
  if (here != nullptr) return std::max(latest, here->clock(clock_ns(CLOCK_MONOTONIC)));
  const slk_raw_header& header = any->header();
  const std::uint64_t since =
      static_cast<std::uint64_t>(clock_ns(CLOCK_REALTIME)) - header.realtime_ns;
  // Else one of the two clocks was set.
  const bool known = raw::plausible_time(header, header.monotonic_ns + since);
  return known ? std::max(latest, any->time(header.monotonic_ns + since)) : latest;
}

WatchedJob::Seen WatchedJob::see(const Rank& rank, std::int64_t present_ns) {
  using State = RankStatus::State;
  Seen seen{&rank, {.rank = rank.header().rank, .host = rank.header().host}};
  RankStatus& status = seen.status;
  status.heard_ns = rank.activity.last_end_ns();
  status.since_ns = status.heard_ns;
  for (const slk_record& call : rank.file.unsettled()) {
    const bool returned = call.end_ns != 0;
    const auto operation = static_cast<Operation>(
        call.op == SLK_REC_ISENDRECV ? std::uint8_t{SLK_OP_sendrecv} : call.op);
    const std::int64_t begin = rank.time(call.begin_ns);
    const std::int64_t end = returned ? rank.time(call.end_ns) : rank.runs() ? present_ns : begin;
    const bool goes_on = !seen.calls.empty() && operation == status.operation;  // polls again
    status.state = returned ? State::computing : State::in_mpi;
    status.operation = operation;
    status.heard_ns = returned ? end : status.heard_ns;
    status.since_ns = returned ? end : goes_on ? seen.calls.back().begin_ns : begin;
    seen.calls.push_back({begin, end});
  }
  const std::int64_t last = seen.calls.empty() ? status.heard_ns : seen.calls.back().end_ns;
  seen.until_ns = rank.runs() ? present_ns : std::max(last, status.heard_ns);
  if (!rank.runs()) status.state = rank.ended ? State::ended : State::gone;
  status.whole = rank.activity.whole(seen.present()).sums;
  return seen;
}

/// Begin of the recent interval of a job that has run for `whole`.
std::int64_t WatchedJob::recent_begin_ns(const TimeInterval& whole) const {
  if (recent_ns_ == 0) return whole.begin_ns;
  const std::int64_t begin = whole.end_ns - recent_ns_;
  return std::max(whole.begin_ns, begin - begin % slice_ns_);
}

void WatchedJob::describe_job(JobStatus& job) const {
  job.time = date_of(static_cast<std::uint64_t>(clock_ns(CLOCK_REALTIME)));
  for (const auto& [path, rank] : files_) {
    const slk_raw_header& header = rank->header();
    if (header.world_size == 0) continue;
    job.size = header.world_size;
    job.program = header.program;
    job.started = date_of(header.realtime_ns);
    return;
  }
}

JobStatus WatchedJob::look(std::size_t named) {
  discover();
  for (const auto& [path, rank] : files_) read(*rank);
  JobStatus job;
  describe_job(job);
  const std::int64_t present = present_ns();
  std::vector<Seen> ranks;
  job.whole = {present, present};
  for (const auto& [path, rank] : files_) {
    if (!rank->activity.begun()) continue;
    ranks.push_back(see(*rank, present));
    job.whole.begin_ns = std::min(job.whole.begin_ns, rank->activity.begin_ns());
    job.clock_error_ns = std::max(job.clock_error_ns, rank->clock.error_ns);
  }
  const bool runs = std::ranges::any_of(files_, [](const auto& f) { return f.second->runs(); });
  if (!ranks.empty()) job.state = JobStatus::State::running;
  if (!files_.empty() && !runs) job.state = JobStatus::State::ended;
  if (ranks.empty()) return job;
  job.recent = {recent_begin_ns(job.whole), present};
  for (Seen& seen : ranks) {
    const RecentActivity& activity = seen.rank->activity;
    seen.recent = recent_ns_ == 0 ? activity.whole(seen.present())
                                  : activity.since(job.recent.begin_ns, seen.present());
    seen.status.recent = seen.recent.sums;
  }
  std::ranges::stable_sort(ranks, std::ranges::greater{},
                           [](const Seen& seen) { return seen.status.recent.computation_ns; });
  const auto first = [&](std::size_t count) {
    return std::span<const Seen>(ranks).first(std::min(count, ranks.size()));
  };
  if (std::ranges::any_of(first(named), [&](const Seen& s) { return names_->lacks(s); })) {
    names_->find(first(std::max(named, kNamedAhead)));
  }
  for (Seen& seen : ranks) {
    if (job.ranks.size() < named) seen.status.function = names_->busiest(*seen.rank, seen.recent);
    job.ranks.push_back(std::move(seen.status));
  }
  return job;
}

Findings WatchedJob::findings() const {
  Findings findings;
  for (const auto& [path, rank] : files_) {
    findings.merge(rank->file.findings());
    if (rank->state == GrowingFile::State::damaged && !rank->activity.begun()) {
      findings.add(raw::kDamagedFile, path.filename().string());
    }
  }
  if (other_threads_ > 0) findings.add(kOtherThreads, {}, other_threads_);
  return findings;
}

}  // namespace slackline
