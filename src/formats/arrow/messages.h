#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace slackline {

// The metadata of Arrow's IPC format as FlatBuffers: the tables Message, Schema, DictionaryBatch,
// RecordBatch and Footer of "Arrow Columnar Format", section "Serialization and Interprocess
// Communication", with their field numbers. Everything is little-endian and without compression.

/// A column of integers, or of texts that are integers into a dictionary. No value is missing.
struct ArrowField {
  std::string name;
  int bits = 0;
  bool is_signed = false;
  std::optional<std::int64_t> dictionary{};  ///< its number
};

/// Where a buffer lies in the body of a message, in bytes.
struct ArrowBuffer {
  std::int64_t offset;
  std::int64_t length;
};

/// The buffers of one message's body, each at a multiple of kArrowAlignment.
class ArrowBody {
 public:
  void add(std::size_t bytes);
  /// What separates buffers holds; Arrow's "validity", of columns without missing values.
  void add_none() { buffers_.push_back({static_cast<std::int64_t>(size_), 0}); }
  std::span<const ArrowBuffer> buffers() const { return buffers_; }
  /// Padding of the last one included.
  std::size_t size() const { return size_; }

 private:
  std::vector<ArrowBuffer> buffers_;
  std::size_t size_ = 0;
};

/// As Arrow recommends for vector instructions.
inline constexpr std::size_t kArrowAlignment = 64;

constexpr std::size_t arrow_padded(std::size_t bytes) {
  return (bytes + kArrowAlignment - 1) / kArrowAlignment * kArrowAlignment;
}

/// Where a message lies in a file, in bytes.
struct ArrowBlock {
  std::size_t offset;
  std::size_t metadata;  ///< with its prefix and padding
  std::size_t body;
};

using ArrowNotes = std::vector<std::pair<std::string, std::string>>;

// Each of these is a whole message but for its body: continuation mark, length, metadata, padding.
/// Follows arrow_magic(); what comes next lies at a multiple of kArrowAlignment in the file.
std::string arrow_schema_message(std::span<const ArrowField> fields, const ArrowNotes& notes);
std::string arrow_dictionary_message(std::int64_t dictionary, std::size_t texts,
                                     const ArrowBody& body);
std::string arrow_batch_message(std::size_t columns, std::size_t rows, const ArrowBody& body);

/// What ends a file: the mark of the stream's end, the footer, its length, and the magic text.
std::string arrow_footer(std::span<const ArrowField> fields, const ArrowNotes& notes,
                         std::span<const ArrowBlock> dictionaries,
                         std::span<const ArrowBlock> batches);

/// What a file begins with.
std::string arrow_magic();

}  // namespace slackline
