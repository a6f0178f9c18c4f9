// The two text forms of a timeline: Chrome's JSON, and a table of operations.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "trace/writers/perfetto/perfetto.h"
#include "trace/writers/perfetto/slices.h"

namespace slackline {
namespace {

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

double microseconds(std::int64_t ns) {
  return static_cast<double>(ns) / 1000;
}

class JsonEvents {
 public:
  explicit JsonEvents(OutputFile& file) : file_(file) { file_.write("{\"traceEvents\":[\n"); }
  void add(const std::string& event) {
    file_.write(first_ ? event : ",\n" + event);
    first_ = false;
  }
  void end() { file_.write("\n],\"displayTimeUnit\":\"ns\"}\n"); }

 private:
  OutputFile& file_;
  bool first_ = true;
};

std::string call_event(std::int32_t rank, const Call& call) {
  const std::string_view name = mpi_name(call.operation);
  return fmt::format(
      "{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{:.3f},\"dur\":{:.3f},\"cat\":\"mpi\","
      "\"name\":\"{}\",\"args\":{{\"peer\":{},\"bytes\":{},\"tag\":{},\"communicator\":{}}}}}",
      rank, call.thread, microseconds(call.begin_ns), microseconds(call.end_ns - call.begin_ns),
      name.empty() ? "MPI call" : name, call.peer, call.bytes, call.tag, call.comm);
}

}  // namespace

Findings write_chrome_json(const Trace& trace, const std::filesystem::path& path) {
  OutputFile file(path);
  JsonEvents events(file);
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    events.add(
        fmt::format("{{\"ph\":\"M\",\"pid\":{},\"name\":\"process_name\",\"args\":"
                    "{{\"name\":\"rank {}\"}}}}",
                    rank, rank));
    for_each_slice(
        trace.calls(rank),
        [&](std::size_t i) { events.add(call_event(rank, trace.calls(rank)[i])); },
        [&](std::int64_t ns, std::uint32_t region, bool enter) {
          events.add(fmt::format(
              "{{\"ph\":\"{}\",\"pid\":{},\"tid\":0,\"ts\":{:.3f},\"cat\":"
              "\"region\",\"name\":{}}}",
              enter ? 'B' : 'E', rank, microseconds(ns), json_text(trace.regions()[region])));
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
      fmt::format_to(std::back_inserter(line), "{},{},{},{},{},{},{},{},{},{},{},{}\n", rank, i,
                     c.thread, identifier(c.operation), c.begin_ns, c.end_ns, c.peer, c.tag,
                     c.bytes, c.comm, c.request, c.flags);
      file.write(line);
    }
  }
  file.commit();
  return {};
}

}  // namespace slackline
