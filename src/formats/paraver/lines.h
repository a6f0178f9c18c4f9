#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace slackline::paraver {

/// Does the file begin like a gzip member?
bool is_gzip(std::span<const std::byte> bytes);

/// The first bytes of a file's text, through gzip or not; empty when it is damaged.
std::string text_head(std::span<const std::byte> bytes, std::size_t count);

using Release = std::function<void(std::span<const std::byte>)>;

/// The lines of a file that is plain or compressed by gzip (inflated by a thread of its own, so
/// that reading waits for inflation only). Views are good until the next call. Memory: a few
/// megabytes, and the longest line.
class Lines {
 public:
  /// `release` is told what has been read for good, now and then.
  Lines(std::span<const std::byte> bytes, std::string_view name, const Release& release = {});
  ~Lines();
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  /// Without its line feed. False at the end. Throws Error when a line is longer than any trace has
  /// use for, or the inflated text a multiple of the file (check_expansion()).
  bool next(std::string_view& line) {
    const char* end = find_end();
    if (end == nullptr) {
      if (!refill()) return take_last(line);
      return next(line);
    }
    if (release_ && at_ - released_ > kReleasedBytes) give_up_pages();
    line = {at_, static_cast<std::size_t>(end - at_)};
    at_ = end + 1;
    ++number_;
    return true;
  }
  /// The number of the line that next() returned, from 1.
  std::uint64_t number() const { return number_; }
  /// The compressed data ended early or are damaged; what came before was read.
  bool damaged() const;

 private:
  class Inflater;
  static constexpr std::ptrdiff_t kReleasedBytes = std::ptrdiff_t{8} << 20;  // at once

  const char* find_end() const;
  bool refill();
  bool take_last(std::string_view& line);
  void give_up_pages();

  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t number_ = 0;
  std::string name_;
  std::uint64_t stored_bytes_;
  std::uint64_t inflated_bytes_ = 0;
  std::string buffer_;  // of the inflated text: a line that began in the piece before, and a piece
  std::unique_ptr<Inflater> inflater_;
  Release release_;
  const char* released_ = nullptr;  // of a plain file: its pages before this are gone
};

}  // namespace slackline::paraver
