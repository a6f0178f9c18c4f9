// The two text forms of a timeline: Chrome's JSON, and a table of operations.

#include <fmt/compile.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "trace/writers/perfetto/perfetto.h"
#include "trace/writers/perfetto/slices.h"

namespace slackline {
namespace {

// Chrome counts in microseconds: nanoseconds are three decimals.
struct Microseconds {
  std::int64_t ns;
};

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace
}  // namespace slackline

template <>
struct fmt::formatter<slackline::Microseconds> {
  constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
  template <class Context>
  auto format(slackline::Microseconds time, Context& context) const {
    const auto bits = static_cast<std::uint64_t>(time.ns);
    const std::uint64_t size = time.ns < 0 ? 0 - bits : bits;
    return fmt::format_to(context.out(), FMT_COMPILE("{}{}.{:03}"), time.ns < 0 ? "-" : "",
                          size / 1000, size % 1000);
  }
};

namespace slackline {
namespace {

class JsonEvents {
 public:
  explicit JsonEvents(OutputFile& file) : file_(file) { file_.write("{\"traceEvents\":[\n"); }
  template <class Format, class... Args>
  void add(const Format& format, const Args&... args) {
    line_ = first_ ? "" : ",\n";
    first_ = false;
    fmt::format_to(std::back_inserter(line_), format, args...);
    file_.write(line_);
  }
  void end() { file_.write("\n],\"displayTimeUnit\":\"ns\"}\n"); }

 private:
  OutputFile& file_;
  std::string line_;
  bool first_ = true;
};

void add_call(JsonEvents& events, std::int32_t rank, const Call& call) {
  const std::string_view name = mpi_name(call.operation);
  events.add(
      FMT_COMPILE(
          "{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"cat\":\"mpi\","
          "\"name\":\"{}\",\"args\":{{\"peer\":{},\"bytes\":{},\"tag\":{},\"communicator\":{}}}}}"),
      rank, call.thread, Microseconds{call.begin_ns}, Microseconds{call.end_ns - call.begin_ns},
      name.empty() ? "MPI call" : name, call.peer, call.bytes, call.tag, call.comm);
}

}  // namespace

Findings write_chrome_json(const Trace& trace, const std::filesystem::path& path) {
  OutputFile file(path);
  JsonEvents events(file);
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    events.add(FMT_COMPILE("{{\"ph\":\"M\",\"pid\":{},\"name\":\"process_name\",\"args\":"
                           "{{\"name\":\"rank {}\"}}}}"),
               rank, rank);
    for_each_slice(
        trace.calls(rank), [&](std::size_t i) { add_call(events, rank, trace.calls(rank)[i]); },
        [&](std::int64_t ns, std::uint32_t region, bool enter) {
          events.add(FMT_COMPILE("{{\"ph\":\"{}\",\"pid\":{},\"tid\":0,\"ts\":{},\"cat\":"
                                 "\"region\",\"name\":{}}}"),
                     enter ? 'B' : 'E', rank, Microseconds{ns}, json_text(trace.regions()[region]));
        });
  }
  events.end();
  file.commit();
  return {};
}

Findings write_operations_csv(const Trace& trace, const std::filesystem::path& path) {
  OutputFile file(path);
  file.write(
      "rank,call,thread,operation,begin_ns,end_ns,peer,tag,bytes,communicator,request,flags\n");
  std::string line;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const RankCalls& calls = trace.calls(rank);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const Call c = calls[i];
      line.clear();
      fmt::format_to(std::back_inserter(line), FMT_COMPILE("{},{},{},{},{},{},{},{},{},{},{},{}\n"),
                     rank, i, c.thread, identifier(c.operation), c.begin_ns, c.end_ns, c.peer,
                     c.tag, c.bytes, c.comm, c.request, c.flags);
      file.write(line);
    }
  }
  file.commit();
  return {};
}

}  // namespace slackline
