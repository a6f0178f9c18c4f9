// The calls of one rank. Requests, communicators, windows and files are numbers that mean the
// latest one that a call returned under that number.

#include "formats/dumpi/rank_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/arithmetic.h"
#include "trace/start_groups.h"

namespace slackline::dumpi {
namespace {

constexpr std::int64_t kAnySource = -1;
constexpr std::int64_t kAnyTag = -1;
constexpr std::int64_t kMpiRoot = -2;
constexpr std::int64_t kRequestNull = 1;
constexpr std::int64_t kLockShared = 1;

std::uint64_t product(std::int64_t count, std::uint64_t bytes) {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  if (count <= 0) return 0;
  return static_cast<std::uint64_t>(std::min(count, kMost)) *
         std::min<std::uint64_t>(bytes, static_cast<std::uint64_t>(kMost));
}

bool is_receive(Operation operation) {
  const OperationClass c = operation_class(operation);
  return c == OperationClass::recv || c == OperationClass::irecv ||
         operation == Operation::recv_init;
}

void set_flag(Call& call, slk_flag flag) {
  call.flags = static_cast<std::uint8_t>(call.flags | flag);
}

/// MPI_INT and the like: what DUMPI's numbers mean where a file ends before its sizes.
std::uint64_t usual_type_bytes(std::int64_t type) {
  constexpr std::array<std::uint8_t, 28> kBytes{0, 0,  1, 1, 1, 1, 4, 2, 2, 4,  4,  8, 8, 4,
                                                8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20};
  return type >= 0 && type < static_cast<std::int64_t>(kBytes.size())
             ? kBytes[static_cast<std::size_t>(type)]
             : 0;
}

}  // namespace

RankBuilder::RankBuilder(const Trace& trace, std::int32_t rank, const FileFacts& facts,
                         std::span<const MadeMembers> made, RankCallsBuilder& calls)
    : trace_(trace),
      rank_(rank),
      facts_(facts),
      made_(made),
      calls_(calls),
      comms_{{kHandleWorld, kCommWorld}, {kHandleSelf, kCommSelf}} {}

void RankBuilder::take(const Record& record, std::size_t event) {
  event_ = is_membership_event(record) && event < made_.size() ? &made_[event] : nullptr;
  if (record.has_counters) result_.findings.add(kCountersLeftOut);
  const Interval& time = record.wall.known() ? record.wall : record.cpu;
  if (!time.known() || !is_time(time.begin_ns) || !is_time(time.end_ns)) {
    result_.findings.add(kDamagedRecord, fmt::format("rank {}: a call without times", rank_));
    learn_members(record);
    return;
  }
  if (record.cpu.known()) {
    if (first_cpu_ns_ == kNoTime) first_cpu_ns_ = record.cpu.begin_ns;
    result_.cpu_ns = std::max(result_.cpu_ns, record.cpu.end_ns - first_cpu_ns_);
  }
  if (record.function == nullptr) return take_function(record);
  Call call;
  call.operation = record.function->operation;
  call.thread = record.thread;
  call.begin_ns = time.begin_ns;
  call.end_ns = std::max(time.begin_ns, time.end_ns);
  if (call.begin_ns < last_end_ns_ && call.thread == last_thread_) {
    result_.findings.add(kTimeBackwards, fmt::format("rank {}", rank_));
    call.begin_ns = last_end_ns_;
    call.end_ns = std::max(call.end_ns, last_end_ns_);
  }
  args_.clear();
  if (!fill(record, call)) return;
  last_end_ns_ = std::max(last_end_ns_, call.end_ns);
  last_thread_ = call.thread;
  call.args = args_;
  calls_.append(call);
}

void RankBuilder::take_function(const Record& record) {
  const auto name = facts_.functions.find(record.address);
  const std::int64_t time = record.wall.known() ? record.wall.begin_ns : record.cpu.begin_ns;
  result_.functions.push_back(
      {std::max(time, last_end_ns_),
       name == facts_.functions.end() ? fmt::format("{:#x}", record.address) : name->second,
       static_cast<std::uint32_t>(calls_.size()), record.enters});
}

RankResult RankBuilder::finish() && {
  return std::move(result_);
}

bool RankBuilder::fill(const Record& record, Call& call) {
  switch (operation_class(call.operation)) {
    case OperationClass::none:
    case OperationClass::local:
      return take_local(record, call);
    case OperationClass::environment:
      if (is_init(call.operation))
        result_.program = fmt::format("{}", fmt::join(record.texts, " "));
      result_.finalized = result_.finalized || call.operation == Operation::finalize;
      return true;
    case OperationClass::send:
    case OperationClass::recv:
    case OperationClass::isend:
    case OperationClass::irecv:
    case OperationClass::request_init:
      return take_message(record, call);
    case OperationClass::sendrecv:
      return take_sendrecv(record, call);
    case OperationClass::probe:
      return take_probe(record, call);
    case OperationClass::start:
      take_start(record, call);
      return true;
    case OperationClass::completion:
      take_completion(record, call);
      return true;
    case OperationClass::request_other:
      take_request(record, call);
      return true;
    case OperationClass::collective:
    case OperationClass::icollective:
      return take_collective(record, call);
    case OperationClass::comm_create:
      take_maker(record, call);
      return true;
    case OperationClass::one_sided:
      return take_one_sided(record, call);
    case OperationClass::io:
      return take_io(record, call);
  }
  return false;
}

/// Whether it is a call of the trace. Group calls are none, but say who is in the group.
bool RankBuilder::take_local(const Record& record, Call& call) {
  learn_members(record);
  if (call.operation == Operation::none) {
    result_.findings.add(kLocalCalls, record.function->name);
    return false;
  }
  if (call.operation == Operation::comm_free || call.operation == Operation::comm_disconnect) {
    const auto found = comms_.find(record[Scalar::comm]);
    call.comm = found == comms_.end() ? kCommNull : found->second;
  }
  return true;
}

bool RankBuilder::find_comm(std::int64_t handle, Call& call) {
  const auto found = comms_.find(handle);
  call.comm = found == comms_.end() ? kCommNull : found->second;
  if (call.comm != kCommNull) return true;
  result_.findings.add(kUnknownCommunicator, mpi_name(call.operation));
  return false;
}

std::int32_t RankBuilder::world_rank(std::uint32_t comm, std::int64_t rank) const {
  if (comm == kCommNull || rank < 0) return kPeerNone;
  if (comm == kCommSelf) return rank == 0 ? rank_ : kPeerNone;
  const auto& members = trace_.communicators()[comm].members;
  return static_cast<std::size_t>(rank) < members.size() ? members[static_cast<std::size_t>(rank)]
                                                         : kPeerNone;
}

/// MPI_PROC_NULL is recorded as the MPI library has it, which is negative in all of them.
bool RankBuilder::destination(std::int64_t given, std::uint32_t comm, std::int32_t& peer) {
  peer = given < 0 ? kPeerNull : world_rank(comm, given);
  if (peer != kPeerNone) return true;
  result_.findings.add(kDamagedRecord, fmt::format("rank {} is not in the communicator", given));
  return false;
}

bool RankBuilder::source(std::int64_t given, const Status* status, Call& call) {
  if (given != kAnySource) return destination(given, call.comm, call.peer);
  call.peer = kPeerAny;
  set_flag(call, SLK_FLAG_ANY_SOURCE);
  if (status == nullptr) return true;
  const std::int32_t peer = world_rank(call.comm, status->source);
  if (peer != kPeerNone) {
    call.peer = peer;
  } else if (status->source < 0) {
    // In MPICH, MPI_PROC_NULL is the number that DUMPI has for MPI_ANY_SOURCE.
    call.peer = kPeerNull;
    call.flags = 0;
  }
  return true;
}

std::uint64_t RankBuilder::bytes_of(std::int64_t count, std::int64_t type) {
  const auto found = facts_.type_bytes.find(type);
  const std::uint64_t bytes =
      found == facts_.type_bytes.end() ? usual_type_bytes(type) : found->second;
  constexpr std::int64_t kFirstOwnType = 28;
  if (found == facts_.type_bytes.end() && type >= kFirstOwnType && count > 0) {
    result_.findings.add(kUnknownDatatypes, fmt::format("rank {}: datatype {}", rank_, type));
  }
  return product(count, bytes);
}

bool RankBuilder::take_message(const Record& record, Call& call) {
  if (!find_comm(record[Scalar::comm], call)) return false;
  const bool receives = is_receive(call.operation);
  const bool ends = operation_class(call.operation) == OperationClass::recv;
  const Status* const status = ends && !record.statuses.empty() ? record.statuses.data() : nullptr;
  call.tag = static_cast<std::int32_t>(record[Scalar::tag]);
  call.bytes = bytes_of(record[Scalar::count], record[Scalar::datatype]);
  if (receives) {
    if (record[Scalar::tag] == kAnyTag) set_flag(call, SLK_FLAG_ANY_TAG);
    if (!source(record[Scalar::source], status, call)) return false;
    if (status != nullptr && call.peer >= 0) {
      call.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, status->bytes));
      if (status->tag >= 0) call.tag = static_cast<std::int32_t>(status->tag);
    }
    if (ends && call.peer == kPeerAny) result_.findings.add(kSourceUnknown);
  } else if (!destination(record[Scalar::dest], call.comm, call.peer)) {
    return false;
  }
  if (operation_class(call.operation) == OperationClass::send || ends) return true;
  call.request = ++last_request_;
  const bool persistent = operation_class(call.operation) == OperationClass::request_init;
  requests_[record[Scalar::request]] = {
      call.request, call.operation, call.peer, call.tag,   call.bytes, call.comm,
      call.flags,   calls_.size(),  0,         persistent, !persistent};
  return true;
}

