// Files are read back by FlatBuffers' own accessors and the field numbers of Arrow's specification;
// test/arrow reads them with Apache's library.

#include <flatbuffers/flatbuffers.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/testing/scratch_folder.h"
#include "formats/arrow/writer.h"
#include "formats/text/text.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::Pair;

struct FileBlock {
  std::int64_t offset;
  std::int32_t metadata;
  std::int32_t padding;
  std::int64_t body;
};
struct BodyBuffer {
  std::int64_t offset;
  std::int64_t length;
};
struct Node {
  std::int64_t length;
  std::int64_t nulls;
};

template <class T>
T number_at(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.substr(at, sizeof value).data(), sizeof value);
  return value;
}

/// A table of FlatBuffers, its fields by their numbers.
class Fields {
 public:
  explicit Fields(const flatbuffers::Table* table) : table_(table) {}
  template <class T>
  T scalar(std::uint16_t number) const {
    return table_->GetField<T>(flatbuffers::FieldIndexToOffset(number), T{});
  }
  Fields table(std::uint16_t number) const { return Fields(pointer<flatbuffers::Table>(number)); }
  bool has(std::uint16_t number) const { return pointer<flatbuffers::Table>(number) != nullptr; }
  std::string text(std::uint16_t number) const {
    return pointer<flatbuffers::String>(number)->str();
  }
  std::vector<Fields> tables(std::uint16_t number) const {
    std::vector<Fields> all;
    const auto& vector =
        *pointer<flatbuffers::Vector<flatbuffers::Offset<flatbuffers::Table>>>(number);
    for (flatbuffers::uoffset_t i = 0; i < vector.size(); ++i) all.emplace_back(vector.Get(i));
    return all;
  }
  template <class Struct>
  std::vector<Struct> structs(std::uint16_t number) const {
    const auto& vector = *pointer<flatbuffers::Vector<const Struct*>>(number);
    std::vector<Struct> all(vector.size());
    if (!all.empty()) std::memcpy(all.data(), vector.Data(), all.size() * sizeof(Struct));
    return all;
  }

 private:
  template <class T>
  const T* pointer(std::uint16_t number) const {
    return table_->GetPointer<const T*>(flatbuffers::FieldIndexToOffset(number));
  }
  const flatbuffers::Table* table_;
};

/// What a written file holds. Reading it checks everything that the format demands.
class ArrowFile {
 public:
  explicit ArrowFile(std::string bytes) : bytes_(std::move(bytes)) {
    EXPECT_EQ(bytes_.substr(0, 8), std::string("ARROW1\0\0", 8));
    EXPECT_EQ(bytes_.substr(bytes_.size() - 6), "ARROW1");
    const auto length = number_at<std::int32_t>(bytes_, bytes_.size() - 10);
    const std::size_t begin = bytes_.size() - 10 - static_cast<std::size_t>(length);
    EXPECT_EQ(number_at<std::uint64_t>(bytes_, begin - 8), 0xffffffffU) << "end of the stream";
    EXPECT_EQ(begin % 8, 0U);
    footer_ = bytes_.substr(begin, static_cast<std::size_t>(length));
    const Fields footer = root(footer_);
    EXPECT_EQ(footer.scalar<std::int16_t>(0), 4) << "version 5 of the metadata";
    read_schema(footer.table(1));
    at_ = 8;
    const Fields first = next_message(1);
    EXPECT_EQ(first.tables(1).size(), names.size());
    for (const FileBlock& block : footer.structs<FileBlock>(2)) read_dictionary(block);
    for (const FileBlock& block : footer.structs<FileBlock>(3)) read_batch(block);
    EXPECT_EQ(at_ + 8, begin) << "nothing between messages and footer";
  }

  std::vector<std::string> names;
  std::map<std::string, std::string> notes;
  std::map<std::string, std::vector<std::string>> cells;
  std::vector<std::size_t> rows_of_batches;

 private:
  struct Type {
    int bits;
    bool is_signed;
    bool is_text;
    std::int64_t dictionary;
  };

