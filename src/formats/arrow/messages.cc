#include "formats/arrow/messages.h"

#include <flatbuffers/flatbuffer_builder.h>

#include <bit>
#include <cstring>

namespace slackline {
namespace {

static_assert(std::endian::native == std::endian::little);

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::String;
using flatbuffers::uoffset_t;
using Table = Offset<void>;

constexpr std::string_view kMagic = "ARROW1";
constexpr std::int16_t kVersion5 = 4;
constexpr std::uint32_t kContinuation = 0xffffffff;

enum HeaderType : std::uint8_t { kSchemaHeader = 1, kDictionaryHeader = 2, kBatchHeader = 3 };
enum FieldType : std::uint8_t { kInt = 2, kUtf8 = 5 };

// The numbers of the tables' fields.
namespace message {
enum Field : std::uint16_t { version, header_type, header, body_length };
}
namespace schema {
enum Field : std::uint16_t { endianness, fields, custom_metadata };
}
namespace field {
enum Field : std::uint16_t { name, nullable, type_type, type, dictionary, children };
}
namespace integer {
enum Field : std::uint16_t { bit_width, is_signed };
}
namespace encoding {
enum Field : std::uint16_t { id, index_type };
}
namespace key_value {
enum Field : std::uint16_t { key, value };
}
namespace record_batch {
enum Field : std::uint16_t { length, nodes, buffers };
}
namespace dictionary_batch {
enum Field : std::uint16_t { id, data };
}
namespace footer {
enum Field : std::uint16_t { version, schema, dictionaries, record_batches };
}

// The structs, which lie in vectors without offsets.
struct FieldNode {
  std::int64_t length;
  std::int64_t null_count;
};
struct Block {
  std::int64_t offset;
  std::int32_t metadata;
  std::int32_t padding;
  std::int64_t body;
};

/// Adds the fields of one table; whatever they refer to has been made before.
class FieldSetter {
 public:
  explicit FieldSetter(FlatBufferBuilder& builder)
      : builder_(builder), start_(builder.StartTable()) {}

  template <class T>
  FieldSetter& scalar(std::uint16_t number, T value) {
    builder_.AddElement<T>(flatbuffers::FieldIndexToOffset(number), value, T{});
    return *this;
  }
  template <class T>
  FieldSetter& reference(std::uint16_t number, Offset<T> to) {
    builder_.AddOffset(flatbuffers::FieldIndexToOffset(number), to);
    return *this;
  }
  Table end() { return {builder_.EndTable(start_)}; }

