#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slackline::paraver {

/// Records of one thread as the lines of the file, and when each begins.
/// They are taken in the order of their writing, but for stretches that are sorted by time.
class RecordBlock {
 public:
  static constexpr std::size_t kLongestNumber = 21;  ///< characters, with the colon and a sign

  /// `rank` and `thread` are those whose records these are.
  RecordBlock(std::int32_t rank, std::uint16_t thread);

  void clear();
  std::size_t bytes() const { return used_; }

  /// A record: open(), numbers, close(). `kind`: '1' a state, '2' events, '3' a communication.
  void open(char kind);
  void number(std::int64_t value);
  /// A number that the next records are likely to have, too: its text is kept.
  void repeated(std::int64_t value);
  /// Numbers that are text already, each with its colon before it.
  void text(std::string_view numbers);
  /// The four numbers by which records name a thread.
  void object(std::int32_t rank, std::uint16_t thread);
  void close(std::int64_t time);

  /// Where the next record will be, for sort_from().
  std::size_t mark() const { return records_.size(); }
  /// Brings the records from a mark on into the order of time.
  void sort_from(std::size_t mark);

  bool empty() const { return at_ == records_.size(); }
  std::int64_t time() const { return records_[at_].time; }
  /// The text of the first record and of those behind it that begin before `until`, as far as they
  /// lie in one piece. Good until clear().
  std::string_view take(std::int64_t until);

 private:
  struct Record {
    std::int64_t time;
    std::size_t begin;
    std::size_t end;
  };

  /// The text of a number, with its colon.
  struct Repeated {
    std::int64_t value = INT64_MIN;
    std::size_t size = 0;
    std::array<char, kLongestNumber> text{};
  };

  void make_room(std::size_t bytes);

  std::string text_;  // the first used_ bytes of it
  std::size_t used_ = 0;
  std::size_t opened_ = 0;
  std::string object_;
  std::array<Repeated, 2> repeated_{};
  std::size_t last_repeated_ = 0;
  std::vector<Record> records_;
  std::size_t at_ = 0;
};

}  // namespace slackline::paraver
