// One rank's calls as OTF2 events, in the way Score-P records them: every call is a region of MPI's
// paradigm, with the records of what it communicates inside. The same rules say what a reader makes
// of these records (`expected`); a field that would come out otherwise gets an attribute.

#include "formats/otf2/rank_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/arithmetic.h"
#include "base/error.h"
#include "trace/start_groups.h"

namespace slackline::otf2 {
namespace {

constexpr FindingKind kTimesMoved{
    "times_moved", Severity::notice,
    "Calls or regions that begin before the end of the preceding one; OTF2 cannot represent that, "
    "so they were moved to its end."};

}  // namespace

int collective_op(Operation operation) {
  switch (blocking_form(operation)) {
    case Operation::barrier:
      return OTF2_COLLECTIVE_OP_BARRIER;
    case Operation::bcast:
      return OTF2_COLLECTIVE_OP_BCAST;
    case Operation::gather:
      return OTF2_COLLECTIVE_OP_GATHER;
    case Operation::gatherv:
      return OTF2_COLLECTIVE_OP_GATHERV;
    case Operation::scatter:
      return OTF2_COLLECTIVE_OP_SCATTER;
    case Operation::scatterv:
      return OTF2_COLLECTIVE_OP_SCATTERV;
    case Operation::allgather:
      return OTF2_COLLECTIVE_OP_ALLGATHER;
    case Operation::allgatherv:
      return OTF2_COLLECTIVE_OP_ALLGATHERV;
    case Operation::alltoall:
      return OTF2_COLLECTIVE_OP_ALLTOALL;
    case Operation::alltoallv:
      return OTF2_COLLECTIVE_OP_ALLTOALLV;
    case Operation::alltoallw:
      return OTF2_COLLECTIVE_OP_ALLTOALLW;
    case Operation::allreduce:
      return OTF2_COLLECTIVE_OP_ALLREDUCE;
    case Operation::reduce:
      return OTF2_COLLECTIVE_OP_REDUCE;
    case Operation::reduce_scatter:
      return OTF2_COLLECTIVE_OP_REDUCE_SCATTER;
    case Operation::reduce_scatter_block:
      return OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK;
    case Operation::scan:
      return OTF2_COLLECTIVE_OP_SCAN;
    case Operation::exscan:
      return OTF2_COLLECTIVE_OP_EXSCAN;
    default:
      return -1;
  }
}

std::size_t written_counters(const Trace& trace) {
  return std::min<std::size_t>(trace.counters().size(), std::numeric_limits<std::uint8_t>::max());
}

Names::Names(const Trace& trace) {
  std::vector<char> occurs(kOperationCount, 0);
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      occurs[static_cast<std::size_t>(calls.operation(i))] = 1;
    }
  }
  for (std::size_t op = 0; op < kOperationCount; ++op) {
    if (occurs[op] != 0) regions_[op] = first_user_++;
  }
  program_ = user_region(static_cast<std::uint32_t>(trace.regions().size()));
}

std::uint32_t Names::text(const std::string& value) {
  const auto next = static_cast<std::uint32_t>(texts_.size());
  const auto [at, added] = numbers_.emplace(value, next);
  if (added) texts_.push_back(&at->first);
  return at->second;
}

std::uint64_t RankWriter::ticks(std::int64_t time) {
  const std::uint64_t t = zero_ticks_ + static_cast<std::uint64_t>(time);
  if (t < last_ticks_) findings_.add(kTimesMoved, fmt::format("rank {}", rank_));
  last_ticks_ = std::max(t, last_ticks_);
  ++events_;
  return last_ticks_;
}

