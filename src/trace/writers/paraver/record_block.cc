#include "trace/writers/paraver/record_block.h"

#include <algorithm>
#include <charconv>

namespace slackline::paraver {

RecordBlock::RecordBlock(std::int32_t rank, std::uint16_t thread) {
  object(rank, thread);
  object_ = text_.substr(0, used_);
  clear();
}

void RecordBlock::clear() {
  records_.clear();
  used_ = at_ = 0;
}

// The text is longer than what is used of it, so that numbers are written in place.
void RecordBlock::make_room(std::size_t bytes) {
  if (text_.size() - used_ < bytes) text_.resize(2 * text_.size() + bytes);
}

void RecordBlock::open(char kind) {
  make_room(1 + object_.size());
  opened_ = used_;
  text_[used_++] = kind;
  used_ += object_.copy(text_.data() + used_, object_.size());
}

void RecordBlock::number(std::int64_t value) {
  make_room(kLongestNumber + 1);  // and the end of the line
  char* const to = text_.data() + used_;
  *to = ':';
  used_ = static_cast<std::size_t>(std::to_chars(to + 1, to + kLongestNumber, value).ptr -
                                   text_.data());
}

// States and events of a call name its two times over and over.
void RecordBlock::repeated(std::int64_t value) {
  if (repeated_[last_repeated_].value != value) last_repeated_ ^= 1;
  Repeated& kept = repeated_[last_repeated_];
  if (kept.value == value) return text({kept.text.data(), kept.size});
  const std::size_t before = used_;
  number(value);
  kept.value = value;
  kept.size = text_.copy(kept.text.data(), used_ - before, before);
}

void RecordBlock::text(std::string_view numbers) {
  make_room(numbers.size() + 1);
  used_ += numbers.copy(text_.data() + used_, numbers.size());
}

void RecordBlock::object(std::int32_t rank, std::uint16_t thread) {
  number(std::int64_t{rank} + 1);
  number(1);
  number(std::int64_t{rank} + 1);
  number(std::int64_t{thread} + 1);
}

void RecordBlock::close(std::int64_t time) {
  text_[used_++] = '\n';
  records_.push_back({time, opened_, used_});
}

void RecordBlock::sort_from(std::size_t mark) {
  std::ranges::stable_sort(records_.begin() + static_cast<std::ptrdiff_t>(mark), records_.end(), {},
                           &Record::time);
}

std::string_view RecordBlock::take(std::int64_t until) {
  const std::size_t begin = records_[at_].begin;
  std::size_t end = begin;
  do {
    end = records_[at_++].end;
  } while (!empty() && time() < until && records_[at_].begin == end);
  return std::string_view(text_).substr(begin, end - begin);
}

}  // namespace slackline::paraver
