#include "formats/raw/rank_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "base/arithmetic.h"
#include "base/flat_map.h"
#include "formats/raw/findings.h"
#include "formats/raw/gap_pauses.h"
#include "formats/raw/shared_channels.h"
#include "trace/operation_kinds.h"
#include "trace/sample_wire.h"

namespace slackline::raw {
namespace {

struct SerialHash {
  std::uint64_t operator()(std::uint32_t serial) const { return mix_bits(serial); }
};

/// What a nonblocking receive got, told by SLK_REC_RESOLVED.
struct Resolution {
  std::int32_t peer = kPeerNone;
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
  std::uint8_t flags = 0;
};

class RankReader {
 public:
  RankReader(const RankFiles& rank, const CommViews& views, const CallFrames& frames,
             const Trace& trace, const ClockMap& clock, std::int64_t zero_ns, std::int64_t end_ns)
      : rank_(rank),
        views_(views),
        frames_(frames),
        trace_(trace),
        clock_(clock),
        zero_ns_(zero_ns),
        job_end_ns_(end_ns - zero_ns),
        channels_(rank.header().rank, rank.files.size() > 1, result_.findings) {}

  RankResult read() {
    first_pass();
    result_.calls.reserve(rank_.order.size());
    for (const Place place : rank_.order) {
      file_ = place.file;
      take(rank_.at(place));
    }
    // A rank begins with its first call, MPI_Init.
    if (!result_.calls.empty()) result_.calls.set_start_ns(result_.calls.begin_ns(0));
    take_samples();
    take_parallel_regions();
    std::vector<std::int64_t> changes;
    for (const NamedRegionEvent& event : result_.regions) changes.push_back(event.time_ns);
    std::ranges::sort(changes);  // those of a damaged recording may not be
    append_pauses(losses_, region_losses_, written_, result_.samples, changes, result_.calls);
    set_recording_costs();
    result_.calls.shrink();
    return std::move(result_);
  }

 private:
  /// Samples belong to the computation before the next call, whichever thread made that.
  void take_samples() {
    std::vector<Sample> samples;
    for (std::uint32_t f = 0; f < rank_.samples.size(); ++f) {
      const File& file = rank_.samples[f];
      const auto number = static_cast<std::uint32_t>(rank_.files.size()) + f;
      if (const std::uint64_t skipped = file.sampling().skipped; skipped > 0) {
        result_.findings.add(kSkippedSamples, fmt::format("rank {}", rank_.header().rank), skipped);
      }
      for (std::size_t i = 0; i < file.size(); ++i) {
        const Record record = file[i];
        if (record.head.op == SLK_REC_BLOCKING_CALLS) {
          take_blocking_calls(record, frames_.of(number, record.head.request));
        }
        const bool blocked = record.head.op == SLK_REC_BLOCKED_AT;
        if (record.head.op != SLK_REC_SAMPLE && !blocked) continue;
        constexpr std::uint64_t kLongest = 3'600'000'000'000;
        const std::int64_t at = time(record.head.begin_ns);
        samples.push_back({at, static_cast<std::int64_t>(std::min(record.head.bytes, kLongest)),
                           frames_.of(number, record.head.request),
                           static_cast<std::uint32_t>(result_.calls.first_from(at)), record.thread,
                           blocked});
      }
    }
    set_blocking_calls();
    std::ranges::stable_sort(samples, {}, &Sample::time_ns);
    result_.samples = std::move(samples);
  }

  void take_blocking_calls(const Record& record, FrameId frame) {
    const auto& args = record.args;
    const bool sound = args.size() > SLK_BLOCKING_TEXT_AT && is_blocking_kind(record.head.tag) &&
                       args[0] > 0 && args[2] >= 0 && args[2] <= args[1] && is_time(args[1]);
    if (!sound) {
      result_.findings.add(kDamagedRecord, fmt::format("rank {}: I/O", rank_.header().rank));
      return;
    }
    const std::string function = text_at(args, SLK_BLOCKING_TEXT_AT, 0);
    const std::string file = text_at(args, SLK_BLOCKING_TEXT_AT, function.size() + 1);
    BlockingCalls& sum = blocking_calls_[{function, file, frame}];
    sum.kind = static_cast<BlockingKind>(record.head.tag);
    add_saturated(sum.calls, static_cast<std::uint64_t>(args[0]));
    add_saturated(sum.bytes, record.head.bytes);
    sum.time_ns = std::min(sum.time_ns, kTimeLimit_ns - args[1]) + args[1];
    sum.blocked_ns = std::min(sum.blocked_ns, kTimeLimit_ns - args[2]) + args[2];
  }

