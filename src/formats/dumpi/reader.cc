// The files of a run, and their common time. Every rank's file is read twice: first for the calls
// that make communicators, whose members follow only from those of all ranks together, and then for
// all calls.

#include "formats/dumpi/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "base/text_parsing.h"
#include "formats/compressed/decompressed_file.h"
#include "formats/dumpi/rank_builder.h"
#include "formats/dumpi/rank_file.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace dumpi {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHeadBytes = 4096;

bool is_rank_file(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                              std::min(kHeadBytes, bytes.size()));
  return is_binary(bytes) || is_text(text);
}

bool is_rank_file(const fs::path& path) {
  return is_rank_file(DecompressedFile(path, kHeadBytes).bytes());
}

using RankPaths = std::map<std::size_t, fs::path>;

/// Files by rank, of each run in `folder`.
std::map<std::pair<std::string, std::string>, RankPaths> runs_in(const fs::path& folder) {
  std::map<std::pair<std::string, std::string>, RankPaths> runs;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto name = numbered_name(entry.path().filename().string());
    if (!name || !entry.is_regular_file() || !is_rank_file(entry.path())) continue;
    runs[{name->before, name->after}].emplace(name->number, entry.path());
  }
  return runs;
}

/// The .meta file of a run: "key=value" on each line.
struct Meta {
  std::string prefix;
  std::size_t ranks = 0;
};

std::optional<Meta> read_meta(std::string_view text) {
  std::optional<Meta> meta;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    const auto value = [&](std::string_view key) -> std::optional<std::string_view> {
      return line.starts_with(key) ? std::optional(line.substr(key.size())) : std::nullopt;
    };
    if (!meta) meta.emplace();
    if (const auto prefix = value("fileprefix=")) meta->prefix = *prefix;
    if (const auto ranks = value("numprocs=")) {
      std::from_chars(ranks->data(), ranks->data() + ranks->size(), meta->ranks);
    }
  }
  if (!meta || meta->prefix.empty() || meta->ranks == 0 || meta->ranks > kNumberedNamesEnd)
    return {};
  return meta;
}

StreamEnd for_each_record(const DecompressedFile& file, const RecordVisitor& visit) {
  return is_binary(file.bytes()) ? read_binary(file.bytes(), visit)
                                 : read_text_form(file.text(), visit);
}

/// What MPI_Comm_size gave for MPI_COMM_WORLD; 0 if the program did not ask.
std::size_t size_of_world(const fs::path& rank_file) {
  std::int64_t size = 0;
  const DecompressedFile file(rank_file);
  for_each_record(file, [&size](const Record& record) {
    if (record.function != nullptr && record.function->name == "MPI_Comm_size" &&
        record[Scalar::comm] == kHandleWorld) {
      size = std::max(size, record[Scalar::size]);
    }
  });
  return static_cast<std::size_t>(size);
}

/// How many ranks the .meta file beside the rank's file speaks of, or else the rank's calls; 0 if
/// neither does.
std::size_t announced_ranks(const fs::path& rank_file) {
  const auto name = numbered_name(rank_file.filename().string());
  if (!name) return 0;
  std::string prefix = name->before;
  if (prefix.ends_with('-')) prefix.pop_back();
  const fs::path path = rank_file.parent_path() / (prefix + ".meta");
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return size_of_world(rank_file);
  const auto meta = read_meta(DecompressedFile(path, kHeadBytes).text());
  return meta ? meta->ranks : 0;
}

class Reader {
 public:
  Reader(const RankPaths& files, std::size_t ranks)
      : trace_(static_cast<std::int32_t>(ranks), true),
        files_(ranks),
        facts_(ranks),
        results_(ranks) {
    for (const auto& [rank, path] : files) {
      files_[rank].emplace(path.string(), DecompressedFile(path));
    }
  }