bool RankBuilder::take_sendrecv(const Record& record, Call& call) {
  if (!find_comm(record[Scalar::comm], call)) return false;
  const bool replaces = call.operation == Operation::sendrecv_replace;
  Call receive{.comm = call.comm};
  const Status* const status = record.statuses.empty() ? nullptr : record.statuses.data();
  if (!destination(record[Scalar::dest], call.comm, call.peer)) return false;
  if (!source(record[Scalar::source], status, receive)) return false;
  if (receive.peer == kPeerAny) result_.findings.add(kSourceUnknown);
  call.tag = static_cast<std::int32_t>(record[Scalar::send_tag]);
  call.bytes = replaces ? bytes_of(record[Scalar::count], record[Scalar::datatype])
                        : bytes_of(record[Scalar::send_count], record[Scalar::send_type]);
  std::int64_t tag = record[Scalar::recv_tag];
  std::uint64_t bytes =
      replaces ? call.bytes : bytes_of(record[Scalar::recv_count], record[Scalar::recv_type]);
  if (tag == kAnyTag) set_flag(receive, SLK_FLAG_ANY_TAG);
  if (status != nullptr && receive.peer >= 0) {
    bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, status->bytes));
    if (status->tag >= 0) tag = status->tag;
  }
  args_ = {receive.peer, tag, static_cast<std::int64_t>(bytes), receive.flags};
  return true;
}