  /// Most time first.
  void set_blocking_calls() {
    std::vector<BlockingCalls> all;
    for (auto& [key, sum] : blocking_calls_) {
      std::tie(sum.function, sum.file, sum.frame) = key;
      all.push_back(std::move(sum));
    }
    std::ranges::stable_sort(all, std::ranges::greater{}, &BlockingCalls::time_ns);
    result_.calls.set_blocking_calls(std::move(all));
  }

  void take_parallel_regions() {
    RegionsRead read = read_parallel_regions(rank_, frames_, trace_.call_tree(), clock_, zero_ns_,
                                             result_.calls, result_.findings);
    if (read.regions.empty()) return;
    region_losses_ = std::move(read.losses);
    result_.calls.set_parallel_regions(std::move(read.regions));
  }

  /// Facts that later records tell about earlier ones.
  void first_pass() {
    for (const Place place : rank_.order) {
      const Record record = rank_.at(place);
      const slk_record& head = record.head;
      if (head.op == SLK_REC_RESOLVED) {
        resolved_[head.request] = {head.peer, head.tag, head.bytes, head.flags};
      } else if (head.op == SLK_REC_REGION_NAME) {
        region_names_[head.request] = text_of(record);
      } else if (head.op == SLK_REC_ISENDRECV) {
        with_a_send_[head.request] = true;
      }
    }
  }

  static std::string text_of(const Record& record) { return text_at(record.args, 0, 0); }

  /// The text from byte `from` of the argument `first` on.
  static std::string text_at(std::span<const std::int64_t> args, std::size_t first,
                             std::size_t from) {
    const auto bytes = std::as_bytes(args.subspan(first));
    std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    text.erase(0, from);
    text.resize(std::min<std::size_t>(text.find('\0'), text.size()));
    return text;
  }

  std::int64_t time(std::uint64_t local_ns) const {
    return clock_(static_cast<std::int64_t>(local_ns)) - zero_ns_;
  }

  void take(const Record& record) {
    switch (record.head.op) {
      case SLK_REC_REGION_ENTER:
      case SLK_REC_REGION_LEAVE:
        take_region(record.head);
        break;
      case SLK_REC_OFF_PROCESSOR:
      case SLK_REC_BLOCKED:
        take_off_processor(record.head);
        break;
      case SLK_REC_STAGE_WRITTEN:
        take_written(record.head);
        break;
      case SLK_REC_CALL_COST:
        costs_.push_back(record);
        break;
      case SLK_REC_COUNTERS:
        take_counters(record);
        break;
      case SLK_REC_RECORDING_OFF:
        result_.findings.add(kPaused, fmt::format("rank {}", rank_.header().rank));
        break;
      case SLK_REC_ISENDRECV:
        take_isendrecv(record);
        break;
      case SLK_REC_PERSISTENT:
        take_persistent(record.head);
        break;
      default:
        if (record.head.op < SLK_OPERATION_COUNT) take_call(record);
    }
  }

  /// A send and a receive that one request completes, as two calls; the second lasts no time.
  void take_isendrecv(const Record& record) {
    if (record.args.size() != 4 || record.head.request < 2) {
      result_.findings.add(kDamagedRecord, fmt::format("rank {}: isendrecv", rank_.header().rank));
      return;
    }
    slk_record send = record.head;
    send.op = SLK_OP_isend;
    --send.request;
    take_call({send, {}, record.thread});
    slk_record receive = record.head;
    receive.op = SLK_OP_irecv;
    if (receive.end_ns != 0) receive.begin_ns = receive.end_ns;
    receive.peer = narrow(record.args[0]);
    receive.tag = narrow(record.args[1]);
    receive.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, record.args[2]));
    receive.flags = static_cast<std::uint8_t>(receive.flags | record.args[3]);
    take_call({receive, {}, record.thread});
  }

