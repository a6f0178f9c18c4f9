// Writing the text form. Lines go into a buffer that is handed to the sink whenever it is large
// enough; nothing but the buffer is held. An operation's typed keys (form.h) are used when its
// arguments have the shape they promise; otherwise they are written as args=, so that every trace,
// a nonsensical one included, comes back as it was.

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/printable.h"
#include "formats/text/form.h"
#include "formats/text/text.h"
#include "trace/start_groups.h"

namespace slackline {
namespace text {
namespace {

constexpr std::size_t kFlushBytes = 1 << 16;

using Out = std::string;

// Formats are FMT_COMPILEd: most lines are a few numbers, and reading the format took longer than
// writing them.
template <class Format, class... Args>
void put(Out& out, const Format& format, const Args&... args) {
  fmt::format_to(std::back_inserter(out), format, args...);
}

/// What a terminal would obey, or could not show, is written byte by byte.
void put_quoted(Out& out, std::string_view text) {
  out += '"';
  std::size_t plain = printable_prefix(text);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at > plain) plain = at + printable_prefix(text.substr(at));
    const char c = text[at];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (at < plain) {
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else {
      put(out, FMT_COMPILE("\\x{:02x}"), static_cast<unsigned char>(c));
    }
  }
  out += '"';
}

bool is_plain_word(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  return !text.empty() && std::ranges::all_of(text, plain);
}

void put_text(Out& out, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  put(out, FMT_COMPILE(" {}="), key);
  if (is_plain_word(value)) {
    out += value;
  } else {
    put_quoted(out, value);
  }
}

template <class Words>
void put_named(Out& out, const Words& words, std::int64_t value) {
  const auto found = std::ranges::find(words, value, &NamedValue::value);
  if (found == words.end()) {
    put(out, FMT_COMPILE("{}"), value);
  } else {
    out += found->word;
  }
}

// Wraps instead of overflowing: only equality of such differences is asked.
std::int64_t step(std::int64_t from, std::int64_t to) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(to) -
                                   static_cast<std::uint64_t>(from));
}

// Values from `at` on that continue with the same step, at most `limit`.
template <class T>
std::size_t run_length(std::span<const T> values, std::size_t at, std::size_t limit) {
  std::size_t end = at + 1;
  while (end < values.size() && end - at < limit &&
         step(values[end - 1], values[end]) == step(values[at], values[at + 1])) {
    ++end;
  }
  return end - at;
}

// "1,4,8*64,0..10/2": what reads back as exactly these values.
template <class T>
void put_list(Out& out, std::span<const T> values, std::size_t limit) {
  for (std::size_t i = 0; i < values.size();) {
    if (i > 0) out += ',';
    const std::size_t run = run_length(values, i, limit);
    const std::int64_t by = run > 1 ? step(values[i], values[i + 1]) : 0;
    if (run >= 3 && by == 0) {
      put(out, FMT_COMPILE("{}*{}"), values[i], run);
    } else if (run >= 3 && by == 1) {
      put(out, FMT_COMPILE("{}..{}"), values[i], values[i + run - 1]);
    } else if (run >= 4 && by > 1 && by < std::numeric_limits<std::int32_t>::max()) {
      put(out, FMT_COMPILE("{}..{}/{}"), values[i], values[i + run - 1], by);
    } else {
      put(out, FMT_COMPILE("{}"), values[i]);
      ++i;
      continue;
    }
    i += run;
  }
}

bool fits_int32(std::int64_t value) {
  return value >= std::numeric_limits<std::int32_t>::min() &&
         value <= std::numeric_limits<std::int32_t>::max();
}

bool fits_uint32(std::int64_t value) {
  return value >= 0 && value <= std::numeric_limits<std::uint32_t>::max();
}

bool put_sendrecv(Out& out, std::span<const std::int64_t> args) {
  if (args.size() != 4 || !fits_int32(args[0]) || !fits_int32(args[1]) || args[2] < 0 ||
      args[3] < 0 || args[3] > (SLK_FLAG_ANY_SOURCE | SLK_FLAG_ANY_TAG)) {
    return false;
  }
  out += " from=";
  put_named(out, kPeerWords, args[0]);
  if (args[1] != 0) {
    out += " rtag=";
    put_named(out, kTagWords, args[1]);
  }
  if (args[2] != 0) put(out, FMT_COMPILE(" rbytes={}"), args[2]);
  for (const auto& [flag, word] : kReceiveFlagWords) {
    if ((args[3] & flag) != 0) put(out, FMT_COMPILE(" {}"), word);
  }
  return true;
}

