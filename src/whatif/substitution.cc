// One way of communicating for another.
//
// A blocking send becomes another blocking mode, a nonblocking one another nonblocking mode, and an
// MPI_Sendrecv what it stands for: a receive that is posted first, a send, and one call that waits
// for both; or an MPI_Send and then an MPI_Recv, which waits for the receiver where the send does.
//
// A blocking send, receive or collective becomes its nonblocking form, and a wait for it follows
// later (deferred_waits.h). MPI_Alltoallv becomes the neighbourhood collective in which each rank
// has those for neighbours to which it sends and from which it receives anything. Collectives are
// replaced on all members or on none.

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <span>
#include <vector>

#include "calls/call_actions.h"
#include "calls/run_span.h"
#include "whatif/actions.h"
#include "whatif/collective_selection.h"
#include "whatif/deferred_waits.h"
#include "whatif/program_writer.h"
#include "whatif/request_numbers.h"
#include "whatif/selection.h"

namespace slackline {
namespace {

enum class Replacement {
  mode,
  nonblocking_pair,
  send_then_receive,
  nonblocking_form,
  neighbourhood,
};

bool is_mode(Operation operation) {
  const OperationClass kind = operation_class(operation);
  return kind == OperationClass::send || kind == OperationClass::isend;
}

bool is_any_collective(Operation operation) {
  const OperationClass kind = operation_class(operation);
  return kind == OperationClass::collective || kind == OperationClass::icollective;
}

bool is_nonblocking_form(Operation to, Operation from) {
  constexpr std::array<std::array<Operation, 2>, 5> kForms{{
      {Operation::send, Operation::isend},
      {Operation::bsend, Operation::ibsend},
      {Operation::ssend, Operation::issend},
      {Operation::rsend, Operation::irsend},
      {Operation::recv, Operation::irecv},
  }};
  if (operation_class(to) == OperationClass::icollective) return blocking_form(to) == from;
  return std::ranges::find(kForms, std::array{from, to}) != kForms.end();
}

/// The neighbourhood collective that may stand for `from`.
std::optional<Operation> neighbourhood_form(Operation from) {
  switch (from) {
    case Operation::alltoallv:
      return Operation::neighbor_alltoallv;
    case Operation::alltoallw:
      return Operation::neighbor_alltoallw;
    case Operation::ialltoallv:
      return Operation::ineighbor_alltoallv;
    case Operation::ialltoallw:
      return Operation::ineighbor_alltoallw;
    default:
      return std::nullopt;
  }
}

struct Substitution {
  Operation from = Operation::none;
  Operation to = Operation::none;
  Replacement kind = Replacement::mode;
};

Substitution substitution_of(const Edit& edit) {
  const std::optional<Operation> from = operation_from_identifier(edit.required("operation"));
  const std::string& with = edit.required("with");
  if (!from) refuse(edit, "operation", "no such operation");
  if (operation_class(*from) == OperationClass::sendrecv) {
    if (with == "isend-irecv") return {*from, Operation::none, Replacement::nonblocking_pair};
    if (with == "send-recv") return {*from, Operation::none, Replacement::send_then_receive};
    refuse(edit, "with", "it cannot replace a sendrecv", "Choose isend-irecv or send-recv.");
  }
  const std::optional<Operation> to = operation_from_identifier(with);
  if (to && is_nonblocking_form(*to, *from)) return {*from, *to, Replacement::nonblocking_form};
  if (to && to == neighbourhood_form(*from)) return {*from, *to, Replacement::neighbourhood};
  if (!to || !is_mode(*from) || operation_class(*to) != operation_class(*from)) {
    refuse(edit, "with", "it cannot replace this operation",
           "Examples: operation=send with=ssend or with=isend, operation=allreduce "
           "with=iallreduce, operation=alltoallv with=neighbor_alltoallv.");
  }
  return {*from, *to, Replacement::mode};
}

/// The arguments of a neighbourhood collective (trace/wire.h) for bytes to and from each of the
/// communicator's `members`. Nothing where the call does not tell them.
std::optional<std::vector<std::int64_t>> neighbours_of(const Trace& trace, const Call& call) {
  if (call.comm >= trace.communicators().size()) return std::nullopt;
  const Communicator& communicator = trace.communicators()[call.comm];
  const std::size_t members = communicator.members.size();
  if (communicator.is_inter() || call.args.size() != 2 * members) return std::nullopt;
  std::vector<std::int64_t> lists;
  for (const std::span<const std::int64_t> bytes :
       {call.args.first(members), call.args.last(members)}) {
    const std::size_t count = lists.size();
    lists.push_back(0);
    for (std::size_t i = 0; i < members; ++i) {
      if (bytes[i] <= 0) continue;
      lists.insert(lists.end(), {communicator.members[i], bytes[i]});
      ++lists[count];
    }
  }
  return lists;
}

/// The calls that an edit selects.
class SubstitutedCalls {
 public:
  SubstitutedCalls(const Edit& edit, const ProgramView& program, const CallPaths& paths,
                   const Substitution& s)
      : paths_(paths),
        where_(edit, program, paths),
        zero_ns_(run_span(program.trace).analysed.begin_ns),
        from_(s.from) {
    if (!is_any_collective(s.from)) return;
    collectives_.emplace(edit, program, paths, [&](const Call& call) {
      return call.operation == s.from && (s.kind != Replacement::neighbourhood ||
                                          neighbours_of(program.trace, call).has_value());
    });
  }