  Trace read() {
    for (std::size_t r = 0; r < files_.size(); ++r) {
      trace_.rank_info(static_cast<std::int32_t>(r)).present = files_[r].has_value();
    }
    const auto made = find_communicators();
    parallel_for(files_.size(), [&](std::size_t r) {
      if (files_[r]) read_calls(r, made[r]);
    });
    begin_at_zero();
    for (std::size_t r = 0; r < files_.size(); ++r) describe_rank(r);
    describe_job();
    return std::move(trace_).build();
  }

 private:
  std::vector<std::vector<MadeMembers>> find_communicators() {
    std::vector<std::vector<MembershipEvent>> events(files_.size());
    parallel_for(files_.size(), [&](std::size_t r) {
      if (!files_[r]) return;
      const auto& [name, file] = *files_[r];
      facts_[r] =
          is_binary(file.bytes()) ? binary_facts(file.bytes(), name) : text_facts(file.text());
      for_each_record(files_[r]->second, [&](const Record& record) {
        if (is_membership_event(record)) events[r].push_back(membership_event(record));
      });
    });
    return make_communicators(events, trace_);
  }

  /// A file has its calls in the order of their ends. Those of several threads overlap.
  void read_calls(std::size_t r, std::span<const MadeMembers> made) {
    const auto rank = static_cast<std::int32_t>(r);
    RankBuilder builder(trace_, rank, facts_[r], made, trace_.calls(rank));
    bool threads = false;
    bool cpu_only = false;
    const StreamEnd end = for_each_record(files_[r]->second, [&](const Record& record) {
      threads = threads || record.thread != 0;
      cpu_only = cpu_only || (!record.wall.known() && record.cpu.known());
    });
    std::vector<std::pair<Record, std::size_t>> records;
    std::size_t events = 0;
    for_each_record(files_[r]->second, [&](const Record& record) {
      if (threads) {
        records.emplace_back(record, events);
      } else {
        builder.take(record, events);
      }
      if (is_membership_event(record)) ++events;
    });
    std::ranges::stable_sort(records, {}, [](const auto& kept) {
      const Record& record = kept.first;
      return record.wall.known() ? record.wall.begin_ns : record.cpu.begin_ns;
    });
    for (const auto& [record, event] : records) builder.take(record, event);
    results_[r] = std::move(builder).finish();
    Findings& findings = results_[r].findings;
    const std::string& name = files_[r]->first;
    if (!end.complete || !facts_[r].complete) findings.add(kTruncatedFile, name);
    if (end.damaged > 0) findings.add(kDamagedRecord, name, end.damaged);
    if (cpu_only) findings.add(kCpuTimesOnly, fmt::format("rank {}", r));
    for (const auto& [function, count] : facts_[r].left_out) {
      const OperationClass c = operation_class(function->operation);
      const bool polls = c == OperationClass::completion || c == OperationClass::probe;
      if (function->operation == Operation::none) continue;  // no call of the trace
      findings.add(polls ? kFailedTestsLeftOut : kSwitchedOff, function->name, count);
    }
  }