bool is_start_group(std::span<const std::int64_t> group) {
  return fits_uint32(group[0]) && group[1] >= 0 &&
         group[1] < static_cast<std::int64_t>(kOperationCount) &&
         operation_class(static_cast<Operation>(group[1])) == OperationClass::request_init &&
         fits_int32(group[2]) && fits_int32(group[3]) && group[4] >= 0 && fits_uint32(group[5]);
}

bool put_starts(Out& out, std::span<const std::int64_t> args) {
  const StartGroups groups(args);
  if (!groups.whole()) return false;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!is_start_group(groups.values(i))) return false;
  }
  out += " starts=";
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i > 0) out += ',';
    const StartedRequest started = groups[i];
    put(out, FMT_COMPILE("{}:{}:"), started.serial, identifier(started.operation));
    put_named(out, kPeerWords, started.peer);
    out += ':';
    put_named(out, kTagWords, started.tag);
    put(out, FMT_COMPILE(":{}"), started.bytes);
    if (started.comm == kCommWorld) continue;
    out += ':';
    put_named(out, kCommWords, started.comm);
  }
  return true;
}

// The (rank, bytes) pairs that begin at `at` with their number; npos when there is no such thing.
std::size_t after_pairs(std::span<const std::int64_t> args, std::size_t at) {
  if (at >= args.size() || args[at] < 0) return std::string::npos;
  const auto left = static_cast<std::int64_t>((args.size() - at - 1) / 2);
  if (args[at] > left) return std::string::npos;
  const std::size_t end = at + 1 + 2 * static_cast<std::size_t>(args[at]);
  for (std::size_t i = at + 1; i < end; i += 2) {
    if (!fits_int32(args[i])) return std::string::npos;
  }
  return end;
}

void put_pairs(Out& out, std::string_view key, std::span<const std::int64_t> pairs) {
  put(out, FMT_COMPILE(" {}="), key);
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    if (i > 0) out += ',';
    put_named(out, kPeerWords, pairs[i]);
    put(out, FMT_COMPILE(":{}"), pairs[i + 1]);
  }
}

bool put_neighbours(Out& out, std::span<const std::int64_t> args) {
  const std::size_t middle = after_pairs(args, 0);
  if (middle == std::string::npos || after_pairs(args, middle) != args.size()) return false;
  put_pairs(out, "out", args.subspan(1, middle - 1));
  put_pairs(out, "in", args.subspan(middle + 1));
  return true;
}

void put_int_list(Out& out, std::string_view key, std::span<const std::int64_t> values) {
  put(out, FMT_COMPILE(" {}="), key);
  put_list(out, values, static_cast<std::size_t>(kRunLimit));
}

bool put_polls(Out& out, std::span<const std::int64_t> args) {
  if (args.size() != 2) return false;
  put(out, FMT_COMPILE(" polls={} inside={}"), args[0], args[1]);
  return true;
}

bool put_typed_args(Out& out, const Call& call) {
  const auto args = call.args;
  if (counts_polls(call.operation, call.flags)) return args.empty() || put_polls(out, args);
  const ArgsForm form = args_form(call.operation);
  if (form == ArgsForm::sendrecv) return put_sendrecv(out, args);
  if (args.empty()) return true;
  switch (form) {
    case ArgsForm::starts:
      return put_starts(out, args);
    case ArgsForm::neighbours:
      return put_neighbours(out, args);
    case ArgsForm::requests:
      put_int_list(out, "reqs", args);
      return true;
    case ArgsForm::counts:
      put_int_list(out, "counts", args);
      return true;
    case ArgsForm::send_recv:
      if (args.size() % 2 != 0) return false;
      put_int_list(out, "send", args.first(args.size() / 2));
      put_int_list(out, "recv", args.last(args.size() / 2));
      return true;
    case ArgsForm::new_comm:
      if (args.size() != 1 || !fits_uint32(args[0])) return false;
      out += " new=";
      put_named(out, kCommWords, args[0]);
      return true;
    case ArgsForm::level:
      if (args.size() != 1) return false;
      put(out, FMT_COMPILE(" level={}"), args[0]);
      return true;
    default:
      return false;
  }
}

