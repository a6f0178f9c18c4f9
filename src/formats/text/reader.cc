// Reading the text form: a header line, facts about the whole trace, then one section per rank.
// A cursor holds the end of the rank's previous call: a line without @time begins there, so that a
// trace can be written by hand without adding up times.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <limits>

#include "base/arithmetic.h"
#include "base/error.h"
#include "base/text_parsing.h"
#include "formats/text/call_reader.h"
#include "formats/text/lexer.h"
#include "formats/text/text.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace text {
namespace {

// A trace may claim this many ranks whatever its length, and more in proportion to it.
constexpr std::int64_t kRanksAlways = 65536;
constexpr std::size_t kBytesPerRank = 4;
// All communicators together: room for members, and more in proportion to the text.
constexpr std::int64_t kMembersAlways = 1 << 20;
constexpr std::int64_t kMembersPerByte = 64;

constexpr std::array<std::pair<std::string_view, Severity>, 3> kSeverities{
    {{"info", Severity::info}, {"notice", Severity::notice}, {"data_loss", Severity::data_loss}}};

class Reader {
 public:
  Reader(std::string_view text, std::string_view name)
      : lexer_(text, name), call_reader_(lexer_), text_bytes_(text.size()) {}

  Trace read() {
    read_header();
    while (lexer_.next_line()) read_line();
    end_rank();
    check_all_ranks();
    for (std::int32_t r = 0; r < trace_->ranks(); ++r) trace_->calls(r).shrink();
    return std::move(*trace_).build();
  }
  Samples take_samples() { return std::move(all_samples_); }

 private:
  struct KeyValue {
    std::string_view key;
    Token value;
  };

  static KeyValue key_value(const Token& token) {
    const std::size_t equals = token.text.find('=');
    if (equals == std::string_view::npos) return {token.text, {}};
    return {token.text.substr(0, equals), token.from(equals + 1)};
  }

  /// "key=", or a word without a value; what takes its value.
  struct Field {
    std::string_view name;
    std::function<void(const Token& value)> take;
  };

  /// What stands at the end of a line that begins with `words` words.
  void read_fields(std::size_t words, std::initializer_list<Field> fields) {
    for (const Token& token : lexer_.tokens().subspan(words)) {
      const std::string_view text = token.text;
      const std::string_view name = text.substr(0, std::min(text.find('='), text.size() - 1) + 1);
      const Field* const field = std::ranges::find(fields, name, &Field::name);
      if (field == fields.end()) {
        std::vector<std::string_view> known;
        for (const Field& f : fields) known.push_back(f.name);
        fail_unknown(token, fmt::format("{}", fmt::join(known, ", ")));
      }
      field->take(key_value(token).value);
    }
  }

  [[noreturn]] void fail_unknown(const Token& token, std::string_view known) const {
    lexer_.fail(token, fmt::format("unknown word '{}'", token.text),
                fmt::format("expected {}", known));
  }

  void read_header() {
    if (!lexer_.next_line()) {
      lexer_.fail_at_end("not a trace", "the file is empty or holds only comments",
                         "A trace begins with 'slackline-trace 1 timed ranks=2'.");
    }
    const auto tokens = lexer_.tokens();
    if (tokens[0].text != kMagic || tokens.size() < 4) {
      lexer_.fail(tokens[0], "not a trace in text format", "the first line is not its header",
                  "A trace begins with 'slackline-trace 1 timed ranks=2'.");
    }
    if (lexer_.integer(tokens[1], "version", 1, std::numeric_limits<std::int32_t>::max()) >
        kVersion) {
      lexer_.fail(tokens[1],
                  fmt::format("unsupported version {} of the text format", tokens[1].text),
                  fmt::format("this Slackline reads version {}", kVersion),
                  "Use the Slackline version that wrote it, or a newer one.");
    }
    const bool timed = tokens[2].text == "timed";
    if (!timed && tokens[2].text != "untimed") fail_unknown(tokens[2], "timed or untimed");
    trace_.emplace(read_rank_count(tokens[3]), timed);
    seen_.assign(static_cast<std::size_t>(trace_->ranks()), false);
    for (const Token& token : tokens.subspan(4)) {
      if (token.text != "partial") fail_unknown(token, "partial");
      partial_ = true;
    }
  }

