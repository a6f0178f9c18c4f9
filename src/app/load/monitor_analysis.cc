#include "app/load/monitor_analysis.h"

#include <functional>

#include "analysis/paths/activities.h"
#include "analysis/paths/path_sums.h"
#include "app/load/run_analyses.h"
#include "app/options/option_values.h"
#include "base/packed.h"
#include "base/parallel.h"
#include "base/progress.h"

namespace slackline {
namespace {

/// A run of which each process reads its ranks, some at a time: as many calls as in the longest
/// stretch, but one rank at least.
class RanksOnFile : public MonitoredRun {
 public:
  RanksOnFile(const StretchedRun& run, const RankNotes& notes, MonitoredFacts facts,
              ProcessGroup& group)
      : MonitoredRun(std::move(facts)), run_(run), notes_(notes), group_(group) {}

 private:
  bool is_shared() const override { return group_.size() > 1; }
  RankRange own_ranks() const override { return run_.trace.own_ranks(); }
  std::vector<std::byte> joined(std::vector<std::byte> mine) override {
    Bytes all;
    for (const Bytes& of_process : group_.exchange_with_all(mine)) {
      all.insert(all.end(), of_process.begin(), of_process.end());
    }
    return all;
  }

  void visit(const std::function<void(const MonitoredRank&)>& visit) override {
    const RankRange own = own_ranks();
    const std::uint64_t at_once = run_.trace.longest();
    for (RankRange some{own.first, own.first}; some.end < own.end; some.first = some.end) {
      std::uint64_t calls = calls_of(some.end++);
      while (some.end < own.end && calls + calls_of(some.end) <= at_once) {
        calls += calls_of(some.end++);
      }
      visit_some(some, visit);
    }
  }
  std::uint64_t calls_of(std::int32_t rank) const {
    return facts().calls[static_cast<std::size_t>(rank)];
  }

  void visit_some(RankRange some, const std::function<void(const MonitoredRank&)>& visit) const {
    const std::optional<Trace> trace = run_.trace.load_ranks(some);
    run_.file->release(run_.file->bytes());
    if (!trace) throw changed_while_read();
    const CallPaths paths = run_.trace.marked_paths_of(*trace);
    parallel_for(static_cast<std::size_t>(some.end - some.first), [&](std::size_t i) {
      const std::int32_t rank = some.first + static_cast<std::int32_t>(i);
      RankNotes::OfRank notes = notes_.read(trace->calls(rank), rank);
      visit(MonitoredRank(*trace, paths, notes.ideal, std::move(notes.waits), rank));
    });
  }

  const StretchedRun& run_;
  const RankNotes& notes_;
  ProcessGroup& group_;
};

}  // namespace

void MonitorAnalysis::analyse(const Run& run) {
  options_.analysed = resolve_interval(interval_, run.trace());
  monitor_ = monitor(run.trace(), run.loaded().matching(), CallPaths(run.trace()), options_);
}

void MonitorAnalysis::begin(const StretchedRun& run) {
  run_ = &run;
  facts_.span = run.span;
  facts_.analysed = resolve_interval(interval_, run.span).value_or(run.span.common);
  for (const RankExtent& rank : run.trace.extents()) facts_.calls.push_back(rank.calls);
  notes_.emplace(facts_.calls.size());
}

bool MonitorAnalysis::add(const LoadedStretch& stretch) {
  const Trace& trace = stretch.trace();
  const RunPart& part = stretch.part();
  WaitStates waits = wait_states(trace, stretch.matching(), stretch.order(), {});
  std::erase_if(waits.states, [&](const WaitState& s) { return s.call < part.lead(); });
  waits = waits_in_interval(trace, waits, facts_.analysed);
  const IdealRun ideal = ideal_run(trace, stretch.matching(), options_.ideal);
  if (waits.clipped > 0 || waits.released > 0 || ideal.released > 0) return false;
  own_.push_back(efficiency_part(trace, ideal, facts_.span, facts_.analysed, part));
  notes_->append(stretch, ideal, waits);
  const Activities activities(trace, stretch.matching(), stretch.order(), part);
  const CallPaths paths = run_->trace.paths_of(trace);
  append_turns(facts_.path,
               part_path(activities, CallActivities(trace, paths), critical_steps(activities),
                         {part, stretch.first_calls(), facts_.span.whole})
                   .segments);
  return true;
}

void MonitorAnalysis::abandon() {
  notes_.reset();
  facts_ = {};
}

void MonitorAnalysis::finish(ProcessGroup& group) {
  begin_stage("looking for phases");
  const EfficiencyPart whole = joined_parts(own_, group);
  Bytes inputs;
  if (group.is_first()) {
    facts_.inputs = efficiency_of(whole, run_->trace.job(), facts_.span, facts_.analysed).analysed;
    pack(inputs, facts_.inputs);
  }
  inputs = group.broadcast(std::move(inputs));
  std::span<const std::byte> rest(inputs);
  unpack(rest, facts_.inputs);
  facts_.path = gather_all(group, facts_.path);
  notes_->share(run_->trace.own_ranks(), group);
  RanksOnFile ranks(*run_, *notes_, std::move(facts_), group);
  monitor_ = monitor(ranks, options_);
  notes_.reset();
  own_ = {};
}

}  // namespace slackline
