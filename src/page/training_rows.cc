// The rows of a training run.
//
// A call of a row is an activity of a stream, an operator that no other one encloses, or a call of
// the runtime that launches or synchronises. Operations are classes of work, and what is called is
// the innermost part of the call path, since there are more kernels than operations have numbers.
// That a launch leads to its activity is a message between their rows; kernels of one collective
// are calls of a collective.

#include "page/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "page/drawn_calls.h"
#include "training/rank_work.h"

namespace slackline {
namespace {

constexpr std::size_t kMostPaths = 4096;
constexpr std::int32_t kNoRow = -1;

// Numbers of operations: classes of work.
constexpr std::uint8_t kIdle = 0;
constexpr std::uint8_t kComputation = 1;
constexpr std::uint8_t kCommunication = 2;
constexpr std::uint8_t kCopy = 3;
constexpr std::uint8_t kOperator = 4;
constexpr std::uint8_t kLaunch = 5;
constexpr std::uint8_t kSynchronization = 6;

std::uint8_t number_of(GpuWork work) {
  if (work == GpuWork::communication) return kCommunication;
  return work == GpuWork::copy ? kCopy : kComputation;
}

/// A slash separates the parts of a call path.
std::string path_part(std::string_view name) {
  std::string text(name);
  for (std::size_t at = 0; (at = text.find('/', at)) != std::string::npos;) {
    text.replace(at, 1, "\u2215");
  }
  return text;
}

class PathNames {
 public:
  /// Parts from the outermost on; those that are empty are left out.
  PathId add(std::initializer_list<std::string_view> parts) {
    std::string name;
    for (const std::string_view text : parts) {
      if (text.empty()) continue;
      if (!name.empty()) name += '/';
      name += path_part(text);
    }
    return ids_.try_emplace(std::move(name), static_cast<PathId>(ids_.size())).first->second;
  }
  std::size_t size() const { return ids_.size(); }
  std::vector<std::string> names() const {
    std::vector<std::string> all(ids_.size());
    for (const auto& [name, id] : ids_) all[id] = name;
    return all;
  }

 private:
  std::map<std::string, PathId> ids_{{"", 0}};
};

struct RowCall {
  TimeSpan time{};
  std::uint8_t operation = kIdle;
  PathId path = 0;
  PathId before = 0;
  std::int32_t peer = kNoRow;        ///< of a launch its activity's row
  std::int32_t launch_row = kNoRow;  ///< of an activity
  std::uint32_t launch = 0;          ///< call in that row
  std::uint32_t collective = kNotRecorded;
};

struct LocationRow {
  std::int32_t rank = 0;
  std::string name{};
  bool stream = false;
  TimeSpan life{};
  std::vector<RowCall> calls{};
};

struct CallPlace {
  std::int32_t row = kNoRow;
  std::uint32_t call = 0;
};

/// Operators of one thread that no other one encloses, and annotations and modules in which none
/// is. What encloses an operator is its path.
class OuterRanges {
 public:
  OuterRanges(const ProfiledRank& rank, std::uint32_t location, PathNames& paths, bool modules)
      : rank_(rank), paths_(paths), modules_(modules) {
    for (std::uint32_t i = 0; i < rank.cpu.size(); ++i) {
      if (rank.cpu[i].location == location) add(i);
    }
    while (!open_.empty()) close();
    std::ranges::stable_sort(calls_, {}, [](const Ranged& r) { return r.call.time.begin_ns; });
  }

  std::vector<RowCall> take() {
    std::vector<RowCall> calls;
    std::uint32_t last = kNotRecorded;
    for (Ranged& ranged : calls_) {
      if (ranged.within == last && last != kNotRecorded) ranged.call.before = context_path(last);
      last = ranged.within;
      calls.push_back(ranged.call);
    }
    return calls;
  }

 private:
  struct Ranged {
    RowCall call{};
    std::uint32_t within = kNotRecorded;  ///< innermost annotation or module
  };
  struct Open {
    std::uint32_t range = 0;
    bool empty = true;
  };

  void add(std::uint32_t index) {
    const CpuRange& range = rank_.cpu[index];
    while (!open_.empty() && rank_.cpu[open_.back().range].time.end_ns <= range.time.begin_ns) {
      close();
    }
    if (range.time.begin_ns < operator_end_ns_) return;
    if (!open_.empty()) open_.back().empty = false;
    if (range.kind == CpuRangeKind::operation) {
      operator_end_ns_ = range.time.end_ns;
      append(index);
    } else {
      open_.push_back({index});
    }
  }