void put_call(Out& out, const Call& call, const CallTree& tree) {
  out += call.operation == Operation::none ? "none" : identifier(call.operation);
  if (needs_peer(call.operation) || call.peer != kPeerNone) {
    put(out, FMT_COMPILE(" {}="), peer_key(call.operation));
    put_named(out, kPeerWords, call.peer);
  }
  if (call.tag != 0) {
    put(out, FMT_COMPILE(" {}="), tag_key(call.operation));
    put_named(out, kTagWords, call.tag);
  }
  if (call.bytes != 0) put(out, FMT_COMPILE(" bytes={}"), call.bytes);
  if (call.comm != kCommWorld) {
    out += " comm=";
    put_named(out, kCommWords, call.comm);
  }
  if (needs_request(call.operation) || call.request != kRequestNone) {
    put(out, FMT_COMPILE(" req={}"), call.request);
  }
  if (!put_typed_args(out, call)) put_int_list(out, "args", call.args);
  if (call.thread != 0) put(out, FMT_COMPILE(" thread={}"), call.thread);
  for (const auto& [flag, word] : kFlagWords) {
    if (call.has(flag)) put(out, FMT_COMPILE(" {}"), word);
  }
  // The comment is for people: where the program called MPI.
  if (call.frame != 0) {
    put(out, FMT_COMPILE(" frame={} # {}"), call.frame,
        printable(describe_frame(tree, call.frame)));
  }
  out += '\n';
}

class Writer {
 public:
  Writer(const Trace& trace, const TextSink& sink) : trace_(trace), sink_(sink) {}

  void write(const TextOptions& options) {
    if (options.samples != nullptr) samples_ = *options.samples;
    put(out_, FMT_COMPILE("{} {} {} ranks={}{}\n"), kMagic, kVersion,
        trace_.timed() ? "timed" : "untimed", trace_.ranks(), options.rank ? " partial" : "");
    write_info();
    write_communicators();
    write_regions();
    write_call_tree();
    write_counter_names();
    write_findings();
    for (std::int32_t rank = 0; rank < trace_.ranks(); ++rank) {
      if (!options.rank || *options.rank == rank) write_rank(rank);
    }
    flush();
  }

 private:
  void flush() {
    sink_(out_);
    out_.clear();
  }

  void end_line() {
    if (out_.size() >= kFlushBytes) flush();
  }

  void write_info() {
    const TraceInfo& info = trace_.info();
    std::string line;
    put_text(line, "program", info.program);
    put_text(line, "mpi", info.mpi_library);
    put_text(line, "mpi_version", info.mpi_version);
    put_text(line, "recorder", info.recorder);
    put_text(line, "started", info.started);
    if (info.cpu_ns != 0) put(line, FMT_COMPILE(" cpu={}"), info.cpu_ns);
    if (info.recording_ns != 0) put(line, FMT_COMPILE(" recording={}"), info.recording_ns);
    if (samples_.interval_ns != 0) put(line, FMT_COMPILE(" sampling={}"), samples_.interval_ns);
    if (info.processors_ns != 0) put(line, FMT_COMPILE(" processors={}"), info.processors_ns);
    if (info.stolen_ns != 0) put(line, FMT_COMPILE(" stolen={}"), info.stolen_ns);
    if (info.other_processes_ns != 0)
      put(line, FMT_COMPILE(" other_processes={}"), info.other_processes_ns);
    if (info.lost_calls != 0) put(line, FMT_COMPILE(" lost={}"), info.lost_calls);
    if (info.flops_per_second > 0)
      put(line, FMT_COMPILE(" flops_per_second={}"), info.flops_per_second);
    if (!line.empty()) put(out_, FMT_COMPILE("info{}\n"), line);
  }

  void write_communicators() {
    const auto& all = trace_.communicators();
    for (std::size_t id = 2; id < all.size(); ++id) {
      put(out_, FMT_COMPILE("comm {} members="), id);
      put_list(out_, std::span<const std::int32_t>(all[id].members), all[id].members.size());
      if (all[id].is_inter()) {
        out_ += " remote=";
        put_list(out_, std::span<const std::int32_t>(all[id].remote), all[id].remote.size());
      }
      put_text(out_, "name", all[id].name);
      out_ += '\n';
      end_line();
    }
  }

  void write_regions() {
    for (std::size_t id = 0; id < trace_.regions().size(); ++id) {
      put(out_, FMT_COMPILE("region {} "), id);
      put_quoted(out_, trace_.regions()[id]);
      out_ += '\n';
      end_line();
    }
  }

