#include "sim/engine/context_scheduler.h"

#include <algorithm>

namespace slackline::sim {

ExecutionContext& ContextScheduler::create(std::int32_t rank, bool main) {
  const ContextId id = contexts_.acquire();
  ExecutionContext& context = contexts_[id];
  context.id = id;
  context.rank = rank;
  context.main = main;
  return context;
}

void ContextScheduler::sleep(ExecutionContext& context, double seconds, State state) {
  sleep_until(context, now_ + std::max(seconds, timing_precision_), state);
}

void ContextScheduler::sleep_until(ExecutionContext& context, double time, State state) {
  context.state = state;
  processors_.pause(context.id, host(context), time);
}

void ContextScheduler::compute(ExecutionContext& context, double flops, State state) {
  context.state = state;
  processors_.start(context.id, host(context), flops, now_);
}

void ContextScheduler::compute(ExecutionContext& context, double flops) {
  ProgramPosition& program = context.program;
  program.computing_since = now_;
  const double seconds = flops / platform_.host(host(context)).speed();
  if (seconds > 0) {
    flops *= noise_.factor(seconds, static_cast<std::uint64_t>(context.rank), program.computations);
    ++program.computations;
  }
  compute(context, flops, State::computing);
}

void ContextScheduler::access(ExecutionContext& context, std::size_t disk, double bytes,
                              bool write) {
  context.state = State::accessing;
  context.waiting.accounted = now_;
  disks_.start(context.id, host(context), disk, bytes, write, now_);
}

}  // namespace slackline::sim