  void close() {
    const Open closed = open_.back();
    open_.pop_back();
    if (closed.empty) append(closed.range);
  }

  void append(std::uint32_t index) {
    const CpuRange& range = rank_.cpu[index];
    const std::uint32_t within = open_.empty() ? kNotRecorded : open_.back().range;
    calls_.push_back({{.time = range.time,
                       .operation = kOperator,
                       .path = paths_.add({context(within), rank_.name(range.name)})},
                      within});
  }

  std::string_view context(std::uint32_t within) const {
    return within == kNotRecorded || !modules_ ? std::string_view()
                                               : rank_.name(rank_.cpu[within].name);
  }
  PathId context_path(std::uint32_t within) { return paths_.add({context(within)}); }

  const ProfiledRank& rank_;
  PathNames& paths_;
  bool modules_;
  std::vector<Open> open_;
  std::int64_t operator_end_ns_ = std::numeric_limits<std::int64_t>::min();
  std::vector<Ranged> calls_;
};

class TrainingCalls final : public DrawnCalls {
 public:
  TrainingCalls(const TrainingRun& run, const std::vector<TrainingCollective>& collectives) {
    read(run, true);
    // Modules have a number in each layer, operators and kernels do not.
    if (paths_.size() > kMostPaths) read(run, false);
    join(collectives);
    number_by_time();
  }

  const std::vector<LocationRow>& all() const { return rows_; }
  const CallPlace& activity(std::uint32_t rank, std::uint32_t number) const {
    return activities_[rank][number];
  }

  std::int32_t rows() const override { return static_cast<std::int32_t>(rows_.size()); }
  std::uint64_t count() const override {
    return std::transform_reduce(rows_.begin(), rows_.end(), std::uint64_t{0}, std::plus{},
                                 [](const LocationRow& row) { return row.calls.size(); });
  }
  std::size_t count(std::int32_t row) const override { return of(row).size(); }
  std::vector<NamedOperation> operations() const override {
    return {{"idle", "idle"},
            {"computation", "kernel"},
            {"communication", "collective"},
            {"copy", "copy"},
            {"operator", "operator"},
            {"launch", "launch"},
            {"synchronization", "completion"}};
  }
  std::uint8_t operation(std::int32_t row, std::size_t call) const override {
    return of(row)[call].operation;
  }
  bool is_collective(std::int32_t row, std::size_t call) const override {
    return of(row)[call].operation == kCommunication;
  }
  Data data(std::int32_t row, std::size_t call) const override {
    const std::int32_t peer = of(row)[call].peer;
    return {peer == kNoRow ? kPeerNone : peer, 0};
  }
  void partners(std::int32_t row, std::size_t call, std::vector<Partner>& to) const override {
    const RowCall& c = of(row)[call];
    if (c.launch_row != kNoRow) to.push_back({.row = c.launch_row, .send = c.launch});
    if (c.collective != kNotRecorded) to.push_back({.collective = true, .id = c.collective});
  }
  std::vector<std::string> paths() const override { return names_; }
  bool has_functions() const override { return true; }
  PathId path_at(std::int32_t row, std::size_t call) const override { return of(row)[call].path; }
  PathId path_before(std::int32_t row, std::size_t call) const override {
    return of(row)[call].before;
  }

 private:
  const std::vector<RowCall>& of(std::int32_t row) const {
    return rows_[static_cast<std::size_t>(row)].calls;
  }

  void read(const TrainingRun& run, bool modules) {
    paths_ = {};
    rows_.clear();
    activities_.clear();
    for (const ProfiledRank& rank : run.ranks) add_rank(rank, modules);
  }

  /// Threads in the order of their numbers, and then streams.
  static std::vector<std::uint32_t> order(const ProfiledRank& rank) {
    std::vector<std::uint32_t> order(rank.locations.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](std::uint32_t i) {
      const TrainingLocation& location = rank.locations[i];
      return std::tuple(location.stream, location.device, location.id, i);
    });
    return order;
  }

  void add_rank(const ProfiledRank& rank, bool modules) {
    std::vector<bool> launches(rank.locations.size());
    for (const RuntimeCall& call : rank.runtime_calls) launches[call.location] = true;
    const bool only_one = std::ranges::count(launches, true) == 1;
    const RankWork work(rank);
    std::vector<CallPlace> calls(rank.runtime_calls.size());
    activities_.emplace_back(rank.gpu.size());
    for (const std::uint32_t location : order(rank)) {
      if (rank.locations[location].stream) {
        add_stream(rank, location, work, modules, calls);
      } else if (launches[location]) {
        add_thread(rank, location, work, modules, only_one, calls);
      }
    }
  }

