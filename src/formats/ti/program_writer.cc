// A rank's calls as actions of SimGrid's replay. An action has fewer arguments than its call, and
// some calls have no action; what is lost so is counted. MPI_Waitall is written as such only where
// it completes everything that is under way, because that is what the action does; else one wait is
// written for each request.
//
// The replay has no nonblocking collectives. Each is written as a blocking one where it is
// completed, after those that were started before it, and before any blocking one that is called
// meanwhile: so all ranks keep one order. With s and c for what a rank computes before the start
// and between start and completion, that takes max(s + c) and the collective; where it starts, it
// would take max(s), the collective and max(c), which is never less.

#include "formats/ti/program_writer.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "formats/ti/fields.h"
#include "formats/ti/ti.h"
#include "trace/start_groups.h"

namespace slackline::ti {
namespace {

constexpr int kDoubleType = static_cast<int>(kDouble);
constexpr int kByteType = static_cast<int>(kByte);
constexpr int kIntType = 1;
constexpr int kShortType = 3;

std::int64_t tag_of(std::int64_t tag) {
  return tag == kTagAny ? kAnyTag : tag;
}

}  // namespace

ProgramWriter::ProgramWriter(const Trace& trace, std::int32_t rank, std::int64_t late_ns,
                             OutputFile& file, Findings& findings, LostCalls& lost)
    : trace_(trace),
      calls_(trace.calls(rank)),
      rank_(rank),
      late_ns_(late_ns),
      file_(file),
      findings_(findings),
      lost_(lost) {}

// Computation that calls without an action cut into pieces is one action.
void ProgramWriter::begin_line(std::string_view action) {
  constexpr double kFlopsPerNano = kTiFlopsPerSecond / 1e9;
  const auto out = std::back_inserter(text_);
  if (compute_ns_ > 0) {
    fmt::format_to(out, FMT_COMPILE("{} compute {}\n"), rank_,
                   static_cast<double>(compute_ns_) * kFlopsPerNano);
  }
  compute_ns_ = 0;
  fmt::format_to(out, FMT_COMPILE("{} {}"), rank_, action);
}

template <class... Words>
void ProgramWriter::line(std::string_view action, Words... words) {
  begin_line(action);
  (fmt::format_to(std::back_inserter(text_), FMT_COMPILE(" {}"), words), ...);
  text_ += '\n';
}

void ProgramWriter::write() {
  constexpr std::size_t kPiece = 1 << 16;
  if (calls_.empty() || !is_init(calls_.operation(0))) {
    line("init");
    start_late();
  }
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    gap(i);
    const Call next = calls_[i];
    if (next.thread != 0) findings_.add(kThreadsMerged);
    call(next);
    if (text_.size() < kPiece) continue;
    file_.write(text_);
    text_.clear();
  }
  // Nothing follows MPI_Finalize in a replay.
  if (calls_.empty() || calls_.operation(calls_.size() - 1) != Operation::finalize) {
    gap(calls_.size());
    write_all_pending();
    line("finalize");
  }
  file_.write(text_);
}

// Computation before call i, with the times slept in it.
void ProgramWriter::gap(std::size_t i) {
  const std::int64_t before = i == 0 ? calls_.start_ns() : calls_.end_ns(i - 1);
  const std::int64_t until = i < calls_.size() ? calls_.begin_ns(i) : calls_.stop_ns();
  const auto regions = calls_.regions();
  std::int64_t now = before;
  std::optional<std::int64_t> asleep;
  for (; next_region_ < regions.size() && regions[next_region_].before_call <= i; ++next_region_) {
    const RegionEvent& event = regions[next_region_];
    if (trace_.regions()[event.region] != kTiSleep) continue;
    const std::int64_t time = std::clamp(event.time_ns, now, std::max(now, until));
    if (event.enter) {
      compute_ns_ += std::max<std::int64_t>(0, time - now);
      now = time;
      asleep = time;
    } else if (asleep) {
      line("sleep", fmt::format("{}", static_cast<double>(time - *asleep) * 1e-9));
      now = time;
      asleep.reset();
    }
  }
  compute_ns_ += std::max<std::int64_t>(0, until - now);
}

std::int64_t ProgramWriter::peer(std::int32_t rank) const {
  if (rank == kPeerAny) return kAnySource;
  return rank < 0 || rank >= trace_.ranks() ? kNoRank : std::int64_t{rank};
}

void ProgramWriter::message(std::string_view action, std::int64_t peer, std::int64_t tag,
                            std::uint64_t bytes) {
  line(action, peer, tag, within_limit(bytes));
}

std::uint64_t ProgramWriter::within_limit(std::uint64_t count) {
  constexpr auto kMost = static_cast<std::uint64_t>(kTiMostElements);
  if (count > kMost) findings_.add(kSizeCut);
  return std::min(count, kMost);
}

