#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "trace/trace.h"

namespace slackline {

/// Values of `args` for each request that MPI_Start or MPI_Startall starts: serial, operation,
/// peer, tag, bytes, communicator.
inline constexpr std::size_t kStartGroup = 6;

/// The nonblocking collective that the start of a persistent one is: MPI_Ibarrier of
/// MPI_Barrier_init. Nothing for other operations.
constexpr std::optional<Operation> started_collective(Operation init) {
  if (init < Operation::barrier_init || init > Operation::neighbor_alltoallw_init) {
    return std::nullopt;
  }
  return static_cast<Operation>(
      static_cast<int>(Operation::ibarrier) +
      (static_cast<int>(init) - static_cast<int>(Operation::barrier_init)));
}

/// One of these requests.
struct StartedRequest {
  std::uint32_t serial;
  Operation operation;  ///< send_init, bsend_init, ssend_init, rsend_init or recv_init
  std::int32_t peer;
  std::int32_t tag;
  std::uint64_t bytes;
  std::uint32_t comm;

  bool receives() const { return operation == Operation::recv_init; }
};

/// The requests in the arguments of a call of OperationClass::start. Values beyond the last whole
/// group are left out.
class StartGroups {
 public:
  explicit StartGroups(std::span<const std::int64_t> args) : args_(args) {}

  std::size_t size() const { return args_.size() / kStartGroup; }
  /// Is there at least one, and nothing beside them?
  bool whole() const { return !args_.empty() && args_.size() % kStartGroup == 0; }
  /// The values of one group as they are.
  std::span<const std::int64_t> values(std::size_t i) const {
    return args_.subspan(i * kStartGroup, kStartGroup);
  }
  StartedRequest operator[](std::size_t i) const {
    const auto group = values(i);
    return {.serial = static_cast<std::uint32_t>(group[0]),
            .operation = static_cast<Operation>(group[1]),
            .peer = static_cast<std::int32_t>(group[2]),
            .tag = static_cast<std::int32_t>(group[3]),
            .bytes = static_cast<std::uint64_t>(group[4]),
            .comm = static_cast<std::uint32_t>(group[5])};
  }

 private:
  std::span<const std::int64_t> args_;
};

/// Gives the receive whose group begins `at` values into `args` what its completion told: the real
/// source, tag, size and communicator. Nothing happens when no whole group begins there.
inline void resolve_start(std::span<std::int64_t> args, std::size_t at, std::int32_t peer,
                          std::int32_t tag, std::uint64_t bytes, std::uint32_t comm) {
  if (args.size() < at + kStartGroup) return;
  args[at + 2] = peer;
  args[at + 3] = tag;
  args[at + 4] = static_cast<std::int64_t>(bytes);
  args[at + 5] = comm;
}

}  // namespace slackline