  LocationRow& add_row(const ProfiledRank& rank, std::string name, bool stream = false) {
    rows_.push_back({rank.rank, std::move(name), stream, whole_profile(rank)});
    return rows_.back();
  }
  CallPlace next_place() const {
    return {rows() - 1, static_cast<std::uint32_t>(rows_.back().calls.size())};
  }

  /// In which module and operator a call was made. Without an operator, in which annotation.
  PathId path_of(const ProfiledRank& rank, const RankWork& work, std::uint32_t call, bool modules,
                 std::uint32_t name) {
    const RankWork::Place place =
        call == kNotRecorded ? RankWork::Place{} : work.launch_place(call);
    const bool in_operator = place.operation != kNotRecorded;
    return paths_.add({modules ? rank.name(place.module) : std::string_view(),
                       rank.name(in_operator ? place.operation : place.annotation),
                       rank.name(name)});
  }

  void add_thread(const ProfiledRank& rank, std::uint32_t location, const RankWork& work,
                  bool modules, bool only_one, std::vector<CallPlace>& calls) {
    const std::string prefix = only_one ? std::string() : location_name(rank, location) + ", ";
    std::vector<RowCall> outer = OuterRanges(rank, location, paths_, modules).take();
    if (!outer.empty()) {
      add_row(rank, prefix + "operators").calls = std::move(outer);
    }
    LocationRow& row = add_row(rank, prefix + "launches");
    for (std::uint32_t i = 0; i < rank.runtime_calls.size(); ++i) {
      const RuntimeCall& call = rank.runtime_calls[i];
      if (call.location != location) continue;
      calls[i] = next_place();
      row.calls.push_back({.time = call.time,
                           .operation = call.synchronises ? kSynchronization : kLaunch,
                           .path = path_of(rank, work, i, modules, call.name)});
    }
  }

  void add_stream(const ProfiledRank& rank, std::uint32_t location, const RankWork& work,
                  bool modules, const std::vector<CallPlace>& calls) {
    LocationRow& row = add_row(rank, location_name(rank, location), true);
    for (std::uint32_t i = 0; i < rank.gpu.size(); ++i) {
      const GpuActivity& activity = rank.gpu[i];
      if (activity.location != location) continue;
      const CallPlace here = next_place();
      RowCall drawn{.time = activity.time,
                    .operation = number_of(activity.work),
                    .path = path_of(rank, work, activity.launch, modules, activity.name)};
      if (activity.launch != kNotRecorded) {
        const CallPlace& from = calls[activity.launch];
        drawn.launch_row = from.row;
        drawn.launch = from.call;
        rows_[static_cast<std::size_t>(from.row)].calls[from.call].peer = here.row;
      }
      activities_.back()[i] = here;
      row.calls.push_back(drawn);
    }
  }

  void join(const std::vector<TrainingCollective>& collectives) {
    for (std::uint32_t id = 0; id < collectives.size(); ++id) {
      for (const CollectiveKernel& kernel : collectives[id].members) {
        const CallPlace& place = activity(kernel.rank, kernel.activity);
        rows_[static_cast<std::size_t>(place.row)].calls[place.call].collective = id;
      }
    }
  }

  /// Levels of detail tell only so many paths apart: those that take most time have low numbers.
  void number_by_time() {
    std::vector<std::int64_t> time(paths_.size());
    for (const LocationRow& row : rows_) {
      for (const RowCall& call : row.calls) time[call.path] += call.time.duration_ns();
    }
    std::vector<PathId> order(time.size());
    std::iota(order.begin(), order.end(), PathId{0});
    std::stable_sort(order.begin() + 1, order.end(),
                     [&](PathId a, PathId b) { return time[a] > time[b]; });
    std::vector<PathId> number(order.size());
    std::vector<std::string> names = paths_.names();
    for (PathId i = 0; i < order.size(); ++i) {
      number[order[i]] = i;
      names_.push_back(std::move(names[order[i]]));
    }
    for (LocationRow& row : rows_) {
      for (RowCall& call : row.calls) {
        call.path = number[call.path];
        call.before = number[call.before];
      }
    }
  }

