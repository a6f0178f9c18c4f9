#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace slackline {

/// The bytes of a text file in pieces, inflated if it is compressed by gzip or zstd.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Appends the next piece, some 256 KiB; false at the end, or where the file is damaged.
  virtual bool append_to(std::string& text) = 0;
};

/// Opens by the file's first bytes, whatever its name. Throws Error if the file is not readable,
/// append_to() also where the content is a multiple of the file's size (check_expansion()).
std::unique_ptr<ByteSource> open_byte_source(const std::filesystem::path& path);

/// The same of bytes that are in memory and stay there.
std::unique_ptr<ByteSource> byte_source(std::span<const std::byte> bytes);

/// Finds where the values of a JSON text begin and end, over a window that holds one value and a
/// piece of the file: a list of gigabytes is never in memory. It looks at strings, brackets and
/// commas only; whether a value is well formed inside says whoever parses it.
class JsonValues {
 public:
  explicit JsonValues(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

  /// Bytes that may be read after the end of any value, as simdjson wants them.
  static constexpr std::size_t kPadding = 64;

  /// The next character that is not white space, without taking it; '\0' at the end of the text.
  char peek();
  /// Takes the next character if it is `c`.
  bool take(char c);
  /// Takes a whole value: an object, a list, a string or a scalar. Valid until the next call.
  /// Nothing if the text ends inside it or no value begins here. Linear in its length.
  std::optional<std::string_view> value();

 private:
  /// More text at the end of the window, whose taken part goes. False at the end of the text.
  bool more();
  std::optional<std::size_t> end_of_string(std::size_t at);
  std::optional<std::size_t> end_of_brackets(std::size_t at);
  std::size_t end_of_scalar(std::size_t at);

  std::unique_ptr<ByteSource> source_;
  std::string window_;
  bool begun_ = false;
  std::size_t at_ = 0;  // in window_, of the first character that was not taken
};

}  // namespace slackline
