// How a simulation begins and ends; the events in between are in simulation.cc.

#include "sim/loggops/loggops.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/arithmetic.h"
#include "base/error.h"
#include "sim/loggops/simulation.h"

namespace slackline {

LogGOPSSimulation::LogGOPSSimulation(const GoalProgram& program, const LogGOPS& model,
                                     std::string_view name)
    : program_(program),
      model_(model),
      ticks_(model),
      name_(name),
      noise_(model.noise, program.ranks.size(), ticks_.ns),
      matching_(program) {
  prepare();
}

void LogGOPSSimulation::prepare() {
  std::uint8_t most_cpu = 0;
  std::uint8_t most_nic = 0;
  base_.push_back(0);
  for (const GoalRank& rank : program_.ranks) {
    base_.push_back(base_.back() + rank.size());
    successors_.push_back(GoalAdjacency::successors(rank));
    for (std::uint32_t i = 0; i < rank.size(); ++i) {
      const GoalOperation op = rank[i];
      most_cpu = std::max(most_cpu, op.cpu);
      most_nic = std::max(most_nic, op.nic);
      check_range(op);
    }
  }
  missing_.assign(base_.back(), 0);
  for (std::uint32_t r = 0; r < program_.ranks.size(); ++r) {
    for (const GoalDependency& d : program_.ranks[r].dependencies()) {
      ++missing_[number({r, d.dependent})];
      starts_matter_ = starts_matter_ || d.on_start != 0;
    }
  }
  next_.resize(base_.back());
  cpus_ = most_cpu + std::uint32_t{1};
  nics_ = most_nic + std::uint32_t{1};
  const std::size_t ranks = program_.ranks.size();
  cpu_free_.assign(ranks * cpus_, 0);
  send_free_.assign(ranks * nics_, 0);
  receive_free_.assign(ranks * nics_, 0);
  // Each cpu has one queue for calcs, and for each card one for sends and one for messages.
  queues_per_rank_ = cpus_ * (1 + 2 * nics_);
  queues_.resize(ranks * queues_per_rank_);
  if (cpus_ > 1) ready_.assign(base_.back(), 0);
}

/// Checks that no single step comes near the limit; running times are checked as they grow.
void LogGOPSSimulation::check_range(const GoalOperation& op) const {
  const Int128 bytes = static_cast<Int128>(op.size);
  const Int128 step = op.kind == GoalKind::calc
                          ? bytes * ticks_.ns
                          : bytes * std::max(ticks_.byte, ticks_.overhead_byte);
  const Int128 fixed = Int128{ticks_.latency} + ticks_.overhead + ticks_.gap;
  if (step + fixed > kMostTime) fail_range();
}

void LogGOPSSimulation::fail_range() const {
  throw Error(fmt::format("cannot simulate '{}'", name_),
              "a time does not fit into 63 bits of the smallest unit of the parameters",
              "Give the parameters with fewer digits.");
}

void LogGOPSSimulation::require_all_done() const {
  matching_.require_empty(name_);
  for (std::uint32_t r = 0; r < program_.ranks.size(); ++r) {
    for (std::uint32_t i = 0; i < program_.ranks[r].size(); ++i) {
      if (missing_[number({r, i})] == 0) continue;
      throw Error(
          fmt::format("cannot simulate '{}' to its end", name_),
          fmt::format("operation {} of rank {} waits forever, possibly among others", i + 1, r),
          "Operations wait for each other cyclically; --model loggps prints the cycle.");
    }
  }
}

LogGOPSRun LogGOPSSimulation::result() const {
  LogGOPSRun run;
  run.events = performed_;
  for (std::size_t r = 0; r < program_.ranks.size(); ++r) {
    const auto first = cpu_free_.begin() + static_cast<std::ptrdiff_t>(r * cpus_);
    const Time end = *std::max_element(first, first + static_cast<std::ptrdiff_t>(cpus_));
    run.finish_ns.push_back(
        static_cast<double>(static_cast<long double>(end) / static_cast<long double>(ticks_.ns)));
    run.makespan_ns = std::max(run.makespan_ns, run.finish_ns.back());
  }
  return run;
}

LogGOPSRun simulate_loggops(const GoalProgram& program, const LogGOPS& model,
                            std::string_view name) {
  return LogGOPSSimulation(program, model, name).run();
}

}  // namespace slackline
