#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "trace/wire.h"

namespace slackline {

/// What an MPI call is. Enumerators, their order and their numbers come from trace/wire.h.
enum class Operation : std::uint8_t {
#define SLK_OPERATION_ENUMERATOR(identifier, name, op_class) identifier,
  SLK_OPERATIONS(SLK_OPERATION_ENUMERATOR)
#undef SLK_OPERATION_ENUMERATOR
};

inline constexpr std::size_t kOperationCount = SLK_OPERATION_COUNT;
static_assert(kOperationCount <= SLK_REC_COMM, "kinds of records share the operations' numbers");

/// What kinds of call the rest of the program tells apart.
enum class OperationClass : std::uint8_t {
  none,
  send,           ///< blocking send of any mode
  recv,           ///< blocking receive
  sendrecv,       ///< a send and a receive that complete together
  isend,          ///< starts a send request
  irecv,          ///< starts a receive request
  request_init,   ///< makes a persistent request; communicates nothing
  start,          ///< starts persistent requests
  completion,     ///< wait and test
  request_other,  ///< request_free, cancel, request_get_status
  probe,
  collective,   ///< blocking collective
  icollective,  ///< starts a collective request
  comm_create,  ///< makes a communicator; trace/communicator_makers.h says who takes part
  one_sided,
  io,
  local,  ///< communicates with nobody
  environment
};

/// "MPI_Isend".
std::string_view mpi_name(Operation operation);
/// "isend": the word of the text form.
std::string_view identifier(Operation operation);
/// Every walk over calls asks it of every call, hence a table in the header.
inline constexpr std::array<OperationClass, kOperationCount> kOperationClasses{
#define SLK_OPERATION_CLASS(identifier, name, op_class) OperationClass::op_class,
    SLK_OPERATIONS(SLK_OPERATION_CLASS)
#undef SLK_OPERATION_CLASS
};
constexpr OperationClass operation_class(Operation operation) {
  return kOperationClasses[static_cast<std::size_t>(operation)];
}
/// The operation with that identifier.
std::optional<Operation> operation_from_identifier(std::string_view word);
/// barrier for ibarrier, and so on; the operation itself when it is not a nonblocking collective.
Operation blocking_form(Operation operation);
/// MPI_Init or MPI_Init_thread?
constexpr bool is_init(Operation operation) {
  return operation == Operation::init || operation == Operation::init_thread;
}
/// Does one rank hand out or collect in it, blocking or not?
bool has_root(Operation operation);

}  // namespace slackline
