// A rank whose threads call MPI at the same time: its calls are entered and completed in the order
// in which that happened (thread_steps.h). What a call has started when it is entered is kept until
// it completes; a collective progresses on a context of its own meanwhile.

#include "graph/program_walk.h"

#include <utility>

namespace slackline {

/// Takes the next step of a rank of several threads; false when it has to wait.
bool ProgramWalk::advance_threads(ContextId id) {
  Context& context = contexts_[id];
  RankState& state = ranks_[static_cast<std::size_t>(context.rank)];
  if (context.next_call == kNone || state.next_step == state.steps.size()) {
    end_program(context);
    return true;
  }
  const RankCalls& calls = trace_.calls(context.rank);
  const ThreadStep step = state.steps[state.next_step++];
  context.call = step.call;
  if (step.part == ThreadStep::Part::complete) {
    complete_entered(id, calls.action(step.call));
    return true;
  }
  context.gap_ns += calls.gap_ns(step.call);
  if (step.part == ThreadStep::Part::whole) {
    enter_call(id, calls.action(step.call));
  } else {
    enter_only(id, calls.action(step.call));
  }
  return true;
}

void ProgramWalk::enter_only(ContextId id, const Call& call) {
  const OperationClass kind = operation_class(call.operation);
  if (kind == OperationClass::probe) return;  // looks when it completes
  const bool collective = kind == OperationClass::collective || kind == OperationClass::comm_create;
  std::vector<Pending>& kept =
      ranks_[static_cast<std::size_t>(contexts_[id].rank)].entered[contexts_[id].call];
  if (collective && call.request == kRequestNone) {
    if (!is_collective(call) || !communicator_exists(collective_comm(call))) return;
    kept.push_back(start_side_context(contexts_[id], call));
    return;
  }
  Context& context = contexts_[id];
  if (is_object_collective(context)) {
    for (const OneSidedStep& step : one_sided_.of(context.rank, context.call)) {
      if (const std::optional<Pending> pending = take(context, step)) kept.push_back(*pending);
    }
    kept.push_back(start_side_context(context, call));
    return;
  }
  enter_call(id, call);
  context.io_ns = 0;  // it overlaps with other calls
  context.one_sided = {};
  kept.swap(context.pending);
  context.waiting = false;
}

void ProgramWalk::complete_entered(ContextId id, const Call& call) {
  Context& context = contexts_[id];
  if (operation_class(call.operation) == OperationClass::probe) return enter_call(id, call);
  auto& entered = ranks_[static_cast<std::size_t>(context.rank)].entered;
  const auto found = entered.find(context.call);
  if (found == entered.end()) return;
  context.pending = std::move(found->second);
  context.waiting = !context.pending.empty();
  entered.erase(found);
}

}  // namespace slackline
