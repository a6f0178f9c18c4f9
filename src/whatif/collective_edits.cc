// Removing collectives: all members' calls of it, so that the k-th collective of a communicator
// stays one and the same on all members.

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

#include "base/error.h"
#include "calls/call_matching.h"
#include "calls/run_span.h"
#include "whatif/actions.h"
#include "whatif/call_rewrite.h"
#include "whatif/selection.h"

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

/// The calls of the collectives that an edit selects: those of which every member's call lies where
/// the edit says.
class CollectiveSelection {
 public:
  CollectiveSelection(const Edit& edit, const ProgramView& program, const CallPaths& paths)
      : trace_(program.trace),
        paths_(paths),
        where_(edit, program, paths),
        zero_ns_(run_span(program.trace).analysed.begin_ns) {
    const Trace& trace = program.trace;
    const Operation operation = collective_named(edit);
    const std::optional<std::int64_t> comm = edit.integer("comm");
    const CallMatching matching(trace);
    for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
      calls_.emplace_back(trace.calls(rank).size(), false);
    }
    requests_.resize(calls_.size());
    for (const CollectiveInstance& c : matching.collectives()) {
      if (c.operation != operation || (comm && *comm != std::int64_t{c.comm})) continue;
      if (!std::ranges::all_of(matching.members(c), [&](const auto& m) { return selected(m); })) {
        continue;
      }
      ++count_;
      for (const CollectiveMember& member : matching.members(c)) mark(member);
    }
  }

  std::uint64_t count() const { return count_; }
  bool has_call(std::int32_t rank, std::size_t i) const {
    return calls_[static_cast<std::size_t>(rank)][i];
  }
  bool has_request(std::int32_t rank, std::uint32_t serial) const {
    return requests_[static_cast<std::size_t>(rank)].contains(serial);
  }

 private:
  bool selected(const CollectiveMember& m) const {
    const RankCalls& calls = trace_.calls(m.rank);
    return where_.has_call(m.rank, paths_.at_call(m.rank, m.enter), calls.frame(m.enter),
                           calls.begin_ns(m.enter) - zero_ns_);
  }
  void mark(const CollectiveMember& m) {
    calls_[static_cast<std::size_t>(m.rank)][m.enter] = true;
    const RankCalls& calls = trace_.calls(m.rank);
    if (operation_class(calls.operation(m.enter)) == OperationClass::icollective) {
      requests_[static_cast<std::size_t>(m.rank)].insert(calls.request(m.enter));
    }
  }

  const Trace& trace_;
  const CallPaths& paths_;
  Selection where_;
  std::int64_t zero_ns_;
  std::vector<std::vector<bool>> calls_{};                     // by rank
  std::vector<std::unordered_set<std::uint32_t>> requests_{};  // by rank
  std::uint64_t count_ = 0;
};

}  // namespace

Program remove_collectives(const Edit& edit, const ProgramView& program, Change& change) {
  const Trace& trace = program.trace;
  const CallPaths paths(trace);
  const CollectiveSelection removed(edit, program, paths);
  change = {removed.count(), removed.count(), "collectives"};
  return with_calls(program, paths,
                    [&](std::int32_t rank, std::size_t i, Call call, RankWriter& to) {
                      if (removed.has_call(rank, i)) return;
                      std::vector<std::int64_t> storage;
                      const auto dropped = [&](std::uint32_t serial) {
                        return removed.has_request(rank, serial);
                      };
                      if (without_requests(call, storage, dropped) != Leftover::nothing)
                        to.call(call);
                    });
}

}  // namespace slackline