bool RankBuilder::take_probe(const Record& record, Call& call) {
  if (!find_comm(record[Scalar::comm], call)) return false;
  const bool found = call.operation == Operation::probe || record[Scalar::flag] != 0;
  const Status* const status = found && !record.statuses.empty() ? record.statuses.data() : nullptr;
  call.tag = static_cast<std::int32_t>(record[Scalar::tag]);
  if (record[Scalar::tag] == kAnyTag) set_flag(call, SLK_FLAG_ANY_TAG);
  if (!source(record[Scalar::source], status, call)) return false;
  if (!found) {
    fail(call);
  } else if (status != nullptr && call.peer >= 0) {
    call.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, status->bytes));
    if (status->tag >= 0) call.tag = static_cast<std::int32_t>(status->tag);
  }
  return true;
}

void RankBuilder::fail(Call& call) {
  set_flag(call, SLK_FLAG_FAILED);
  call.request = kRequestNone;
  args_ = {1, call.end_ns - call.begin_ns};
}

void RankBuilder::take_start(const Record& record, Call& call) {
  std::vector<std::int64_t> handles = record[Array::requests];
  if (call.operation == Operation::start) handles = {record[Scalar::request]};
  for (const std::int64_t handle : handles) {
    const auto found = requests_.find(handle);
    if (found == requests_.end() || !found->second.persistent) {
      result_.findings.add(kUnknownRequests);
      continue;
    }
    Request& request = found->second;
    request.serial = ++last_request_;
    request.call = calls_.size();
    request.argument = args_.size();
    request.under_way = true;
    args_.insert(args_.end(),
                 {request.serial, static_cast<std::int64_t>(request.operation), request.peer,
                  request.tag, static_cast<std::int64_t>(request.bytes), request.comm});
    call.comm = request.comm;
  }
}

std::uint32_t RankBuilder::complete(std::int64_t handle, const Status* status) {
  if (handle == kRequestNull) return kRequestNone;
  const auto found = requests_.find(handle);
  if (found == requests_.end()) {
    result_.findings.add(kUnknownRequests);
    return kRequestNone;
  }
  Request& request = found->second;
  if (!request.under_way) return kRequestNone;
  const std::uint32_t serial = request.serial;
  if (is_receive(request.operation)) {
    const bool open = request.peer == kPeerAny;
    if (status != nullptr) {
      resolve(request, *status);
    } else if (open) {
      result_.findings.add(kSourceUnknown);
    }
  }
  request.under_way = false;
  if (!request.persistent) requests_.erase(found);
  return serial;
}