  std::int32_t read_rank_count(const Token& token) {
    const KeyValue kv = key_value(token);
    if (kv.key != "ranks") fail_unknown(token, "ranks=NUMBER");
    const auto most = std::max<std::int64_t>(
        kRanksAlways, static_cast<std::int64_t>(text_bytes_ / kBytesPerRank));
    return static_cast<std::int32_t>(
        lexer_.integer(kv.value, "number of ranks", 1,
                       std::min<std::int64_t>(most, std::numeric_limits<std::int32_t>::max())));
  }

  void read_line() {
    const Token& first = lexer_.tokens()[0];
    if (first.text == "rank") return read_rank();
    if (rank_ >= 0) return read_rank_line();
    if (first.text == "info") return read_info();
    if (first.text == "comm") return read_communicator();
    if (first.text == "region") return read_region();
    if (first.text == "frame") return read_frame();
    if (first.text == "counter") return read_counter_name();
    if (first.text == "finding") return read_finding();
    lexer_.fail(
        first, fmt::format("unexpected '{}'", first.text),
        "only info, comm, region, frame, counter and finding lines may precede the first rank",
        "Insert 'rank 0' above the operations of rank 0.");
  }

  void read_info() {
    TraceInfo& info = trace_->info();
    read_fields(
        1,
        {{"program=", [&](const Token& v) { info.program = lexer_.text(v); }},
         {"mpi=", [&](const Token& v) { info.mpi_library = lexer_.text(v); }},
         {"mpi_version=", [&](const Token& v) { info.mpi_version = lexer_.text(v); }},
         {"recorder=", [&](const Token& v) { info.recorder = lexer_.text(v); }},
         {"started=", [&](const Token& v) { info.started = lexer_.text(v); }},
         {"cpu=", [&](const Token& v) { info.cpu_ns = lexer_.time(v, "CPU time"); }},
         {"recording=",
          [&](const Token& v) { info.recording_ns = lexer_.time(v, "recording time"); }},
         {"sampling=",
          [&](const Token& v) { all_samples_.interval_ns = lexer_.time(v, "sampling interval"); }},
         {"processors=",
          [&](const Token& v) { info.processors_ns = lexer_.time(v, "time of the processors"); }},
         {"stolen=", [&](const Token& v) { info.stolen_ns = lexer_.time(v, "stolen time"); }},
         {"other_processes=",
          [&](const Token& v) {
            info.other_processes_ns = lexer_.time(v, "time of other processes");
          }},
         {"lost=",
          [&](const Token& v) {
            info.lost_calls = lexer_.unsigned_integer(v, "number of lost calls");
          }},
         {"flops_per_second=",
          [&](const Token& v) { info.flops_per_second = lexer_.real(v, "flops per second"); }}});
  }

  Token word(std::size_t i, std::string_view what) const {
    const auto tokens = lexer_.tokens();
    if (i >= tokens.size()) {
      lexer_.fail_at_end(fmt::format("{} line without {}", tokens[0].text, what),
                         "the line is too short");
    }
    return tokens[i];
  }

  void end_of_line(std::size_t words) const {
    if (lexer_.tokens().size() > words) fail_unknown(lexer_.tokens()[words], "nothing more");
  }

  std::vector<std::int32_t> read_members(const Token& value) {
    values_.clear();
    const std::int64_t room =
        kMembersAlways + kMembersPerByte * static_cast<std::int64_t>(text_bytes_) - members_;
    lexer_.list(value, "rank", room, values_);
    members_ += static_cast<std::int64_t>(values_.size());
    std::vector<std::int32_t> members;
    members.reserve(values_.size());
    for (const std::int64_t member : values_) {
      if (member < 0 || member >= trace_->ranks()) {
        lexer_.fail(value, fmt::format("member {} is not a rank of this trace", member),
                    fmt::format("it has ranks=0..{}", trace_->ranks() - 1));
      }
      members.push_back(static_cast<std::int32_t>(member));
    }
    return members;
  }

