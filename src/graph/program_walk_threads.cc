// A rank whose threads call MPI at the same time: its calls are entered and completed in the order
// in which that happened (program_walk.h). What a call has started when it is entered is kept until
// it completes; a collective progresses on a context of its own meanwhile.

#include <functional>
#include <queue>
#include <utility>

#include "graph/program_walk.h"

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

namespace {

bool overlaps_next(const RankCalls& calls, std::size_t i) {
  return i + 1 < calls.size() && calls.end_ns(i) > calls.begin_ns(i + 1) &&
         calls.thread(i) != calls.thread(i + 1);
}

bool any_overlap(const RankCalls& calls, std::size_t first) {
  for (std::size_t i = first; i < calls.size(); ++i) {
    if (overlaps_next(calls, i)) return true;
  }
  return false;
}

}  // namespace

std::vector<ThreadStep> thread_steps(const RankCalls& calls, std::uint32_t first) {
  std::vector<ThreadStep> steps;
  if (!any_overlap(calls, first)) return steps;
  steps.reserve(calls.size() - first + (calls.size() - first) / 2);
  using Open = std::pair<std::int64_t, std::uint32_t>;  // end, call
  std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
  const auto complete_until = [&](std::int64_t time) {
    for (; !open.empty() && open.top().first <= time; open.pop()) {
      steps.push_back({ThreadStep::Part::complete, open.top().second});
    }
  };
  for (std::uint32_t i = first; i < calls.size(); ++i) {
    complete_until(calls.begin_ns(i));
    if (overlaps_next(calls, i)) {
      steps.push_back({ThreadStep::Part::enter, i});
      open.emplace(calls.end_ns(i), i);
    } else {
      steps.push_back({ThreadStep::Part::whole, i});
    }
  }
  complete_until(kTimeLimit_ns);
  return steps;
}

}  // namespace slackline
