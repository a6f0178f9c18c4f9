#include "app/load/stretched_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "app/load/input.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/units.h"
#include "calls/causality.h"
#include "formats/native/writer.h"
#include "formats/open/open.h"
#include "formats/raw/reader.h"
#include "parallel/process_group.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

/// Few, as each process reads a small part of a rank's calls.
constexpr std::size_t kBlockCalls = 4096;

/// Removes a file that the process has made.
class OwnFile {
 public:
  explicit OwnFile(fs::path path) : path_(std::move(path)) {}
  OwnFile(const OwnFile&) = delete;
  OwnFile& operator=(const OwnFile&) = delete;
  ~OwnFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }

 private:
  const fs::path path_;
};

/// A recording as its ranks have left it, as a native trace: all processes read some ranks each and
/// write them into one file beside the recording's own, which they then have without a name. Throws
/// Error in all where it cannot be read, or there is no room. Memory: the calls of the process's
/// ranks.
std::unique_ptr<const MappedFile> merge_recording(const std::filesystem::path& folder,
                                                  ProcessGroup& group) {
  begin_stage("reading the recording");
  const fs::path path = merged_file(folder, gather_all(group, std::vector{::getpid()}).front());
  {
    const RawPart part = read_raw(folder, group);
    write_native_together(part.trace, part.samples, part.own, path, group, kBlockCalls);
  }
  std::optional<OwnFile> written;
  if (group.is_first()) written.emplace(path);
  auto file = std::make_unique<const MappedFile>(path);
  true_in_all(group, true);  // all have it
  return file;
}

/// Whether all processes can read it. Throws Error in all where it is not one file.
bool is_one_file(const std::optional<fs::path>& file, ProcessGroup& group) {
  const std::vector<std::uint64_t> mine{file ? 1u : 0u, file ? fingerprint(*file) : 0};
  const std::vector<std::uint64_t> all = gather_all(group, mine);
  for (std::size_t p = 1; p < all.size() / 2; ++p) {
    if (all[2 * p] == all[0] && all[2 * p + 1] == all[1]) continue;
    throw Error("cannot analyse the trace as several processes",
                fmt::format("process {} sees another file than process 0", p),
                "Put the trace where all processes see it under one name.");
  }
  return file.has_value();
}

/// Merged by all processes; null where they cannot write beside its files, or it is none.
std::unique_ptr<const MappedFile> merge_where_possible(const fs::path& path, ProcessGroup& group) {
  if (!true_in_all(group, looks_like_raw(path))) return nullptr;
  const fs::path folder = merged_file(path, 0).parent_path();
  if (true_in_all(group, ::access(folder.c_str(), W_OK | X_OK) == 0)) {
    return merge_recording(path, group);
  }
  group.set_unshared("the folder of the recording cannot be written to");
  return nullptr;
}

/// What a stretch takes at most: of more memory, the system's part in getting it takes as much time
/// as the analysis.
constexpr std::uint64_t kMostStretchBytes = std::uint64_t{1} << 30;

/// How many calls fit into the memory of each process, beside what is kept of the whole run. Half
/// of what is available is left to others, and to what is not counted by calls.
std::uint64_t calls_in_memory(const ReadingOptions& reading, const AvailableMemory& available,
                              std::uint64_t kept_bytes, ProcessGroup& group) {
  const auto sharers = reading.memory.empty() ? static_cast<std::uint64_t>(group.size()) : 1;
  const std::uint64_t usable =
      std::min((available.bytes - available.reserve) / sharers / 2, kMostStretchBytes + kept_bytes);
  const std::uint64_t mine =
      kept_bytes > usable
          ? 0
          : std::max<std::uint64_t>(1, (usable - kept_bytes) / reading.bytes_per_call);
  return std::ranges::min(gather_all(group, std::vector<std::uint64_t>{mine}));
}

/// The same in all processes.
bool first_can_read_whole(std::uint64_t calls, const ReadingOptions& reading,
                          const AvailableMemory& available, ProcessGroup& group) {
  const std::vector<char> fits{fits_in_memory(calls, reading, available) ? '\1' : '\0'};
  return gather_all(group, fits).front() != '\0';
}

