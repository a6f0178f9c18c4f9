#include "app/load/run.h"

namespace slackline {

std::optional<Run> Run::open_in_stretches(const RunRequest& request, ProcessGroup& group,
                                          StretchUse use) {
  std::optional<StretchedRun> stretches = load_stretches(request, group, use);
  if (!stretches) return std::nullopt;
  return Run(request, group, std::move(stretches));
}

Run Run::open(const RunRequest& request, ProcessGroup& group, StretchUse use) {
  if (auto run = open_in_stretches(request, group, use)) return std::move(*run);
  if (!group.is_first()) return {request, group, std::nullopt};
  return {load_run(request), group};
}

std::uint64_t Run::calls() const {
  return stretches_ ? stretches_->trace.calls() : trace().call_count();
}

const CallPaths& Run::paths() const {
  if (!paths_) {
    paths_.emplace(stretches_ ? stretches_->trace.paths_of(stretches_->trace.job())
                              : CallPaths::of_regions_or_functions(trace()));
  }
  return *paths_;
}

bool Run::analyse_in_stretches(std::initializer_list<RunAnalysis*> analyses) {
  return analyse_stretches(*stretches_, *group_, analyses);
}

void Run::analyse(std::initializer_list<RunAnalysis*> analyses) {
  if (stretches_) {
    if (analyse_in_stretches(analyses)) return;
    stretches_.reset();
    paths_.reset();
    if (group_->is_first()) whole_ = load_run(request_);
  }
  if (!whole_) return;
  for (RunAnalysis* analysis : analyses) analysis->analyse(*this);
}

}  // namespace slackline