  void take_region(const slk_record& head) {
    const auto name = region_names_.find(head.request);
    if (name == region_names_.end()) {
      result_.findings.add(kDamagedRecord, "a region without a name");
      return;
    }
    result_.regions.push_back({std::max(time(head.begin_ns), last_begin_), name->second,
                               static_cast<std::uint32_t>(result_.calls.size()),
                               head.op == SLK_REC_REGION_ENTER});
  }

  /// Which persistent collective the collective before this record is a start of.
  void take_persistent(const slk_record& head) {
    std::size_t i = result_.calls.size();
    while (i > 0 && result_.calls.request(i - 1) != head.request) --i;
    if (i == 0) return;
    result_.persistent.push_back({static_cast<std::uint32_t>(i - 1), head.bytes});
  }

  /// Time off the processor before the last call, known of one thread only.
  void take_off_processor(const slk_record& head) {
    if (rank_.files.size() > 1 || result_.calls.size() < 2) return;
    const auto call = static_cast<std::uint32_t>(result_.calls.size() - 1);
    if (result_.calls.begin_ns(call) != time(head.begin_ns)) return;
    if (losses_.empty() || losses_.back().call < call) losses_.push_back({call});
    GapLoss& loss = losses_.back();
    std::int64_t& ns = head.op == SLK_REC_BLOCKED ? loss.blocked_ns : loss.no_processor_ns;
    const auto gap = static_cast<std::uint64_t>(result_.calls.gap_ns(call));
    if (ns == 0) ns = static_cast<std::int64_t>(std::min(head.bytes, gap));
  }

  /// When the recorder wrote, known of one thread only.
  void take_written(const slk_record& head) {
    const bool whole =
        elapsed_ns(head.begin_ns, head.end_ns) >= 0 && plausible_time(rank_.header(), head.end_ns);
    if (rank_.files.size() > 1 || !whole) return;
    written_.push_back({time(head.begin_ns), time(head.end_ns)});
  }

  /// The mean of all threads for each operation; operations of which none was measured cost what
  /// the others do. A rank that did not reach its end has only what the recorder found by trial.
  void set_recording_costs() {
    constexpr std::uint32_t kKnownSince = 8;
    constexpr double kMost_ns = 1e6;
    if (rank_.header().version < kKnownSince) return;
    const RecordingCostSums sums(costs_);
    const double trial_ns = static_cast<double>(rank_.header().cost_ns) / 1000;
    if (sums.known()) {
      result_.calls.set_recording_costs(sums.by_operation());
    } else if (trial_ns > 0 && trial_ns < kMost_ns) {
      std::vector<RecordingCost> costs(SLK_OPERATION_COUNT,
                                       {static_cast<std::uint32_t>(trial_ns), 0});
      costs[SLK_OP_none] = {};
      result_.calls.set_recording_costs(std::move(costs));
    }
  }

  /// Gains before the last call, known of one thread only. Those of a poll that was joined with
  /// the one before belong to no gap.
  void take_counters(const Record& record) {
    const slk_record& head = record.head;
    if (rank_.files.size() > 1 || result_.calls.size() < 2) return;
    const std::size_t call = result_.calls.size() - 1;
    if (result_.calls.begin_ns(call) != time(head.begin_ns)) return;
    CounterReading reading{static_cast<std::uint32_t>(call), {}};
    constexpr std::uint64_t kBelievable = std::uint64_t{1} << 53;
    std::size_t next = 0;
    for (std::size_t i = 0; i < SLK_COUNTER_COUNT; ++i) {
      if ((head.bytes >> i & 1) == 0) continue;
      const bool there = next < record.args.size() && record.args[next] >= 0;
      const auto gained = there ? static_cast<std::uint64_t>(record.args[next]) : kBelievable;
      ++next;
      if (gained < kBelievable) {
        reading.gained[i] = gained;
      } else {
        result_.findings.add(kDamagedRecord, fmt::format("rank {}: counters", rank_.header().rank));
      }
    }
    result_.counters.push_back(reading);
  }