std::uint64_t RankWriter::write(OTF2_EvtWriter* writer, std::uint16_t thread) {
  writer_ = writer;
  attributes_ = OTF2_AttributeList_New();
  events_ = last_ticks_ = 0;
  const bool main = thread == 0;
  const RankInfo& info = trace_.rank_info(rank_);
  const bool runs = info.present || !calls_.empty();
  if (main && runs) {
    OTF2_EvtWriter_ProgramBegin(writer_, nullptr, ticks(calls_.start_ns()), 0, 0, nullptr);
  }
  if (runs) OTF2_EvtWriter_Enter(writer_, nullptr, ticks(calls_.start_ns()), names_.program());
  next_region_ = next_pause_ = 0;
  totals_.assign(written_counters(trace_), OTF2_MetricValue{});
  total_types_.assign(totals_.size(), OTF2_TYPE_UINT64);
  if (runs) write_totals(calls_.start_ns());
  for (std::uint32_t i = 0; i < calls_.size(); ++i) {
    if (main) write_between(i);
    const Call call = calls_[i];
    if (call.thread == thread) write_call(i, call);
  }
  if (main) {
    write_between(0xffffffffu);
    write_totals_after(static_cast<std::uint32_t>(calls_.size()), calls_.stop_ns());
  }
  const bool ends = main && info.present && info.finalized;
  if (runs) {
    const std::uint64_t end = ends ? ticks(calls_.stop_ns()) : last_ticks_;
    OTF2_EvtWriter_Leave(writer_, nullptr, end, names_.program());
    if (!ends) ++events_;
  }
  if (ends) OTF2_EvtWriter_ProgramEnd(writer_, nullptr, ticks(calls_.stop_ns()), 0);
  OTF2_AttributeList_Delete(attributes_);
  return events_;
}

// Region events and pauses up to a call, in order of time.
void RankWriter::write_between(std::uint32_t before_call) {
  const auto regions = calls_.regions();
  const auto pauses = calls_.pauses();
  while (true) {
    const bool region =
        next_region_ < regions.size() && regions[next_region_].before_call <= before_call;
    const bool pause =
        next_pause_ < pauses.size() && pauses[next_pause_].before_call <= before_call;
    if (!region && !pause) return;
    if (pause && (!region || pauses[next_pause_].begin_ns <= regions[next_region_].time_ns)) {
      write_pause(pauses[next_pause_++]);
    } else {
      write_region_event(regions[next_region_++]);
    }
  }
}

void RankWriter::write_region_event(const RegionEvent& event) {
  if (threads_.size() > 1) add_position(event.before_call);
  const std::uint64_t t = ticks(event.time_ns);
  const std::uint32_t region = names_.user_region(event.region);
  if (event.enter) {
    OTF2_EvtWriter_Enter(writer_, attributes_, t, region);
  } else {
    OTF2_EvtWriter_Leave(writer_, attributes_, t, region);
  }
  OTF2_AttributeList_RemoveAllAttributes(attributes_);
}

// The one record of OTF2 for time in which a process does nothing of its own.
void RankWriter::write_pause(const Pause& pause) {
  if (pause.kind != PauseKind::other) {
    OTF2_AttributeList_AddUint8(attributes_, static_cast<OTF2_AttributeRef>(Attribute::flags),
                                static_cast<std::uint8_t>(pause.kind));
  }
  if (threads_.size() > 1) add_position(pause.before_call);
  const std::uint64_t begin = ticks(pause.begin_ns);
  OTF2_EvtWriter_BufferFlush(writer_, attributes_, begin,
                             zero_ticks_ + static_cast<std::uint64_t>(pause.end_ns));
  OTF2_AttributeList_RemoveAllAttributes(attributes_);
}

// Running totals. Of what they gain inside of calls a Trace knows nothing.
void RankWriter::write_totals(std::int64_t time) {
  if (totals_.empty()) return;
  OTF2_EvtWriter_Metric(writer_, nullptr, ticks(time), kCounters,
                        static_cast<std::uint8_t>(totals_.size()), total_types_.data(),
                        totals_.data());
}

void RankWriter::write_totals_after(std::uint32_t gap, std::int64_t time) {
  for (std::size_t c = 0; c < totals_.size(); ++c) {
    totals_[c].unsigned_int += calls_.counter(c, gap);
  }
  write_totals(time);
}