  void read_communicator() {
    const auto next = static_cast<std::int64_t>(trace_->communicators().size());
    const Token id = word(1, "number");
    if (lexer_.integer(id, "communicator", 0, std::numeric_limits<std::int32_t>::max()) != next) {
      lexer_.fail(id, fmt::format("communicator {} is out of order", id.text),
                  fmt::format("the next is {}; 0 is MPI_COMM_WORLD, 1 MPI_COMM_SELF", next));
    }
    Communicator communicator;
    read_fields(2, {{"members=", [&](const Token& v) { communicator.members = read_members(v); }},
                    {"remote=", [&](const Token& v) { communicator.remote = read_members(v); }},
                    {"name=", [&](const Token& v) { communicator.name = lexer_.text(v); }}});
    trace_->add_communicator(std::move(communicator));
  }

  void read_region() {
    const Token id = word(1, "number");
    const Token name = word(2, "name");
    end_of_line(3);
    const auto next = static_cast<std::int64_t>(trace_->regions().size());
    if (lexer_.integer(id, "region", 0, std::numeric_limits<std::int32_t>::max()) != next ||
        trace_->region_id(lexer_.text(name)) != next) {
      lexer_.fail(id, fmt::format("region {} is out of order", id.text),
                  fmt::format("the next is {}, and each name occurs once", next));
    }
  }

  void read_frame() {
    const Token id = word(1, "number");
    const Token parent = word(2, "number of the frame that called it");
    const Token function = word(3, "function");
    const auto next = static_cast<std::int64_t>(trace_->call_tree().size()) + 1;
    CodeLocation at;
    at.function = lexer_.text(function);
    constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
    const auto line = [&](const Token& v) {
      at.line = static_cast<std::uint32_t>(lexer_.integer(v, "line", 0, kMost));
    };
    read_fields(4, {{"file=", [&](const Token& v) { at.file = lexer_.text(v); }},
                    {"line=", line},
                    {"module=", [&](const Token& v) { at.module = lexer_.text(v); }},
                    {"inlined", [&](const Token&) { at.inlined = true; }}});
    const auto caller = static_cast<FrameId>(lexer_.integer(parent, "frame", 0, next - 1));
    if (lexer_.integer(id, "frame", 0, std::numeric_limits<std::uint32_t>::max()) != next ||
        trace_->call_tree().child(caller, at) != next) {
      lexer_.fail(id, fmt::format("frame {} is out of order", id.text),
                  fmt::format("the next is {}, and each stands once", next));
    }
    call_reader_.set_frames(trace_->call_tree().size());
  }

  void read_counter_name() {
    const Token id = word(1, "number");
    const Token name = word(2, "name");
    end_of_line(3);
    const auto next = static_cast<std::int64_t>(trace_->counters().size());
    if (lexer_.integer(id, "counter", 0, std::numeric_limits<std::int32_t>::max()) != next) {
      lexer_.fail(id, fmt::format("counter {} is out of order", id.text),
                  fmt::format("the next is {}", next));
    }
    trace_->add_counter(lexer_.text(name));
  }

  void read_finding() {
    const std::string name = lexer_.text(word(1, "name"));
    const Token severity = word(2, "severity");
    const Token count = word(3, "count");
    const auto found =
        std::ranges::find(kSeverities, severity.text, [](const auto& s) { return s.first; });
    if (found == kSeverities.end()) fail_unknown(severity, "info, notice or data_loss");
    const std::string sentence = lexer_.text(word(4, "sentence"));
    const FindingKind kind{name, found->second, sentence};
    trace_->findings().add(kind, {}, lexer_.unsigned_integer(count, "count"));
    for (const Token& token : lexer_.tokens().subspan(5)) {
      trace_->findings().add(kind, lexer_.text(token), 0);
    }
  }

