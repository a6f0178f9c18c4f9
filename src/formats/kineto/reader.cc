#include "formats/kineto/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/file.h"
#include "base/parallel.h"
#include "formats/findings.h"
#include "formats/kineto/event.h"
#include "formats/kineto/json_values.h"
#include "formats/kineto/rank_builder.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

struct FileProfile {
  ProfiledRank profile;
  KinetoHeader header;
  Findings findings;
  bool truncated = false;
  std::size_t cut_steps = 0;
};

// One profile: an object with the list traceEvents among its members.
class FileReader {
 public:
  FileReader(std::unique_ptr<ByteSource> source, std::string_view name)
      : values_(std::move(source)), name_(name) {}

  FileProfile read() {
    const bool truncated = !read_members();
    if (truncated) findings_.add(kTruncatedFile, name_);
    ProfiledRank profile = builder_.build(header_.base_time_ns, truncated, name_, findings_);
    return {std::move(profile), header_, std::move(findings_), truncated, builder_.cut_steps()};
  }

 private:
  // False where the text ends or is none of JSON's.
  bool read_members() {
    if (!values_.take('{')) return false;
    if (values_.take('}')) return true;
    do {
      const auto key_text = values_.value();
      if (!key_text || key_text->size() < 2 || key_text->front() != '"') return false;
      const std::string key(key_text->substr(1, key_text->size() - 2));
      if (!values_.take(':')) return false;
      if (!(key == "traceEvents" ? read_events() : read_member(key))) return false;
    } while (values_.take(','));
    return values_.take('}');
  }

  bool read_member(const std::string& key) {
    const auto text = values_.value();
    if (!text) return false;
    if (!decoder_.decode_header(key, *text, header_)) {
      findings_.add(kDamagedRecord, fmt::format("{}: {}", name_, key));
    }
    return true;
  }

  bool read_events() {
    if (!values_.take('[')) return false;
    if (values_.take(']')) return true;
    KinetoEvent event;
    std::uint64_t index = 0;
    do {
      const auto text = values_.value();
      if (!text) return false;
      if (decoder_.decode_event(*text, event)) {
        builder_.add(event);
      } else {
        findings_.add(kDamagedRecord, fmt::format("{}: event {}", name_, index));
      }
      ++index;
    } while (values_.take(','));
    return values_.take(']');
  }

  JsonValues values_;
  std::string_view name_;
  KinetoDecoder decoder_;
  KinetoRankBuilder builder_;
  KinetoHeader header_;
  Findings findings_;
};

bool says_rank(const FileProfile& file) {
  return file.header.rank && *file.header.rank >= 0;
}

// The ranks of all files: what a file says, else what the names say, else the next free one in the
// order of names. A lone profile is one rank, whatever number its name has.
std::vector<std::int32_t> ranks_of(const std::vector<FileProfile>& files,
                                   const std::vector<std::string>& names, Findings& findings) {
  std::vector<std::int32_t> ranks(files.size());
  std::set<std::int32_t> taken;
  std::vector<std::size_t> silent;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!says_rank(files[i])) {
      silent.push_back(i);
    } else {
      ranks[i] = *files[i].header.rank;
      taken.insert(ranks[i]);
    }
  }
  std::ranges::sort(silent,
                    [&](std::size_t a, std::size_t b) { return natural_less(names[a], names[b]); });
  std::vector<std::int32_t> named = ranks_in_names(names);
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (!says_rank(files[i]) || named[i] == ranks[i]) continue;
    named.clear();  // these numbers are no ranks
  }
  std::int32_t next = 0;
  for (const std::size_t i : silent) {
    if (!named.empty() && !taken.contains(named[i])) {
      ranks[i] = named[i];
    } else {
      while (taken.contains(next) || std::ranges::find(named, next) != named.end()) ++next;
      ranks[i] = next;
    }
    taken.insert(ranks[i]);
    if (files.size() > 1)
      findings.add(kRankGuessed, fmt::format("{}: rank {}", names[i], ranks[i]));
  }
  return ranks;
}

