// Several messages for one, and one for several.
//
// A message is divided in place: its send becomes consecutive sends, its receive consecutive
// receives, and calls that complete it complete all parts. MPI keeps the order of messages of one
// source, tag and communicator, so parts match parts.
//
// Messages of one source, destination, tag and communicator that follow each other are merged where
// the sender waits for nothing in between: then the first can be sent with the last, and no one can
// depend on its being earlier. The receiver takes it where it took the first.
//
// Messages of MPI_Sendrecv and of persistent requests stay as they are, and so do those to ranks
// that probe, which might see a part for the whole.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/arithmetic.h"
#include "base/error.h"
#include "calls/call_actions.h"
#include "calls/call_matching.h"
#include "whatif/actions.h"
#include "whatif/message_selection.h"
#include "whatif/program_writer.h"
#include "whatif/request_numbers.h"

namespace slackline {
namespace {

bool is_single_send(Operation operation) {
  const OperationClass kind = operation_class(operation);
  return kind == OperationClass::send || kind == OperationClass::isend;
}

bool is_single_receive(Operation operation) {
  const OperationClass kind = operation_class(operation);
  return kind == OperationClass::recv || kind == OperationClass::irecv;
}

bool probes(const RankCalls& calls) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (operation_class(calls.operation(i)) == OperationClass::probe) return true;
  }
  return false;
}

/// Calls visit(message) for the selected messages that both sides handle one by one, in the order
/// in which each rank sends them. Returns how many are selected in all.
template <class Visit>
std::uint64_t for_single_messages(const Edit& edit, const ProgramView& program,
                                  const CallPaths& paths, Visit visit) {
  const Trace& trace = program.trace;
  const MessageSelection selected(edit, program, paths);
  const CallMatching matching(trace);
  std::vector<bool> probing;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    probing.push_back(probes(trace.calls(rank)));
  }
  for (const MessageCalls& m : matching.messages()) {
    if (!m.matched() || !selected.sends(m.source, m.send)) continue;
    if (probing[static_cast<std::size_t>(m.destination)]) continue;
    if (!is_single_send(trace.calls(m.source).operation(m.send))) continue;
    if (is_single_receive(trace.calls(m.destination).operation(m.receive))) visit(m);
  }
  return selected.count();
}

/// Writes one rank with its divided messages.
class RankDivision {
 public:
  RankDivision(const RankCalls& calls, std::uint64_t parts)
      : parts_(parts), divided_(calls.size(), false), next_serial_(first_free_request(calls)) {}

  void divide(std::size_t call) { divided_[call] = true; }

  void write(std::size_t i, Call call, RankWriter& to) {
    if (divided_[i]) return write_parts(call, to);
    if (operation_class(call.operation) == OperationClass::completion &&
        !call.has(SLK_FLAG_FAILED)) {
      return write_completion(call, to);
    }
    to.call(call);
  }

 private:
  void write_parts(Call call, RankWriter& to) {
    const std::uint64_t bytes = call.bytes;
    const std::uint32_t request = call.request;
    for (std::uint64_t part = 0; part < parts_; ++part) {
      call.bytes = bytes / parts_ + (part < bytes % parts_ ? 1 : 0);
      if (part > 0 && request != kRequestNone) {
        call.request = next_serial_++;
        further_[request].push_back(call.request);
      }
      to.call(call);
    }
  }

  void write_completion(Call call, RankWriter& to) const {
    std::vector<std::int64_t> requests;
    bool more = false;
    for_each_completed_request(call, [&](std::uint32_t serial) {
      requests.push_back(serial);
      const auto found = further_.find(serial);
      if (found == further_.end()) return;
      more = true;
      requests.insert(requests.end(), found->second.begin(), found->second.end());
    });
    if (more) {
      const bool tests = call.operation == Operation::test || call.operation == Operation::testany;
      if (tests) call.operation = Operation::testall;
      if (call.operation == Operation::wait || call.operation == Operation::waitany) {
        call.operation = Operation::waitall;
      }
      call.request = kRequestNone;
      call.args = requests;
    }
    to.call(call);
  }

  std::uint64_t parts_;
  std::vector<bool> divided_;
  std::uint32_t next_serial_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> further_{};
};

/// What becomes of one rank's calls when messages are merged.
struct RankMerge {
  std::unordered_set<std::uint32_t> dropped_calls{};
  std::unordered_set<std::uint32_t> dropped_requests{};
  std::unordered_map<std::uint32_t, std::uint64_t> bytes{};  ///< of calls that stay

  void drop(const RankCalls& calls, CallIndex call) {
    dropped_calls.insert(call);
    bytes.erase(call);
    if (calls.request(call) != kRequestNone) dropped_requests.insert(calls.request(call));
  }
};

/// Blocking sends up to this size are taken not to wait for their receiver.
constexpr std::uint64_t kSurelyEager = 4096;

