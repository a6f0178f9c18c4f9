// Files of a recording, their clocks and their communicators.
//
// A line tells of a communicator its handle, which is worth something on its own rank only, this
// rank's number in it, and its size. One as large as the job in which every rank has its own number
// is MPI_COMM_WORLD. Of the smaller ones the members follow only if the same handle and size is
// used by exactly as many ranks as it has members, each with another number.

#include "formats/liballprof/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "base/text_parsing.h"
#include "formats/compressed/decompressed_file.h"
#include "formats/liballprof/rank_reader.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace liballprof {
namespace {

namespace fs = std::filesystem;

bool is_rank_file(std::string_view head) {
  return head.starts_with("# collprof") || head.starts_with("# allprof") ||
         head.starts_with("# liballprof") || head.starts_with("# htor's PMPI Tracer");
}

bool has_rank_head(const fs::path& path) {
  constexpr std::size_t kHeadBytes = 32;
  const DecompressedFile file(path, kHeadBytes);
  return is_rank_file(file.text().substr(0, kHeadBytes));
}

// Files by rank, of `folder`; of those like `like` only, if it is given.
std::map<std::size_t, fs::path> rank_files(const fs::path& folder,
                                           const std::optional<NumberedName>& like) {
  std::map<std::size_t, fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto name = numbered_name(entry.path().filename().string());
    if (!name || !entry.is_regular_file()) continue;
    if (like && !like->like(*name)) continue;
    if (has_rank_head(entry.path())) files.emplace(name->number, entry.path());
  }
  return files;
}

// Which ranks a communicator has, by handle and size.
using Groups = std::map<std::pair<std::uint64_t, std::int32_t>, std::vector<std::int32_t>>;

class Reader {
 public:
  explicit Reader(const std::map<std::size_t, fs::path>& files)
      : trace_(static_cast<std::int32_t>(files.rbegin()->first + 1), true),
        texts_(ranks()),
        facts_(ranks()),
        comms_(ranks()),
        findings_(ranks()) {
    for (const auto& [rank, path] : files)
      texts_[rank].emplace(path.string(), DecompressedFile(path));
  }

  Trace read() {
    parallel_for(ranks(), [&](std::size_t r) {
      if (texts_[r]) facts_[r] = scan_rank(texts_[r]->second.text());
    });
    assign_communicators();
    parallel_for(ranks(), [&](std::size_t r) {
      if (!texts_[r]) return;
      RankCallsBuilder& calls = trace_.calls(static_cast<std::int32_t>(r));
      read_calls(texts_[r]->second.text(), texts_[r]->first, trace_, comms_[r], calls,
                 findings_[r]);
      correct_clock(r);
    });
    begin_at_zero();
    for (std::size_t r = 0; r < ranks(); ++r) describe_rank(r);
    trace_.info().recorder = "liballprof";
    return std::move(trace_).build();
  }

 private:
  std::size_t ranks() const { return static_cast<std::size_t>(trace_.ranks()); }

  bool is_world(std::size_t rank, const CommHandle& comm) const {
    return comm.size == trace_.ranks() && comm.rank == static_cast<std::int32_t>(rank);
  }