void ProgramWriter::call(const Call& call) {
  const std::int64_t tag = tag_of(call.tag);
  switch (operation_class(call.operation)) {
    case OperationClass::send:
      if (call.operation != Operation::send) findings_.add(kModes);
      return message("send", peer(call.peer), tag, call.bytes);
    case OperationClass::recv:
      return message("recv", peer(call.peer), tag, call.bytes);
    case OperationClass::isend:
      if (call.operation != Operation::isend) findings_.add(kModes);
      return isend(call);
    case OperationClass::irecv:
      return irecv(call);
    case OperationClass::sendrecv:
      return sendrecv(call);
    case OperationClass::start:
      return start(call);
    case OperationClass::completion:
      return completion(call);
    case OperationClass::collective:
    case OperationClass::icollective:
      return collective(call);
    case OperationClass::environment:
      write_all_pending();
      if (call.operation == Operation::finalize) return line("finalize");
      if (call.operation == Operation::abort) return;
      line("init");
      return start_late();
    case OperationClass::none:
    case OperationClass::local:
    case OperationClass::request_init:
      return;
    default:
      leave_out(call);
  }
}

// Ranks that MPI_Init lets go one after the other go on so in the replay.
void ProgramWriter::start_late() {
  if (late_ns_ > 0) line("sleep", fmt::format("{}", static_cast<double>(late_ns_) / 1e9));
  late_ns_ = 0;
}

void ProgramWriter::leave_out(const Call& call) {
  findings_.add(kNoAction, mpi_name(call.operation));
  ++lost_.calls;
  lost_.mpi_ns += call.end_ns - call.begin_ns;
}

void ProgramWriter::isend(const Call& call) {
  const std::int64_t to = peer(call.peer);
  message("isend", to, call.tag, call.bytes);
  requests_[call.request] = {rank_, to, call.tag};
}

void ProgramWriter::irecv(const Call& call) {
  const std::int64_t from = peer(call.peer);
  message("irecv", from, tag_of(call.tag), call.bytes);
  requests_[call.request] = {from, rank_, tag_of(call.tag)};
}

void ProgramWriter::start(const Call& call) {
  const StartGroups groups(call.args);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const StartedRequest started = groups[i];
    Call one;
    one.request = started.serial;
    one.peer = started.peer;
    one.tag = started.tag;
    one.bytes = started.bytes;
    if (started.receives()) {
      irecv(one);
    } else {
      isend(one);
    }
  }
}

void ProgramWriter::sendrecv(const Call& call) {
  if (call.args.size() < 3) return leave_out(call);
  const std::int64_t from = peer(static_cast<std::int32_t>(call.args[0]));
  const std::int64_t tag = tag_of(call.args[1]);
  const auto received = static_cast<std::uint64_t>(call.args[2]);
  if (call.tag == 0 && tag == 0) {
    return line("sendRecv", within_limit(call.bytes), peer(call.peer), within_limit(received), from,
                kByteType, kByteType);
  }
  findings_.add(kSendrecvSplit);
  message("irecv", from, tag, received);
  message("send", peer(call.peer), call.tag, call.bytes);
  wait({from, rank_, tag});
}

void ProgramWriter::wait(const Key& key) {
  line("wait", key.source, key.destination, key.tag);
}

void ProgramWriter::wait(std::uint32_t request) {
  const auto found = requests_.find(request);
  if (found == requests_.end()) return;
  wait(found->second);
  requests_.erase(found);
}

void ProgramWriter::completion(const Call& call) {
  if (call.has(SLK_FLAG_FAILED)) return leave_out(call);
  const auto under_way = [&](std::int64_t request) {
    return requests_.contains(static_cast<std::uint32_t>(request));
  };
  const auto known = static_cast<std::size_t>(std::ranges::count_if(call.args, under_way));
  if (call.operation == Operation::waitall && known == requests_.size()) {
    if (known > 0 || pending_.empty()) line("waitall", known);
    requests_.clear();
  }
  if (call.request != kRequestNone) wait(call.request);
  for (const std::int64_t request : call.args) wait(static_cast<std::uint32_t>(request));
  if (pending_.empty()) return;
  if (call.request != kRequestNone) write_pending_until(call.request);
  for (const std::int64_t request : call.args) {
    write_pending_until(static_cast<std::uint32_t>(request));
  }
}

// The nonblocking collective of that request, if it is one, and those before it.
void ProgramWriter::write_pending_until(std::uint32_t request) {
  const auto found = std::ranges::find(pending_, request, &Call::request);
  if (found == pending_.end()) return;
  for (auto before = pending_.begin(); before != found + 1; ++before) blocking_collective(*before);
  pending_.erase(pending_.begin(), found + 1);
}

void ProgramWriter::write_all_pending() {
  for (const Call& call : pending_) blocking_collective(call);
  pending_.clear();
}

// Types that give the element's size back; the default type is bytes.
ProgramWriter::Elements ProgramWriter::elements(std::uint64_t bytes, std::int32_t element) {
  const int type = element == 8   ? kDoubleType
                   : element == 4 ? kIntType
                   : element == 2 ? kShortType
                                  : kByteType;
  const std::uint64_t size = datatype_bytes(type);
  return bytes % size == 0 ? Elements{within_limit(bytes / size), type}
                           : Elements{within_limit(bytes), kByteType};
}

