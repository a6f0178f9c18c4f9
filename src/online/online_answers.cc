// What the process of a rank is told when its call is over.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "online/call_check.h"
#include "online/online_program.h"
#include "trace/operation_kinds.h"

namespace slackline::online {

void OnlineProgram::answer(sim::ExecutionContext& context) {
  RankState& of = state(context.rank);
  if (!of.queue.empty()) return;
  slk_online_rank& area = job_.memory.rank(context.rank);
  area.answer.now = contexts_->now();
  const auto operation = static_cast<Operation>(of.call.operation);
  if (of.call.kind == SLK_ONLINE_CALL) {
    switch (operation_class(operation)) {
      case OperationClass::recv:
      case OperationClass::sendrecv:
        give_message(context, 0, of.call.place);
        break;
      case OperationClass::completion:
        give_completed(context);
        break;
      case OperationClass::collective:
      case OperationClass::comm_create: {
        if (of.call.place != 0) break;
        LiveCollective& collective = *of.collectives.at(0);
        of.collectives.erase(0);
        area.answer.result = collective.result;
        if (operation_class(operation) == OperationClass::comm_create) {
          give_communicator(context.rank, collective);
        } else {
          give_board(context.rank, collective, 0);
          area.answer.board = 1;
        }
        break;
      }
      default:
        break;
    }
  }
  job_.memory.resume(context.rank);
}

void OnlineProgram::give_message(sim::ExecutionContext& context, std::uint32_t serial,
                                 std::uint32_t place) {
  RankState& of = state(context.rank);
  slk_online_request& request = job_.memory.rank(context.rank).requests[place];
  request.over = 1;
  const auto got = of.got.find(serial);
  if (got == of.got.end()) return;  // a send
  request.source = got->second.source;
  request.tag = got->second.tag;
  request.bytes = got->second.bytes;
  request.data = got->second.data;
  of.got.erase(got);
}

void OnlineProgram::give_completed(sim::ExecutionContext& context) {
  RankState& of = state(context.rank);
  slk_online_rank& area = job_.memory.rank(context.rank);
  std::size_t at = 0;
  for (const std::int64_t place : of.list) {
    const auto index = static_cast<std::uint32_t>(place);
    slk_online_request& request = area.requests[index];
    give_message(context, request.serial, index);
    const auto collective = of.collectives.find(request.serial);
    if (collective != of.collectives.end()) {
      request.board = at + 1;
      const auto maker = of.makers.find(request.serial);
      at = static_cast<std::size_t>(
          maker == of.makers.end()
              ? give_board(context.rank, *collective->second, at)
              : give_made(context.rank, *collective->second, maker->second, at));
      of.makers.erase(request.serial);
      of.collectives.erase(collective);
    }
  }
}

/// Lists the blocks of all members from that place on; returns where the list ends.
std::int64_t OnlineProgram::give_board(std::int32_t rank, LiveCollective& collective,
                                       std::size_t at) {
  RankState& of = state(rank);
  slk_online_rank& area = job_.memory.rank(rank);
  for (const std::uint64_t block : collective.blocks) {
    put_word(area.lists, at, static_cast<std::int64_t>(block));
  }
  ++collective.left;
  of.left.push_back(&collective);
  return static_cast<std::int64_t>(at);
}

void OnlineProgram::give_communicator(std::int32_t rank, LiveCollective& collective) {
  slk_online_rank& area = job_.memory.rank(rank);
  constexpr std::size_t kHead = 2;
  const std::int64_t end = give_made(rank, collective, job_.trace.calls(rank).size() - 1, 0);
  area.answer.comm = static_cast<std::uint32_t>(area.lists[0]);
  area.answer.count = static_cast<std::uint32_t>(end) - std::uint32_t{kHead};
  std::copy(area.lists + kHead, area.lists + end, area.lists);
}

/// Lists the communicator that the call made, the number of its members, and them; returns where
/// the list ends.
std::int64_t OnlineProgram::give_made(std::int32_t rank, LiveCollective& collective,
                                      std::size_t maker, std::size_t at) {
  const std::vector<std::int32_t> old = collectives_.members(collective.comm, rank);
  const auto place = static_cast<std::size_t>(std::ranges::find(old, rank) - old.begin());
  const std::uint32_t made = collective.new_comms[place];
  job_.trace.calls(rank).mutable_args(maker)[0] = made;
  state(rank).left.push_back(&collective);
  ++collective.left;
  slk_online_rank& area = job_.memory.rank(rank);
  const std::vector<std::int32_t> none;
  const std::vector<std::int32_t> members =
      made == kCommNull ? none : collectives_.members(made, rank);
  put_word(area.lists, at, made);
  put_word(area.lists, at, static_cast<std::int64_t>(members.size()));
  for (const std::int32_t member : members) put_word(area.lists, at, member);
  return static_cast<std::int64_t>(at);
}

}  // namespace slackline::online
