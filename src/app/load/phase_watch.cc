#include "app/load/phase_watch.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <fstream>
#include <numeric>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/output_place.h"
#include "base/spill_file.h"
#include "base/units.h"
#include "formats/native/pieces.h"
#include "formats/native/writer.h"
#include "formats/raw/growing_file.h"
#include "formats/raw/reader.h"
#include "parallel/process_group.h"
#include "stretches/stretched_trace.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostCalls = 1'000'000;
constexpr double kLeastGrowth = 1.1;
constexpr double kLatestEnd = 0.9;  // of what is analysed: the begin of a phase may look like one
constexpr std::int64_t kIdlePerWork = 19;  // 5 % of a processor

std::int64_t time_ns(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

fs::path private_folder() {
  std::string name = (fs::temp_directory_path() / "slackline-top-XXXXXX").string();
  if (mkdtemp(name.data()) != nullptr) return name;
  throw Error("cannot copy the records of the job", errno_text(),
              "Set TMPDIR to a folder that can be written.");
}

void append(const raw::Record& record, std::string& records) {
  const std::size_t begin = records.size();
  records.resize(begin + raw::slots_of(record.head) * raw::kSlotBytes);
  std::memcpy(records.data() + begin, &record.head, sizeof record.head);
  if (record.args.empty()) return;
  std::memcpy(records.data() + begin + sizeof record.head, record.args.data(),
              record.args.size_bytes());
}

/// What will not change any more of a file into which the recorder writes, as a file in which
/// nothing is staged.
void copy_settled(const fs::path& from, const fs::path& to) {
  raw::GrowingFile file(from);
  std::string records;
  file.read([&](const raw::Record& record, auto) { append(record, records); });
  slk_raw_header header = file.header();
  header.stage_bytes = 0;
  header.appended_bytes = records.size();
  std::string page(SLK_RAW_HEADER_BYTES, '\0');
  std::memcpy(page.data(), &header, sizeof header);
  std::ofstream out(to, std::ios::binary);
  if (out << page << records << std::flush) return;
  throw Error("cannot copy the records of the job", errno_text(),
              "Set TMPDIR to a folder with more space.");
}

Trace read_settled(const fs::path& folder) {
  const Temporary copies(private_folder());
  std::error_code removed;
  for (const auto& entry : fs::directory_iterator(folder, removed)) {
    if (entry.path().extension() != ".slkraw") continue;
    copy_settled(entry.path(), copies.path() / entry.path().filename());
  }
  return read_raw(copies.path());
}

/// Until the last place at which the job can be cut.
void analyse(const fs::path& folder, EndedPhases& out) {
  SpillFile native;
  write_native(read_settled(folder),
               [&](std::span<const std::byte> bytes) { native.append(bytes); });
  SingleProcess alone;
  StretchedTrace trace(NativePieces(native.map(), folder.string()), alone, ScanEnd::of_reading);
  out.obstacle = trace.obstacle();
  if (!out.obstacle.empty()) return;
  trace.cut_at_last(alone);
  const std::optional<Stretch> past = trace.size() > 1 ? trace.load(0) : std::nullopt;
  if (!past) {
    out.obstacle = "no collective of all ranks over which nothing is open";
    return;
  }
  const CallMatching matching(past->trace);
  Monitor found = monitor(past->trace, matching, CallPaths(past->trace), {});
  out.until_ns = found.length_ns;
  std::erase_if(found.intervals, [&](const FocusInterval& interval) {
    return static_cast<double>(interval.end_ns) > kLatestEnd * static_cast<double>(out.until_ns);
  });
  out.intervals = std::move(found.intervals);
}

}  // namespace

void PhaseWatch::look(const fs::path& folder, const JobStatus& job) {
  const std::uint64_t calls = std::accumulate(
      job.ranks.begin(), job.ranks.end(), std::uint64_t{0},
      [](std::uint64_t sum, const RankStatus& rank) { return sum + rank.whole.calls; });
  EndedPhases next = known_.value_or(EndedPhases{});
  if (static_cast<double>(calls) < kLeastGrowth * static_cast<double>(next.calls)) return;
  if (calls > kMostCalls) {
    next.obstacle = fmt::format("the job has more than {} calls", format_count(kMostCalls));
    known_ = std::move(next);
    return;
  }
  if (time_ns(CLOCK_MONOTONIC) < next_ns_) return;
  const std::int64_t begin_ns = time_ns(CLOCK_PROCESS_CPUTIME_ID);
  next.calls = calls;
  try {
    analyse(folder, next);
  } catch (const Error& error) {  // as when the recording is removed meanwhile
    next.obstacle = error.what();
    if (next.obstacle.ends_with('.')) next.obstacle.pop_back();
  }
  known_ = std::move(next);
  next_ns_ =
      time_ns(CLOCK_MONOTONIC) + kIdlePerWork * (time_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_ns);
}

}  // namespace slackline
