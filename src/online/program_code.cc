#include "online/program_code.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "formats/raw/call_frames.h"

namespace slackline::online {
namespace {

constexpr std::uint32_t kFile = 0;  // all of a rank are as of one file

/// The program may have written over them: as far as they make sense.
raw::CodeRecords code_records(const slk_online_rank& rank) {
  constexpr std::size_t kHead = sizeof(slk_record) / sizeof(std::int64_t);
  std::span<const std::int64_t> words(rank.code,
                                      std::min<std::uint64_t>(rank.code_words, SLK_ONLINE_CODE));
  raw::CodeRecords found{.file = kFile};
  while (words.size() >= kHead) {
    raw::Record record{};
    std::memcpy(&record.head, words.data(), sizeof record.head);
    words = words.subspan(kHead);
    if (record.head.n_args > words.size()) break;
    record.args = words.first(record.head.n_args);
    words = words.subspan(record.head.n_args);
    found.records.push_back(record);
  }
  return found;
}

}  // namespace

void name_call_paths(SharedMemory& memory, TraceBuilder& trace) {
  std::vector<std::vector<raw::CodeRecords>> code;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) code.push_back({code_records(memory.rank(r))});
  const std::vector<raw::CallFrames> frames = raw::read_call_frames(code, trace);
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const raw::CallFrames& of = frames[static_cast<std::size_t>(r)];
    trace.calls(r).map_frames([&of](FrameId path) { return of.of(kFile, path); });
  }
}

}  // namespace slackline::online