  void assign_communicators() {
    Groups groups;
    for (std::size_t r = 0; r < ranks(); ++r) {
      for (const CommHandle& comm : facts_[r].comms) {
        if (is_world(r, comm)) {
          comms_[r].add(comm, kCommWorld);
        } else if (comm.size == 1) {
          comms_[r].add(comm, kCommSelf);
        } else {
          enlist(groups[{comm.handle, comm.size}], static_cast<std::int32_t>(r), comm);
        }
      }
    }
    for (auto& [key, members] : groups) {
      const auto size = static_cast<std::size_t>(key.second);
      if (members.size() != size || std::ranges::find(members, kPeerNone) != members.end())
        continue;
      const std::vector<std::int32_t> ranks = members;
      const std::uint32_t id = trace_.add_communicator({std::move(members), {}, {}});
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        comms_[static_cast<std::size_t>(ranks[i])].add(
            {key.first, static_cast<std::int32_t>(i), key.second}, id);
      }
    }
  }

  // A number that two ranks claim makes the group useless: its handle means several.
  void enlist(std::vector<std::int32_t>& members, std::int32_t rank, const CommHandle& comm) const {
    const auto at = static_cast<std::size_t>(comm.rank);
    if (comm.size > trace_.ranks()) return;
    if (members.empty()) members.assign(static_cast<std::size_t>(comm.size), kPeerNone);
    if (members.size() != static_cast<std::size_t>(comm.size)) return;
    if (members[at] != kPeerNone) {
      members.push_back(kPeerNone);
      return;
    }
    members[at] = rank;
  }

  void correct_clock(std::size_t r) {
    const RankFacts& facts = facts_[r];
    RankCallsBuilder& calls = trace_.calls(static_cast<std::int32_t>(r));
    RankInfo& info = trace_.rank_info(static_cast<std::int32_t>(r));
    if (!facts.init_offset_us) findings_[r].add(kClockUnknown, fmt::format("rank {}", r));
    if (!facts.init_offset_us || calls.empty()) return;
    constexpr double kNanosPerMicro = 1000;
    const double offset = *facts.init_offset_us * kNanosPerMicro;
    const std::int64_t first = calls.end_ns(0);
    const std::int64_t last = calls.begin_ns(calls.size() - 1);
    double drift = 0;
    if (facts.finalize_offset_us && last > first) {
      drift =
          (*facts.finalize_offset_us * kNanosPerMicro - offset) / static_cast<double>(last - first);
    }
    // A clock that runs backwards by its correction is none.
    constexpr double kMostDrift = 0.5;
    if (std::abs(drift) > kMostDrift) drift = 0;
    calls.map_times([&](std::int64_t time) {
      return time + std::llround(offset + drift * static_cast<double>(time - first));
    });
    info.clock_offset_ns = std::llround(offset);
    info.clock_drift = drift;
  }

  void begin_at_zero() {
    std::int64_t first = kTimeLimit_ns;
    for (std::size_t r = 0; r < ranks(); ++r) {
      const RankCalls& calls = trace_.calls(static_cast<std::int32_t>(r));
      if (!calls.empty()) first = std::min(first, calls.begin_ns(0));
    }
    for (std::size_t r = 0; r < ranks(); ++r) {
      RankCallsBuilder& calls = trace_.calls(static_cast<std::int32_t>(r));
      calls.map_times([&](std::int64_t time) { return time - first; });
      calls.set_start_ns(calls.empty() ? 0 : calls.begin_ns(0));
    }
  }

  void describe_rank(std::size_t r) {
    RankInfo& info = trace_.rank_info(static_cast<std::int32_t>(r));
    info.present = texts_[r].has_value();
    info.host = facts_[r].host;
    info.finalized = facts_[r].finalized;
    if (!info.present) trace_.findings().add(kMissingRanks, fmt::format("rank {}", r));
    trace_.findings().merge(findings_[r]);
  }

  TraceBuilder trace_;
  std::vector<std::optional<std::pair<std::string, DecompressedFile>>> texts_;
  std::vector<RankFacts> facts_;
  std::vector<CommTable> comms_;
  std::vector<Findings> findings_;
};

}  // namespace
}  // namespace liballprof

bool looks_like_liballprof(const std::filesystem::path& path, bool is_directory,
                           std::span<const std::byte> bytes) {
  if (is_directory) return !liballprof::rank_files(path, std::nullopt).empty();
  constexpr std::size_t kHeadBytes = 32;
  return liballprof::is_rank_file(
      {reinterpret_cast<const char*>(bytes.data()), std::min(kHeadBytes, bytes.size())});
}

Trace read_liballprof(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  const bool folder = fs::is_directory(path);
  const auto like = folder ? std::nullopt : numbered_name(path.filename().string());
  std::map<std::size_t, fs::path> files;
  if (folder || like) {
    const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
    files = liballprof::rank_files(folder ? path : parent, like);
  }
  if (files.empty()) {
    throw Error(fmt::format("cannot read '{}'", path.string()),
                "a file name contains no rank number, or no file contains a rank",
                "Name the folder that liballprof wrote, with its pmpi-trace-rank-*.txt.");
  }
  // Ranks that are not there cost memory, so there may not be many more of them than files.
  constexpr std::size_t kRanksPerFile = 1024;
  if (files.rbegin()->first >= kRanksPerFile * files.size()) {
    throw Error(fmt::format("cannot read '{}'", path.string()),
                fmt::format("it has {} files, but one of them is for rank {}", files.size(),
                            files.rbegin()->first),
                "Put the files of all ranks into one folder.");
  }
  return liballprof::Reader(files).read();
}

}  // namespace slackline