/// Sums over all ranks must not overflow; who reads the whole trace (check_time_span()) may allow
/// more.
bool has_usual_times(std::span<const RankExtent> ranks) {
  const std::int64_t limit = kTimeLimit_ns / (2 * static_cast<std::int64_t>(ranks.size()));
  return std::ranges::all_of(ranks, [limit](const RankExtent& rank) {
    return std::abs(rank.span.whole.begin_ns) < limit && std::abs(rank.span.whole.end_ns) < limit;
  });
}

constexpr std::string_view kNoPlaceToCut = "no collective of all ranks over which nothing is open";

/// Cuts the trace; returns why it must be read whole, and nothing if it need not.
std::string cut(StretchedTrace& trace, std::uint64_t calls_at_once, StretchUse use,
                ProcessGroup& group) {
  if (!trace.obstacle().empty()) return trace.obstacle();
  if (!has_usual_times(trace.extents())) return "unusual times";
  if (calls_at_once == 0) return "more pauses, counters and samples than fit in memory";
  const auto processes = static_cast<std::uint64_t>(group.size());
  const std::uint64_t rounds = trace.calls() / (calls_at_once * processes) + 1;
  trace.cut(rounds * processes, group);
  const bool as_one = use == StretchUse::always && trace.longest() <= 2 * calls_at_once;
  if (trace.size() == 1 && rounds * processes > 1 && !as_one) return std::string(kNoPlaceToCut);
  if (rounds > 1 && trace.longest() > 2 * calls_at_once) {
    return fmt::format("a stretch of {} calls over which messages or requests are open",
                       format_count(trace.longest()));
  }
  return {};
}

bool is_sound(const LoadedStretch& stretch) {
  if (!stretch.matching().findings().empty()) return false;
  const CausalityCheck check = check_causality(stretch.trace(), stretch.matching());
  return check.violations == 0 && check.collectives == 0;
}

/// As read_stretch(); null where that gives nothing.
std::unique_ptr<const LoadedStretch> load_stretch(StretchedRun& run, std::size_t number,
                                                  bool only) {
  std::optional<Stretch> stretch = read_stretch(run, number);
  return stretch ? std::make_unique<const LoadedStretch>(*std::move(stretch), only) : nullptr;
}

/// The numbers of a process's own, in order. One for all is the first process's.
auto own_stretches(const StretchedRun& run, const ProcessGroup& group) {
  const auto processes = static_cast<std::size_t>(group.size());
  const auto first_of = [&](std::size_t process) {
    return (process * run.trace.size() + processes - 1) / processes;
  };
  const auto self = static_cast<std::size_t>(group.rank());
  return std::views::iota(first_of(self), first_of(self + 1));
}

/// The stretches of a process: one stays in memory, several are read each time.
class OwnStretches {
 public:
  OwnStretches(StretchedRun& run, ProcessGroup& group) : run_(run), group_(group) {}

  /// Whether all could be read and are right, in all processes.
  bool all_of(const std::function<bool(const LoadedStretch&)>& is_right) {
    bool right = true;
    const auto numbers = own_stretches(run_, group_);
    for (const std::size_t s : numbers) {
      if (!loaded_ || !loaded_->stays()) {
        loaded_.reset();
        loaded_ = load_stretch(run_, s, numbers.size() == 1);
      }
      right = loaded_ != nullptr && is_right(*loaded_);
      if (!right) break;
    }
    return true_in_all(group_, right);
  }

 private:
  StretchedRun& run_;
  ProcessGroup& group_;
  std::unique_ptr<const LoadedStretch> loaded_;
};

void visit_again(OwnStretches& stretches, std::span<RunAnalysis* const> analyses) {
  begin_stage("analysing the run once more");
  const bool complete = stretches.all_of([&](const LoadedStretch& stretch) {
    for (RunAnalysis* analysis : analyses) analysis->add_again(stretch);
    return true;
  });
  if (!complete) throw changed_while_read();
}

void identify(const std::optional<fs::path>& recording, const MappedFile& file,
              OpenedTrace& opened) {
  if (!recording) {
    opened.checksum = checksum_of(file);
    return;
  }
  const InputIdentity identity = identify_recording(*recording);
  opened.format = "raw";
  opened.bytes = identity.bytes;
  opened.checksum = identity.checksum;
}

}  // namespace

