#include "app/load/stretched_waits.h"

#include "parallel/shared_rows.h"

namespace slackline {

void StretchedWaits::Found::add_up() {
  waits.add_up();
  add_up_rows(sampled);
}

bool StretchedWaits::add(const LoadedStretch& stretch) {
  const CallPaths paths = run_.trace.paths_of(stretch.trace());
  WaitPart part = wait_part(stretch.trace(), stretch.matching(), stretch.order(),
                            WaitNames(stretch.trace(), paths), options_, interval_,
                            {stretch.part(), stretch.first_calls(), run_.span.whole});
  const bool sound = part.clipped == 0 && part.released == 0;
  own_.append({std::move(part), sampled_times(stretch.trace(), stretch.samples())});
  return sound;
}

bool StretchedWaits::join(ProcessGroup& group) {
  found_ = own_.take();
  add_up_over_processes(group, found_.waits.sums, Receiver::first);
  WaitsByCode& by_code = found_.waits.by_code;
  add_up_over_processes(group, std::tuple_cat(by_code.tables(), std::tie(found_.sampled)),
                        Receiver::all);
  by_code.add_up();
  const Trace& job = run_.trace.job();
  causes_.emplace(found_.waits.by_code, job.call_tree(), job.ranks());
  if (!causes_->needs_calls()) return false;
  shares_ = std::make_shared<const SampledShares>(found_.sampled);
  return true;
}

void StretchedWaits::add_again(const LoadedStretch& stretch) {
  const CallPaths functions = CallPaths::of_functions(stretch.trace());
  own_times_.append(causes_->times_of(stretch.trace(), CallActivities(stretch.trace(), functions),
                                      ComputationCode(stretch.trace(), stretch.samples(), shares_),
                                      stretch.part()));
}

void StretchedWaits::finish(ProcessGroup& group) {
  CauseTimes times = own_times_.take();
  add_up_over_processes(group, times, Receiver::first);
  if (!group.is_first()) return;
  summary_ = summary_of(found_.waits.sums, run_.trace.extents(),
                        interval_.value_or(run_.span.whole), Findings());
  summary_.in_code = causes_->take(times);
}

}  // namespace slackline