TrainingRun joined(std::vector<FileProfile> files, const std::vector<std::string>& names) {
  TrainingRun run;
  const std::vector<std::int32_t> ranks = ranks_of(files, names, run.findings);
  const bool any_whole =
      std::ranges::any_of(files, [](const FileProfile& file) { return !file.truncated; });
  std::set<std::int32_t> taken;
  for (std::size_t i = 0; i < files.size(); ++i) {
    run.findings.merge(files[i].findings);
    run.world_size = std::max(run.world_size, files[i].header.world_size);
    if (!taken.insert(ranks[i]).second) {
      run.findings.add(kRankTwice, fmt::format("{}: rank {}", names[i], ranks[i]));
      continue;
    }
    // Events that are not there would count as idle time, and later kernels as earlier ones.
    if (files[i].truncated && any_whole) {
      run.findings.add(kTruncatedRank, fmt::format("{}: rank {}", names[i], ranks[i]));
      continue;
    }
    if (files[i].cut_steps > 0) run.findings.add(kCutSteps, names[i], files[i].cut_steps);
    files[i].profile.rank = ranks[i];
    run.ranks.push_back(std::move(files[i].profile));
  }
  std::ranges::sort(run.ranks, {}, &ProfiledRank::rank);
  return run;
}

void count_missing_ranks(TrainingRun& run) {
  const auto last = run.ranks.empty() ? 0 : std::int64_t{run.ranks.back().rank} + 1;
  const std::int64_t size = std::max<std::int64_t>(run.world_size, last);
  const std::int64_t missing = size - static_cast<std::int64_t>(run.ranks.size());
  if (missing == 0) return;
  std::int32_t first = 0;
  while (static_cast<std::size_t>(first) < run.ranks.size() &&
         run.ranks[static_cast<std::size_t>(first)].rank == first) {
    ++first;
  }
  run.findings.add(kMissingRanks, fmt::format("rank {}", first),
                   static_cast<std::uint64_t>(missing));
}

TrainingRun finished(std::vector<FileProfile> files, const std::vector<std::string>& names) {
  TrainingRun run = joined(std::move(files), names);
  count_missing_ranks(run);
  return run;
}

bool has_json_name(const fs::path& path) {
  return path.filename().string().find(".json") != std::string::npos;
}

}  // namespace

// Other programs write Chrome's format, too. These keys are Kineto's; which of them the beginning
// of the file has depends on the order that its writer chose.
bool looks_like_kineto(std::span<const std::byte> bytes) {
  std::string head;
  if (!byte_source(bytes)->append_to(head)) return false;
  const std::string_view text = without_byte_order_mark(head);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || text[first] != '{') return false;
  const auto has = [&](std::string_view key) { return head.find(key) != std::string::npos; };
  constexpr std::array kKeys{"\"schemaVersion\"", "\"deviceProperties\"", "\"distributedInfo\"",
                             "\"cpu_op\"",        "\"cuda_runtime\"",     "\"ProfilerStep#"};
  const auto known = std::ranges::count_if(kKeys, has);
  return known > 1 || (known == 1 && has("\"traceEvents\""));
}

std::vector<fs::path> kineto_files(const fs::path& path) {
  std::vector<fs::path> files;
  std::error_code ignored;
  const auto consider = [&](const fs::path& file) {
    if (looks_like_kineto(MappedFile(file).bytes())) files.push_back(file);
  };
  if (!fs::is_directory(path, ignored)) {
    consider(path);
    return files;
  }
  for (const auto& entry : fs::directory_iterator(path)) {
    if (entry.is_regular_file() && has_json_name(entry.path())) consider(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

TrainingRun read_kineto(const std::vector<fs::path>& files) {
  std::vector<FileProfile> profiles(files.size());
  std::vector<std::string> names;
  for (const fs::path& file : files) names.push_back(file.filename().string());
  parallel_for(files.size(), [&](std::size_t i) {
    profiles[i] = FileReader(open_byte_source(files[i]), names[i]).read();
  });
  return finished(std::move(profiles), names);
}

TrainingRun read_kineto(std::span<const std::byte> bytes, std::string_view name) {
  std::vector<FileProfile> profiles(1);
  profiles.front() = FileReader(byte_source(bytes), name).read();
  return finished(std::move(profiles), {std::string(name)});
}

}  // namespace slackline
