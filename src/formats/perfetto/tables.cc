// The two text forms of a timeline: Chrome's JSON, and a table of operations.

#include <fmt/compile.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/put_digits.h"
#include "formats/perfetto/perfetto.h"
#include "formats/perfetto/slices.h"

namespace slackline {
namespace {

// A call's line in either form, with numbers as long as can be.
constexpr std::size_t kLineRoom = 1024;

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

// Chrome counts in microseconds: nanoseconds are three decimals.
char* put_microseconds(char* to, std::int64_t ns) {
  const auto bits = static_cast<std::uint64_t>(ns);
  const std::uint64_t size = ns < 0 ? 0 - bits : bits;
  if (ns < 0) *to++ = '-';
  to = put_number(to, size / 1000);
  char* const end = put_number(to, 1000 + size % 1000);  // its 1 becomes the point
  *to = '.';
  return end;
}

char* put_call(char* to, std::int32_t rank, const Call& call) {
  const std::string_view name = mpi_name(call.operation);
  to = put_text(to, "{\"ph\":\"X\",\"pid\":");
  to = put_number(to, rank);
  to = put_text(to, ",\"tid\":");
  to = put_number(to, call.thread);
  to = put_text(to, ",\"ts\":");
  to = put_microseconds(to, call.begin_ns);
  to = put_text(to, ",\"dur\":");
  to = put_microseconds(to, call.end_ns - call.begin_ns);
  to = put_text(to, ",\"cat\":\"mpi\",\"name\":\"");
  to = put_text(to, name.empty() ? "MPI call" : name);
  to = put_text(to, "\",\"args\":{\"peer\":");
  to = put_number(to, call.peer);
  to = put_text(to, ",\"bytes\":");
  to = put_number(to, call.bytes);
  to = put_text(to, ",\"tag\":");
  to = put_number(to, call.tag);
  to = put_text(to, ",\"communicator\":");
  to = put_number(to, call.comm);
  return put_text(to, "}}");
}

// Every event but the first has its separator before it.
void add_events(const Trace& trace, SlicePiece piece, FilePiece& file) {
  const std::int32_t rank = piece.rank;
  const RankCalls& calls = trace.calls(rank);
  TextBuffer& text = file.text();
  if (piece.is_first) {
    if (rank > 0) text.append(",\n");
    text.append(
        fmt::format("{{\"ph\":\"M\",\"pid\":{},\"name\":\"process_name\",\"args\":"
                    "{{\"name\":\"rank {}\"}}}}",
                    rank, rank));
  }
  for_each_slice(
      calls, piece,
      [&](std::size_t i) {
        text.end_at(put_call(put_text(text.room(kLineRoom), ",\n"), rank, calls[i]));
      },
      [&](std::int64_t ns, std::uint32_t region, bool enter) {
        char* to = put_text(text.room(kLineRoom),
                            enter ? ",\n{\"ph\":\"B\",\"pid\":" : ",\n{\"ph\":\"E\",\"pid\":");
        to = put_number(to, rank);
        to = put_text(to, ",\"tid\":0,\"ts\":");
        to = put_microseconds(to, ns);
        text.end_at(put_text(to, ",\"cat\":\"region\",\"name\":"));
        text.append(json_text(trace.regions()[region]));
        text.append("}");
        file.flush();
      });
}

}  // namespace

Findings write_chrome_json(const Trace& trace, const std::filesystem::path& path) {
  OutputFile file(path);
  file.write("{\"traceEvents\":[\n");
  const std::vector<SlicePiece> pieces = slice_pieces(trace);
  file.write_pieces(pieces.size(), [&](std::size_t index, FilePiece& piece) {
    add_events(trace, pieces[index], piece);
  });
  file.write("\n],\"displayTimeUnit\":\"ns\"}\n");
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
