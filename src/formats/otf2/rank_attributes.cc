// What a reader makes of a call's records, and the attributes for the rest.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "formats/otf2/rank_writer.h"
#include "trace/start_groups.h"

namespace slackline::otf2 {
namespace {

void copy_message(const Call& from, Call& to) {
  to.peer = from.peer;
  to.tag = from.tag;
  to.bytes = from.bytes;
  to.comm = from.comm;
}

// A single request whose mode the records tell.
bool starts_one(const Call& call) {
  const StartGroups groups(call.args);
  if (!groups.whole() || groups.size() != 1) return false;
  return groups[0].operation == Operation::send_init || groups[0].receives();
}

}  // namespace

// `args` keeps what the result's args point to.
Call RankWriter::expected(std::uint32_t i, const Call& call,
                          std::vector<std::int64_t>& args) const {
  Call told;
  const bool started = told_[i] != 0 && requests_told_;
  // Threads are read one after the other, so that an answer may come before its question there.
  const bool completed = told_[i] == 2 && requests_told_ && threads_.size() == 1;
  switch (operation_class(call.operation)) {
    case OperationClass::send:
    case OperationClass::recv:
      if (can_message(call)) copy_message(call, told);
      break;
    case OperationClass::sendrecv:
      expect_sendrecv(call, told, args);
      break;
    case OperationClass::isend:
      if (started) copy_message(call, told);
      if (started) told.request = call.request;
      break;
    case OperationClass::irecv:
      if (completed) copy_message(call, told);
      if (started) told.request = call.request;
      break;
    case OperationClass::icollective:
      if (started) told.request = call.request;
      if (!completed) break;
      told.comm = call.comm;
      told.peer = call.peer;
      break;
    case OperationClass::start:
      if (completed && starts_one(call)) {
        args.assign(call.args.begin(), call.args.end());
      } else if (started) {
        args = {-1};  // in any case not what is to be read
      }
      break;
    case OperationClass::completion:
      if (requests_told_) expect_completion(i, told, args);
      break;
    case OperationClass::collective:
      if (!can_collective(call)) break;
      told.comm = call.comm;
      told.peer = call.peer;
      told.bytes = call_bytes(call.operation, record_bytes(call), place(call));
      break;
    case OperationClass::comm_create:
      if (!comms_.exists(call.comm)) break;
      told.comm = call.comm;
      if (makes_comm(call)) args = {call.args[0]};
      break;
    default:
      break;
  }
  told.args = args;
  return told;
}

void RankWriter::expect_sendrecv(const Call& call, Call& told,
                                 std::vector<std::int64_t>& args) const {
  const bool sends = can_message(call);
  if (sends) {
    copy_message(call, told);
    args = {kPeerNull, 0, 0, 0};
  }
  if (const auto from = received_by(call)) {
    args = {call.args[0], call.args[1], call.args[2], 0};
    if (!sends) told.peer = kPeerNull;
    told.comm = call.comm;
  }
}

void RankWriter::expect_completion(std::uint32_t i, Call& told,
                                   std::vector<std::int64_t>& args) const {
  for (std::uint32_t c = first_completed_[i]; c < first_completed_[i + 1]; ++c) {
    args.push_back(completed_[c].serial);
  }
  if (names_one_request(calls_.operation(i)) && !args.empty()) {
    told.request = static_cast<std::uint32_t>(args.front());
    args.erase(args.begin());
  }
}

template <class Add>
void RankWriter::attribute(Attribute which, Add add) {
  add(static_cast<OTF2_AttributeRef>(which));
}

void RankWriter::add_position(std::uint32_t before_call) {
  attribute(Attribute::position, [&](OTF2_AttributeRef ref) {
    OTF2_AttributeList_AddUint64(attributes_, ref, before_call);
  });
}

void RankWriter::add_attributes(std::uint32_t i, const Call& call) {
  std::vector<std::int64_t>& args = expected_args_;
  args.clear();
  const Call told = expected(i, call, args);
  OTF2_AttributeList* list = attributes_;
  using Ref = OTF2_AttributeRef;
  if (call.flags != told.flags) {
    attribute(Attribute::flags, [&](Ref r) { OTF2_AttributeList_AddUint8(list, r, call.flags); });
  }
  if (call.bytes != told.bytes) {
    attribute(Attribute::bytes, [&](Ref r) { OTF2_AttributeList_AddUint64(list, r, call.bytes); });
  }
  if (call.peer != told.peer) {
    attribute(Attribute::peer, [&](Ref r) { OTF2_AttributeList_AddInt32(list, r, call.peer); });
  }
  if (call.tag != told.tag) {
    attribute(Attribute::tag, [&](Ref r) { OTF2_AttributeList_AddInt32(list, r, call.tag); });
  }
  if (call.comm != told.comm) {
    attribute(Attribute::comm, [&](Ref r) { OTF2_AttributeList_AddUint32(list, r, call.comm); });
  }
  if (call.request != told.request) {
    attribute(Attribute::request,
              [&](Ref r) { OTF2_AttributeList_AddUint32(list, r, call.request); });
  }
  if (threads_.size() > 1) {
    attribute(Attribute::order, [&](Ref r) { OTF2_AttributeList_AddUint64(list, r, i); });
  }
  if (!std::ranges::equal(call.args, told.args)) add_argument_attributes(call.args);
}

void RankWriter::add_argument_attributes(std::span<const std::int64_t> args) {
  using Ref = OTF2_AttributeRef;
  if (args.size() > kNumberedArguments) {
    std::string text;
    for (const std::int64_t value : args) {
      text += fmt::format("{}{}", text.empty() ? "" : ",", value);
    }
    attribute(Attribute::args,
              [&](Ref r) { OTF2_AttributeList_AddStringRef(attributes_, r, names_.text(text)); });
    return;
  }
  attribute(Attribute::arg_count, [&](Ref r) {
    OTF2_AttributeList_AddUint32(attributes_, r, static_cast<std::uint32_t>(args.size()));
  });
  for (std::size_t k = 0; k < args.size(); ++k) {
    const auto which = static_cast<Attribute>(static_cast<std::size_t>(Attribute::arg0) + k);
    attribute(which, [&](Ref r) { OTF2_AttributeList_AddInt64(attributes_, r, args[k]); });
  }
}

}  // namespace slackline::otf2