  void write_call_tree() {
    const CallTree& tree = trace_.call_tree();
    for (FrameId frame = 1; frame <= tree.size(); ++frame) {
      const CodeLocation& at = tree.location(frame);
      put(out_, FMT_COMPILE("frame {} {} "), frame, tree.parent(frame));
      put_quoted(out_, at.function);
      put_text(out_, "file", at.file);
      if (at.line != 0) put(out_, FMT_COMPILE(" line={}"), at.line);
      put_text(out_, "module", at.module);
      if (at.inlined) out_ += " inlined";
      out_ += '\n';
      end_line();
    }
  }

  void write_counter_names() {
    for (std::size_t which = 0; which < trace_.counters().size(); ++which) {
      put(out_, FMT_COMPILE("counter {} "), which);
      put_quoted(out_, trace_.counters()[which]);
      out_ += '\n';
    }
  }

  void write_findings() {
    for (const Findings::Entry& entry : trace_.findings().entries()) {
      put(out_, FMT_COMPILE("finding {} {} {} "), entry.name, to_string(entry.severity),
          entry.count);
      put_quoted(out_, entry.sentence);
      for (const std::string& example : entry.examples) {
        out_ += ' ';
        put_quoted(out_, example);
      }
      out_ += '\n';
    }
  }

  void write_rank(std::int32_t rank) {
    const RankInfo& info = trace_.rank_info(rank);
    const RankCalls& calls = trace_.calls(rank);
    put(out_, FMT_COMPILE("rank {}"), rank);
    put_text(out_, "host", info.host);
    if (calls.start_ns() != 0) put(out_, FMT_COMPILE(" start={}"), calls.start_ns());
    if (!info.present) out_ += " absent";
    if (!info.finalized) out_ += " unfinalized";
    if (info.clock_offset_ns != 0) put(out_, FMT_COMPILE(" clock_offset={}"), info.clock_offset_ns);
    if (info.clock_drift != 0) put(out_, FMT_COMPILE(" clock_drift={}"), info.clock_drift);
    if (info.clock_error_ns != 0) put(out_, FMT_COMPILE(" clock_error={}"), info.clock_error_ns);
    const std::int64_t last = calls.empty() ? calls.start_ns() : calls.end_ns(calls.size() - 1);
    if (calls.stop_ns() != last) put(out_, FMT_COMPILE(" stop={}"), calls.stop_ns());
    out_ += '\n';
    write_recording_costs(calls);
    write_blocking_calls(calls);
    cursor_ = calls.start_ns();
    write_calls(calls, samples_.of(rank));
  }

  void write_calls(const RankCalls& calls, std::span<const Sample> samples) {
    std::size_t region = 0;
    const auto write_regions_before = [&](std::size_t call) {
      for (; region < calls.regions().size() && calls.regions()[region].before_call <= call;
           ++region) {
        write_region_event(calls.regions()[region]);
      }
    };
    std::size_t pause = 0;
    std::size_t sample = 0;
    std::size_t parallel = 0;
    const auto write_details_before = [&](std::size_t call) {
      for (; pause < calls.pauses().size() && calls.pauses()[pause].before_call <= call; ++pause) {
        write_pause(calls.pauses()[pause]);
      }
      const std::span<const ParallelRegion> teams = calls.parallel_regions().all();
      for (; parallel < teams.size() && teams[parallel].before_call <= call; ++parallel) {
        write_parallel(calls.parallel_regions(), teams[parallel]);
      }
      for (; sample < samples.size() && samples[sample].before_call <= call; ++sample) {
        write_sample(samples[sample]);
      }
      if (call <= calls.size()) write_counters(calls, call);
    };
    for (std::size_t i = 0; i < calls.size(); ++i) {
      write_details_before(i);
      write_regions_before(i);
      write_call(calls[i]);
      end_line();
    }
    write_details_before(calls.size());
    write_regions_before(std::numeric_limits<std::size_t>::max());
  }

  // Times are absolute: where it lies in the gap matters, and the cursor stays where it is.
  void write_pause(const Pause& pause) {
    put(out_, FMT_COMPILE("  @{} +{} pause{}{}\n"), pause.begin_ns, pause.end_ns - pause.begin_ns,
        pause.kind == PauseKind::other ? "" : " ", to_string(pause.kind));
  }