  // The counters and samples of the rank whose lines have all been read.
  void end_rank() {
    for (std::size_t which = 0; which < counted_.size(); ++which) {
      if (!counted_[which].empty()) {
        trace_->calls(rank_).set_counter(which, std::move(counted_[which]));
      }
    }
    counted_.clear();
    if (!recording_costs_.empty()) {
      trace_->calls(rank_).set_recording_costs(std::move(recording_costs_));
    }
    recording_costs_.clear();
    if (!blocking_calls_.empty()) {
      trace_->calls(rank_).set_blocking_calls(std::move(blocking_calls_));
    }
    blocking_calls_.clear();
    if (!parallel_.empty()) trace_->calls(rank_).set_parallel_regions(std::move(parallel_));
    parallel_ = {};
    if (!samples_.empty()) all_samples_.set(rank_, std::move(samples_));
    samples_.clear();
  }

  void read_rank() {
    end_rank();
    const Token number = word(1, "number");
    rank_ = static_cast<std::int32_t>(lexer_.integer(number, "rank", 0, trace_->ranks() - 1));
    if (seen_[static_cast<std::size_t>(rank_)]) {
      lexer_.fail(number, fmt::format("rank {} has two sections", rank_), "one per rank is allowed",
                  "Merge them.");
    }
    seen_[static_cast<std::size_t>(rank_)] = true;
    RankInfo& info = trace_->rank_info(rank_);
    RankCallsBuilder& calls = trace_->calls(rank_);
    read_fields(2,
                {{"host=", [&](const Token& v) { info.host = lexer_.text(v); }},
                 {"start=", [&](const Token& v) { calls.set_start_ns(lexer_.time(v, "start")); }},
                 {"stop=", [&](const Token& v) { calls.set_stop_ns(lexer_.time(v, "stop")); }},
                 {"absent", [&](const Token&) { info.present = false; }},
                 {"unfinalized", [&](const Token&) { info.finalized = false; }},
                 {"clock_offset=",
                  [&](const Token& v) { info.clock_offset_ns = lexer_.time(v, "clock offset"); }},
                 {"clock_drift=",
                  [&](const Token& v) { info.clock_drift = lexer_.real(v, "clock drift"); }},
                 {"clock_error=",
                  [&](const Token& v) { info.clock_error_ns = lexer_.time(v, "clock error"); }}});
    cursor_ = trace_->calls(rank_).start_ns();
  }

  std::int64_t sum(std::int64_t a, std::int64_t b, const Token& at) const {
    const std::int64_t total = saturated_sum(a, b);
    if (total > kTimeLimit_ns || total < -kTimeLimit_ns) {
      lexer_.fail(at, "a time is out of range", "times are limited to 146 years from zero");
    }
    return total;
  }

  void read_rank_line() {
    auto tokens = lexer_.tokens();
    std::optional<std::int64_t> begin;
    std::int64_t duration = 0;
    Token last = tokens[0];
    bool has_duration = false;
    if (tokens[0].text.starts_with('@')) {
      begin = lexer_.time(tokens[0].from(1), "time");
      tokens = tokens.subspan(1);
    }
    if (!tokens.empty() && tokens[0].text.starts_with('+')) {
      duration = lexer_.time(tokens[0].from(1), "duration");
      has_duration = true;
      last = tokens[0];
      tokens = tokens.subspan(1);
    }
    if (tokens.empty()) {
      lexer_.fail_at_end("a time has no operation", "the line is too short");
    }
    const std::string_view first = tokens[0].text;
    if (first == "pause") {
      if (!begin || !has_duration) {
        lexer_.fail(tokens[0], "a pause has no time", "the syntax is '@BEGIN +DURATION pause'");
      }
      return read_pause(*begin, sum(*begin, duration, last), tokens);
    }
    if (first == "parallel") {
      if (!begin || !has_duration) {
        lexer_.fail(tokens[0], "a parallel region has no time",
                    "the syntax is '@BEGIN +DURATION parallel busy=NS,... waiting=NS,...'");
      }
      return read_parallel(*begin, sum(*begin, duration, last), tokens);
    }
    if (first == "sample") {
      if (!begin || has_duration) {
        lexer_.fail(tokens[0], "a sample has no time", "the syntax is '@TIME sample cpu=NS'");
      }
      return read_sample(*begin, tokens.subspan(1));
    }
    if (first == "counted") return read_counted(tokens, begin || has_duration);
    if (first == "recording") return read_recording_cost(tokens, begin || has_duration);
    if (first == "blocking") return read_blocking_calls(tokens, begin || has_duration);
    if (first == "compute" || first == "enter" || first == "leave") {
      if (has_duration)
        lexer_.fail(last, fmt::format("{} has no +duration", first), "it is not a call");
      return first == "compute" ? read_compute(begin, tokens) : read_region_event(begin, tokens);
    }
    const std::int64_t from = begin.value_or(cursor_);
    read_call(from, sum(from, duration, last), tokens);
  }

