// The time of one-sided communication.
//
// The problem: an operation needs messages, but no call of the target's program.
//
// The idea: two execution contexts beside the ranks' programs, as those of nonblocking collectives,
// exchange two messages, as a network interface would: from the origin what is put or the request
// for what is got, back the acknowledgement or the data. They pay the overheads of messages, and
// share the links with all others.

#include "online/one_sided.h"

#include <algorithm>

namespace slackline::online {
namespace {

using State = sim::ExecutionContext::State;

constexpr std::size_t kFewContexts = 64;  // not worth a look whether they are finished

bool conflict(std::int32_t one, std::int32_t other) {
  return one == other || one == OneSided::kAll || other == OneSided::kAll;
}

}  // namespace

OneSided::OneSided(std::int32_t ranks, MessageMatching& numbers)
    : numbers_(numbers), pending_(static_cast<std::size_t>(ranks)) {}

void OneSided::begin(sim::ContextScheduler& contexts, sim::Requests& requests) {
  contexts_ = &contexts;
  requests_ = &requests;
}

sim::Request OneSided::start(const sim::ExecutionContext& origin, const Transfer& transfer) {
  release_finished();
  sim::ExecutionContext& here = contexts_->create(origin.rank, false);
  sim::ExecutionContext& there = contexts_->create(transfer.target, false);
  const auto message = [&](std::int32_t peer, std::int64_t number, std::uint64_t bytes, bool send) {
    return sim::Message{.peer = peer,
                        .tag = number,
                        .comm = transfer.window,
                        .bytes = bytes,
                        .send = send,
                        .blocking = !send,
                        .anonymous = true};
  };
  const std::int64_t out = numbers_.new_number(), back = numbers_.new_number();
  here.posting.queue = {message(transfer.target, out, transfer.bytes_there, true),
                        message(transfer.target, back, transfer.bytes_back, false)};
  there.posting.queue = {message(origin.rank, out, transfer.bytes_there, false),
                         message(origin.rank, back, transfer.bytes_back, true)};
  at_targets_.push_back(there.id);
  contexts_->resume(here);
  contexts_->resume(there);
  return {sim::Request::Kind::context, here.id};
}

void OneSided::start_unnamed(const sim::ExecutionContext& origin, const Transfer& transfer) {
  const sim::Request request = start(origin, transfer);
  pending_[static_cast<std::size_t>(origin.rank)].push_back(
      {transfer.window, transfer.target, request});
}

void OneSided::wait(sim::ExecutionContext& origin, std::uint32_t window, std::int32_t target) {
  std::vector<sim::Request> requests;
  std::erase_if(pending_[static_cast<std::size_t>(origin.rank)], [&](const Pending& pending) {
    if (pending.window != window || !conflict(pending.target, target)) return false;
    requests.push_back(pending.request);
    return true;
  });
  requests_->wait_for(origin, requests);
}

void OneSided::discard(std::int32_t destination, std::uint32_t comm, std::int64_t number) {
  start_at(destination,
           {.peer = kPeerAny, .tag = number, .comm = comm, .send = false, .anonymous = true});
}

void OneSided::satisfy(std::int32_t rank, std::uint32_t comm, std::int64_t number) {
  start_at(rank, {.peer = rank, .tag = number, .comm = comm, .blocking = false, .anonymous = true});
}

void OneSided::start_at(std::int32_t rank, const sim::Message& message) {
  sim::ExecutionContext& context = contexts_->create(rank, false);
  context.posting.queue = {message};
  at_targets_.push_back(context.id);
  contexts_->resume(context);
}

void OneSided::release_finished() {
  if (at_targets_.size() < 2 * unfinished_ + kFewContexts) return;
  std::erase_if(at_targets_, [&](sim::ContextId id) {
    if ((*contexts_)[id].state != State::finished) return false;
    contexts_->release(id);
    return true;
  });
  unfinished_ = at_targets_.size();
}

bool OneSided::can_have(const Locks& locks, const Lock& lock) {
  return std::ranges::none_of(locks.held, [&](const Lock& held) {
    return conflict(held.target, lock.target) && (held.exclusive || lock.exclusive);
  });
}

void OneSided::lock(sim::ExecutionContext& origin, std::uint32_t window, std::int32_t target,
                    bool exclusive) {
  Locks& locks = locks_[window];
  const Lock lock{target, exclusive, origin.rank, origin.id};
  if (can_have(locks, lock)) return locks.held.push_back(lock);
  locks.wanted.push_back(lock);
  origin.state = State::blocked;
}

void OneSided::unlock(std::int32_t origin, std::uint32_t window, std::int32_t target) {
  Locks& locks = locks_[window];
  const auto held = std::ranges::find_if(
      locks.held, [&](const Lock& lock) { return lock.origin == origin && lock.target == target; });
  if (held != locks.held.end()) locks.held.erase(held);
  for (auto wanted = locks.wanted.begin(); wanted != locks.wanted.end();) {
    if (!can_have(locks, *wanted)) {
      ++wanted;
      continue;
    }
    locks.held.push_back(*wanted);
    sim::ExecutionContext& context = (*contexts_)[wanted->context];
    context.state = State::running;
    contexts_->resume(context);
    wanted = locks.wanted.erase(wanted);
  }
}

}  // namespace slackline::online
