#include "formats/raw/record_words.h"

#include <cstring>

namespace slackline::raw {
namespace {

constexpr std::size_t kHeadWords = sizeof(slk_record) / sizeof(std::int64_t);
static_assert(kHeadWords * sizeof(std::int64_t) == sizeof(slk_record));

}  // namespace

void append_records(std::span<const Record> records, std::vector<std::int64_t>& words) {
  words.push_back(static_cast<std::int64_t>(records.size()));
  for (const Record& record : records) {
    const std::size_t at = words.size();
    words.resize(at + kHeadWords);
    std::memcpy(words.data() + at, &record.head, sizeof record.head);
    words.insert(words.end(), record.args.begin(), record.args.end());
  }
}

std::span<const std::int64_t> words_of(const Bytes& bytes) {
  return {reinterpret_cast<const std::int64_t*>(bytes.data()), bytes.size() / sizeof(std::int64_t)};
}

std::vector<Record> take_records(std::span<const std::int64_t>& words) {
  std::vector<Record> records(static_cast<std::size_t>(words.front()));
  words = words.subspan(1);
  for (Record& record : records) {
    std::memcpy(&record.head, words.data(), sizeof record.head);
    record.args = words.subspan(kHeadWords, record.head.n_args);
    words = words.subspan(kHeadWords + record.head.n_args);
  }
  return records;
}

}  // namespace slackline::raw
