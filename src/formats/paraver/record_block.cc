#include "formats/paraver/record_block.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>

namespace slackline::paraver {
namespace {

constexpr unsigned kDigitBits = 11;

}  // namespace

char* put_object(char* to, std::int32_t rank, std::uint16_t thread) {
  to = put_field(to, std::int64_t{rank} + 1);
  to = put_text(to, ":1");
  to = put_field(to, std::int64_t{rank} + 1);
  return put_field(to, std::int64_t{thread} + 1);
}

void RecordBlock::clear() {
  text_.clear();
  records_.clear();
  kept_ = 0;
}

void RecordBlock::begin_thread(std::int32_t rank, std::uint16_t thread, RecordPlace first,
                               RecordPlace end) {
  std::array<char, ShortText::kMost + kNumberRoom> text;
  const char* const text_end = put_object(text.data(), rank, thread);
  object_ = ShortText({text.data(), text_end});
  first_ = first;
  end_ = end;
  latest_ = INT64_MIN;
}

void RecordBlock::sort_from(std::size_t mark) {
  const std::span<Stretch> records = std::span(records_).subspan(mark);
  if (std::ranges::is_sorted(records, {}, &Stretch::time)) return;  // as almost always
  std::ranges::stable_sort(records, {}, &Stretch::time);
}

bool RecordBlock::end_step(std::uint64_t step) {
  std::size_t kept = kept_;
  for (std::size_t i = kept_; i < records_.size(); ++i) {
    const Stretch record = records_[i];
    latest_ = std::max(latest_, record.time);
    if (first_.is_behind(latest_, step)) continue;
    if (!end_.is_behind(latest_, step)) break;
    if (kept > 0 && records_[kept - 1].time == latest_ && records_[kept - 1].end == record.begin) {
      records_[kept - 1].end = record.end;
    } else {
      records_[kept++] = {latest_, record.begin, record.end};
    }
  }
  records_.resize(kept);
  kept_ = kept;
  return end_.is_behind(latest_, step);
}

void RecordBlock::append_to(TextBuffer& text) {
  sort_by_time();
  for (const Stretch& stretch : records_) {
    text.append(text_.view().substr(stretch.begin, stretch.end - stretch.begin));
  }
}

// By digits, the lowest first: threads overlap so much that merging them, or comparing, costs more
// than the rest of a record. Digits of which all are equal are skipped.
void RecordBlock::sort_by_time() {
  if (records_.empty()) return;
  const auto [least, most] = std::ranges::minmax(records_, {}, &Stretch::time);
  const std::int64_t zero = least.time;
  const auto above = [zero](const Stretch& stretch) {
    return static_cast<std::uint64_t>(stretch.time) - static_cast<std::uint64_t>(zero);
  };
  const auto bits = static_cast<unsigned>(std::bit_width(above(most)));
  spare_.resize(records_.size());
  for (unsigned shift = 0; shift < bits; shift += kDigitBits) {
    std::array<std::size_t, std::size_t{1} << kDigitBits> at{};
    const auto digit = [&](const Stretch& stretch) {
      return above(stretch) >> shift % 64 & (at.size() - 1);
    };
    for (const Stretch& stretch : records_) ++at[digit(stretch)];
    std::size_t sum = 0;
    for (std::size_t& count : at) sum += std::exchange(count, sum);
    for (const Stretch& stretch : records_) spare_[at[digit(stretch)]++] = stretch;
    records_.swap(spare_);
  }
}

}  // namespace slackline::paraver