  std::vector<LocationRow> rows_;
  std::vector<std::vector<CallPlace>> activities_;  ///< by rank's index and activity
  PathNames paths_;
  std::vector<std::string> names_;
};

std::int64_t begin_of(const std::vector<LocationRow>& rows) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const LocationRow& row : rows) first = std::min(first, row.life.begin_ns);
  return rows.empty() ? 0 : first;
}

RunTimes times_of(const std::vector<LocationRow>& rows, std::int64_t zero_ns) {
  RunTimes run;
  for (const LocationRow& row : rows) {
    std::vector<std::int64_t> begin;
    std::vector<std::int64_t> end;
    for (const RowCall& call : row.calls) {
      begin.push_back(call.time.begin_ns - zero_ns);
      end.push_back(call.time.end_ns - zero_ns);
    }
    const std::int64_t row_end = row.life.end_ns - zero_ns;
    run.span_ns = std::max(run.span_ns, row_end);
    run.ranks.emplace_back(std::move(begin), std::move(end), row.life.begin_ns - zero_ns, row_end);
  }
  return run;
}

WaitPattern pattern_of(const TrainingCollective& collective, std::size_t member) {
  if (!collective.point_to_point) return WaitPattern::nxn;
  return member == 0 ? WaitPattern::late_receiver : WaitPattern::late_sender;
}

WaitStates waits_of(const TrainingCalls& calls,
                    const std::vector<TrainingCollective>& collectives) {
  WaitStates waits;
  for (const TrainingCollective& collective : collectives) {
    const CollectiveKernel& late = collective.members[collective.straggler];
    const CallPlace& cause = calls.activity(late.rank, late.activity);
    for (std::size_t i = 0; i < collective.members.size(); ++i) {
      const CollectiveKernel& kernel = collective.members[i];
      if (kernel.waiting_ns <= 0) continue;
      const CallPlace& place = calls.activity(kernel.rank, kernel.activity);
      waits.states.push_back({.wait_ns = kernel.waiting_ns,
                              .rank = place.row,
                              .call = place.call,
                              .cause_rank = cause.row,
                              .cause_call = cause.call,
                              .pattern = pattern_of(collective, i),
                              .effective = true});
    }
  }
  return waits;
}

/// Rows of a rank as a group of rows.
Timeline::Grouping by_rank(const std::vector<LocationRow>& rows) {
  Timeline::Grouping grouping{"rank", {}};
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(rows.size()); ++i) {
    const std::string name = fmt::format("rank {}", rows[static_cast<std::size_t>(i)].rank);
    if (grouping.groups.empty() || grouping.groups.back().name != name) {
      grouping.groups.push_back({name, {{i, i}}});
    }
    grouping.groups.back().ranks.back().second = i;
  }
  return grouping;
}

std::vector<Timeline::Phase> steps_of(const TrainingAnalysis& analysis, std::int64_t zero_ns) {
  std::vector<Timeline::Phase> steps;
  for (const TrainingStep& step : analysis.steps) {
    if (step.ranks.empty()) continue;
    TimeSpan time = step.ranks.front().time.time;
    for (const TrainingStep::OfRank& rank : step.ranks) {
      time.begin_ns = std::min(time.begin_ns, rank.time.time.begin_ns);
      time.end_ns = std::max(time.end_ns, rank.time.time.end_ns);
    }
    steps.push_back({static_cast<double>(time.begin_ns - zero_ns),
                     static_cast<double>(time.end_ns - zero_ns), fmt::format("step {}", step.step),
                     "step", step.step,
                     "from its begin on the first rank to its end on the last one"});
  }
  return steps;
}

}  // namespace

Section training_timeline(const TrainingRun& run, const TrainingAnalysis& analysis) {
  const TrainingCalls calls(run, analysis.collectives);
  const WaitStates waits = waits_of(calls, analysis.collectives);
  const WaitStates* const states = &waits;
  const TimelineCodes codes({}, {&states, 1});
  const std::int64_t zero_ns = begin_of(calls.all());
  Timeline drawn =
      timeline(calls, {"measured", "measured", times_of(calls.all(), zero_ns), {}, &waits}, codes);
  for (const LocationRow& row : calls.all()) drawn.rows.push_back({row.name, row.rank, row.stream});
  drawn.groupings.push_back(by_rank(calls.all()));
  drawn.phases = steps_of(analysis, zero_ns);
  Section section{.id = "timeline", .title = "Timeline"};
  section.items.emplace_back(std::make_shared<const Timeline>(std::move(drawn)));
  return section;
}

}  // namespace slackline
