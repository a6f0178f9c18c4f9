#pragma once

#include "trace/operation.h"

namespace slackline {

// What several parts ask of an operation beside its class.

/// Do all members of a communicator perform it together, blocking or not?
constexpr bool is_collective(Operation operation) {
  const OperationClass kind = operation_class(operation);
  return kind == OperationClass::collective || kind == OperationClass::icollective ||
         kind == OperationClass::comm_create;
}

/// Does it name its peers itself, blocking or not?
constexpr bool is_neighbourhood(Operation operation) {
  const auto among = [operation](Operation first, Operation last) {
    return operation >= first && operation <= last;
  };
  return among(Operation::neighbor_allgather, Operation::neighbor_alltoallw) ||
         among(Operation::ineighbor_allgather, Operation::ineighbor_alltoallw);
}

/// Does it read from a file?
constexpr bool reads_file(Operation operation) {
  return (operation >= Operation::file_read && operation <= Operation::file_read_at_all) ||
         operation == Operation::file_read_shared || operation == Operation::file_read_ordered ||
         (operation >= Operation::file_iread && operation <= Operation::file_read_ordered_begin);
}

/// Does it write to a file?
constexpr bool writes_file(Operation operation) {
  return (operation >= Operation::file_write && operation <= Operation::file_write_at_all) ||
         operation == Operation::file_write_shared || operation == Operation::file_write_ordered ||
         (operation >= Operation::file_iwrite && operation <= Operation::file_write_ordered_begin);
}

/// MPI_Test and its variants.
constexpr bool is_test(Operation operation) {
  return operation == Operation::test || operation == Operation::testall ||
         operation == Operation::testany || operation == Operation::testsome;
}

/// Does it return at once with nothing, where there is nothing?
constexpr bool is_poll(Operation operation) {
  return is_test(operation) || operation == Operation::iprobe || operation == Operation::improbe;
}

/// Does it complete one of several requests?
constexpr bool completes_one(Operation operation) {
  return operation == Operation::waitany || operation == Operation::testany;
}

/// Does it name the requests that it completes in a list?
constexpr bool lists_requests(Operation operation) {
  return operation == Operation::waitall || operation == Operation::waitsome ||
         operation == Operation::testall || operation == Operation::testsome;
}

/// Does it succeed as soon as one of several requests is complete?
constexpr bool succeeds_with_first(Operation operation) {
  return completes_one(operation) || operation == Operation::waitsome ||
         operation == Operation::testsome;
}

}  // namespace slackline
