#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/put_digits.h"
#include "base/text_buffer.h"
#include "formats/paraver/short_text.h"

namespace slackline::paraver {

/// A place in the order of one thread's records: those of earlier times, and of this time those of
/// earlier steps (calls), lie before it.
struct RecordPlace {
  std::int64_t time;
  std::uint64_t step;

  bool is_behind(std::int64_t other_time, std::uint64_t other_step) const {
    return other_time < time || (other_time == time && other_step < step);
  }
};

/// A number with the colon before it, where there is room for it.
template <class Number>
char* put_field(char* to, Number value) {
  *to = ':';
  return put_number(to + 1, value);
}

/// The four numbers by which records name a thread.
char* put_object(char* to, std::int32_t rank, std::uint16_t thread);

/// Records of some threads as the lines of the file, and when each begins. They are made thread by
/// thread and step by step, and handed out in the order of time.
class RecordBlock {
 public:
  void clear();

  /// The records that follow are of this thread. Only those from `first` on and before `end` are
  /// kept. A record never comes before one that its thread has made already, whatever its time is.
  void begin_thread(std::int32_t rank, std::uint16_t thread, RecordPlace first, RecordPlace end);

  /// False: a record of that time in this step would not be kept.
  bool may_keep(std::int64_t time) const {
    return (time >= first_.time || latest_ >= first_.time) && time <= end_.time;
  }

  /// Begins a record and returns where it goes on; there is room for `kRecordRoom` bytes, and for
  /// `more`. `kind`: '1' a state, '2' events, '3' a communication.
  char* open(char kind, std::size_t more = 0) {
    opened_ = text_.size();
    char* const to = text_.room(kRecordRoom + more);
    *to = kind;
    return object_.put(to + 1);
  }
  /// Ends it, and its line.
  void close(char* to, std::int64_t time) {
    *to = '\n';
    text_.end_at(to + 1);
    records_.push_back({time, opened_, text_.size()});
  }
  static constexpr std::size_t kRecordRoom = 1024;

  /// Brings the records of this step from `mark` on into the order of time.
  std::size_t mark() const { return records_.size(); }
  void sort_from(std::size_t mark);
  /// Every step ends with this. False: the thread has come to where records are not kept.
  bool end_step(std::uint64_t step);

  /// The records that were kept, all threads', by time and at one time by thread. Linear.
  void append_to(TextBuffer& text);

 private:
  // Records that begin at one time, one behind the other.
  struct Stretch {
    std::int64_t time;
    std::size_t begin;
    std::size_t end;
  };
  void sort_by_time();

  TextBuffer text_;
  std::size_t opened_ = 0;
  ShortText object_;              // the four numbers of the thread
  std::vector<Stretch> records_;  // what is kept, and behind it this step's
  std::size_t kept_ = 0;
  std::vector<Stretch> spare_;
  RecordPlace first_{};
  RecordPlace end_{};
  std::int64_t latest_ = INT64_MIN;
};

}  // namespace slackline::paraver