  bool selects(std::int32_t rank, std::size_t i, const Call& call) const {
    return call.operation == from_ &&
           where_.has_call(rank, paths_.at_call(rank, static_cast<std::uint32_t>(i)), call.frame,
                           call.begin_ns - zero_ns_);
  }
  /// Whether a selected call can be replaced.
  bool can_replace(std::int32_t rank, std::size_t i) const {
    return !collectives_ || collectives_->has_call(rank, i);
  }

 private:
  const CallPaths& paths_;
  Selection where_;
  std::int64_t zero_ns_;
  Operation from_;
  std::optional<CollectiveSelection> collectives_{};
};

void write_pair(const Call& sendrecv, Replacement kind, std::uint32_t& serial, RankWriter& to) {
  Call receive = receive_half(sendrecv);
  Call send = send_half(sendrecv);
  if (kind == Replacement::send_then_receive) {
    to.call(send);
    to.call(receive);
    return;
  }
  receive.operation = Operation::irecv;
  receive.request = serial++;
  send.operation = Operation::isend;
  send.request = serial++;
  const std::array<std::int64_t, 2> requests{receive.request, send.request};
  to.call(receive);
  to.call(send);
  to.call({.operation = Operation::waitall,
           .thread = sendrecv.thread,
           .frame = sendrecv.frame,
           .args = requests});
}

/// Writes what stands for the calls of each rank.
class Writer {
 public:
  Writer(const Edit& edit, const Trace& trace, const Substitution& s)
      : trace_(trace), kind_(s.kind), to_(s.to) {
    if (kind_ == Replacement::nonblocking_form) {
      waits_.emplace(edit, trace);
    } else if (edit.has(DeferredWaits::kBefore) || edit.has(DeferredWaits::kIn)) {
      refuse(edit, "with", "it has no wait of its own", "Omit wait-before and wait-in.");
    }
    for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
      serials_.push_back(kind_ == Replacement::nonblocking_pair
                             ? first_free_request(trace.calls(rank))
                             : kRequestNone);
    }
  }

  void before_call(std::int32_t rank, std::size_t i, RankWriter& to) {
    if (waits_) waits_->before_call(rank, i, to);
  }
  void before_region(std::int32_t rank, const RegionEvent& event, RankWriter& to) {
    if (waits_) waits_->before_region(rank, event, to);
  }
  void replace(std::int32_t rank, std::size_t i, Call call, RankWriter& to) {
    if (operation_class(call.operation) == OperationClass::sendrecv) {
      return write_pair(call, kind_, serials_[static_cast<std::size_t>(rank)], to);
    }
    std::vector<std::int64_t> lists;
    if (kind_ == Replacement::neighbourhood) {
      lists = neighbours_of(trace_, call).value();
      call.args = lists;
    }
    call.operation = to_;
    if (waits_) return waits_->start(rank, i, call, to);
    to.call(call);
  }

 private:
  const Trace& trace_;
  Replacement kind_;
  Operation to_;
  std::optional<DeferredWaits> waits_{};
  std::vector<std::uint32_t> serials_{};  // the next free one, by rank
};

}  // namespace

Program substitute_calls(const Edit& edit, const ProgramView& program, Change& change) {
  const Trace& trace = program.trace;
  const Substitution substitution = substitution_of(edit);
  const CallPaths paths(trace);
  const SubstitutedCalls substituted(edit, program, paths, substitution);
  Writer writer(edit, trace, substitution);
  std::atomic<std::uint64_t> changed = 0;
  std::atomic<std::uint64_t> selected = 0;
  Program edited = with_calls(
      program, paths,
      [&](std::int32_t rank, std::size_t i, Call call, RankWriter& to) {
        writer.before_call(rank, i, to);
        if (!substituted.selects(rank, i, call)) return to.call(call);
        ++selected;
        if (!substituted.can_replace(rank, i)) return to.call(call);
        ++changed;
        writer.replace(rank, i, call, to);
      },
      [&](std::int32_t rank, const RegionEvent& event, RankWriter& to) {
        writer.before_region(rank, event, to);
      });
  if (selected > 0 && changed == 0) {
    refuse(
        edit, "operation",
        substitution.kind == Replacement::neighbourhood
            ? "the bytes to and from each rank were not recorded, or not all members are selected"
            : "not all members of these collectives are selected");
  }
  change = {changed, selected, "calls"};
  return edited;
}

}  // namespace slackline