/// A receive's call gets what its status says. MPI_PROC_NULL's status has a negative source.
void RankBuilder::resolve(const Request& request, const Status& status) {
  const std::int32_t peer = status.source < 0 ? kPeerNull : world_rank(request.comm, status.source);
  const bool wildcard = (request.flags & SLK_FLAG_ANY_SOURCE) != 0;
  if (peer == kPeerNone || (!wildcard && peer != request.peer)) return;
  const bool nothing = peer == kPeerNull;
  const auto bytes =
      nothing ? 0 : static_cast<std::uint64_t>(std::max<std::int64_t>(0, status.bytes));
  const auto tag = nothing || status.tag < 0 ? request.tag : static_cast<std::int32_t>(status.tag);
  if (request.persistent) {
    resolve_start(calls_.mutable_args(request.call), request.argument, peer, tag, bytes,
                  request.comm);
  } else {
    calls_.resolve(request.call, peer, tag, bytes);
  }
}

void RankBuilder::take_completion(const Record& record, Call& call) {
  const Status* const status = record.statuses.empty() ? nullptr : record.statuses.data();
  const auto& handles = record[Array::requests];
  switch (call.operation) {
    case Operation::wait:
      call.request = complete(record[Scalar::request], status);
      return;
    case Operation::test:
      if (record[Scalar::flag] == 0) return fail(call);
      call.request = complete(record[Scalar::request], status);
      return;
    case Operation::waitany:
    case Operation::testany: {
      if (call.operation == Operation::testany && record[Scalar::flag] == 0) return fail(call);
      const std::int64_t index = record[Scalar::index];
      if (index >= 0 && index < static_cast<std::int64_t>(handles.size())) {
        call.request = complete(handles[static_cast<std::size_t>(index)], status);
      }
      return;
    }
    default:
      take_several(record, call);
  }
}

void RankBuilder::take_several(const Record& record, Call& call) {
  const auto& handles = record[Array::requests];
  const auto& indices = record[Array::indices];
  const auto status = [&](std::size_t i) {
    return i < record.statuses.size() ? &record.statuses[i] : nullptr;
  };
  if (call.operation == Operation::waitall || call.operation == Operation::testall) {
    if (call.operation == Operation::testall && record[Scalar::flag] == 0) return fail(call);
    for (std::size_t i = 0; i < handles.size(); ++i) {
      if (handles[i] != kRequestNull) args_.push_back(complete(handles[i], status(i)));
    }
    return;
  }
  if (call.operation == Operation::testsome && indices.empty()) return fail(call);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0 || indices[i] >= static_cast<std::int64_t>(handles.size())) continue;
    args_.push_back(complete(handles[static_cast<std::size_t>(indices[i])], status(i)));
  }
}

/// MPI_Request_free and MPI_Cancel. A freed request goes on without a name.
void RankBuilder::take_request(const Record& record, Call& call) {
  const auto found = requests_.find(record[Scalar::request]);
  if (found == requests_.end()) {
    result_.findings.add(kUnknownRequests);
    return;
  }
  call.request = found->second.serial;
  if (call.operation == Operation::request_free) requests_.erase(found);
}

std::int32_t RankBuilder::root(const Record& record, const Call& call) const {
  const std::int64_t given = record[Scalar::root];
  return given == kMpiRoot ? kPeerRoot : world_rank(call.comm, given);
}

void RankBuilder::append_counts(const std::vector<std::int64_t>& counts, std::int64_t type) {
  for (const std::int64_t count : counts) {
    args_.push_back(static_cast<std::int64_t>(bytes_of(count, type)));
  }
}