 private:
  FlatBufferBuilder& builder_;
  uoffset_t start_;
};

Table integer_type(FlatBufferBuilder& builder, const ArrowField& column) {
  return FieldSetter(builder)
      .scalar<std::int32_t>(integer::bit_width, column.bits)
      .scalar<std::uint8_t>(integer::is_signed, column.is_signed ? 1 : 0)
      .end();
}

Table field_table(FlatBufferBuilder& builder, const ArrowField& column) {
  const Offset<String> name = builder.CreateString(column.name);
  const auto children = builder.CreateVector(std::vector<Table>{});
  const Table integer = integer_type(builder, column);
  if (!column.dictionary) {
    return FieldSetter(builder)
        .reference(field::name, name)
        .scalar<std::uint8_t>(field::type_type, kInt)
        .reference(field::type, integer)
        .reference(field::children, children)
        .end();
  }
  const Table text = FieldSetter(builder).end();
  const Table encoding = FieldSetter(builder)
                             .scalar<std::int64_t>(encoding::id, *column.dictionary)
                             .reference(encoding::index_type, integer)
                             .end();
  return FieldSetter(builder)
      .reference(field::name, name)
      .scalar<std::uint8_t>(field::type_type, kUtf8)
      .reference(field::type, text)
      .reference(field::dictionary, encoding)
      .reference(field::children, children)
      .end();
}

Table schema_table(FlatBufferBuilder& builder, std::span<const ArrowField> columns,
                   const ArrowNotes& notes) {
  std::vector<Table> fields;
  for (const ArrowField& column : columns) fields.push_back(field_table(builder, column));
  std::vector<Table> pairs;
  for (const auto& [key, value] : notes) {
    const Offset<String> key_text = builder.CreateString(key);
    const Offset<String> value_text = builder.CreateString(value);
    pairs.push_back(FieldSetter(builder)
                        .reference(key_value::key, key_text)
                        .reference(key_value::value, value_text)
                        .end());
  }
  const auto all_fields = builder.CreateVector(fields);
  const auto all_pairs = builder.CreateVector(pairs);
  return FieldSetter(builder)
      .reference(schema::fields, all_fields)
      .reference(schema::custom_metadata, all_pairs)
      .end();
}

Table batch_table(FlatBufferBuilder& builder, std::size_t columns, std::size_t rows,
                  const ArrowBody& body) {
  const auto length = static_cast<std::int64_t>(rows);
  const std::vector<FieldNode> nodes(columns, FieldNode{length, 0});
  const auto node_vector = builder.CreateVectorOfStructs(nodes.data(), nodes.size());
  const auto buffers = builder.CreateVectorOfStructs(body.buffers().data(), body.buffers().size());
  return FieldSetter(builder)
      .scalar<std::int64_t>(record_batch::length, length)
      .reference(record_batch::nodes, node_vector)
      .reference(record_batch::buffers, buffers)
      .end();
}

template <class Number>
void append_number(std::string& to, Number number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::string_view finished(FlatBufferBuilder& builder, Table root) {
  builder.Finish(root);
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

/// `before`: bytes of the file before this message.
std::string framed(FlatBufferBuilder& builder, HeaderType type, Table header,
                   std::size_t body_bytes, std::size_t before = 0) {
  const Table root =
      FieldSetter(builder)
          .scalar<std::int16_t>(message::version, kVersion5)
          .scalar<std::uint8_t>(message::header_type, type)
          .reference(message::header, header)
          .scalar<std::int64_t>(message::body_length, static_cast<std::int64_t>(body_bytes))
          .end();
  const std::string_view metadata = finished(builder, root);
  constexpr std::size_t kPrefix = 2 * sizeof(std::uint32_t);
  const std::size_t bytes = arrow_padded(before + kPrefix + metadata.size()) - before;
  std::string whole;
  append_number(whole, kContinuation);
  append_number(whole, static_cast<std::int32_t>(bytes - kPrefix));
  whole.append(metadata);
  whole.resize(bytes, '\0');
  return whole;
}

Offset<flatbuffers::Vector<const Block*>> block_vector(FlatBufferBuilder& builder,
                                                       std::span<const ArrowBlock> blocks) {
  std::vector<Block> written;
  for (const ArrowBlock& block : blocks) {
    written.push_back({static_cast<std::int64_t>(block.offset),
                       static_cast<std::int32_t>(block.metadata), 0,
                       static_cast<std::int64_t>(block.body)});
  }
  return builder.CreateVectorOfStructs(written.data(), written.size());
}

}  // namespace

void ArrowBody::add(std::size_t bytes) {
  buffers_.push_back({static_cast<std::int64_t>(size_), static_cast<std::int64_t>(bytes)});
  size_ += arrow_padded(bytes);
}

std::string arrow_magic() {
  std::string magic(kMagic);
  magic.resize(sizeof(std::int64_t), '\0');
  return magic;
}

std::string arrow_schema_message(std::span<const ArrowField> fields, const ArrowNotes& notes) {
  FlatBufferBuilder builder;
  const Table schema = schema_table(builder, fields, notes);
  return framed(builder, kSchemaHeader, schema, 0, arrow_magic().size());
}

std::string arrow_dictionary_message(std::int64_t dictionary, std::size_t texts,
                                     const ArrowBody& body) {
  FlatBufferBuilder builder;
  const Table data = batch_table(builder, 1, texts, body);
  const Table header = FieldSetter(builder)
                           .scalar<std::int64_t>(dictionary_batch::id, dictionary)
                           .reference(dictionary_batch::data, data)
                           .end();
  return framed(builder, kDictionaryHeader, header, body.size());
}

std::string arrow_batch_message(std::size_t columns, std::size_t rows, const ArrowBody& body) {
  FlatBufferBuilder builder;
  const Table batch = batch_table(builder, columns, rows, body);
  return framed(builder, kBatchHeader, batch, body.size());
}

std::string arrow_footer(std::span<const ArrowField> fields, const ArrowNotes& notes,
                         std::span<const ArrowBlock> dictionaries,
                         std::span<const ArrowBlock> batches) {
  FlatBufferBuilder builder;
  const Table schema = schema_table(builder, fields, notes);
  const auto dictionary_blocks = block_vector(builder, dictionaries);
  const auto batch_blocks = block_vector(builder, batches);
  const Table root = FieldSetter(builder)
                         .scalar<std::int16_t>(footer::version, kVersion5)
                         .reference(footer::schema, schema)
                         .reference(footer::dictionaries, dictionary_blocks)
                         .reference(footer::record_batches, batch_blocks)
                         .end();
  const std::string_view metadata = finished(builder, root);
  std::string whole;
  append_number(whole, kContinuation);
  append_number(whole, std::int32_t{0});
  whole.append(metadata);
  append_number(whole, static_cast<std::int32_t>(metadata.size()));
  whole.append(kMagic);
  return whole;
}

}  // namespace slackline