std::optional<Stretch> read_stretch(StretchedRun& run, std::size_t number) {
  std::optional<Stretch> stretch = run.trace.load(number);
  // Blocks at its ends, which are read twice, have brought pages of their neighbours into memory.
  run.file->release(run.file->bytes());
  return stretch;
}

std::optional<StretchedRun> load_stretches(const RunRequest& request, ProcessGroup& group,
                                           StretchUse use) {
  if (use == StretchUse::never) return std::nullopt;
  group.set_unshared("only a measured run of a native trace is shared");
  if ((!request.on.empty() && request.on != "measured") || request.reading.fix_clocks) {
    return std::nullopt;
  }
  const AvailableMemory available = memory_for(request.reading);
  const fs::path path = input_path(request.trace);
  const std::optional<fs::path> native = native_file_of(path);
  const bool merges =
      use != StretchUse::for_memory && (group.size() > 1 || use == StretchUse::always);
  std::unique_ptr<const MappedFile> file;
  if (is_one_file(native, group)) {
    file = std::make_unique<const MappedFile>(*native);
  } else if (merges) {
    file = merge_where_possible(path, group);
  }
  if (file == nullptr) return std::nullopt;
  NativePieces pieces(
      file->bytes(), native.value_or(path).string(),
      [mapped = file.get()](std::span<const std::byte> part) { mapped->release(part); });
  const std::uint64_t at_once =
      calls_in_memory(request.reading, available, pieces.details_bytes(), group);
  const std::uint64_t calls = pieces.call_count();
  if (first_can_read_whole(calls, request.reading, available, group)) {
    if (use == StretchUse::for_memory) {
      group.set_unshared("the whole trace fits in the memory of one process");
      return std::nullopt;
    }
    const bool small = group.size() == 1 && calls <= 2 * at_once;
    if (small && use == StretchUse::for_speed) return std::nullopt;
  }
  begin_stage("looking for places to cut the trace");
  StretchedTrace trace(std::move(pieces), group);
  const std::string obstacle = cut(trace, at_once, use, group);
  if (!obstacle.empty()) {
    const std::string why = fmt::format("; it has {}, so it cannot be read in stretches", obstacle);
    require_memory_for(calls, request.reading, available, why);
    group.set_unshared(fmt::format("the trace has {}", obstacle));
    return std::nullopt;
  }
  const bool shared = trace.size() > 1 || group.size() == 1;
  group.set_unshared(shared ? "" : fmt::format("the trace has {}", kNoPlaceToCut));
  LoadedRun run{opened_without_calls(trace.job(), path, *file, calls), "measured"};
  run.requested = !request.on.empty();
  if (group.is_first()) identify(native ? std::nullopt : std::optional(path), *file, run.opened);
  const RunSpan span = run_span(trace.extents());
  return StretchedRun{std::move(file), std::move(run), std::move(trace), span, request.reading};
}

bool analyse_stretches(StretchedRun& run, ProcessGroup& group,
                       std::span<RunAnalysis* const> analyses) {
  begin_stage("analysing the run");
  for (RunAnalysis* analysis : analyses) analysis->begin(run);
  OwnStretches stretches(run, group);
  const bool sound = stretches.all_of([&](const LoadedStretch& stretch) {
    return is_sound(stretch) && std::ranges::all_of(analyses, [&](RunAnalysis* analysis) {
             return analysis->add(stretch);
           });
  });
  if (!sound) {
    for (RunAnalysis* analysis : analyses) analysis->abandon();
    require_whole(
        run, group,
        "messages or collectives that are incomplete, run back in time or deadlock on the "
        "ideal network");
    return false;
  }
  std::vector<RunAnalysis*> again;
  for (RunAnalysis* analysis : analyses) {
    if (analysis->join(group)) again.push_back(analysis);
  }
  if (!again.empty()) visit_again(stretches, again);
  for (RunAnalysis* analysis : analyses) analysis->finish(group);
  return true;
}

Error changed_while_read() {
  return Error("cannot analyse the trace", "it changed while it was read",
               "Analyse it when nothing writes to it any more.");
}

void require_whole(const StretchedRun& run, ProcessGroup& group, const std::string& why) {
  group.set_unshared("the trace has " + why);
  require_memory_for(run.trace.calls(), run.reading, memory_for(run.reading),
                     fmt::format("; it has {}, so it cannot be read in stretches", why));
}

}  // namespace slackline
