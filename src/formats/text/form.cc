#include "formats/text/form.h"

namespace slackline::text {
namespace {

ArgsForm collective_args_form(Operation operation) {
  switch (blocking_form(operation)) {
    case Operation::gatherv:
    case Operation::scatterv:
    case Operation::allgatherv:
    case Operation::reduce_scatter:
      return ArgsForm::counts;
    case Operation::alltoallv:
    case Operation::alltoallw:
      return ArgsForm::send_recv;
    case Operation::neighbor_allgather:
    case Operation::neighbor_allgatherv:
    case Operation::neighbor_alltoall:
    case Operation::neighbor_alltoallv:
    case Operation::neighbor_alltoallw:
      return ArgsForm::neighbours;
    default:
      return ArgsForm::plain;
  }
}

}  // namespace

ArgsForm args_form(Operation operation) {
  switch (operation_class(operation)) {
    case OperationClass::sendrecv:
      return ArgsForm::sendrecv;
    case OperationClass::start:
      return ArgsForm::starts;
    case OperationClass::completion:
      return ArgsForm::requests;
    case OperationClass::collective:
    case OperationClass::icollective:
      return collective_args_form(operation);
    case OperationClass::comm_create:
      return ArgsForm::new_comm;
    default:
      break;
  }
  if (operation == Operation::pcontrol || operation == Operation::init_thread) {
    return ArgsForm::level;
  }
  return ArgsForm::plain;
}

std::string_view peer_key(Operation operation) {
  switch (operation_class(operation)) {
    case OperationClass::send:
    case OperationClass::sendrecv:
    case OperationClass::isend:
      return "to";
    case OperationClass::recv:
    case OperationClass::irecv:
    case OperationClass::probe:
      return "from";
    case OperationClass::request_init:
      return operation == Operation::recv_init || operation == Operation::precv_init ? "from"
                                                                                     : "to";
    case OperationClass::one_sided:
      return "target";
    default:
      return has_root(operation) ? "root" : "peer";
  }
}

bool needs_peer(Operation operation) {
  const std::string_view key = peer_key(operation);
  return key == "to" || key == "from" || key == "root";
}

std::string_view tag_key(Operation operation) {
  const OperationClass c = operation_class(operation);
  return c == OperationClass::collective || c == OperationClass::icollective ? "elem" : "tag";
}

bool needs_request(Operation operation) {
  switch (operation_class(operation)) {
    case OperationClass::isend:
    case OperationClass::irecv:
    case OperationClass::icollective:
    case OperationClass::request_init:
      return true;
    default:
      return false;
  }
}

std::optional<Operation> operation_of_word(std::string_view word) {
  if (word == "none") return Operation::none;
  return operation_from_identifier(word);
}

bool counts_polls(Operation operation, std::uint8_t flags) {
  if ((flags & SLK_FLAG_FAILED) == 0) return false;
  const OperationClass c = operation_class(operation);
  return c == OperationClass::completion || c == OperationClass::probe ||
         c == OperationClass::request_other;
}

}  // namespace slackline::text
