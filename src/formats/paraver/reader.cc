// One pass over the lines of a .prv file. Each record goes to the ranks that it speaks of; what a
// rank makes of its records is told in rank_builder.cc. Files are sorted by time; a record that is
// earlier than its rank's last one is moved to it, and counted.

#include "formats/paraver/paraver.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "base/units.h"
#include "formats/paraver/event_values.h"
#include "formats/paraver/fields.h"
#include "formats/paraver/findings.h"
#include "formats/paraver/header.h"
#include "formats/paraver/lines.h"
#include "formats/paraver/mpi_values.h"
#include "formats/paraver/names.h"
#include "formats/paraver/rank_builder.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace paraver {
namespace {

constexpr std::int64_t kMostThreads = 65536;
constexpr double kComplete = 0.99;  // of the duration that the header gives

// What one line of events says of MPI, counters and regions.
struct EventLine {
  std::int64_t sent = 0;
  std::int64_t received = 0;
  std::int64_t communicator = 0;
  bool root = false;
  bool enters = false;
  bool left = false;       // a call, before what it says last
  std::int64_t value = 0;  // of the MPI call that it enters
  std::int64_t element = 0;
  std::int64_t bytes = -1;  // not given
  std::vector<std::int64_t> contributions{};
  Callers callers{};
};

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::filesystem::path& path,
         const Release& release)
      : lines_(bytes, path.string(), release),
        name_(path.string()),
        header_(read_header()),
        names_(read_names(path)),
        trace_(header_.ranks, true),
        communicators_(trace_) {
    findings_.resize(rank_count());
    builders_.reserve(rank_count());
    for (std::size_t r = 0; r < rank_count(); ++r) {
      builders_.emplace_back(trace_.calls(static_cast<std::int32_t>(r)), findings_[r]);
    }
    last_time_.resize(rank_count());
    for (const auto& [value, name] : names_.functions) trace_.region_id(name);
    unfinalized_.resize(rank_count());
  }

  Trace read() {
    std::string_view line;
    while (lines_.next(line)) {
      if (!record(line)) bad_record(line);
    }
    if (lines_.damaged()) trace_.findings().add(kTruncatedFile, name_);
    finish();
    return std::move(trace_).build();
  }

 private:
  std::size_t rank_count() const { return static_cast<std::size_t>(header_.ranks); }

  Header read_header() {
    std::string_view line;
    if (!lines_.next(line)) line = {};
    return parse_header(line, name_);
  }

  void bad_record(std::string_view line) {
    trace_.findings().add(kDamagedRecord,
                          fmt::format("line {}: {}", lines_.number(),
                                      line.substr(0, std::min<std::size_t>(60, line.size()))));
  }

  // False when it makes no sense.
  bool record(std::string_view line) {
    if (line.size() < 2 || line[1] != ':') return line.empty() || line == "\r" || line[0] == '#';
    Fields fields(line.substr(2));
    switch (line[0]) {
      case '1':
        return state(fields);
      case '2':
        return event(fields);
      case '3':
        return communication(fields);
      case 'c':
        return communicators_.add(line.substr(2), header_);
      case '4':  // the old form of collectives, which events tell as well
      case 'g':
      case 'i':
        return true;
      default:
        return false;
    }
  }

  struct Object {
    RankBuilder* builder = nullptr;
    std::size_t rank = 0;
    std::uint32_t thread = 0;
  };

  bool object(Fields& fields, Object& object) {
    std::int64_t cpu = 0;
    std::int64_t application = 0;
    std::int64_t task = 0;
    std::int64_t thread = 0;
    if (!fields.next(cpu) || !fields.next(application) || !fields.next(task) ||
        !fields.next(thread)) {
      return false;
    }
    const std::int32_t rank = header_.rank_of(application, task);
    if (rank < 0 || thread < 1 || thread > kMostThreads) return false;
    object.rank = static_cast<std::size_t>(rank);
    object.builder = &builders_[object.rank];
    object.thread = static_cast<std::uint32_t>(thread - 1);
    application_ = application;
    return true;
  }

  bool time(Fields& fields, std::int64_t& time) {
    if (!fields.next(time) || time < 0 || time > kTimeLimit_ns / header_.ns_per_unit) return false;
    time *= header_.ns_per_unit;
    return true;
  }

  // As it is used: never before the rank's last one.
  std::int64_t in_order(std::size_t rank, std::int64_t time) {
    if (time < last_time_[rank]) {
      trace_.findings().add(kTimeBackwards, fmt::format("line {}", lines_.number()));
    }
    return last_time_[rank] = std::max(last_time_[rank], time);
  }

  bool state(Fields& fields) {
    Object at;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t state = 0;
    if (!object(fields, at) || !time(fields, begin) || !time(fields, end) || !fields.next(state)) {
      return false;
    }
    at.builder->state(at.thread, begin, end, state);
    last_end_ = std::max(last_end_, end);
    return end >= begin;
  }

  bool event(Fields& fields) {
    Object at;
    std::int64_t when = 0;
    if (!object(fields, at) || !time(fields, when)) return false;
    when = in_order(at.rank, when);
    at.builder->begin_event(at.thread, when);
    EventLine line;
    gained_.clear();
    while (!fields.at_end()) {
      std::int64_t type = 0;
      std::int64_t value = 0;
      if (!fields.next(type) || !fields.next(value)) return false;
      if (is_mpi(type)) {
        if (line.enters) enter(at, when, line);
        if (value == 0) leave(at, when);
        line.left = line.left || value == 0;
        line = {.left = line.left};
        line.enters = value != 0;
        line.value = value;
      } else if (is_counter(type)) {
        if (fields.was_too_large()) {
          trace_.findings().add(kCounterTooLarge,
                                fmt::format("rank {}, counter {}", at.rank, type));
        } else {
          counter(type, value);
        }
      } else if (is_caller(type)) {
        line.callers.add(type, value);
      } else {
        other(at, when, type, value, line);
      }
    }
    // A line that leaves a call tells what was counted inside of it, even where no time passed.
    if (line.left) gained_.clear();
    count(at, when);
    if (line.enters) {
      enter(at, when, line);
    } else if (!line.callers.empty()) {
      at.builder->frame(at.thread, when, frame(line.callers));
    }
    return true;
  }

  void counter(std::int64_t type, std::int64_t value) {
    const std::optional<std::size_t> number = counters_.number(type);
    if (!number) {
      trace_.findings().add(kOtherCounters);
      return;
    }
    if (gained_.size() <= *number) gained_.resize(*number + 1);
    gained_[*number] = static_cast<std::uint64_t>(std::max<std::int64_t>(0, value));
  }

  // What the line has counted so far.
  void count(const Object& at, std::int64_t when) {
    if (!gained_.empty()) at.builder->counters(at.thread, when, gained_);
    gained_.clear();
  }

  void other(const Object& at, std::int64_t when, std::int64_t type, std::int64_t value,
             EventLine& line) {
    switch (type) {
      case kSendSize:
        line.sent = std::max<std::int64_t>(0, value);
        return;
      case kReceiveSize:
        line.received = std::max<std::int64_t>(0, value);
        return;
      case kRootFlag:
        line.root = value != 0;
        return;
      case kCommunicator:
        line.communicator = value;
        return;
      case kElementSize:
        line.element = value;
        return;
      case kContribution:
        line.contributions.push_back(value);
        return;
      case kBytes:
        line.bytes = value;
        return;
      case kUserFunction:
        return at.builder->region(at.thread, when, value == 0 ? -1 : region(value));
      default:
        return;
    }
  }

  std::int64_t region(std::int64_t function) {
    const auto name = names_.functions.find(function);
    return trace_.region_id(name == names_.functions.end() ? fmt::format("function {}", function)
                                                           : name->second);
  }

  Operation operation(std::int64_t value) const {
    const Operation known = operation_of_value(value);
    if (known != Operation::none || names_.operations.empty()) return known;
    const auto named = names_.operations.find(value);
    return named == names_.operations.end() ? Operation::none : named->second;
  }

  // Calls that a Trace has no operation for (MPI_Comm_rank) stay time between calls.
  void enter(const Object& at, std::int64_t when, const EventLine& line) {
    Call call;
    call.operation = operation(line.value);
    if (call.operation == Operation::none) {
      at.builder->enter_unnamed(at.thread, when);
      return;
    }
    const OperationClass c = operation_class(call.operation);
    if (c == OperationClass::collective || c == OperationClass::icollective) {
      collective(at, when, line, call);
    }
    if (is_init(call.operation)) {
      unfinalized_[at.rank] = true;
    }
    if (call.operation == Operation::finalize) unfinalized_[at.rank] = false;
    call.frame = frame(line.callers);
    at.builder->enter(at.thread, when, call);
  }

  FrameId frame(const Callers& callers) {
    if (callers.empty()) return 0;
    const auto [found, is_new] = frames_.try_emplace(callers, 0);
    if (is_new) found->second = callers.frame(names_, trace_.call_tree());
    return found->second;
  }

  // What was counted up to here was counted inside of MPI.
  void leave(const Object& at, std::int64_t when) {
    count(at, when);
    at.builder->leave(at.thread, when);
  }

  void collective(const Object& at, std::int64_t when, const EventLine& line, Call& call) {
    if (line.communicator != 0) {
      call.comm = communicators_.find(application_, line.communicator);
      if (call.comm == kCommNull) {
        trace_.findings().add(kUnknownCommunicator,
                              fmt::format("{} at {} ns", line.communicator, when));
      }
    }
    const std::size_t members = call.comm == kCommSelf || call.comm == kCommNull
                                    ? 1
                                    : trace_.communicators()[call.comm].members.size();
    call.bytes = collective_bytes(call.operation, static_cast<std::uint64_t>(line.sent),
                                  static_cast<std::uint64_t>(line.received), members);
    if (line.bytes >= 0) call.bytes = static_cast<std::uint64_t>(line.bytes);
    if (line.element > 0 && line.element <= INT32_MAX) {
      call.tag = static_cast<std::int32_t>(line.element);
    }
    call.args = line.contributions;
    if (line.root && has_root(call.operation)) call.peer = static_cast<std::int32_t>(at.rank);
  }

  bool communication(Fields& fields) {
    Object from;
    Object to;
    MessageEnd send;
    MessageEnd receive;
    std::int64_t size = 0;
    std::int64_t tag = 0;
    if (!object(fields, from) || !time(fields, send.logical_ns) ||
        !time(fields, send.physical_ns) || !object(fields, to) ||
        !time(fields, receive.logical_ns) || !time(fields, receive.physical_ns) ||
        !fields.next(size) || !fields.next(tag) || size < 0) {
      return false;
    }
    send.bytes = receive.bytes = static_cast<std::uint64_t>(size);
    send.tag = receive.tag = static_cast<std::int32_t>(tag);
    send.peer = static_cast<std::int32_t>(to.rank);
    receive.peer = static_cast<std::int32_t>(from.rank);
    now_ = std::max(now_, send.logical_ns);
    last_end_ = std::max({last_end_, send.physical_ns, receive.logical_ns});
    from.builder->sent(from.thread, send, now_);
    to.builder->received(to.thread, receive, now_);
    return true;
  }

  void finish() {
    parallel_for(rank_count(), [&](std::size_t r) { builders_[r].finish(); });
    for (std::size_t r = 0; r < rank_count(); ++r) {
      trace_.findings().merge(findings_[r]);
      RankInfo& info = trace_.rank_info(static_cast<std::int32_t>(r));
      info.present = builders_[r].seen();
      info.finalized = !unfinalized_[r];
      if (!info.finalized) trace_.findings().add(kNotFinalized, fmt::format("rank {}", r));
    }
    compare_duration();
    for (std::size_t i = 0; i < counters_.size(); ++i) {
      trace_.add_counter(counters_.name(i, names_));
    }
    name_hosts();
    resolve_collectives(trace_);
    count_unmatched();
    trace_.info().started = header_.started;
    trace_.info().recorder = "Paraver trace";
    trace_.info().mpi_library = names_.mpi_library;
  }

  void compare_duration() {
    std::int64_t last = last_end_;
    for (const std::int64_t time : last_time_) last = std::max(last, time);
    if (static_cast<double>(last) >= kComplete * static_cast<double>(header_.duration_ns)) return;
    trace_.findings().add(kEndsEarly,
                          fmt::format("{} of {}", format_time_ns(static_cast<double>(last)),
                                      format_time_ns(static_cast<double>(header_.duration_ns))));
  }

  void name_hosts() {
    for (const Header::Application& application : header_.applications) {
      for (std::size_t task = 0; task < application.node_of_task.size(); ++task) {
        const auto node = static_cast<std::size_t>(application.node_of_task[task]);
        if (node == 0 || node > names_.nodes.size()) continue;
        const auto rank = application.first_rank + static_cast<std::int32_t>(task);
        trace_.rank_info(rank).host = names_.nodes[node - 1];
      }
    }
  }

  void count_unmatched() {
    std::uint64_t count = 0;
    for (std::int32_t rank = 0; rank < trace_.ranks(); ++rank) {
      const RankCalls& calls = trace_.calls(rank);
      for (std::size_t i = 0; i < calls.size(); ++i) {
        const OperationClass c = operation_class(calls.operation(i));
        if (c != OperationClass::send && c != OperationClass::recv && c != OperationClass::isend &&
            c != OperationClass::irecv && c != OperationClass::sendrecv) {
          continue;
        }
        const Call call = calls[i];
        count += call.peer == kPeerNull ? 1 : 0;
        count += c == OperationClass::sendrecv && call.args[0] == kPeerNull ? 1 : 0;
      }
    }
    if (count > 0) trace_.findings().add(kNoRecord, {}, count);
  }

  Lines lines_;
  std::string name_;
  Header header_;
  Names names_;
  TraceBuilder trace_;
  Communicators communicators_;
  std::vector<Findings> findings_;  // of each rank
  std::vector<RankBuilder> builders_;
  std::vector<std::int64_t> last_time_;  // of each rank
  std::int64_t last_end_ = 0;            // of a state or message
  std::vector<bool> unfinalized_;
  std::int64_t now_ = 0;
  std::int64_t application_ = 0;  // of the object that was read last
  std::map<Callers, FrameId> frames_;
  CounterTypes counters_;
  std::vector<std::uint64_t> gained_;  // by the line that is read, by counter
};

}  // namespace
}  // namespace paraver

bool looks_like_paraver(std::span<const std::byte> bytes) {
  constexpr std::size_t kHeadBytes = 16;
  return paraver::looks_like_header(paraver::text_head(bytes, kHeadBytes));
}

Trace read_paraver(std::span<const std::byte> bytes, const std::filesystem::path& path,
                   const std::function<void(std::span<const std::byte>)>& release) {
  return paraver::Reader(bytes, path, release).read();
}

}  // namespace slackline
