#include "formats/raw/rank_files.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/arithmetic.h"
#include "trace/operation.h"

namespace slackline::raw {

void merge_threads(RankFiles& rank) {
  for (std::uint32_t f = 0; f < rank.files.size(); ++f) {
    for (std::uint32_t i = 0; i < rank.files[f].size(); ++i) rank.order.push_back({f, i});
  }
  if (rank.files.size() == 1) return;
  // Records that come before a call inside one file (a communicator's members, what a receive got)
  // have a later time than it. They are given the time of the call after them, so that they stay.
  std::vector<std::vector<std::int64_t>> times(rank.files.size());
  for (std::size_t f = 0; f < rank.files.size(); ++f) {
    const File& file = rank.files[f];
    times[f].resize(file.size());
    std::int64_t next = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = file.size(); i-- > 0;) {
      next = std::min(next, static_cast<std::int64_t>(file[i].head.begin_ns));
      times[f][i] = next;
    }
  }
  std::ranges::stable_sort(rank.order, {}, [&](Place p) { return times[p.file][p.record]; });
}

std::vector<Record> records_where(const RankFiles& rank, bool (*wanted)(std::uint8_t op)) {
  std::vector<Record> found;
  for (const Place place : rank.order) {
    const Record record = rank.at(place);
    if (wanted(record.head.op)) found.push_back(record);
  }
  return found;
}

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

std::uint64_t sent_bytes(const Record& record) {
  if (record.head.op >= SLK_OPERATION_COUNT) return record.head.bytes;  // MPI_Isendrecv
  switch (operation_class(static_cast<Operation>(record.head.op))) {
    case OperationClass::send:
    case OperationClass::sendrecv:
    case OperationClass::isend:
    case OperationClass::collective:
    case OperationClass::icollective:
    case OperationClass::one_sided:
      return record.head.bytes;
    case OperationClass::start: {
      constexpr std::size_t kGroup = 5;  // serial, operation, peer, tag, bytes
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i + kGroup <= record.args.size(); i += kGroup) {
        const bool receives = record.args[i + 1] == SLK_OP_recv_init;
        const std::int64_t bytes = record.args[i + kGroup - 1];
        if (!receives && bytes > 0) add_saturated(sum, static_cast<std::uint64_t>(bytes));
      }
      return sum;
    }
    default:
      return 0;
  }
}

}  // namespace slackline::raw