  void begin_at_zero() {
    std::int64_t first = kTimeLimit_ns;
    for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
      const RankCalls& calls = trace_.calls(r);
      if (!calls.empty()) first = std::min(first, calls.begin_ns(0));
    }
    for (std::size_t r = 0; r < files_.size(); ++r) {
      RankCallsBuilder& calls = trace_.calls(static_cast<std::int32_t>(r));
      calls.map_times([&](std::int64_t time) { return time - first; });
      calls.set_start_ns(calls.empty() ? 0 : calls.begin_ns(0));
      for (const FunctionEvent& event : results_[r].functions) {
        calls.append_region({std::max(event.time_ns - first, calls.start_ns()),
                             trace_.region_id(event.name), event.before_call, event.enter});
      }
    }
  }

  void describe_rank(std::size_t r) {
    RankInfo& info = trace_.rank_info(static_cast<std::int32_t>(r));
    info.host = facts_[r].host;
    info.finalized = results_[r].finalized;
    if (!info.present) {
      trace_.findings().add(kMissingRanks, fmt::format("rank {}", r));
    } else if (!info.finalized) {
      trace_.findings().add(kNotFinalized, fmt::format("rank {}", r));
    }
    trace_.findings().merge(results_[r].findings);
  }

  /// Each host has its own clock, and the files say nothing of how these differ.
  void describe_job() {
    std::set<std::string> hosts;
    std::optional<std::string> first;
    TraceInfo& info = trace_.info();
    info.recorder = "DUMPI";
    for (std::size_t r = 0; r < files_.size(); ++r) {
      if (!files_[r]) continue;
      hosts.insert(facts_[r].host);
      if (!first) first = facts_[r].host;
      info.cpu_ns += results_[r].cpu_ns;
      if (info.program.empty()) info.program = results_[r].program;
      if (info.started.empty()) info.started = facts_[r].started;
    }
    if (hosts.size() < 2) return;
    for (std::size_t r = 0; r < files_.size(); ++r) {
      if (files_[r] && facts_[r].host != *first) {
        trace_.findings().add(kClockUnknown, fmt::format("rank {}", r));
      }
    }
  }

  TraceBuilder trace_;
  std::vector<std::optional<std::pair<std::string, DecompressedFile>>> files_;
  std::vector<FileFacts> facts_;
  std::vector<RankResult> results_;
};

/// The files of the run that `path` names: its folder, its .meta file or one rank's file.
RankPaths files_of(const fs::path& path) {
  const auto not_readable = [&](std::string why, std::string what) {
    return Error(fmt::format("cannot read '{}'", path.string()), std::move(why), std::move(what));
  };
  if (fs::is_directory(path)) {
    auto runs = runs_in(path);
    if (runs.size() > 1) {
      throw not_readable(fmt::format("it contains the files of {} runs of DUMPI", runs.size()),
                         "Name one file of the run to read.");
    }
    if (!runs.empty()) return std::move(runs.begin()->second);
  } else {
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    auto name = numbered_name(path.filename().string());
    const bool is_meta = path.extension() == ".meta";
    // A single rank's file whose name has no number.
    if (!name && !is_meta) return {{0, path}};
    std::string before = name ? name->before : "";
    if (is_meta) {
      const auto meta = read_meta(DecompressedFile(path).text());
      before = (meta ? fs::path(meta->prefix).filename().string() : path.stem().string()) + "-";
      name.reset();
    }
    for (auto& [around, files] : runs_in(folder)) {
      if (around.first == before && (!name || around.second == name->after)) return files;
    }
  }
  throw not_readable("a file name contains no rank number, or no file contains a rank",
                     "Name the folder with DUMPI's files, one for each rank.");
}

}  // namespace
}  // namespace dumpi

bool looks_like_dumpi(const std::filesystem::path& path, bool is_directory,
                      std::span<const std::byte> bytes) {
  if (is_directory) return !dumpi::runs_in(path).empty();
  if (dumpi::is_rank_file(bytes)) return true;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return path.extension() == ".meta" && bytes.size() <= dumpi::kHeadBytes &&
         dumpi::read_meta(text).has_value();
}

Trace read_dumpi(const std::filesystem::path& path) {
  const dumpi::RankPaths files = dumpi::files_of(path);
  std::size_t ranks = files.rbegin()->first + 1;
  // Ranks that are not there cost memory, so there may not be many more of them than files.
  constexpr std::size_t kRanksPerFile = 1024;
  const std::size_t announced = dumpi::announced_ranks(files.begin()->second);
  if (announced > ranks && announced < kRanksPerFile * files.size()) ranks = announced;
  if (ranks > kRanksPerFile * files.size()) {
    throw Error(
        fmt::format("cannot read '{}'", path.string()),
        fmt::format("it has {} files, but one of them is for rank {}", files.size(), ranks - 1),
        "Put the files of all ranks into one folder.");
  }
  return dumpi::Reader(files, ranks).read();
}

}  // namespace slackline