  Fields root(const std::string& bytes) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % 8, 0U);
    return Fields(flatbuffers::GetRoot<flatbuffers::Table>(bytes.data()));
  }

  void read_schema(const Fields& schema) {
    EXPECT_EQ(schema.scalar<std::int16_t>(0), 0) << "little-endian";
    for (const Fields& field : schema.tables(1)) {
      names.push_back(field.text(0));
      EXPECT_FALSE(field.scalar<bool>(1)) << "no missing values";
      EXPECT_TRUE(field.tables(5).empty());
      const bool is_text = field.has(4);
      EXPECT_EQ(field.scalar<std::uint8_t>(2), is_text ? 5 : 2);
      const Fields integer = is_text ? field.table(4).table(1) : field.table(3);
      types_.push_back({integer.scalar<std::int32_t>(0), integer.scalar<bool>(1), is_text,
                        is_text ? field.table(4).scalar<std::int64_t>(0) : -1});
    }
    for (const Fields& pair : schema.tables(2)) notes[pair.text(0)] = pair.text(1);
  }

  /// The header of the message at at_, which then is where its body begins.
  Fields next_message(std::uint8_t type) {
    EXPECT_EQ(at_ % 8, 0U);
    EXPECT_EQ(number_at<std::uint32_t>(bytes_, at_), 0xffffffffU);
    const auto length = static_cast<std::size_t>(number_at<std::int32_t>(bytes_, at_ + 4));
    message_ = bytes_.substr(at_ + 8, length);
    at_ += 8 + length;
    EXPECT_EQ(at_ % 64, 0U);
    const Fields message = root(message_);
    EXPECT_EQ(message.scalar<std::int16_t>(0), 4);
    EXPECT_EQ(message.scalar<std::uint8_t>(1), type);
    body_bytes_ = message.scalar<std::int64_t>(3);
    return message.table(2);
  }

  Fields next_message(std::uint8_t type, const FileBlock& block) {
    EXPECT_EQ(static_cast<std::size_t>(block.offset), at_);
    const Fields header = next_message(type);
    EXPECT_EQ(at_ - static_cast<std::size_t>(block.offset),
              static_cast<std::size_t>(block.metadata));
    EXPECT_EQ(block.body, body_bytes_);
    return header;
  }

  std::string buffer(const BodyBuffer& buffer) {
    EXPECT_EQ(buffer.offset % 64, 0);
    EXPECT_LE(buffer.offset + buffer.length, body_bytes_);
    return bytes_.substr(at_ + static_cast<std::size_t>(buffer.offset),
                         static_cast<std::size_t>(buffer.length));
  }

  void read_dictionary(const FileBlock& block) {
    const Fields header = next_message(2, block);
    const Fields batch = header.table(1);
    const auto texts = static_cast<std::size_t>(batch.scalar<std::int64_t>(0));
    const auto nodes = batch.structs<Node>(1);
    EXPECT_EQ(nodes.size(), 1U);
    EXPECT_EQ(static_cast<std::size_t>(nodes[0].length), texts);
    const auto buffers = batch.structs<BodyBuffer>(2);
    EXPECT_EQ(buffers.size(), 3U);
    EXPECT_EQ(buffers[0].length, 0);
    const std::string ends = buffer(buffers[1]);
    const std::string characters = buffer(buffers[2]);
    EXPECT_EQ(ends.size(), 4 * (texts + 1));
    auto& dictionary = dictionaries_[header.scalar<std::int64_t>(0)];
    for (std::size_t i = 0; i < texts; ++i) {
      const auto begin = static_cast<std::size_t>(number_at<std::int32_t>(ends, 4 * i));
      const auto end = static_cast<std::size_t>(number_at<std::int32_t>(ends, 4 * i + 4));
      dictionary.push_back(characters.substr(begin, end - begin));
    }
    at_ += static_cast<std::size_t>(body_bytes_);
  }

  void read_batch(const FileBlock& block) {
    const Fields batch = next_message(3, block);
    const auto rows = static_cast<std::size_t>(batch.scalar<std::int64_t>(0));
    rows_of_batches.push_back(rows);
    const auto nodes = batch.structs<Node>(1);
    const auto buffers = batch.structs<BodyBuffer>(2);
    EXPECT_EQ(nodes.size(), names.size());
    EXPECT_EQ(buffers.size(), 2 * names.size());
    for (std::size_t c = 0; c < names.size(); ++c) {
      EXPECT_EQ(static_cast<std::size_t>(nodes[c].length), rows);
      EXPECT_EQ(nodes[c].nulls, 0);
      EXPECT_EQ(buffers[2 * c].length, 0);
      const std::string values = buffer(buffers[2 * c + 1]);
      const auto bytes = static_cast<std::size_t>(types_[c].bits) / 8;
      EXPECT_EQ(values.size(), rows * bytes);
      for (std::size_t row = 0; row < rows; ++row) {
        cells[names[c]].push_back(cell(types_[c], values, row * bytes));
      }
    }
    at_ += static_cast<std::size_t>(body_bytes_);
  }

  std::string cell(const Type& type, std::string_view values, std::size_t at) const {
    const std::int64_t value = integer(type, values, at);
    if (!type.is_text) {
      return type.is_signed ? std::to_string(value)
                            : std::to_string(static_cast<std::uint64_t>(value));
    }
    return dictionaries_.at(type.dictionary).at(static_cast<std::size_t>(value));
  }

  static std::int64_t integer(const Type& type, std::string_view values, std::size_t at) {
    switch (type.bits) {
      case 8:
        return number_at<std::uint8_t>(values, at);
      case 16:
        return number_at<std::int16_t>(values, at);
      case 32:
        return type.is_signed ? std::int64_t{number_at<std::int32_t>(values, at)}
                              : std::int64_t{number_at<std::uint32_t>(values, at)};
      default:
        return number_at<std::int64_t>(values, at);
    }
  }

  std::string bytes_;
  std::string footer_;
  std::string message_;
  std::size_t at_ = 0;
  std::int64_t body_bytes_ = 0;
  std::vector<Type> types_;
  std::map<std::int64_t, std::vector<std::string>> dictionaries_;
};