  void take_call(const Record& record) {
    const slk_record& head = record.head;
    Call call;
    call.operation = static_cast<Operation>(head.op);
    call.flags = head.flags;
    call.thread = record.thread;
    call.frame = frames_.of(file_, head.path);
    call.bytes = head.bytes;
    call.tag = head.tag;
    call.request = head.request;
    const CommView& seen = view(head.comm);
    call.comm = seen.global;
    call.peer = world_rank(head.comm, head.peer);
    set_times(call, head);
    args_.assign(record.args.begin(), record.args.end());
    refine(call, head);
    if (!seen.peers.empty()) leave_out_other_worlds(call, head, seen);
    call.args = args_;
    channels_.take(call);
    result_.calls.append(call);
  }

  void set_times(Call& call, const slk_record& head) {
    call.begin_ns = time(head.begin_ns);
    if (head.end_ns == 0) {
      call.flags = static_cast<std::uint8_t>(call.flags | SLK_FLAG_UNFINISHED);
      result_.findings.add(kUnfinishedCall, fmt::format("rank {}: {}", rank_.header().rank,
                                                        mpi_name(call.operation)));
      call.end_ns = std::max(call.begin_ns, job_end_ns_);
    } else if (elapsed_ns(head.begin_ns, head.end_ns) < 0 ||
               !plausible_time(rank_.header(), head.end_ns)) {
      result_.findings.add(kDamagedRecord, fmt::format("rank {}: end time", rank_.header().rank));
      call.end_ns = call.begin_ns;
    } else {
      call.end_ns = time(head.end_ns);
    }
    check_order(call);
    last_begin_ = call.begin_ns;
    last_thread_ = call.thread;
    last_end_ = std::max(last_end_, call.end_ns);
  }

  void check_order(Call& call) {
    if (call.begin_ns >= last_end_) return;
    if (call.thread != last_thread_) {
      result_.findings.add(kOverlappingThreads, fmt::format("rank {}", rank_.header().rank));
    } else if (rank_.files.size() == 1) {
      result_.findings.add(kTimeBackwards, fmt::format("rank {}", rank_.header().rank));
      call.begin_ns = last_end_;
      call.end_ns = std::max(call.end_ns, call.begin_ns);
    }
  }

  /// What depends on the operation: receives get what they really received, arguments their ids.
  void refine(Call& call, const slk_record& head) {
    if (call.has(SLK_FLAG_FAILED)) return;
    switch (operation_class(call.operation)) {
      case OperationClass::isend:
      case OperationClass::irecv:
        started(call.request);
        resolve(call, head);
        break;
      case OperationClass::icollective:
        started(call.request);
        if (is_neighbourhood(call.operation)) translate_neighbors(head.comm);
        break;
      case OperationClass::sendrecv:
        if (args_.size() == 4) args_[0] = world_rank(head.comm, narrow(args_[0]));
        break;
      case OperationClass::start:
        translate_starts(head.comm);
        break;
      case OperationClass::completion:
        add_sends(call);
        check_completions(call);
        break;
      case OperationClass::collective:
        if (is_neighbourhood(call.operation)) translate_neighbors(head.comm);
        break;
      case OperationClass::comm_create:
        if (call.request != kRequestNone) started(call.request);
        if (args_.size() == 1) args_[0] = view(to_id(args_[0])).global;
        break;
      case OperationClass::one_sided:
        if (call.request != kRequestNone) started(call.request);
        result_.findings.add(kOneSidedCalls);
        if (call.operation == Operation::win_post || call.operation == Operation::win_start) {
          for (std::int64_t& rank : args_) rank = world_rank(head.comm, narrow(rank));
        }
        break;
      case OperationClass::io:
      case OperationClass::local:
        if (call.request != kRequestNone) started(call.request);
        break;
      default:
        break;
    }
  }

