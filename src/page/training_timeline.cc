#include "page/training_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "page/drawn_calls.h"
#include "page/timeline.h"
#include "training/training_rows.h"

namespace slackline {
namespace {

class TrainingCalls final : public DrawnCalls {
 public:
  explicit TrainingCalls(const TrainingRows& rows) : rows_(rows.rows), paths_(rows.paths) {}

  std::int32_t rows() const override { return static_cast<std::int32_t>(rows_.size()); }
  std::uint64_t count() const override {
    return std::transform_reduce(rows_.begin(), rows_.end(), std::uint64_t{0}, std::plus{},
                                 [](const TrainingRow& row) { return row.calls.size(); });
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
    return static_cast<std::uint8_t>(of(row)[call].operation);
  }
  bool is_collective(std::int32_t row, std::size_t call) const override {
    return of(row)[call].operation == WorkClass::communication;
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
  std::vector<std::string> paths() const override { return paths_; }
  bool has_functions() const override { return true; }
  PathId path_at(std::int32_t row, std::size_t call) const override { return of(row)[call].path; }
  PathId path_before(std::int32_t row, std::size_t call) const override {
    return of(row)[call].before;
  }

 private:
  const std::vector<RowCall>& of(std::int32_t row) const {
    return rows_[static_cast<std::size_t>(row)].calls;
  }

  const std::vector<TrainingRow>& rows_;
  const std::vector<std::string>& paths_;
};

std::int64_t begin_of(const std::vector<TrainingRow>& rows) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const TrainingRow& row : rows) first = std::min(first, row.life.begin_ns);
  return rows.empty() ? 0 : first;
}

RunTimes times_of(const std::vector<TrainingRow>& rows, std::int64_t zero_ns) {
  RunTimes run;
  for (const TrainingRow& row : rows) {
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

WaitStates waits_of(const TrainingRows& rows, const std::vector<TrainingCollective>& collectives) {
  WaitStates waits;
  for (const TrainingCollective& collective : collectives) {
    const CollectiveKernel& late = collective.members[collective.straggler];
    const CallPlace& cause = rows.activities[late.rank][late.activity];
    for (std::size_t i = 0; i < collective.members.size(); ++i) {
      const CollectiveKernel& kernel = collective.members[i];
      if (kernel.waiting_ns <= 0) continue;
      const CallPlace& place = rows.activities[kernel.rank][kernel.activity];
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
Timeline::Grouping by_rank(const std::vector<TrainingRow>& rows) {
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
  const TrainingRows rows = training_rows(run, analysis.collectives);
  const TrainingCalls calls(rows);
  const WaitStates waits = waits_of(rows, analysis.collectives);
  const WaitStates* const states = &waits;
  const TimelineCodes codes({}, {&states, 1});
  const std::int64_t zero_ns = begin_of(rows.rows);
  Timeline drawn =
      timeline(calls, {"measured", "measured", times_of(rows.rows, zero_ns), {}, &waits}, codes);
  for (const TrainingRow& row : rows.rows) drawn.rows.push_back({row.name, row.rank, row.stream});
  drawn.groupings.push_back(by_rank(rows.rows));
  drawn.phases = steps_of(analysis, zero_ns);
  Section section{.id = "timeline", .title = "Timeline"};
  section.items.emplace_back(std::make_shared<const Timeline>(std::move(drawn)));
  return section;
}

}  // namespace slackline
