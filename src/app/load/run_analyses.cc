#include "app/load/run_analyses.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "app/options/option_values.h"
#include "base/keyed_rows.h"
#include "calls/causal_order.h"
#include "parallel/shared_rows.h"

namespace slackline {
namespace {

/// Nothing for the whole run, with what ranks wait in MPI_Init and MPI_Finalize.
std::optional<TimeInterval> waiting_interval(const std::string& text, const RunSpan& run) {
  if (text == "run") return std::nullopt;
  return resolve_interval(text, run).value_or(run.common);
}

}  // namespace

EfficiencyPart joined_parts(const std::vector<EfficiencyPart>& own, ProcessGroup& group) {
  std::vector<RankEfficiency> own_ranks;
  std::vector<TimeInterval> own_ends;
  for (const EfficiencyPart& part : own) {
    own_ranks.insert(own_ranks.end(), part.ranks.begin(), part.ranks.end());
    own_ends.push_back(part.ideal);
  }
  const std::vector<RankEfficiency> ranks = gather_in_first(group, own_ranks);
  const std::vector<TimeInterval> ends = gather_in_first(group, own_ends);
  EfficiencyPart whole;
  for (std::size_t s = 0; s < ends.size(); ++s) {
    const std::size_t count = ranks.size() / ends.size();
    const auto first = ranks.begin() + static_cast<std::ptrdiff_t>(s * count);
    EfficiencyPart part{{first, first + static_cast<std::ptrdiff_t>(count)}, ends[s]};
    if (s == 0) {
      whole = std::move(part);
    } else {
      append_part(whole, std::move(part));
    }
  }
  return whole;
}

void EfficiencyAnalysis::analyse(const Run& run) {
  efficiency_ = efficiency(run.trace(), run.loaded().matching(), options_,
                           resolve_interval(interval_, run.trace()));
  efficiency_.name = run.loaded().opened.path;
}

void EfficiencyAnalysis::begin(const StretchedRun& run) {
  run_ = &run;
  analysed_ = resolve_interval(interval_, run.span).value_or(run.span.common);
}

bool EfficiencyAnalysis::add(const LoadedStretch& stretch) {
  const IdealRun ideal = ideal_run(stretch.trace(), stretch.matching(), options_);
  own_.push_back(efficiency_part(stretch.trace(), ideal, run_->span, analysed_, stretch.part()));
  // A rank that is let go on to break a deadlock may leave the stretch before the others.
  return ideal.released == 0;
}

void EfficiencyAnalysis::finish(ProcessGroup& group) {
  const EfficiencyPart whole = joined_parts(own_, group);
  if (!group.is_first()) return;
  efficiency_ = efficiency_of(whole, run_->trace.job(), run_->span, analysed_);
  efficiency_.name = run_->run.opened.path;
}

void WaitAnalysis::analyse(const Run& run) {
  const LoadedRun& loaded = run.loaded();
  WaitOptions options = wait_options(loaded);
  options.samples = &loaded.opened.samples;
  if (!options.eager_bytes) options.eager_bytes = options_.eager_bytes;
  summary_ = summarize_waits(run.trace(), loaded.matching(), run.paths(), options,
                             waiting_interval(interval_text_, run_span(run.trace())));
}

void WaitAnalysis::begin(const StretchedRun& run) {
  run_ = &run;
  interval_ = waiting_interval(interval_text_, run.span);
}

void WaitAnalysis::Found::add_up() {
  waits.add_up();
  add_up_rows(sampled);
}

bool WaitAnalysis::add(const LoadedStretch& stretch) {
  const CallPaths paths = run_->trace.paths_of(stretch.trace());
  WaitPart part = wait_part(stretch.trace(), stretch.matching(), stretch.order(),
                            WaitNames(stretch.trace(), paths), options_, interval_,
                            {stretch.part(), stretch.first_calls(), run_->span.whole});
  const bool sound = part.clipped == 0 && part.released == 0;
  own_.append({std::move(part), sampled_times(stretch.trace(), stretch.samples())});
  return sound;
}

bool WaitAnalysis::join(ProcessGroup& group) {
  found_ = own_.take();
  add_up_over_processes(group, found_.waits.sums, Receiver::first);
  WaitsByCode& by_code = found_.waits.by_code;
  add_up_over_processes(group, std::tuple_cat(by_code.tables(), std::tie(found_.sampled)),
                        Receiver::all);
  by_code.add_up();
  const Trace& job = run_->trace.job();
  causes_.emplace(found_.waits.by_code, job.call_tree(), job.ranks());
  if (!causes_->needs_calls()) return false;
  shares_ = std::make_shared<const SampledShares>(found_.sampled);
  return true;
}

void WaitAnalysis::add_again(const LoadedStretch& stretch) {
  const CallPaths functions = CallPaths::of_functions(stretch.trace());
  own_times_.append(causes_->times_of(stretch.trace(), CallActivities(stretch.trace(), functions),
                                      ComputationCode(stretch.trace(), stretch.samples(), shares_),
                                      stretch.part()));
}

void WaitAnalysis::finish(ProcessGroup& group) {
  CauseTimes times = own_times_.take();
  add_up_over_processes(group, times, Receiver::first);
  if (!group.is_first()) return;
  summary_ = summary_of(found_.waits.sums, run_->trace.extents(),
                        interval_.value_or(run_->span.whole), Findings());
  summary_.in_code = causes_->take(times);
}

void MethodAnalysis::analyse(const Run& run) {
  const CallMatching& matching = run.loaded().matching();
  const CausalOrder order(run.trace(), matching);
  const Activities activities(run.trace(), matching, order);
  comparison_ = {compare_methods(activities, delta_ns_, threshold_ns_), activities.makespan_ns()};
}

bool MethodAnalysis::add(const LoadedStretch& stretch) {
  const CausalOrder order(stretch.trace(), stretch.matching());
  const Activities run(stretch.trace(), stretch.matching(), order, stretch.part());
  const std::vector<MethodCost> costs = compare_methods(run, delta_ns_, threshold_ns_);
  own_.insert(own_.end(), costs.begin(), costs.end());
  return order.released() == 0;
}

void MethodAnalysis::finish(ProcessGroup& group) {
  add_up_rows(own_);
  const std::vector<MethodCost> of_processes = gather_all(group, own_);
  std::vector<MethodCost> all = of_processes;
  add_up_rows(all);
  for (MethodCost& sum : all) {
    sum.elapsed_ns = 0;
    for (const MethodCost& of_one : of_processes) {
      if (of_one.method == sum.method) sum.elapsed_ns = std::max(sum.elapsed_ns, of_one.elapsed_ns);
    }
  }
  comparison_ = {std::move(all), run_->span.whole.length_ns(), group.size()};
}

}  // namespace slackline