  void read_compute(std::optional<std::int64_t> begin, std::span<const Token> tokens) {
    if (begin || tokens.size() != 2) {
      lexer_.fail(tokens[0], "misplaced compute",
                  "the syntax is 'compute NANOSECONDS', alone on its line");
    }
    cursor_ = sum(cursor_, lexer_.integer(tokens[1], "computation", 0, kTimeLimit_ns), tokens[1]);
  }

  void read_pause(std::int64_t begin, std::int64_t end, std::span<const Token> tokens) {
    PauseKind kind = PauseKind::other;
    if (tokens.size() > 1) {
      const std::optional<PauseKind> named = pause_kind(std::string_view(tokens[1].text));
      if (!named) fail_unknown(tokens[1], "in_mpi, no_processor, blocked or recording");
      kind = *named;
    }
    if (tokens.size() > 2) fail_unknown(tokens[2], "nothing more");
    RankCallsBuilder& calls = trace_->calls(rank_);
    calls.append_pause({begin, end, static_cast<std::uint32_t>(calls.size()), kind});
  }

  /// The length of a region that is one instance is the line's duration.
  void read_parallel(std::int64_t begin, std::int64_t end, std::span<const Token> tokens) {
    ParallelRegion region{.begin_ns = begin, .end_ns = end, .length_ns = end - begin};
    region.before_call = static_cast<std::uint32_t>(trace_->calls(rank_).size());
    std::vector<std::int64_t> busy;
    std::vector<std::int64_t> waiting;
    for (const Token& token : tokens.subspan(1)) {
      const auto [key, value] = key_value(token);
      if (key == "busy" || key == "waiting") {
        lexer_.list(value, key, kMostThreads, key == "busy" ? busy : waiting);
      } else if (key == "frame") {
        region.frame = frame(value);
      } else if (key == "instances") {
        region.instances = static_cast<std::uint32_t>(
            lexer_.integer(value, "instances", 1, std::numeric_limits<std::uint32_t>::max()));
      } else if (key == "length") {
        region.length_ns = lexer_.integer(value, "length", 0, kTimeLimit_ns);
      } else {
        fail_unknown(token, "busy=, waiting=, frame=, instances=, length=");
      }
    }
    add_parallel(region, busy, waiting, tokens[0]);
  }

  void add_parallel(const ParallelRegion& region, std::span<const std::int64_t> busy,
                    std::span<const std::int64_t> waiting, const Token& at) {
    const bool fits = !busy.empty() && busy.size() == waiting.size() && region.length_ns >= 0;
    if (!fits) {
      lexer_.fail(at, "a parallel region needs as many busy as waiting times",
                  "each thread of the team has one of both");
    }
    std::vector<LocationTime> times;
    for (std::size_t i = 0; i < busy.size(); ++i) {
      const bool within = busy[i] >= 0 && waiting[i] >= 0 && busy[i] <= region.length_ns &&
                          waiting[i] <= region.length_ns - busy[i];
      if (!within) {
        lexer_.fail(at, "a thread's times are longer than its region",
                    "busy and waiting are parts of the region's length");
      }
      times.push_back({busy[i], waiting[i]});
    }
    parallel_.append(region, times);
  }