ArrowFile written(const Trace& trace) {
  const ScratchFolder folder;
  const std::filesystem::path path = folder.path() / "calls.arrow";
  EXPECT_TRUE(write_arrow(trace, path).entries().empty());
  return ArrowFile(std::string(MappedFile(path).text()));
}

constexpr std::string_view kArrowTrace =
    "slackline-trace 1 timed ranks=3\n"
    "comm 2 members=1,0 name=pair\n"
    "rank 0 host=n0\n"
    "@0 +100 init\n@150 enter \"solve\"\n@160 enter \"halo\"\n"
    "@1200 +500 send to=1 tag=3 bytes=5000000000 comm=2\n@1800 leave \"solve\"\n"
    "@2600 +10 finalize\n"
    "rank 1\n"
    "rank 2\n@-5 +100 init\n@200 +1600 recv from=null tag=3 bytes=0\n@2600 +10 finalize\n";

TEST(Arrow, CallsAreThoseOfTheTrace) {
  const ArrowFile file = written(read_text(kArrowTrace, "test"));
  EXPECT_THAT(file.names,
              ElementsAre("rank", "call", "thread", "operation", "begin_ns", "end_ns", "bytes",
                          "peer", "tag", "comm", "request", "flags", "region", "function"));
  EXPECT_THAT(file.notes,
              ElementsAre(Pair("slackline_table", "calls"), Pair("slackline_version", "1")));
  const auto& cells = file.cells;
  EXPECT_THAT(cells.at("rank"), ElementsAre("0", "0", "0", "2", "2", "2"));
  EXPECT_THAT(cells.at("call"), ElementsAre("0", "1", "2", "0", "1", "2"));
  EXPECT_THAT(cells.at("operation"), ElementsAre("MPI_Init", "MPI_Send", "MPI_Finalize", "MPI_Init",
                                                 "MPI_Recv", "MPI_Finalize"));
  EXPECT_THAT(cells.at("begin_ns"), ElementsAre("0", "1200", "2600", "-5", "200", "2600"));
  EXPECT_THAT(cells.at("end_ns"), ElementsAre("100", "1700", "2610", "95", "1800", "2610"));
  EXPECT_THAT(cells.at("bytes"), ElementsAre("0", "5000000000", "0", "0", "0", "0"));
  EXPECT_THAT(cells.at("peer"), ElementsAre("-1", "1", "-1", "-1", "-2", "-1"));
  EXPECT_THAT(cells.at("comm"), ElementsAre("0", "2", "0", "0", "0", "0"));
  EXPECT_THAT(cells.at("region"), ElementsAre("", "solve/halo", "", "", "", ""));
  EXPECT_THAT(cells.at("function"), ElementsAre("", "", "", "", "", ""));
}

TEST(Arrow, CallsKnowTheirFunctionAndItsPath) {
  const ArrowFile file = written(read_text(
      "slackline-trace 1 timed ranks=1\n"
      "frame 1 0 main line=3\nframe 2 1 relax line=7\nframe 3 1 main line=9\n"
      "rank 0\n@0 +1 init frame=1\n@2 +1 barrier frame=2\n@4 +1 barrier frame=3\n@6 +1 finalize\n",
      "test"));
  EXPECT_THAT(file.cells.at("function"), ElementsAre("main", "relax", "main", ""));
  EXPECT_THAT(file.cells.at("region"), ElementsAre("main", "main/relax", "main/main", ""));
}

TEST(Arrow, ATraceWithoutCallsHasNoBatches) {
  const ArrowFile file = written(read_text("slackline-trace 1 timed ranks=1\nrank 0\n", "test"));
  EXPECT_EQ(file.names.size(), 14U);
  EXPECT_TRUE(file.rows_of_batches.empty());
}

TEST(Arrow, LongTracesAreSeveralBatches) {
  constexpr int kCalls = 50000;
  std::string text = "slackline-trace 1 timed ranks=3\n";
  std::vector<std::string> begins, ranks;
  for (int rank = 0; rank < 3; ++rank) {
    text += "rank " + std::to_string(rank) + "\n";
    for (int call = 0; call < kCalls; ++call) {
      begins.push_back(std::to_string(10 * call + rank));
      ranks.push_back(std::to_string(rank));
      text += "@" + begins.back() + " +3 send to=" + ranks.back() + " tag=0 bytes=8\n";
    }
  }
  const ArrowFile file = written(read_text(text, "test"));
  EXPECT_GT(file.rows_of_batches.size(), 3U);
  EXPECT_THAT(file.cells.at("begin_ns"), ElementsAreArray(begins));
  EXPECT_THAT(file.cells.at("rank"), ElementsAreArray(ranks));
}

}  // namespace
}  // namespace slackline
