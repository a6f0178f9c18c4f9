#pragma once

#include <cstddef>
#include <vector>

#include "base/noise.h"
#include "base/object_pool.h"
#include "sim/engine/disks.h"
#include "sim/engine/execution_context.h"
#include "sim/engine/processors.h"
#include "sim/platform/platform.h"

namespace slackline::sim {

/// The execution contexts, simulated time, and which contexts are ready to go on. Times in seconds,
/// computation in flops.
class ContextScheduler {
 public:
  using State = ExecutionContext::State;

  /// All must outlive it. Whatever a context pays lasts at least `timing_precision`.
  ContextScheduler(const Platform& platform, const std::vector<HostId>& host_of_rank,
                   const Noise& noise, double timing_precision)
      : platform_(platform),
        hosts_(host_of_rank),
        noise_(noise),
        timing_precision_(timing_precision),
        processors_(platform),
        disks_(platform) {}

  /// Valid until it is released; contexts never move.
  ExecutionContext& create(std::int32_t rank, bool main);
  void release(ContextId id) { contexts_.release(id); }
  ExecutionContext& operator[](ContextId id) { return contexts_[id]; }
  const ExecutionContext& operator[](ContextId id) const { return contexts_[id]; }
  HostId host(std::int32_t rank) const { return hosts_[static_cast<std::size_t>(rank)]; }
  HostId host(const ExecutionContext& context) const { return host(context.rank); }

  double now() const { return now_; }
  void advance_to(double time) { now_ = time; }
  double timing_precision() const { return timing_precision_; }
  Processors& processors() { return processors_; }
  const Processors& processors() const { return processors_; }
  Disks& disks() { return disks_; }
  const Disks& disks() const { return disks_; }

  /// A running context goes on after those that are ready already.
  void resume(const ExecutionContext& context) {
    if (context.state == State::running) ready_.push_back(context.id);
  }
  /// Calls advance(context) for all ready contexts, those that become ready meanwhile included.
  template <class Advance>
  void run_ready(Advance advance) {
    for (std::size_t i = 0; i < ready_.size(); ++i) advance(contexts_[ready_[i]]);
    ready_.clear();
  }

  /// The context is in `state` until its pause or computation ends.
  void sleep(ExecutionContext& context, double seconds, State state);
  void sleep_until(ExecutionContext& context, double time, State state);
  void compute(ExecutionContext& context, double flops, State state);
  /// What the program itself computes, which takes longer by noise.
  void compute(ExecutionContext& context, double flops);
  /// Reads or writes on a disk of its host.
  void access(ExecutionContext& context, std::size_t disk, double bytes, bool write);

 private:
  const Platform& platform_;
  const std::vector<HostId>& hosts_;
  const Noise& noise_;
  const double timing_precision_;
  double now_ = 0;
  Processors processors_;
  Disks disks_;
  ObjectPool<ExecutionContext> contexts_;  ///< the first are the ranks' programs
  std::vector<ContextId> ready_;
};

}  // namespace slackline::sim
