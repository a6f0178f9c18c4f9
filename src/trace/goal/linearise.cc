#include "trace/goal/linearise.h"

#include <algorithm>
#include <limits>

namespace slackline {
namespace {

constexpr FindingKind kLinearised{"goal_linearised", Severity::notice,
                                  "Operations of a GOAL program put into one sequence per rank; "
                                  "independent operations are no longer concurrent."};

}  // namespace

GoalLinearisation::GoalLinearisation(const GoalProgram& program)
    : trace_(static_cast<std::int32_t>(program.ranks.size()), false), ranks_(program.ranks.size()) {
  for (std::size_t r = 0; r < program.ranks.size(); ++r) {
    const GoalRank& rank = program.ranks[r];
    std::uint32_t transfers = 0;
    for (std::uint32_t i = 0; i < rank.size(); ++i) transfers += rank.kind(i) != GoalKind::calc;
    trace_.calls(static_cast<std::int32_t>(r)).reserve(transfers + std::size_t{2});
  }
}

void GoalLinearisation::add(const GoalOrder& order, const GoalMoment& moment) {
  if (moment.step != GoalStep::done) return;
  const GoalOperation op = order.program().ranks[moment.place.rank][moment.place.index];
  RankState& state = ranks_[moment.place.rank];
  if (op.kind == GoalKind::calc) {
    // A sum beyond the limit of a trace's times stays there.
    const auto room = static_cast<std::uint64_t>(kTimeLimit_ns - state.now_ns);
    state.now_ns += static_cast<std::int64_t>(std::min(op.size, room));
    return;
  }
  Call call;
  call.begin_ns = state.now_ns;
  call.end_ns = state.now_ns;
  // As in every trace a receive shows the message that it got.
  const GoalPlace other = order.partner(moment.place);
  const GoalOperation sent =
      op.kind == GoalKind::send ? op : order.program().ranks[other.rank][other.index];
  call.bytes = sent.size;
  call.tag = static_cast<std::int32_t>(sent.tag);
  call.peer = static_cast<std::int32_t>(other.rank);
  if (op.kind == GoalKind::send) {
    call.operation = Operation::isend;
    call.request = ++state.requests;
  } else {
    call.operation = Operation::recv;
    if (op.peer == kGoalAny) call.flags |= SLK_FLAG_ANY_SOURCE;
    if (op.tag == kGoalAny) call.flags |= SLK_FLAG_ANY_TAG;
  }
  trace_.calls(static_cast<std::int32_t>(moment.place.rank)).append(call);
}

Trace GoalLinearisation::finish(const Findings& matching) && {
  for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
    const RankState& state = ranks_[static_cast<std::size_t>(r)];
    Call call;
    call.begin_ns = state.now_ns;
    call.end_ns = state.now_ns;
    std::vector<std::int64_t> requests(state.requests);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      requests[i] = static_cast<std::int64_t>(i) + 1;
    }
    if (!requests.empty()) {
      call.operation = Operation::waitall;
      call.args = requests;
      trace_.calls(r).append(call);
      call.args = {};
    }
    call.operation = Operation::finalize;
    trace_.calls(r).append(call);
    trace_.calls(r).shrink();
  }
  trace_.findings().merge(matching);
  return std::move(trace_).build();
}

Trace linearise(const GoalProgram& program, std::string_view name) {
  const GoalMatches matches(program, name);
  GoalLinearisation lines(program);
  GoalOrder order(program, matches, std::numeric_limits<std::uint64_t>::max());
  order.walk([&](const GoalMoment& moment) { lines.add(order, moment); });
  TraceBuilder trace = std::move(lines).finish(matches.findings());
  trace.findings().add(kLinearised, {}, program.operation_count());
  return std::move(trace).build();
}

}  // namespace slackline