bool RankBuilder::take_collective(const Record& record, Call& call) {
  if (!find_comm(record[Scalar::comm], call)) return false;
  const auto own = [&](Scalar count, Scalar type) {
    call.bytes = bytes_of(record[count], record[type]);
    call.tag =
        static_cast<std::int32_t>(std::min<std::uint64_t>(bytes_of(1, record[type]), INT32_MAX));
  };
  if (has_root(call.operation)) call.peer = root(record, call);
  switch (call.operation) {
    case Operation::bcast:
    case Operation::reduce:
    case Operation::allreduce:
    case Operation::scan:
    case Operation::exscan:
      own(Scalar::count, Scalar::datatype);
      break;
    case Operation::gather:
    case Operation::allgather:
    case Operation::alltoall:
      own(Scalar::send_count, Scalar::send_type);
      break;
    case Operation::scatter:
      own(Scalar::recv_count, Scalar::recv_type);
      break;
    case Operation::gatherv:
      own(Scalar::send_count, Scalar::send_type);
      append_counts(record[Array::recv_counts], record[Scalar::recv_type]);
      break;
    case Operation::scatterv:
      own(Scalar::recv_count, Scalar::recv_type);
      append_counts(record[Array::send_counts], record[Scalar::send_type]);
      break;
    case Operation::allgatherv:
      own(Scalar::send_count, Scalar::send_type);
      append_counts(record[Array::recv_counts], record[Scalar::recv_type]);
      break;
    case Operation::alltoallv:
      append_counts(record[Array::send_counts], record[Scalar::send_type]);
      call.bytes = 0;
      for (const std::int64_t bytes : args_) {
        add_saturated(call.bytes, static_cast<std::uint64_t>(bytes));
      }
      append_counts(record[Array::recv_counts], record[Scalar::recv_type]);
      break;
    case Operation::alltoallw: {
      const auto append = [&](const std::vector<std::int64_t>& counts,
                              const std::vector<std::int64_t>& types) {
        for (std::size_t i = 0; i < std::min(counts.size(), types.size()); ++i) {
          args_.push_back(static_cast<std::int64_t>(bytes_of(counts[i], types[i])));
        }
      };
      append(record[Array::send_counts], record[Array::send_types]);
      for (const std::int64_t bytes : args_) {
        add_saturated(call.bytes, static_cast<std::uint64_t>(bytes));
      }
      append(record[Array::recv_counts], record[Array::recv_types]);
      break;
    }
    case Operation::reduce_scatter: {
      append_counts(record[Array::recv_counts], record[Scalar::datatype]);
      const std::int32_t rank = trace_.rank_in(call.comm, rank_);
      const auto at = static_cast<std::size_t>(std::max(0, rank));
      if (rank >= 0 && at < args_.size()) call.bytes = static_cast<std::uint64_t>(args_[at]);
      break;
    }
    default:
      break;
  }
  return true;
}

void RankBuilder::take_maker(const Record& record, Call& call) {
  const auto parent = comms_.find(record[Scalar::comm]);
  call.comm = parent == comms_.end() ? kCommNull : parent->second;
  args_ = {event_ == nullptr ? kCommNull : event_->comm};
  learn_members(record);
}

/// What the handles mean from now on that the call has made.
void RankBuilder::learn_members(const Record& record) {
  if (event_ == nullptr) return;
  const MembershipEvent event = membership_event(record);
  if (operation_class(event.function->operation) != OperationClass::comm_create) {
    groups_[event.new_group] = event_->group;
  } else if (event.new_comm > kHandleCommNull) {
    comms_[event.new_comm] = event_->comm;
  }
}

bool RankBuilder::take_one_sided(const Record& record, Call& call) {
  const std::int64_t win = record[Scalar::win];
  if (call.operation == Operation::win_create) {
    if (!find_comm(record[Scalar::comm], call)) return false;
    comm_of_win_[win] = call.comm;
  }
  const auto comm = comm_of_win_.find(win);
  if (comm == comm_of_win_.end()) {
    result_.findings.add(kUnknownCommunicator, mpi_name(call.operation));
    return false;
  }
  call.comm = comm->second;
  result_.findings.add(kOneSidedCalls);
  switch (call.operation) {
    case Operation::win_post:
    case Operation::win_start:
      if (const auto group = groups_.find(record[Scalar::group]); group != groups_.end()) {
        args_.assign(group->second.begin(), group->second.end());
      }
      return true;
    case Operation::win_lock:
      call.tag = record[Scalar::lock_type] == kLockShared ? 1 : 0;
      break;
    case Operation::put:
    case Operation::get:
    case Operation::accumulate:
      call.bytes = bytes_of(record[Scalar::origin_count], record[Scalar::origin_type]);
      break;
    case Operation::win_unlock:
      break;
    case Operation::win_test:
      if (record[Scalar::flag] == 0) fail(call);
      return true;
    default:
      return true;
  }
  return destination(record[Scalar::target_rank], call.comm, call.peer);
}

bool RankBuilder::take_io(const Record& record, Call& call) {
  const std::int64_t file = record[Scalar::file];
  if (call.operation == Operation::file_open) {
    if (!find_comm(record[Scalar::comm], call)) return false;
    comm_of_file_[file] = call.comm;
    return true;
  }
  const auto comm = comm_of_file_.find(file);
  if (comm == comm_of_file_.end()) {
    result_.findings.add(kUnknownCommunicator, mpi_name(call.operation));
    return false;
  }
  call.comm = comm->second;
  call.bytes = bytes_of(record[Scalar::count], record[Scalar::datatype]);
  return true;
}

}  // namespace slackline::dumpi