void RankWriter::write_call(std::uint32_t i, const Call& call) {
  const std::uint32_t region = names_.region(call.operation);
  write_totals_after(i, call.begin_ns);
  add_attributes(i, call);
  OTF2_EvtWriter_Enter(writer_, attributes_, ticks(call.begin_ns), region);
  OTF2_AttributeList_RemoveAllAttributes(attributes_);
  write_records(i, call);
  OTF2_EvtWriter_Leave(writer_, nullptr, ticks(call.end_ns), region);
}

CollectivePlace RankWriter::place(const Call& call) const {
  return {comms_.size(call.comm), comms_.own(rank_, call.comm), call.peer == rank_};
}

CollectiveBytes RankWriter::record_bytes(const Call& call) const {
  const Operation form = blocking_form(call.operation);
  if ((form == Operation::alltoallv || form == Operation::alltoallw) && call.args.size() % 2 == 0) {
    CollectiveBytes sum;
    for (std::size_t i = 0; i < call.args.size(); ++i) {
      add_saturated(i < call.args.size() / 2 ? sum.sent : sum.received,
                    static_cast<std::uint64_t>(call.args[i]));
    }
    return sum;
  }
  std::uint64_t total = 0;
  for (const std::int64_t bytes : call.args) {
    add_saturated(total, static_cast<std::uint64_t>(bytes));
  }
  return recorded_bytes(call.operation, call.bytes, total, place(call));
}

std::uint32_t RankWriter::record_root(const Call& call) const {
  if (call.peer == kPeerNone) return OTF2_COLLECTIVE_ROOT_NONE;
  if (call.peer == kPeerRoot) return OTF2_COLLECTIVE_ROOT_SELF;
  if (call.peer == kPeerNull) return OTF2_COLLECTIVE_ROOT_THIS_GROUP;
  return comms_.relative(rank_, call.comm, call.peer);
}

void RankWriter::write_collective(const Call& call) {
  const CollectiveBytes bytes = record_bytes(call);
  OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, ticks(call.begin_ns));
  OTF2_EvtWriter_MpiCollectiveEnd(writer_, nullptr, ticks(call.end_ns),
                                  static_cast<OTF2_CollectiveOp>(collective_op(call.operation)),
                                  call.comm, record_root(call), bytes.sent, bytes.received);
}

void RankWriter::write_records(std::uint32_t i, const Call& call) {
  const auto tag = static_cast<std::uint32_t>(call.tag);
  const auto relative = [&] { return comms_.relative(rank_, call.comm, call.peer); };
  switch (operation_class(call.operation)) {
    case OperationClass::send:
      if (!can_message(call)) return;
      OTF2_EvtWriter_MpiSend(writer_, nullptr, ticks(call.begin_ns), relative(), call.comm, tag,
                             call.bytes);
      return;
    case OperationClass::recv:
      if (!can_message(call)) return;
      OTF2_EvtWriter_MpiRecv(writer_, nullptr, ticks(call.end_ns), relative(), call.comm, tag,
                             call.bytes);
      return;
    case OperationClass::sendrecv:
      if (can_message(call)) {
        OTF2_EvtWriter_MpiSend(writer_, nullptr, ticks(call.begin_ns), relative(), call.comm, tag,
                               call.bytes);
      }
      if (const auto from = received_by(call)) {
        OTF2_EvtWriter_MpiRecv(writer_, nullptr, ticks(call.end_ns), from->rank, call.comm,
                               from->tag, from->bytes);
      }
      return;
    case OperationClass::isend:
      if (told_[i] == 0 || !requests_told_) return;
      OTF2_EvtWriter_MpiIsend(writer_, nullptr, ticks(call.begin_ns), relative(), call.comm, tag,
                              call.bytes, call.request);
      return;
    case OperationClass::irecv:
      if (told_[i] == 0 || !requests_told_) return;
      OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, ticks(call.begin_ns), call.request);
      return;
    case OperationClass::icollective:
      if (told_[i] == 0 || !requests_told_) return;
      OTF2_EvtWriter_NonBlockingCollectiveRequest(writer_, nullptr, ticks(call.begin_ns),
                                                  call.request);
      return;
    case OperationClass::start:
      if (told_[i] != 0 && requests_told_) write_starts(call);
      return;
    case OperationClass::completion:
      if (requests_told_) write_completions(i, call);
      return;
    case OperationClass::collective:
      if (can_collective(call)) write_collective(call);
      return;
    case OperationClass::comm_create:
      if (!comms_.exists(call.comm)) return;
      OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, ticks(call.begin_ns));
      if (makes_comm(call)) {
        OTF2_EvtWriter_CommCreate(writer_, nullptr, ticks(call.end_ns),
                                  static_cast<std::uint32_t>(call.args[0]));
      }
      OTF2_EvtWriter_MpiCollectiveEnd(writer_, nullptr, ticks(call.end_ns),
                                      OTF2_COLLECTIVE_OP_CREATE_HANDLE, call.comm,
                                      OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
      return;
    default:
      return;
  }
}

