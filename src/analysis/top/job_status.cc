#include "analysis/top/job_status.h"

#include <algorithm>

#include "base/arithmetic.h"

namespace slackline {

std::string_view to_string(RankStatus::State state) {
  switch (state) {
    case RankStatus::State::computing:
      return "computing";
    case RankStatus::State::in_mpi:
      return "in_mpi";
    case RankStatus::State::ended:
      return "ended";
    case RankStatus::State::gone:
      return "gone";
  }
  return "computing";
}

std::string_view to_string(JobStatus::State state) {
  switch (state) {
    case JobStatus::State::waiting:
      return "waiting";
    case JobStatus::State::running:
      return "running";
    case JobStatus::State::ended:
      return "ended";
  }
  return "waiting";
}

EfficiencyInputs efficiency_inputs(const JobStatus& job, const TimeInterval& interval,
                                   MpiSums RankStatus::*sums) {
  EfficiencyInputs in;
  double sum = 0;
  for (const RankStatus& rank : job.ranks) {
    const MpiSums& of = rank.*sums;
    const auto useful = static_cast<double>(of.computation_ns);
    sum += useful;
    in.useful_max_ns = std::max(in.useful_max_ns, useful);
    in.outside_max_ns = std::max(in.outside_max_ns, useful + static_cast<double>(of.paused_ns));
  }
  in.ranks = static_cast<std::int32_t>(job.ranks.size());
  in.useful_mean_ns = ratio_of(sum, in.ranks);
  in.observed_ns = static_cast<double>(interval.length_ns());
  return in;
}

bool is_silent(const JobStatus& job, const RankStatus& rank) {
  const bool runs =
      rank.state == RankStatus::State::computing || rank.state == RankStatus::State::in_mpi;
  return runs && rank.heard_ns < job.recent.begin_ns;
}

}  // namespace slackline