bool may_wait(const RankCalls& calls, std::size_t i) {
  switch (operation_class(calls.operation(i))) {
    case OperationClass::isend:
    case OperationClass::irecv:
    case OperationClass::local:
    case OperationClass::none:
      return false;
    case OperationClass::send:
      return calls.bytes(i) > kSurelyEager || calls.operation(i) == Operation::ssend;
    default:
      return true;
  }
}

/// Finds runs of messages that can be sent as one.
class Merging {
 public:
  Merging(const Trace& trace, std::uint64_t limit)
      : trace_(trace), limit_(limit), ranks(static_cast<std::size_t>(trace.ranks())) {}

  void add(const MessageCalls& m) {
    const RankCalls& sender = trace_.calls(m.source);
    if (m.source != source_) begin_rank(m.source);
    for (; passed_ < m.send; ++passed_) {
      if (may_wait(sender, passed_)) open_.clear();
    }
    const std::tuple stream{m.destination, sender.tag(m.send), sender.comm(m.send)};
    const auto [at, first] = open_.try_emplace(stream, m);
    Open& run = at->second;
    if (!first && run.last.bytes + m.bytes <= limit_) {
      merge(run, m);
    } else {
      run = Open(m);
    }
    if (may_wait(sender, m.send)) open_.erase(at);
  }

  std::uint64_t merged() const { return merged_; }

 private:
  /// The message that stands for those found so far: their bytes, sent by the last, received by
  /// the first.
  struct Open {
    explicit Open(const MessageCalls& m) : last(m) {}
    MessageCalls last;
  };

  void begin_rank(std::int32_t rank) {
    source_ = rank;
    passed_ = 0;
    open_.clear();
  }

  void merge(Open& run, const MessageCalls& m) {
    RankMerge& sender = ranks[static_cast<std::size_t>(m.source)];
    RankMerge& receiver = ranks[static_cast<std::size_t>(m.destination)];
    sender.drop(trace_.calls(m.source), run.last.send);
    receiver.drop(trace_.calls(m.destination), m.receive);
    run.last.send = m.send;
    run.last.bytes = run.last.bytes + m.bytes;
    sender.bytes[m.send] = run.last.bytes;
    receiver.bytes[run.last.receive] = run.last.bytes;
    ++merged_;
  }

  const Trace& trace_;
  std::uint64_t limit_;
  std::int32_t source_ = -1;
  std::size_t passed_ = 0;
  std::map<std::tuple<std::int32_t, std::int32_t, std::uint32_t>, Open> open_{};
  std::uint64_t merged_ = 0;

 public:
  std::vector<RankMerge> ranks;
};

}  // namespace

Program split_messages(const Edit& edit, const ProgramView& program, Change& change) {
  const Trace& trace = program.trace;
  edit.required("parts");
  const std::int64_t parts = *edit.integer("parts");
  if (parts < 1) refuse(edit, "parts", "a message has at least one part");
  const CallPaths paths(trace);
  std::vector<RankDivision> ranks;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    ranks.emplace_back(trace.calls(rank), static_cast<std::uint64_t>(parts));
  }
  change = {.unit = "messages"};
  change.selected = for_single_messages(edit, program, paths, [&](const MessageCalls& m) {
    if (parts == 1 || m.bytes < static_cast<std::uint64_t>(parts)) return;
    ranks[static_cast<std::size_t>(m.source)].divide(m.send);
    ranks[static_cast<std::size_t>(m.destination)].divide(m.receive);
    ++change.changed;
    const auto added = 2 * (static_cast<std::uint64_t>(parts) - 1);
    if (saturated_product(change.changed, added) > kMostAddedCalls) {
      refuse(edit, "parts",
             fmt::format("the program would have over {} more calls", kMostAddedCalls));
    }
  });
  return with_calls(program, paths,
                    [&](std::int32_t rank, std::size_t i, Call call, RankWriter& to) {
                      ranks[static_cast<std::size_t>(rank)].write(i, call, to);
                    });
}

Program merge_messages(const Edit& edit, const ProgramView& program, Change& change) {
  const Trace& trace = program.trace;
  const CallPaths paths(trace);
  Merging merging(trace, edit.bytes("limit").value_or(std::numeric_limits<std::uint64_t>::max()));
  const std::uint64_t selected =
      for_single_messages(edit, program, paths, [&](const MessageCalls& m) { merging.add(m); });
  change = {merging.merged(), selected, "messages"};
  return with_calls(program, paths,
                    [&](std::int32_t rank, std::size_t i, Call call, RankWriter& to) {
                      const RankMerge& merge = merging.ranks[static_cast<std::size_t>(rank)];
                      const auto index = static_cast<std::uint32_t>(i);
                      if (merge.dropped_calls.contains(index)) return;
                      if (const auto bytes = merge.bytes.find(index); bytes != merge.bytes.end()) {
                        call.bytes = bytes->second;
                      }
                      std::vector<std::int64_t> storage;
                      const auto dropped = [&](std::uint32_t serial) {
                        return merge.dropped_requests.contains(serial);
                      };
                      if (without_requests(call, storage, dropped) != Leftover::nothing)
                        to.call(call);
                    });
}

}  // namespace slackline
