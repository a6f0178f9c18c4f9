// Calls at windows and files: what all members do together, one-sided communication as messages
// (calls/one_sided_messages.h), and the time that I/O takes.

#include "calls/findings.h"
#include "graph/program_walk.h"

namespace slackline {

bool ProgramWalk::is_object_collective(const Context& context) const {
  return objects_.of(context.rank, context.call) != CollectiveCalls::kNone;
}

/// Gives `context` the steps of what all members of a window or a file do together.
void ProgramWalk::load_object_collective(Context& context, const Context& program) {
  const std::uint32_t id = objects_.of(program.rank, program.call);
  if (id == CollectiveCalls::kNone) return;
  const CollectiveIndex::Instance& instance = collectives_.instance(id);
  CollectiveCursor& cursor = ranks_[static_cast<std::size_t>(program.rank)].collectives;
  load_steps(context, instance, object_tag(id), cursor.rank_in(instance, program.rank), {});
}

void ProgramWalk::enter_one_sided(Context& context, const Call& call) {
  const auto steps = one_sided_.of(context.rank, context.call);
  if (call.request != kRequestNone) {
    // What MPI_Wait completes is what the call has asked for.
    for (const OneSidedStep& step : steps) {
      if (step.kind != OneSidedStep::Kind::request) continue;
      request(context.rank, call.request, {Pending::Kind::answer, step.id});
    }
  }
  context.one_sided = steps;
  take_one_sided_steps(context);
}

/// As far as the first one that has to wait for something, and all others that wait with it. What
/// all members do together begins after the last step, and what the steps still wait for is waited
/// for after it.
void ProgramWalk::take_one_sided_steps(Context& context) {
  while (!context.one_sided.empty()) {
    const OneSidedStep& step = context.one_sided.front();
    const bool waits =
        step.kind == OneSidedStep::Kind::receive || step.kind == OneSidedStep::Kind::answer;
    if (!waits && !context.pending.empty()) break;
    context.one_sided = context.one_sided.subspan(1);
    if (const std::optional<Pending> pending = take(context, step)) {
      context.pending.push_back(*pending);
    }
  }
  if (context.one_sided.empty()) load_object_collective(context, context);
  if (context.collective != nullptr) return context.pending.swap(context.after);
  context.waiting = !context.pending.empty();
}

/// What the step waits for, if anything.
std::optional<ProgramWalk::Pending> ProgramWalk::take(Context& context, const OneSidedStep& step) {
  switch (step.kind) {
    case OneSidedStep::Kind::send:
      messages_.drop(post(context, step).id);  // nothing waits for its buffer
      return std::nullopt;
    case OneSidedStep::Kind::receive:
      return post(context, step);
    case OneSidedStep::Kind::request:
      ask(context, step);
      return std::nullopt;
    case OneSidedStep::Kind::answer:
      return Pending{Pending::Kind::answer, step.id};
  }
  return std::nullopt;
}

ProgramWalk::Pending ProgramWalk::post(Context& context, const OneSidedStep& step) {
  const bool sends = step.kind == OneSidedStep::Kind::send;
  const MessageChannel channel{.source = sends ? context.rank : step.peer,
                               .destination = sends ? step.peer : context.rank,
                               .tag = one_sided_tag(step.id),
                               .comm = kCommWorld};
  if (!sends) return {Pending::Kind::receive, messages_.post_receive(channel, here(context))};
  const VertexId sent = leave(context, extend(context, 1), step.peer, step.to);
  return {Pending::Kind::send,
          messages_.post_send(channel, sent, current_call(context), step.to, false, true)};
}

/// The target's memory answers without its program, at a vertex beside that rank's path.
void ProgramWalk::ask(Context& context, const OneSidedStep& step) {
  const VertexId sent = leave(context, extend(context, 1), step.peer, step.to);
  const std::uint8_t latencies = step.peer == context.rank ? 0 : 1;
  const Context& target = contexts_[static_cast<ContextId>(step.peer)];
  Edge edge{.from = sent,
            .kind = EdgeKind::message,
            .latencies = latencies,
            .overheads = 0,
            .nanoseconds = 0,
            .bytes = latencies == 0 ? 0 : transfer_bytes(step.to)};
  const VertexId arrived = builder_.vertex(builder_.global_call(step.peer, target.call));
  builder_.edge(edge);
  builder_.count_message();
  edge.from = arrived;
  edge.bytes = latencies == 0 ? 0 : transfer_bytes(step.back);
  answers_[step.id] = edge;
  if (log_ == nullptr) return;
  const auto start_of_target = static_cast<VertexId>(step.peer);
  log_->push_back({.sent = sent,
                   .posted = {.tail = start_of_target},
                   .bytes = step.to,
                   .destination = step.peer});
  log_->push_back(
      {.sent = arrived, .posted = here(context), .bytes = step.back, .destination = context.rank});
}

/// Members of a collective wait for each other before the I/O.
void ProgramWalk::enter_io(Context& context) {
  builder_.findings().add(kIoAsMeasured);
  const std::uint32_t id = objects_.of(context.rank, context.call);
  const RankCalls& calls = trace_.calls(context.rank);
  context.io_ns = id != CollectiveCalls::kNone
                      ? collectives_.instance(id).io_ns
                      : calls.end_ns(context.call) - calls.begin_ns(context.call);
  load_object_collective(context, context);
}

void ProgramWalk::write_io(Context& context) {
  const VertexId begin = extend(context, 0);
  extend(context, 0);
  builder_.edge(Edge{.from = begin,
                     .kind = EdgeKind::inside,
                     .latencies = 0,
                     .overheads = 0,
                     .nanoseconds = context.io_ns,
                     .bytes = 0});
  context.io_ns = 0;
}

}  // namespace slackline