  void write_parallel(const ParallelRegions& regions, const ParallelRegion& region) {
    const std::int64_t span_ns = region.end_ns - region.begin_ns;
    put(out_, FMT_COMPILE("  @{} +{} parallel"), region.begin_ns, span_ns);
    if (region.instances != 1) put(out_, FMT_COMPILE(" instances={}"), region.instances);
    if (region.length_ns != span_ns) put(out_, FMT_COMPILE(" length={}"), region.length_ns);
    write_times(" busy=", regions.times(region), &LocationTime::busy_ns);
    write_times(" waiting=", regions.times(region), &LocationTime::waiting_ns);
    write_frame(region.frame);
  }

  void write_times(std::string_view key, std::span<const LocationTime> times,
                   std::int64_t LocationTime::*member) {
    out_ += key;
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (i > 0) out_ += ',';
      put(out_, FMT_COMPILE("{}"), times[i].*member);
    }
  }

  void write_recording_costs(const RankCalls& calls) {
    const auto costs = calls.recording_costs();
    for (std::size_t op = 0; op < costs.size(); ++op) {
      if (costs[op] == RecordingCost{}) continue;
      put(out_, FMT_COMPILE("  recording {} {} {}\n"), identifier(static_cast<Operation>(op)),
          costs[op].before_ns, costs[op].after_ns);
      end_line();
    }
  }

  void write_blocking_calls(const RankCalls& calls) {
    for (const BlockingCalls& of : calls.blocking_calls()) {
      put(out_, FMT_COMPILE("  blocking {}"), to_string(of.kind));
      put_text(out_, "function", of.function);
      put_text(out_, "file", of.file);
      put(out_, FMT_COMPILE(" calls={} bytes={} time={} blocked={}"), of.calls, of.bytes,
          of.time_ns, of.blocked_ns);
      write_frame(of.frame);
    }
  }

  /// Ends the line.
  void write_frame(FrameId frame) {
    if (frame != 0) {
      put(out_, FMT_COMPILE(" frame={} # {}"), frame,
          printable(describe_frame(trace_.call_tree(), frame)));
    }
    out_ += '\n';
    end_line();
  }

  void write_sample(const Sample& sample) {
    put(out_, FMT_COMPILE("  @{} sample {}={}"), sample.time_ns, sample.blocked ? "blocked" : "cpu",
        sample.cpu_ns);
    if (sample.thread != 0) put(out_, FMT_COMPILE(" thread={}"), sample.thread);
    write_frame(sample.frame);
  }

  // What the computation before call `gap` counted.
  void write_counters(const RankCalls& calls, std::size_t gap) {
    std::size_t count = trace_.counters().size();
    while (count > 0 && calls.counter(count - 1, gap) == 0) --count;
    if (count == 0) return;
    out_ += "  counted";
    for (std::size_t which = 0; which < count; ++which) {
      put(out_, FMT_COMPILE(" {}"), calls.counter(which, gap));
    }
    out_ += '\n';
  }

  // The time of what follows: absolute in timed traces, as computation in untimed ones.
  void write_time(std::int64_t time) {
    if (!trace_.timed() && time >= cursor_) {
      if (time > cursor_) put(out_, FMT_COMPILE("  compute {}\n"), time - cursor_);
      out_ += "  ";
    } else {
      put(out_, FMT_COMPILE("  @{} "), time);
    }
  }

  void write_call(const Call& call) {
    write_time(call.begin_ns);
    if (call.end_ns != call.begin_ns) put(out_, FMT_COMPILE("+{} "), call.end_ns - call.begin_ns);
    put_call(out_, call, trace_.call_tree());
    cursor_ = call.end_ns;
  }

  void write_region_event(const RegionEvent& event) {
    write_time(event.time_ns);
    if (!trace_.timed() && event.time_ns >= cursor_) cursor_ = event.time_ns;
    put(out_, FMT_COMPILE("{} "), event.enter ? "enter" : "leave");
    if (event.region < trace_.regions().size()) {
      put_quoted(out_, trace_.regions()[event.region]);
    } else {
      put(out_, FMT_COMPILE("{}"), event.region);
    }
    out_ += '\n';
    end_line();
  }

  const Trace& trace_;
  Samples samples_;
  const TextSink& sink_;
  std::string out_;
  std::int64_t cursor_ = 0;
};

}  // namespace
}  // namespace text

void write_text_trace(const Trace& trace, const TextSink& sink, const TextOptions& options) {
  text::Writer(trace, sink).write(options);
}

std::string to_text(const Trace& trace, const Samples* samples) {
  std::string all;
  const TextOptions options{.rank = {}, .samples = samples};
  write_text_trace(
      trace, [&](std::string_view piece) { all += piece; }, options);
  return all;
}

}  // namespace slackline