  /// Arguments for each member speak of the trace's members only, and a collective in which all
  /// data comes from or goes to another world is none among the others.
  void leave_out_other_worlds(Call& call, const slk_record& head, const CommView& seen) {
    const OperationClass op_class = operation_class(call.operation);
    if (op_class != OperationClass::collective && op_class != OperationClass::icollective) return;
    const bool foreign_root = has_root(call.operation) && head.peer >= 0 && call.peer == kPeerNone;
    const bool alone = seen.inter && std::ranges::all_of(seen.peers, [](auto r) { return r < 0; });
    if (foreign_root || alone) call.comm = kCommNull;
    if (is_neighbourhood(call.operation) || args_.empty() || args_.size() % seen.peers.size() != 0)
      return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < args_.size(); ++i) {
      if (seen.peers[i % seen.peers.size()] >= 0) args_[kept++] = args_[i];
    }
    args_.resize(kept);
  }

  static std::int32_t narrow(std::int64_t value) {
    const bool fits = value >= std::numeric_limits<std::int32_t>::min() &&
                      value <= std::numeric_limits<std::int32_t>::max();
    return fits ? static_cast<std::int32_t>(value) : std::numeric_limits<std::int32_t>::min();
  }
  static std::uint32_t to_id(std::int64_t value) {
    return value >= 0 && value < kCommNull ? static_cast<std::uint32_t>(value) : kCommNull;
  }

  void started(std::uint32_t serial) { started_[serial] = true; }

  void resolve(Call& call, const slk_record& head) {
    const Resolution* told = resolved_.find(head.request);
    if (told == nullptr) return;
    call.flags = static_cast<std::uint8_t>(call.flags | told->flags);
    if ((told->flags & SLK_FLAG_CANCELLED) != 0) return;
    call.peer = world_rank(head.comm, told->peer);
    call.tag = told->tag;
    call.bytes = told->bytes;
  }

  /// The wire's groups of 5 are all of the record's communicator; the trace's of 6 name it.
  void translate_starts(std::uint32_t comm) {
    constexpr std::size_t kWireGroup = 5;
    const std::vector<std::int64_t> wire = std::move(args_);
    args_.clear();
    for (std::size_t i = 0; i + kWireGroup <= wire.size(); i += kWireGroup) {
      const auto serial = static_cast<std::uint32_t>(wire[i]);
      std::int64_t peer = wire[i + 2];
      std::int64_t tag = wire[i + 3];
      std::int64_t bytes = wire[i + 4];
      started(serial);
      if (const Resolution* told = resolved_.find(serial); told != nullptr) {
        const bool cancelled = (told->flags & SLK_FLAG_CANCELLED) != 0;
        peer = cancelled ? kPeerNull : told->peer;
        tag = told->tag;
        bytes = static_cast<std::int64_t>(told->bytes);
      }
      args_.insert(args_.end(), {wire[i], wire[i + 1], world_rank(comm, narrow(peer)), tag, bytes,
                                 std::int64_t{view(comm).global}});
    }
  }

  /// n_out, (rank, bytes)*, n_in, (rank, bytes)*
  void translate_neighbors(std::uint32_t comm) {
    std::size_t at = 0;
    for (int side = 0; side < 2; ++side) {
      const bool fits = at < args_.size() && args_[at] >= 0 &&
                        static_cast<std::uint64_t>(args_[at]) <= (args_.size() - at - 1) / 2;
      if (!fits) {
        result_.findings.add(kBadArguments, "neighbours");
        args_ = {0, 0};
        return;
      }
      const auto end = at + 1 + 2 * static_cast<std::size_t>(args_[at]);
      for (++at; at < end; at += 2) args_[at] = world_rank(comm, narrow(args_[at]));
    }
  }

  /// Who completes the request of an MPI_Isendrecv completes its send, too.
  void add_sends(Call& call) {
    if (with_a_send_.size() == 0) return;
    const auto has_send = [&](std::int64_t serial) {
      return serial > 1 && serial <= std::numeric_limits<std::uint32_t>::max() &&
             with_a_send_.find(static_cast<std::uint32_t>(serial)) != nullptr;
    };
    if (has_send(call.request)) {
      args_ = {std::int64_t{call.request} - 1, call.request};
      call.request = kRequestNone;
      call.operation = form_for_several(call.operation);
      return;
    }
    const std::vector<std::int64_t> told = std::move(args_);
    args_.clear();
    for (const std::int64_t serial : told) {
      if (has_send(serial)) args_.push_back(serial - 1);
      args_.push_back(serial);
    }
  }

  static Operation form_for_several(Operation operation) {
    switch (operation) {
      case Operation::wait:
        return Operation::waitall;
      case Operation::waitany:
        return Operation::waitsome;
      case Operation::test:
        return Operation::testall;
      case Operation::testany:
        return Operation::testsome;
      default:
        return operation;
    }
  }

  /// Serial 0 stands for a request whose start the recorder never saw.
  void check_completions(Call& call) {
    const auto unknown = [&](std::int64_t serial) {
      return serial <= 0 || serial > std::numeric_limits<std::uint32_t>::max() ||
             started_.find(static_cast<std::uint32_t>(serial)) == nullptr;
    };
    const auto tell = [&](std::uint64_t count) {
      result_.findings.add(
          kUnknownRequests,
          fmt::format("rank {}: {}", rank_.header().rank, mpi_name(call.operation)), count);
    };
    const std::size_t removed = std::erase_if(args_, unknown);
    if (removed > 0) tell(removed);
    if (call.request != kRequestNone && unknown(call.request)) {
      tell(1);
      call.request = kRequestNone;
    }
  }

  const CommView& view(std::uint32_t local) {
    static const CommView unknown;
    const auto found = views_.find(local);
    if (found != views_.end()) return found->second;
    if (local != SLK_COMM_NULL)
      result_.findings.add(kBadArguments, fmt::format("communicator {}", local));
    return unknown;
  }

  /// A rank of communicator `comm` as this rank sees it; special values stay.
  std::int32_t world_rank(std::uint32_t comm, std::int32_t peer) {
    if (peer < 0 && peer >= SLK_PEER_ROOT) return peer;
    const std::int32_t own = rank_.header().rank;
    const auto found = views_.find(comm);
    static const CommView unknown;
    const CommView& seen = found != views_.end() ? found->second : unknown;
    if (seen.global == kCommSelf && peer == 0) return own;
    if (static_cast<std::size_t>(peer) < seen.peers.size()) {
      return seen.peers[static_cast<std::size_t>(peer)];
    }
    if (seen.global != kCommNull && seen.global != kCommSelf) {
      const Communicator& communicator = trace_.communicators()[seen.global];
      // In an intercommunicator one speaks of the other side.
      const bool other = seen.inter && !seen.swapped;
      const auto& members = other ? communicator.remote : communicator.members;
      if (peer >= 0 && static_cast<std::size_t>(peer) < members.size()) {
        return members[static_cast<std::size_t>(peer)];
      }
    }
    if (comm != SLK_COMM_NULL) result_.findings.add(kBadArguments, fmt::format("rank {}", peer));
    return kPeerNone;
  }

  const RankFiles& rank_;
  const CommViews& views_;
  const CallFrames& frames_;
  const Trace& trace_;
  const ClockMap& clock_;
  std::int64_t zero_ns_;
  std::int64_t job_end_ns_;
  std::uint32_t file_ = 0;  // of the record that is read now
  RankResult result_;
  FlatMap<std::uint32_t, Resolution, SerialHash> resolved_;
  FlatMap<std::uint32_t, bool, SerialHash> started_;
  FlatMap<std::uint32_t, bool, SerialHash> with_a_send_;  // requests of MPI_Isendrecv
  SharedChannels channels_;
  std::unordered_map<std::uint32_t, std::string> region_names_;
  std::vector<std::int64_t> args_;
  std::vector<GapLoss> losses_;
  std::vector<RegionLoss> region_losses_;
  std::vector<WritingTime> written_;
  std::vector<Record> costs_;  // of recording
  // By function, file and frame.
  std::map<std::tuple<std::string, std::string, FrameId>, BlockingCalls> blocking_calls_;
  std::int64_t last_begin_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t last_end_ = std::numeric_limits<std::int64_t>::min();
  std::uint16_t last_thread_ = 0;
};

}  // namespace

RankResult read_rank(const RankFiles& rank, const CommViews& views, const CallFrames& frames,
                     const Trace& trace, const ClockMap& clock, std::int64_t zero_ns,
                     std::int64_t end_ns) {
  return RankReader(rank, views, frames, trace, clock, zero_ns, end_ns).read();
}

}  // namespace slackline::raw
