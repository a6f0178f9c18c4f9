// The time line of a report's page.
//
// The problem: a page of at most three bytes a call that knows every call. Two varying times a call
// are more than that at full precision, and everything else of a call is nearly free, because
// programs repeat themselves and like columns compress. So the precision of time pays: ticks of one
// nanosecond in short traces, and as many as it takes in long ones. How many is found by
// compressing a few chunks; the size falls by about a quarter of a byte a call with every doubling,
// so the first that fits is looked for from where that leads to.

#include "page/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <numeric>

#include "base/parallel.h"
#include "base/units.h"
#include "page/chunks.h"
#include "page/codes.h"
#include "page/levels.h"

namespace slackline {
namespace {

constexpr std::uint64_t kBytesPerCall = 3;
constexpr std::uint64_t kLeastBudget = 12 * 1024;
constexpr std::size_t kSampledChunks = 4;
constexpr std::uint64_t kCallsInByte = 4;  // that a doubling of the tick saves
constexpr int kCoarsestTick = 40;          // 2^40 ns is 18 minutes
constexpr std::size_t kFewestWaits = 200;
constexpr std::size_t kMostWaits = 5000;
constexpr std::size_t kFewestPieces = 400;
constexpr std::uint64_t kFewestBuckets = 512;
constexpr std::uint64_t kMostCells = 12'000'000;  // of the finest level

std::string_view class_name(Operation operation) {
  switch (operation_class(operation)) {
    case OperationClass::send:
    case OperationClass::isend:
      return "send";
    case OperationClass::recv:
    case OperationClass::irecv:
    case OperationClass::sendrecv:
      return "recv";
    case OperationClass::completion:
    case OperationClass::probe:
      return "completion";
    case OperationClass::collective:
    case OperationClass::icollective:
    case OperationClass::comm_create:
      return "collective";
    default:
      return "other";
  }
}

void name_codes(Timeline& t, const CallPaths& paths, const TimelineCodes& codes) {
  for (const Operation operation : codes.operations()) {
    const bool computation = operation == Operation::none;
    t.operations.emplace_back(computation ? "computation" : mpi_name(operation));
    t.classes.emplace_back(computation ? "compute" : class_name(operation));
  }
  for (PathId path = 0; path < paths.size(); ++path) t.regions.push_back(paths.name(path));
  t.patterns.emplace_back();
  for (const WaitPattern pattern : codes.patterns()) t.patterns.emplace_back(name(pattern));
}

TimelineCodes codes_of(const TimelineInput& input, const std::vector<TimelineRun>& runs) {
  if (input.codes != nullptr) return *input.codes;
  std::vector<const WaitStates*> waits;
  for (const TimelineRun& run : runs) {
    if (run.waits != nullptr) waits.push_back(run.waits);
  }
  const Trace* const trace = &input.trace;
  return {{&trace, 1}, waits};
}

/// What one run is drawn from; kept while its blobs are made.
struct Rows {
  Rows(const TimelineInput& input, const TimelineRun& run, const TimelineCodes& codes,
       bool measured)
      : paths(path_changes(input.trace, input.paths, run.times, measured)),
        waits(run.waits != nullptr ? waits_by_rank(input.trace, *run.waits)
                                   : std::vector<std::vector<WaitState>>{}),
        rows{input.trace, run.times, paths, waits, codes, !input.paths.only_one()} {}

  std::vector<std::vector<PathChange>> paths;
  std::vector<std::vector<WaitState>> waits;
  RunRows rows;
};

/// Bytes of all chunks as base64 by the length of a tick, estimated from a few of them.
class SizeByTick {
 public:
  SizeByTick(const ChunkWriter& chunks, std::uint64_t calls) : chunks_(chunks), calls_(calls) {}

  std::uint64_t at(int shift) {
    const auto known = sizes_.find(shift);
    return known != sizes_.end() ? known->second : sizes_[shift] = estimate(TickScale(shift));
  }
  /// The shortest tick with which they fit.
  int fitting(std::uint64_t budget, std::int64_t span_ns) {
    int longest = 0;
    while (longest < kCoarsestTick && (std::int64_t{1} << longest) < span_ns) ++longest;
    if (longest == 0 || at(0) <= budget) return 0;
    const auto doublings = (at(0) - budget) * kCallsInByte / std::max<std::uint64_t>(1, calls_);
    int shift = static_cast<int>(
        std::clamp<std::uint64_t>(doublings, 1, static_cast<std::uint64_t>(longest)));
    while (shift < longest && at(shift) > budget) ++shift;
    while (shift > 1 && at(shift - 1) <= budget) --shift;
    return shift;
  }

 private:
  std::uint64_t estimate(TickScale ticks) const {
    const std::size_t samples = std::min(kSampledChunks, chunks_.chunks());
    std::vector<std::uint64_t> sizes(samples);
    parallel_for(samples, [&](std::size_t i) {
      sizes[i] = chunks_.chunk(i * chunks_.chunks() / samples, ticks).blob.zlib.size();
    });
    const std::uint64_t size = std::reduce(sizes.begin(), sizes.end());
    return base64_size(size * chunks_.chunks() / std::max<std::size_t>(1, samples));
  }