  void read_sample(std::int64_t time, std::span<const Token> tokens) {
    Sample sample{time, 0, 0, static_cast<std::uint32_t>(trace_->calls(rank_).size()), 0};
    for (const Token& token : tokens) {
      const auto [key, value] = key_value(token);
      if (key == "cpu" || key == "blocked") {
        sample.blocked = key == "blocked";
        sample.cpu_ns = lexer_.integer(value, "CPU time", 0, kTimeLimit_ns);
      } else if (key == "frame") {
        sample.frame = frame(value);
      } else if (key == "thread") {
        sample.thread = static_cast<std::uint16_t>(
            lexer_.integer(value, "thread", 0, std::numeric_limits<std::uint16_t>::max()));
      } else {
        fail_unknown(token, "cpu=, blocked=, frame=, thread=");
      }
    }
    samples_.push_back(sample);
  }

  FrameId frame(const Token& value) const {
    const auto frames = static_cast<std::int64_t>(trace_->call_tree().size());
    return static_cast<FrameId>(lexer_.integer(value, "frame", 0, frames));
  }

  void read_blocking_calls(std::span<const Token> tokens, bool has_time) {
    const auto kind = tokens.size() < 2 ? kBlockingKindNames.end()
                                        : std::ranges::find(kBlockingKindNames, tokens[1].text);
    if (has_time || kind == kBlockingKindNames.end()) {
      lexer_.fail(tokens[0], "misplaced blocking",
                  "the syntax is 'blocking io|sleep|lock|process|device function=NAME ...'");
    }
    BlockingCalls of{static_cast<BlockingKind>(kind - kBlockingKindNames.begin())};
    for (const Token& token : tokens.subspan(2)) {
      const auto [key, value] = key_value(token);
      if (key == "function" || key == "file") {
        (key == "file" ? of.file : of.function) = lexer_.text(value);
      } else if (key == "calls" || key == "bytes") {
        (key == "calls" ? of.calls : of.bytes) = lexer_.unsigned_integer(value, key);
      } else if (key == "time" || key == "blocked") {
        (key == "time" ? of.time_ns : of.blocked_ns) = lexer_.integer(value, key, 0, kTimeLimit_ns);
      } else if (key == "frame") {
        of.frame = frame(value);
      } else {
        fail_unknown(token, "function=, file=, calls=, bytes=, time=, blocked=, frame=");
      }
    }
    if (of.blocked_ns > of.time_ns) {
      lexer_.fail(tokens[0], "calls are blocked longer than they last", "time is all of it");
    }
    blocking_calls_.push_back(std::move(of));
  }

  void read_recording_cost(std::span<const Token> tokens, bool has_time) {
    if (has_time || tokens.size() != 4) {
      lexer_.fail(tokens[0], "misplaced recording", "the syntax is 'recording OPERATION NS NS'");
    }
    constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
    const std::optional<Operation> operation = operation_from_identifier(tokens[1].text);
    if (!operation) fail_unknown(tokens[1], "the name of an operation");
    recording_costs_.resize(kOperationCount);
    recording_costs_[static_cast<std::size_t>(*operation)] = {
        static_cast<std::uint32_t>(lexer_.integer(tokens[2], "cost", 0, kMost)),
        static_cast<std::uint32_t>(lexer_.integer(tokens[3], "cost", 0, kMost))};
  }

  void read_counted(std::span<const Token> tokens, bool has_time) {
    const std::size_t counters = trace_->counters().size();
    if (has_time || tokens.size() < 2 || tokens.size() > 1 + counters) {
      lexer_.fail(tokens[0], "misplaced counted",
                  fmt::format("the syntax is 'counted' and a number for each of the {} counters",
                              counters));
    }
    counted_.resize(counters);
    const std::size_t gap = trace_->calls(rank_).size();
    for (std::size_t which = 0; which + 1 < tokens.size(); ++which) {
      const std::uint64_t value = lexer_.unsigned_integer(tokens[which + 1], "count");
      if (value == 0) continue;
      counted_[which].resize(gap + 1);
      counted_[which][gap] = value;
    }
  }