std::uint64_t ProgramWriter::in_elements(std::int64_t bytes, int type) {
  return within_limit(static_cast<std::uint64_t>(std::max<std::int64_t>(0, bytes)) /
                      datatype_bytes(type));
}

// Those of a duplicate of MPI_COMM_WORLD, too: a replay has no other communicator to confuse it
// with.
bool ProgramWriter::is_world(std::uint32_t comm) const {
  if (comm == kCommWorld) return true;
  if (comm == kCommSelf || comm >= trace_.communicators().size()) return false;
  const Communicator& c = trace_.communicators()[comm];
  return !c.is_inter() && c.members == trace_.communicators()[kCommWorld].members;
}

void ProgramWriter::collective(const Call& call) {
  if (!is_world(call.comm)) {
    if (call.comm == kCommSelf) return;
    findings_.add(kSubCommunicator, mpi_name(call.operation));
    ++lost_.calls;
    lost_.mpi_ns += call.end_ns - call.begin_ns;
    return;
  }
  if (operation_class(call.operation) == OperationClass::icollective) {
    findings_.add(kNonblockingCollective);
    pending_.push_back(call);
    return;
  }
  write_all_pending();
  blocking_collective(call);
}

void ProgramWriter::blocking_collective(const Call& call) {
  const Elements e = elements(call.bytes, call.tag);
  switch (blocking_form(call.operation)) {
    case Operation::barrier:
      return line("barrier");
    case Operation::allreduce:
      return line("allreduce", e.count, 0, e.type);
    case Operation::scan:
      return line("scan", e.count, 0, e.type);
    case Operation::exscan:
      return line("exscan", e.count, 0, e.type);
    case Operation::alltoall:
      return line("alltoall", e.count, e.count, e.type, e.type);
    case Operation::allgather:
      return line("allgather", e.count, e.count, e.type, e.type);
    case Operation::bcast:
    case Operation::reduce:
    case Operation::gather:
    case Operation::scatter:
      return rooted(call, e);
    default:
      return vector_collective(call, e);
  }
}

void ProgramWriter::rooted(const Call& call, Elements e) {
  const std::int32_t root = std::max(0, call.peer);
  switch (blocking_form(call.operation)) {
    case Operation::bcast:
      return line("bcast", e.count, root, e.type);
    case Operation::reduce:
      return line("reduce", e.count, 0, root, e.type);
    case Operation::gather:
      return line("gather", e.count, e.count, root, e.type, e.type);
    default:
      return line("scatter", e.count, e.count, root, e.type, e.type);
  }
}

// One number a rank. A rank that does not know them (as the others than the root) gives its own for
// all.
void ProgramWriter::counts(std::span<const std::int64_t> bytes, int type, std::uint64_t own) {
  const auto out = std::back_inserter(text_);
  const auto ranks = static_cast<std::size_t>(trace_.ranks());
  for (std::size_t r = 0; r < ranks; ++r) {
    fmt::format_to(out, FMT_COMPILE(" {}"),
                   bytes.size() == ranks ? in_elements(bytes[r], type) : own);
  }
}

void ProgramWriter::vector_collective(const Call& call, Elements e) {
  const auto out = std::back_inserter(text_);
  const auto half = call.args.size() / 2;
  const std::int32_t root = std::max(0, call.peer);
  switch (blocking_form(call.operation)) {
    case Operation::gatherv:
      begin_line("gatherv");
      fmt::format_to(out, FMT_COMPILE(" {}"), e.count);
      counts(call.args, e.type, e.count);
      fmt::format_to(out, FMT_COMPILE(" {} {} {}\n"), root, e.type, e.type);
      return;
    case Operation::scatterv:
      begin_line("scatterv");
      counts(call.args, e.type, e.count);
      fmt::format_to(out, FMT_COMPILE(" {} {} {} {}\n"), e.count, root, e.type, e.type);
      return;
    case Operation::allgatherv:
      begin_line("allgatherv");
      fmt::format_to(out, FMT_COMPILE(" {}"), e.count);
      counts(call.args, e.type, e.count);
      fmt::format_to(out, FMT_COMPILE(" {} {}\n"), e.type, e.type);
      return;
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      begin_line("reducescatter");
      counts(call.args, e.type, e.count);
      fmt::format_to(out, FMT_COMPILE(" 0 {}\n"), e.type);
      return;
    case Operation::alltoallv:
    case Operation::alltoallw: {
      const int type = elements(0, call.tag).type;
      begin_line("alltoallv");
      fmt::format_to(out, FMT_COMPILE(" 0"));
      counts(call.args.first(half), type, e.count);
      fmt::format_to(out, FMT_COMPILE(" 0"));
      counts(call.args.subspan(half), type, e.count);
      fmt::format_to(out, FMT_COMPILE(" {} {}\n"), type, type);
      return;
    }
    default:
      leave_out(call);
  }
}

}  // namespace slackline::ti
