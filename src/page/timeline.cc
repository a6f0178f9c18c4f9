// The time line of a report's page.
//
// The problem: a page of moderate size that knows every call of every run. Two varying times a call
// take most of the space at full precision, and everything else of a call is nearly free, because
// programs repeat themselves and like columns compress. Times are exact up to kExactCalls; in
// longer traces the length of a tick is chosen by compressing a few chunks: the size falls by about
// a quarter of a byte a call with every doubling, so the search begins where that leads to.
//
// A tick stays far shorter than an average call or computation, whatever size that gives. All times
// of the page have the same tick, so it is chosen before anything is written.

#include "page/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <optional>
#include <span>

#include "base/parallel.h"
#include "base/units.h"
#include "page/codes.h"
#include "page/levels.h"
#include "page/run_times.h"
#include "page/timeline_parts.h"
#include "page/trace_calls.h"

namespace slackline {
namespace {

constexpr std::uint64_t kBytesPerCall = 4;
constexpr std::uint64_t kLeastBudget = 12 * 1024;
constexpr std::size_t kSampledChunks = 4;
constexpr std::uint64_t kCallsInByte = 4;       // that a doubling of the tick saves
constexpr std::uint64_t kTicksInInterval = 16;  // of an average call or computation, at least
constexpr std::uint64_t kLevelsPart = 4;        // of the budget
constexpr std::uint64_t kCoarsestBuckets = 64;
constexpr std::size_t kFewestWaits = 200;
constexpr std::size_t kMostWaits = 5000;
constexpr std::size_t kFewestPieces = 400;
constexpr std::uint64_t kFewestBuckets = 512;
constexpr std::uint64_t kMostCells = 12'000'000;  // of the finest level

void name_codes(Timeline& t, const DrawnCalls& calls, const TimelineCodes& codes) {
  for (DrawnCalls::NamedOperation& operation : calls.operations()) {
    t.operations.push_back(std::move(operation.name));
    t.classes.push_back(std::move(operation.class_name));
  }
  t.ipc = calls.has_ipc();
  t.pauses = calls.has_pauses();
  t.threads = calls.has_threads();
  t.regions = calls.paths();
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

/// By row, in order of time; empty rows without paths.
using ChangesByRow = std::vector<std::vector<PathChange>>;

/// What one run is drawn from; kept while its blobs are made.
struct DrawnRun {
  DrawnRun(const DrawnCalls& calls, const TimelineRun& run, const TimelineCodes& codes,
           ChangesByRow changes, bool with_regions)
      : paths(std::move(changes)),
        waits(run.waits != nullptr ? waits_by_rank(calls.rows(), *run.waits)
                                   : std::vector<std::vector<WaitState>>{}),
        rows{calls, run.times, paths, waits, codes, with_regions} {}

  ChangesByRow paths;
  std::vector<std::vector<WaitState>> waits;
  RunRows rows;
};

/// Bytes of all chunks of some runs as base64 by the length of a tick, estimated from a few chunks.
class SizeByTick {
 public:
  using Samples = std::map<std::size_t, Timeline::Chunk>;  ///< by number

  SizeByTick(std::span<const ChunkWriter> runs, std::uint64_t calls) : runs_(runs), calls_(calls) {}

  std::uint64_t at(int shift) {
    const auto known = sizes_.find(shift);
    if (known != sizes_.end()) return known->second;
    std::uint64_t size = 0;
    for (const ChunkWriter& run : runs_) {
      samples_[shift].push_back(samples_of(run, TickScale(shift)));
      size += estimate(run, samples_[shift].back());
    }
    return sizes_[shift] = size;
  }
  /// The chunks of a run from which the size with such ticks was estimated, which are handed over.
  Samples take_samples(int shift, std::size_t run) {
    const auto known = samples_.find(shift);
    return known == samples_.end() ? Samples{} : std::move(known->second[run]);
  }
  /// The shortest tick up to 2^longest with which they fit; none: not even then.
  std::optional<int> fitting(std::uint64_t budget, int longest) {
    if (at(0) <= budget) return 0;
    const auto doublings = (at(0) - budget) * kCallsInByte / std::max<std::uint64_t>(1, calls_);
    auto shift =
        static_cast<int>(std::min(doublings, static_cast<std::uint64_t>(std::max(0, longest))));
    while (shift <= longest && at(shift) > budget) ++shift;
    if (shift > longest) return std::nullopt;
    while (shift > 1 && at(shift - 1) <= budget) --shift;
    return shift;
  }

 private:
  static Samples samples_of(const ChunkWriter& run, TickScale ticks) {
    const std::size_t count = std::min(kSampledChunks, run.chunks());
    std::vector<Timeline::Chunk> chunks(count);
    const auto number = [&](std::size_t i) { return i * run.chunks() / count; };
    parallel_for(count, [&](std::size_t i) { chunks[i] = run.chunk(number(i), ticks); });
    Samples samples;
    for (std::size_t i = 0; i < count; ++i) samples.emplace(number(i), std::move(chunks[i]));
    return samples;
  }
  static std::uint64_t estimate(const ChunkWriter& run, const Samples& samples) {
    std::uint64_t size = 0;
    for (const auto& [number, chunk] : samples) size += chunk.blob.zlib.size();
    return base64_size(size * run.chunks() / std::max<std::size_t>(1, samples.size()));
  }

  std::span<const ChunkWriter> runs_;
  std::uint64_t calls_;
  std::map<int, std::uint64_t> sizes_;
  std::map<int, std::vector<Samples>> samples_;  // by run
};

std::uint64_t size_of(const std::vector<Timeline::Level>& levels) {
  std::uint64_t size = 0;
  for (const Timeline::Level& level : levels) {
    for (const Timeline::Slice& slice : level.slices) size += base64_size(slice.blob.zlib.size());
  }
  return size;
}

class TimelineMaker {
 public:
  TimelineMaker(const DrawnCalls& drawn, const std::vector<TimelineRun>& runs,
                const TimelineCodes& codes, std::uint64_t most_calls)
      : drawn_(drawn), runs_(runs), codes_(codes), calls_(drawn.count()) {
    timeline_.complete = calls_ <= most_calls;
    exact_ = calls_ <= kExactCalls || most_calls == kEveryCall;
    budget_ = std::max(kLeastBudget, kBytesPerCall * calls_);
  }

  /// `changes`: by run.
  Timeline make(std::vector<ChangesByRow> changes) {
    describe();
    const bool with_regions = timeline_.regions.size() > 1;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      rows_.emplace_back(drawn_, runs_[i], codes_, std::move(changes[i]), with_regions);
    }
    if (timeline_.complete) {
      add_calls();
    } else {
      add_runs(TickScale(0));
      timeline_.note = fmt::format(
          "{} calls exceed the page limit. Individual calls are not included; aggregated levels of "
          "detail, the critical path and the longest waits are. 'slackline view --serve TRACE' "
          "shows every call.",
          format_count(calls_));
    }
    for (const Timeline::Run& run : timeline_.runs) {
      timeline_.span = std::max(timeline_.span, run.span);
    }
    return std::move(timeline_);
  }

 private:
  void describe() {
    timeline_.title = "Timeline";
    timeline_.ranks = drawn_.rows();
    timeline_.calls = calls_;
    timeline_.functions = drawn_.has_functions();
    name_codes(timeline_, drawn_, codes_);
  }

  /// The longest tick with which single calls still have their shape.
  int coarsest_tick() const {
    const RunTimes& times = runs_.front().times;
    std::uint64_t lived_ns = 0;
    for (const RowTimes& rank : times.ranks) {
      const std::int64_t ns = rank.row_end_ns() - rank.row_begin_ns();
      lived_ns += static_cast<std::uint64_t>(std::max<std::int64_t>(0, ns));
    }
    const std::uint64_t interval_ns = lived_ns / (2 * std::max<std::uint64_t>(1, calls_));
    const auto ticks = std::max<std::uint64_t>(1, interval_ns / kTicksInInterval);
    return static_cast<int>(std::bit_width(ticks)) - 1;
  }

  /// The power of two that the tick of all times of the page is.
  int choose_shift(SizeByTick& size) const {
    if (exact_) return 0;
    const int coarsest = coarsest_tick();
    return size.fitting(budget_ - budget_ / kLevelsPart, coarsest).value_or(coarsest);
  }

  void add_calls() {
    std::vector<ChunkWriter> writers{ChunkWriter(rows_.front().rows)};
    for (std::size_t i = 1; i < runs_.size(); ++i) {
      writers.emplace_back(rows_[i].rows, &runs_.front().times);
    }
    SizeByTick size(writers, calls_);
    const int shift = choose_shift(size);
    const TickScale ticks(shift);
    if (ticks.tick_ns() > 1) {
      timeline_.note = fmt::format(
          "Times are rounded to {} ns, so that {} calls fit into a file. 'slackline view --serve "
          "TRACE' shows them to the nanosecond.",
          ticks.tick_ns(), format_count(calls_));
    }
    add_runs(ticks);
    for (std::size_t i = 0; i < writers.size(); ++i) {
      timeline_.runs[i].chunks = writers[i].all(ticks, size.take_samples(shift, i));
    }
  }

  std::uint64_t finest_buckets() const {
    const auto ranks = static_cast<std::uint64_t>(std::max(1, drawn_.rows()));
    const std::uint64_t a_rank = calls_ / ranks;
    const std::uint64_t wanted = timeline_.complete ? a_rank / 4 : a_rank;
    return std::clamp(wanted, kFewestBuckets, std::max(kFewestBuckets, kMostCells / ranks));
  }

  void add_runs(TickScale ticks) {
    timeline_.tick_ns = ticks.tick_ns();
    for (std::size_t i = 0; i < runs_.size(); ++i) add_run(runs_[i], rows_[i], ticks);
  }

  /// Where calls are inside, levels take a part of the budget at most: calls draw the same.
  std::vector<Timeline::Level> levels_of(const DrawnRun& rows, TickScale ticks) const {
    const std::uint64_t most = budget_ / kLevelsPart / runs_.size();
    std::uint64_t buckets = finest_buckets();
    std::vector<Timeline::Level> levels = timeline_levels(rows.rows, ticks, buckets);
    while (timeline_.complete && !unbounded() && size_of(levels) > most &&
           buckets > kCoarsestBuckets) {
      buckets /= 2;
      levels = timeline_levels(rows.rows, ticks, buckets);
    }
    return levels;
  }

  void add_run(const TimelineRun& run, const DrawnRun& rows, TickScale ticks) {
    Timeline::Run out;
    out.id = run.id;
    out.name = run.name;
    out.span = ticks(run.times.span_ns);
    for (const RowTimes& rank : run.times.ranks) {
      out.begins.push_back(ticks(rank.row_begin_ns()));
      out.ends.push_back(ticks(rank.row_end_ns()));
    }
    out.levels = levels_of(rows, ticks);
    if (!run.path.empty()) {
      out.path =
          path_events(run.path, codes_, ticks, std::max<std::size_t>(kFewestPieces, calls_ / 20));
    }
    if (run.waits != nullptr) {
      // Calls say how long they wait; of those, a table of the longest is enough.
      const std::size_t most = timeline_.complete
                                   ? kFewestWaits
                                   : std::clamp<std::size_t>(calls_ / 50, kFewestWaits, kMostWaits);
      out.waits = wait_events(drawn_, run.times, *run.waits, codes_, ticks, most);
    }
    timeline_.runs.push_back(std::move(out));
  }

  /// Whether nothing has to fit into a file.
  bool unbounded() const { return exact_ && calls_ > kExactCalls; }

  const DrawnCalls& drawn_;
  const std::vector<TimelineRun>& runs_;
  const TimelineCodes& codes_;
  std::uint64_t calls_;
  bool exact_ = true;
  std::uint64_t budget_ = 0;
  std::deque<DrawnRun> rows_;  // refer to themselves: they must stay where they are
  Timeline timeline_;
};

}  // namespace

Timeline timeline(const TimelineInput& input, const std::vector<TimelineRun>& runs,
                  std::uint64_t most_calls) {
  if (runs.empty()) return {};
  const TimelineCodes codes = codes_of(input, runs);
  const TraceCalls calls(input.trace, input.matching, input.paths, codes);
  std::vector<ChangesByRow> changes;
  for (const TimelineRun& run : runs) {
    changes.push_back(calls.has_functions()
                          ? path_changes(calls, run.times)
                          : path_changes(input.trace, input.paths, run.times, changes.empty()));
  }
  Timeline drawn = TimelineMaker(calls, runs, codes, most_calls).make(std::move(changes));
  drawn.groupings = groupings_of(input.trace);
  return drawn;
}

Timeline timeline(const DrawnCalls& calls, const TimelineRun& run, const TimelineCodes& codes,
                  std::uint64_t most_calls) {
  std::vector<ChangesByRow> changes{path_changes(calls, run.times)};
  return TimelineMaker(calls, {run}, codes, most_calls).make(std::move(changes));
}

}  // namespace slackline