  const ChunkWriter& chunks_;
  std::uint64_t calls_;
  std::map<int, std::uint64_t> sizes_;
};

std::uint64_t size_of(const Timeline::Run& run) {
  std::uint64_t size = 0;
  for (const Timeline::Level& level : run.levels) {
    for (const Timeline::Slice& slice : level.slices) size += base64_size(slice.blob.zlib.size());
  }
  for (const Timeline::Chunk& chunk : run.chunks) size += base64_size(chunk.blob.zlib.size());
  if (run.path) size += base64_size(run.path->blob.zlib.size());
  if (run.waits) size += base64_size(run.waits->blob.zlib.size());
  return size;
}

class TimelineMaker {
 public:
  TimelineMaker(const TimelineInput& input, const std::vector<TimelineRun>& runs,
                std::uint64_t most_calls)
      : input_(input),
        runs_(runs),
        codes_(codes_of(input, runs)),
        calls_(input.trace.call_count()) {
    timeline_.complete = calls_ <= most_calls;
    budget_ = std::max(kLeastBudget, kBytesPerCall * calls_);
  }

  Timeline make() {
    describe();
    std::deque<Rows> rows;  // refer to themselves: they must stay where they are
    for (const TimelineRun& run : runs_) rows.emplace_back(input_, run, codes_, rows.empty());
    const ChunkWriter chunks(rows.front().rows, &input_.matching);
    SizeByTick size(chunks, calls_);
    const std::int64_t span_ns = runs_.front().times.span_ns;
    int shift = timeline_.complete ? size.fitting(budget_ / 4 * 3, span_ns) : 0;
    add_runs(rows, TickScale(shift));
    // What levels, paths and waits of all runs leave is for the calls.
    const std::uint64_t others = size_of_runs();
    const std::uint64_t left = std::max(budget_ / 2, budget_ - std::min(budget_, others));
    if (timeline_.complete && size.at(shift) > left) {
      shift = size.fitting(left, span_ns);
      timeline_.runs.clear();
      add_runs(rows, TickScale(shift));
    }
    const TickScale ticks(shift);
    timeline_.tick_ns = ticks.tick_ns();
    if (timeline_.complete) {
      timeline_.runs.front().chunks = chunks.all(ticks);
      for (std::size_t i = 1; i < runs_.size(); ++i) add_times(timeline_.runs[i], rows[i], ticks);
    }
    for (const Timeline::Run& run : timeline_.runs) {
      timeline_.span = std::max(timeline_.span, run.span);
    }
    return std::move(timeline_);
  }

 private:
  void describe() {
    timeline_.title = "Timeline";
    timeline_.ranks = input_.trace.ranks();
    timeline_.calls = calls_;
    name_codes(timeline_, input_.paths, codes_);
    if (!timeline_.complete) {
      timeline_.note = fmt::format(
          "{} calls exceed the page limit. Individual calls are not included; aggregated levels of "
          "detail, the critical path and the longest waits are. Use 'slackline convert TRACE "
          "out.pftrace' and Perfetto for all calls.",
          format_count(calls_));
    }
  }

  std::uint64_t finest_buckets() const {
    const auto ranks = static_cast<std::uint64_t>(std::max(1, input_.trace.ranks()));
    const std::uint64_t a_rank = calls_ / ranks;
    const std::uint64_t wanted = timeline_.complete ? a_rank / 4 : a_rank;
    return std::clamp(wanted, kFewestBuckets, std::max(kFewestBuckets, kMostCells / ranks));
  }

  void add_runs(const std::deque<Rows>& rows, TickScale ticks) {
    for (std::size_t i = 0; i < runs_.size(); ++i) add_run(runs_[i], rows[i], ticks);
  }

  std::uint64_t size_of_runs() const {
    std::uint64_t size = 0;
    for (const Timeline::Run& run : timeline_.runs) size += size_of(run);
    return size;
  }

  void add_run(const TimelineRun& run, const Rows& rows, TickScale ticks) {
    Timeline::Run out;
    out.id = run.id;
    out.name = run.name;
    out.span = ticks(run.times.span_ns);
    for (const RowTimes& rank : run.times.ranks) {
      out.begins.push_back(ticks(rank.row_begin_ns()));
      out.ends.push_back(ticks(rank.row_end_ns()));
    }
    out.levels = timeline_levels(rows.rows, ticks, finest_buckets());
    if (!run.path.empty()) {
      out.path =
          path_events(run.path, codes_, ticks, std::max<std::size_t>(kFewestPieces, calls_ / 20));
    }
    if (run.waits != nullptr) {
      const std::size_t most = std::clamp<std::size_t>(calls_ / 50, kFewestWaits, kMostWaits);
      out.waits = wait_events(input_.trace, run.times, *run.waits, codes_, ticks, most);
    }
    timeline_.runs.push_back(std::move(out));
  }

  /// A further run's calls, if they fit.
  void add_times(Timeline::Run& run, const Rows& rows, TickScale ticks) {
    const ChunkWriter chunks(rows.rows, nullptr);
    const int shift = std::countr_zero(ticks.tick_ns());
    if (size_of_runs() + SizeByTick(chunks, calls_).at(shift) <= budget_) {
      run.chunks = chunks.all(ticks);
    }
  }

  const TimelineInput& input_;
  const std::vector<TimelineRun>& runs_;
  TimelineCodes codes_;
  std::uint64_t calls_;
  std::uint64_t budget_ = 0;
  Timeline timeline_;
};

}  // namespace

Timeline timeline(const TimelineInput& input, const std::vector<TimelineRun>& runs,
                  std::uint64_t most_calls) {
  if (runs.empty()) return {};
  return TimelineMaker(input, runs, most_calls).make();
}

}  // namespace slackline
