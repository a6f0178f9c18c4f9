// One way of sending for another.
//
// A blocking send becomes another blocking mode, a nonblocking one another nonblocking mode, and an
// MPI_Sendrecv what it stands for: a receive that is posted first, a send, and one call that waits
// for both; or an MPI_Send and then an MPI_Recv, which waits for the receiver where the send does.

#include <array>
#include <atomic>
#include <optional>
#include <vector>

#include "base/error.h"
#include "calls/call_actions.h"
#include "calls/run_span.h"
#include "whatif/actions.h"
#include "whatif/call_rewrite.h"
#include "whatif/request_numbers.h"
#include "whatif/selection.h"

namespace slackline {
namespace {

enum class Replacement { mode, nonblocking_pair, send_then_receive };

bool is_mode(Operation operation) {
  const OperationClass kind = operation_class(operation);
  return kind == OperationClass::send || kind == OperationClass::isend;
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
  if (!to || !is_mode(*from) || operation_class(*to) != operation_class(*from)) {
    refuse(edit, "with", "it is not another mode of the same operation",
           "Example: operation=send with=ssend.");
  }
  return {*from, *to, Replacement::mode};
}

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
  to.call({.operation = Operation::waitall, .thread = sendrecv.thread, .args = requests});
}

}  // namespace

Program substitute_calls(const Edit& edit, const ProgramView& program, Change& change) {
  const Trace& trace = program.trace;
  const Substitution s = substitution_of(edit);
  const CallPaths paths(trace);
  const Selection where(edit, program, paths);
  const std::int64_t zero_ns = run_span(trace).analysed.begin_ns;
  std::vector<std::uint32_t> serials;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    serials.push_back(s.kind == Replacement::nonblocking_pair
                          ? first_free_request(trace.calls(rank))
                          : kRequestNone);
  }
  std::atomic<std::uint64_t> changed = 0;
  Program edited =
      with_calls(program, paths, [&](std::int32_t rank, std::size_t i, Call call, RankWriter& to) {
        const bool applies =
            call.operation == s.from &&
            where.has_call(rank, paths.at_call(rank, static_cast<std::uint32_t>(i)), call.frame,
                           call.begin_ns - zero_ns);
        if (!applies) return to.call(call);
        ++changed;
        if (s.kind != Replacement::mode) {
          return write_pair(call, s.kind, serials[static_cast<std::size_t>(rank)], to);
        }
        call.operation = s.to;
        to.call(call);
      });
  change = {changed, changed, "calls"};
  return edited;
}

}  // namespace slackline