  void read_region_event(std::optional<std::int64_t> begin, std::span<const Token> tokens) {
    if (tokens.size() != 2) {
      lexer_.fail(tokens[0], fmt::format("{} needs one region", tokens[0].text),
                  "by name or number");
    }
    RankCallsBuilder& calls = trace_->calls(rank_);
    calls.append_region({.time_ns = begin.value_or(cursor_),
                         .region = read_region_reference(tokens[1]),
                         .before_call = static_cast<std::uint32_t>(calls.size()),
                         .enter = tokens[0].text == "enter"});
  }

  std::uint32_t read_region_reference(const Token& token) {
    const char first = token.text[0];
    if (first < '0' || first > '9') return trace_->region_id(lexer_.text(token));
    return static_cast<std::uint32_t>(lexer_.integer(
        token, "region", 0, static_cast<std::int64_t>(trace_->regions().size()) - 1));
  }

  void read_call(std::int64_t begin, std::int64_t end, std::span<const Token> tokens) {
    const auto operation = operation_of_word(tokens[0].text);
    if (!operation) {
      lexer_.fail(tokens[0], fmt::format("unknown operation '{}'", tokens[0].text),
                  "operations are MPI function names without MPI_, in lower case",
                  "Examples: isend, waitall, allreduce.");
    }
    Call call = call_reader_.read(*operation, tokens[0], tokens.subspan(1));
    // As the recorder has them: before the call that starts them, and without a duration.
    for (Call started : call_reader_.started_collectives()) {
      started.begin_ns = started.end_ns = begin;
      started.thread = call.thread;
      started.frame = call.frame;
      trace_->calls(rank_).append(started);
    }
    call.begin_ns = begin;
    call.end_ns = end;
    trace_->calls(rank_).append(call);
    cursor_ = end;
  }

  void check_all_ranks() {
    for (std::size_t r = 0; r < seen_.size(); ++r) {
      if (seen_[r]) continue;
      if (partial_) {
        trace_->rank_info(static_cast<std::int32_t>(r)).present = false;
        continue;
      }
      lexer_.fail_at_end(fmt::format("rank {} is missing", r),
                         fmt::format("the header says ranks={}", seen_.size()),
                         fmt::format("Add 'rank {}', or 'rank {} absent'.", r, r));
    }
  }

  Lexer lexer_;
  CallReader call_reader_;
  std::size_t text_bytes_;
  std::optional<TraceBuilder> trace_;
  std::vector<bool> seen_;
  Samples all_samples_;
  std::vector<Sample> samples_;                 // of the rank under way
  std::vector<RecordingCost> recording_costs_;  // the same
  std::vector<BlockingCalls> blocking_calls_;   // the same
  static constexpr std::int64_t kMostThreads = 1 << 16;
  ParallelRegions parallel_;                         // of the rank under way
  std::vector<std::vector<std::uint64_t>> counted_;  // of the rank under way, by counter and gap
  std::vector<std::int64_t> values_;
  std::int64_t members_ = 0;
  std::int64_t cursor_ = 0;
  std::int32_t rank_ = -1;
  bool partial_ = false;
};

}  // namespace
}  // namespace text

Trace read_text(std::string_view text, std::string_view name, Samples* samples) {
  text::Reader reader(text, name);
  Trace trace = reader.read();
  if (samples != nullptr) *samples = reader.take_samples();
  return trace;
}

bool looks_like_text(std::string_view head) {
  while (!head.empty()) {
    const std::string_view line = take_line(head);
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin != std::string_view::npos && line[begin] != '#') {
      return line.substr(begin).starts_with(text::kMagic);
    }
  }
  return false;
}

}  // namespace slackline
