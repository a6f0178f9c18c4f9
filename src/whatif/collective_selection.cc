#include "whatif/collective_selection.h"

#include <algorithm>
#include <optional>

#include "calls/run_span.h"

namespace slackline {
namespace {

Operation collective_named(const Edit& edit) {
  const std::optional<Operation> operation = operation_from_identifier(edit.required("operation"));
  const bool collective = operation && (operation_class(*operation) == OperationClass::collective ||
                                        operation_class(*operation) == OperationClass::icollective);
  if (!collective) {
    refuse(edit, "operation", "it is not a collective operation",
           "Example: barrier. To remove messages, use remove-messages.");
  }
  return blocking_form(*operation);
}

}  // namespace

CollectiveSelection::CollectiveSelection(const Edit& edit, const ProgramView& program,
                                         const CallPaths& paths,
                                         const std::function<bool(const Call&)>& accepts) {
  const Trace& trace = program.trace;
  const Selection where(edit, program, paths);
  const std::int64_t zero_ns = run_span(trace).analysed.begin_ns;
  const Operation operation = collective_named(edit);
  const std::optional<std::int64_t> comm = edit.integer("comm");
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    calls_.emplace_back(trace.calls(rank).size(), false);
  }
  requests_.resize(calls_.size());
  const auto selected = [&](const CollectiveMember& m) {
    const RankCalls& calls = trace.calls(m.rank);
    return (!accepts || accepts(calls[m.enter])) &&
           where.has_call(m.rank, paths.at_call(m.rank, m.enter), calls.frame(m.enter),
                          calls.begin_ns(m.enter) - zero_ns);
  };
  const CallMatching matching(trace);
  for (const CollectiveInstance& c : matching.collectives()) {
    if (c.operation != operation || (comm && *comm != std::int64_t{c.comm})) continue;
    if (!std::ranges::all_of(matching.members(c), selected)) continue;
    ++count_;
    for (const CollectiveMember& member : matching.members(c)) {
      mark(trace.calls(member.rank), member);
    }
  }
}

void CollectiveSelection::mark(const RankCalls& calls, const CollectiveMember& member) {
  const auto rank = static_cast<std::size_t>(member.rank);
  calls_[rank][member.enter] = true;
  if (operation_class(calls.operation(member.enter)) == OperationClass::icollective) {
    requests_[rank].insert(calls.request(member.enter));
  }
}

}  // namespace slackline
