#include "online/call_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/units.h"
#include "trace/communicator_makers.h"
#include "trace/operation_kinds.h"

namespace slackline::online {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 62;  // of bytes and nanoseconds

[[noreturn]] void fail(std::int32_t rank, std::string_view what) {
  throw Error(
      fmt::format("rank {} has written over the memory that it shares with the simulator", rank),
      fmt::format("a call that it handed over has an invalid {}", what),
      "Look for what it writes beyond its arrays, as valgrind or -fsanitize=address finds it.");
}

bool is_handed_over(Operation operation) {
  switch (operation_class(operation)) {
    case OperationClass::send:
    case OperationClass::isend:
    case OperationClass::recv:
    case OperationClass::irecv:
    case OperationClass::sendrecv:
    case OperationClass::completion:
    case OperationClass::probe:
    case OperationClass::one_sided:
    case OperationClass::io:
      return true;
    case OperationClass::collective:
    case OperationClass::icollective:
    case OperationClass::comm_create:
      return !is_neighbourhood(operation);
    default:
      return operation == Operation::init || operation == Operation::init_thread ||
             operation == Operation::finalize;
  }
}

bool names_target(Operation operation) {
  const OperationClass kind = operation_class(operation);
  return kind == OperationClass::send || kind == OperationClass::isend;
}

bool is_list_of(Operation operation, std::int32_t rank, std::span<const std::int64_t> list,
                const CallLimits& limits) {
  const auto all_below = [list](std::int64_t end) {
    return std::ranges::all_of(list, [end](std::int64_t n) { return n >= 0 && n < end; });
  };
  if (operation_class(operation) == OperationClass::completion) {
    return !list.empty() && all_below(SLK_ONLINE_REQUESTS);
  }
  if (is_made_by_members(operation)) {
    return all_below(limits.ranks) && std::ranges::find(list, rank) != list.end();
  }
  const bool counts = list.size() == limits.members || list.size() == 2 * limits.members;
  return list.empty() || (is_collective(operation) && counts && all_below(kMost));
}

}  // namespace

std::span<const std::int64_t> list_of(std::int32_t rank, const slk_online_call& call,
                                      const slk_online_rank& area) {
  if (call.n_args > SLK_ONLINE_LISTS) fail(rank, "list length");
  return {area.lists, call.n_args};
}

void check_call(std::int32_t rank, const slk_online_call& call, std::span<const std::int64_t> list,
                const CallLimits& limits) {
  const auto is_block = [&limits](std::uint64_t offset) {
    return offset < limits.shared_bytes && limits.shared_bytes - offset > sizeof(slk_online_block);
  };
  const auto is_peer = [&limits](std::int32_t peer) {
    return peer < limits.ranks &&
           (peer >= 0 || peer == SLK_PEER_NONE || peer == SLK_PEER_ANY || peer == SLK_PEER_NULL);
  };
  if (call.kind < SLK_ONLINE_CALL || call.kind > SLK_ONLINE_REFUSED) fail(rank, "kind");
  if (!is_block(call.data) || !is_block(call.result)) fail(rank, "data block");
  if (call.place >= SLK_ONLINE_REQUESTS) fail(rank, "request");
  if (std::max({call.bytes, call.back, call.cpu_ns}) > std::uint64_t{kMost}) fail(rank, "length");
  if (call.kind != SLK_ONLINE_CALL && call.kind != SLK_ONLINE_CANCEL) return;
  if (!is_peer(call.peer) || !is_peer(call.source)) fail(rank, "peer rank");
  if (!limits.is_member) fail(rank, "communicator");
  if (call.kind == SLK_ONLINE_CANCEL) return;
  const auto operation = static_cast<Operation>(call.operation);
  if (call.operation >= kOperationCount || !is_handed_over(operation)) fail(rank, "operation");
  if (names_target(operation) && call.peer < 0) fail(rank, "peer rank");
  if (!is_list_of(operation, rank, list, limits)) fail(rank, "list");
}

void put_word(std::span<std::int64_t> words, std::size_t& at, std::int64_t value) {
  if (at == words.size()) {
    throw Error("cannot simulate the program: too many collective calls are completed by one call",
                fmt::format("they name more than {} members and data",
                            format_count(std::uint64_t{words.size()})),
                "Let it complete fewer requests at a time, or simulate fewer ranks.");
  }
  words[at++] = value;
}

}  // namespace slackline::online
