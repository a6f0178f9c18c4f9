// An Arrow file is a magic text, messages (the schema, the dictionaries of texts, batches of rows)
// and a footer that says where each message lies. How long a batch is depends on its number of rows
// only, so that batches are made on all threads and written one after the other.

#include "formats/arrow/writer.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/file.h"
#include "formats/arrow/messages.h"
#include "formats/tables/trace_tables.h"

namespace slackline {
namespace {

/// A batch is some 2 MB, and several are in memory at a time.
constexpr std::size_t kRowsOfBatch = 1 << 15;

/// The version of the columns and their meaning, which files have as "slackline_version".
constexpr const char* kVersion = "1";

ArrowNotes notes() {
  return {{"slackline_table", "calls"}, {"slackline_version", kVersion}};
}

std::vector<ArrowField> fields_of(const std::vector<TableColumn>& columns) {
  constexpr int kBitsOfByte = 8;
  std::vector<ArrowField> fields;
  for (const TableColumn& column : columns) {
    ArrowField field{.name = column.name,
                     .bits = static_cast<int>(column.bytes) * kBitsOfByte,
                     .is_signed = column.is_signed};
    if (column.texts) field.dictionary = static_cast<std::int64_t>(fields.size());
    fields.push_back(std::move(field));
  }
  return fields;
}

ArrowBody body_of(const std::vector<TableColumn>& columns, std::size_t rows) {
  ArrowBody body;
  for (const TableColumn& column : columns) {
    body.add_none();
    body.add(rows * column.bytes);
  }
  return body;
}

class ArrowFileWriter {
 public:
  ArrowFileWriter(TraceTable table, const std::filesystem::path& path)
      : table_(std::move(table)), fields_(fields_of(table_.columns)), file_(path) {}

  void write() {
    write(arrow_magic());
    write(arrow_schema_message(fields_, notes()));
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].texts) write_dictionary(*fields_[i].dictionary, columns_[i].texts());
    }
    write_batches();
    write(arrow_footer(fields_, notes(), dictionaries_, batches_));
    file_.commit();
  }

 private:
  void write(const std::string& bytes) {
    file_.write(bytes);
    at_ += bytes.size();
  }

  void write_dictionary(std::int64_t number, const std::vector<std::string>& texts) {
    std::vector<std::int32_t> ends{0};
    std::string characters;
    for (const std::string& text : texts) {
      characters += text;
      ends.push_back(static_cast<std::int32_t>(characters.size()));
    }
    ArrowBody body;
    body.add_none();
    body.add(ends.size() * sizeof ends[0]);
    body.add(characters.size());
    const std::string message = arrow_dictionary_message(number, texts.size(), body);
    dictionaries_.push_back({at_, message.size(), body.size()});
    std::string bytes(body.size(), '\0');
    std::memcpy(bytes.data(), ends.data(), ends.size() * sizeof ends[0]);
    characters.copy(bytes.data() + body.buffers()[2].offset, characters.size());
    write(message);
    write(bytes);
  }

  void write_batches() {
    const std::size_t count = (table_.rows() + kRowsOfBatch - 1) / kRowsOfBatch;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t rows = rows_in(i);
      const ArrowBody body = body_of(columns_, rows);
      const std::size_t metadata = arrow_batch_message(columns_.size(), rows, body).size();
      batches_.push_back({at_, metadata, body.size()});
      at_ += metadata + body.size();
    }
    file_.write_pieces(count,
                       [&](std::size_t i, FilePiece& piece) { make_batch(i, piece.text()); });
  }

  std::size_t rows_in(std::size_t batch) const {
    return std::min(kRowsOfBatch, table_.rows() - batch * kRowsOfBatch);
  }

  void make_batch(std::size_t batch, TextBuffer& out) const {
    const std::size_t rows = rows_in(batch);
    const ArrowBody body = body_of(columns_, rows);
    out.append(arrow_batch_message(columns_.size(), rows, body));
    char* const to = out.room(body.size());
    std::fill(to, to + body.size(), '\0');  // for the padding
    const std::size_t begin = batch * kRowsOfBatch;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const TableColumn& column = columns_[i];
      char* values = to + body.buffers()[2 * i + 1].offset;
      table_.each_part(begin, begin + rows, [&](const TableRows& part) {
        column.fill(part, values);
        values += part.count * column.bytes;
      });
    }
    out.end_at(to + body.size());
  }

  TraceTable table_;
  const std::vector<TableColumn>& columns_ = table_.columns;
  std::vector<ArrowField> fields_;
  OutputFile file_;
  std::size_t at_ = 0;
  std::vector<ArrowBlock> dictionaries_;
  std::vector<ArrowBlock> batches_;
};

}  // namespace

Findings write_arrow(const Trace& trace, const std::filesystem::path& path) {
  ArrowFileWriter(calls_table(trace), path).write();
  return {};
}

}  // namespace slackline