bool RankWriter::makes_comm(const Call& call) const {
  return call.args.size() == 1 && call.args[0] >= 0 && call.args[0] < kCommNull &&
         comms_.exists(static_cast<std::uint32_t>(call.args[0]));
}

std::optional<RankWriter::Received> RankWriter::received_by(const Call& call) const {
  if (call.args.size() != 4) return std::nullopt;
  const auto [source, tag, bytes] = std::array{call.args[0], call.args[1], call.args[2]};
  if (source < 0 || source > 0x7fffffff || tag < 0 || tag > 0x7fffffff || bytes < 0) {
    return std::nullopt;
  }
  const std::uint32_t rank = comms_.relative(rank_, call.comm, static_cast<std::int32_t>(source));
  if (rank == CommRanks::kNone) return std::nullopt;
  return Received{rank, static_cast<std::uint32_t>(tag), static_cast<std::uint64_t>(bytes)};
}

void RankWriter::write_starts(const Call& call) {
  const StartGroups groups(call.args);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const StartedRequest started = groups[i];
    if (started.receives()) {
      OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, ticks(call.begin_ns), started.serial);
      continue;
    }
    OTF2_EvtWriter_MpiIsend(writer_, nullptr, ticks(call.begin_ns),
                            comms_.relative(rank_, started.comm, started.peer), started.comm,
                            static_cast<std::uint32_t>(started.tag), started.bytes, started.serial);
  }
}

void RankWriter::write_completions(std::uint32_t i, const Call& call) {
  for (std::uint32_t c = first_completed_[i]; c < first_completed_[i + 1]; ++c) {
    const Call start = calls_[completed_[c].start.call];
    const std::uint64_t serial = completed_[c].serial;
    const std::uint64_t t = ticks(call.end_ns);
    switch (operation_class(start.operation)) {
      case OperationClass::irecv:
        OTF2_EvtWriter_MpiIrecv(writer_, nullptr, t, comms_.relative(rank_, start.comm, start.peer),
                                start.comm, static_cast<std::uint32_t>(start.tag), start.bytes,
                                serial);
        break;
      case OperationClass::icollective: {
        const CollectiveBytes bytes = record_bytes(start);
        OTF2_EvtWriter_NonBlockingCollectiveComplete(
            writer_, nullptr, t, static_cast<OTF2_CollectiveOp>(collective_op(start.operation)),
            start.comm, record_root(start), bytes.sent, bytes.received, serial);
        break;
      }
      case OperationClass::start: {
        const StartedRequest started = StartGroups(start.args)[completed_[c].start.group];
        if (started.receives()) {
          OTF2_EvtWriter_MpiIrecv(writer_, nullptr, t,
                                  comms_.relative(rank_, started.comm, started.peer), started.comm,
                                  static_cast<std::uint32_t>(started.tag), started.bytes, serial);
          break;
        }
        [[fallthrough]];
      }
      default:
        OTF2_EvtWriter_MpiIsendComplete(writer_, nullptr, t, serial);
    }
  }
}

}  // namespace slackline::otf2
