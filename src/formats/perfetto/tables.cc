// The two text forms of a timeline: Chrome's JSON, and the table of calls.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/printable.h"
#include "base/put_digits.h"
#include "formats/perfetto/perfetto.h"
#include "formats/perfetto/slices.h"
#include "formats/tables/trace_tables.h"

namespace slackline {
namespace {

// An event's line of JSON, with numbers as long as can be.
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
  to = put_text(to, ",\"comm\":");
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

std::string header_of(const TraceTable& table) {
  std::string header;
  for (const TableColumn& c : table.columns) header += (header.empty() ? "" : ",") + c.name;
  return header + "\n";
}

/// The texts of each column that has some, as fields.
std::vector<Texts> fields_of(const TraceTable& table) {
  std::vector<Texts> fields;
  for (const TableColumn& column : table.columns) {
    Texts& of = fields.emplace_back();
    if (!column.texts) continue;
    for (const std::string& text : column.texts()) of.push_back(csv_field(text));
  }
  return fields;
}

void add_lines(const TraceTable& table, const std::vector<Texts>& fields, const TableRows& rows,
               TextBuffer& text) {
  std::vector<std::vector<char>> written;
  for (const TableColumn& column : table.columns) {
    column.fill(rows, written.emplace_back(rows.count * column.bytes).data());
  }
  for (std::size_t row = 0; row < rows.count; ++row) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const TableColumn& column = table.columns[i];
      const std::int64_t value = column.number(written[i].data() + row * column.bytes);
      if (i > 0) text.append(",");
      if (column.texts) {
        text.append(fields[i][static_cast<std::size_t>(value)]);
      } else {
        text.end_at(put_number(text.room(kNumberRoom), value));
      }
    }
    text.append("\n");
  }
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
  constexpr std::size_t kRowsOfPiece = 1 << 12;
  const TraceTable table = calls_table(trace);
  const std::vector<Texts> fields = fields_of(table);
  OutputFile file(path);
  file.write(header_of(table));
  file.write_pieces(
      (table.rows() + kRowsOfPiece - 1) / kRowsOfPiece, [&](std::size_t piece, FilePiece& out) {
        const std::size_t begin = piece * kRowsOfPiece;
        const std::size_t end = std::min(table.rows(), begin + kRowsOfPiece);
        table.each_part(begin, end,
                        [&](const TableRows& rows) { add_lines(table, fields, rows, out.text()); });
      });
  file.commit();
  return {};
}

}  // namespace slackline
