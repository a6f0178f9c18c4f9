// Two passes over the text: the first finds how many ranks there are, which the counts of vector
// collectives depend on; the second reads.

#include "formats/ti/ti.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text_parsing.h"
#include "formats/compressed/decompressed_file.h"
#include "formats/ti/program.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

constexpr FindingKind kBadLine{
    "ti_bad_line", Severity::data_loss,
    "A line is not a replay action, or lacks an argument; it was omitted."};
constexpr FindingKind kFlops{
    "ti_flops", Severity::info,
    "Computation is given in flops; converted to time at 1 Gflop/s (1 ns per flop)."};
constexpr std::int64_t kMostRanks = 1 << 24;
constexpr std::size_t kHeadLines = 16;
constexpr std::size_t kLongestName = 4096;
constexpr std::size_t kProbedBytes = std::size_t{64} << 10;  // of a compressed file
constexpr std::size_t kMostNamesTried = 4096;
constexpr std::string_view kComputation = " compute ";
constexpr std::string_view kBlanks = " \t\r\n";

/// Whether a line that begins with that word is a comment, or blank.
bool is_comment(std::string_view first_word) {
  return first_word.empty() || first_word.front() == '#';
}

/// Calls visit(line) for every line that is no comment and not blank, until it says
/// false.
template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (is_comment(ti::first_word(line))) continue;
    if (!visit(line)) return;
  }
}

bool is_action_line(const ti::Fields& fields) {
  if (fields.size() < 2 || !ti::Program::knows(fields.word(1))) return false;
  const std::int64_t rank = ti::parse_integer(fields.word(0)).value_or(-1);
  return rank >= 0 && rank < kMostRanks;
}

bool begins_with_action(std::string_view text) {
  ti::Fields fields;
  std::size_t seen = 0;
  bool found = false;
  while (!text.empty() && !found && seen < kHeadLines) {
    fields.take_line(text);
    if (is_comment(fields.first())) continue;
    found = is_action_line(fields);
    ++seen;
  }
  return found;
}

bool begins_with_action(const fs::path& file) {
  return begins_with_action(DecompressedFile(file, kProbedBytes).text());
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// As replay does, from the working folder; else beside the list.
fs::path listed(const fs::path& list, std::string_view name) {
  std::error_code ignored;
  fs::path given = with_compression_suffix(name);
  if (fs::exists(given, ignored)) return given;
  return with_compression_suffix(list.parent_path() / fs::path(name));
}

/// Calls visit(name) for the arguments of the processes that a deployment in XML starts, until it
/// says false.
template <class Visit>
void for_each_argument(std::string_view text, Visit visit) {
  constexpr std::string_view kElement = "<argument";
  constexpr std::string_view kValue = "value=";
  for (std::size_t at = text.find(kElement); at != std::string_view::npos;
       at = text.find(kElement, at + 1)) {
    const std::string_view element = text.substr(at, text.find('>', at) - at);
    const std::size_t value = element.find(kValue);
    if (value == std::string_view::npos || value + kValue.size() >= element.size()) continue;
    const std::size_t begin = value + kValue.size() + 1;
    const std::size_t end = element.find(element[begin - 1], begin);
    if (end == std::string_view::npos) continue;
    if (!visit(element.substr(begin, end - begin))) return;
  }
}

/// The same for the names that a text lists, which is a deployment in XML or has one on each line.
template <class Visit>
void for_each_name(std::string_view text, Visit visit) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first != std::string_view::npos && text[first] == '<') {
    for_each_argument(text, visit);
  } else {
    for_each_line(text, [&](std::string_view line) { return visit(trimmed(line)); });
  }
}

std::vector<fs::path> listed_files(const fs::path& list, std::string_view text) {
  std::vector<fs::path> files;
  for_each_name(text, [&](std::string_view name) {
    files.push_back(listed(list, name));
    return true;
  });
  return files;
}

/// The files of a folder by name if all of them begin with an action; else none: a folder in which
/// such a file lies among others is not meant.
std::vector<fs::path> action_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!entry.is_regular_file() || !begins_with_action(entry.path())) return {};
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

/// Does the text list files, the first of which that is there begins with an action?
bool lists_action_files(const fs::path& path, std::string_view text) {
  std::error_code ignored;
  bool found = false;
  std::size_t tried = 0;
  for_each_name(text, [&](std::string_view name) {
    if (name.find('\0') != std::string_view::npos || name.size() > kLongestName) return false;
    const fs::path file = listed(path, name);
    if (!fs::is_regular_file(file, ignored)) return ++tried < kMostNamesTried;
    found = file != path && begins_with_action(file);
    return false;
  });
  return found;
}

/// The list of action files in a folder; none when there is none, or more than one.
std::optional<fs::path> list_in(const fs::path& folder) {
  std::optional<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const DecompressedFile file(entry.path(), kProbedBytes);
    if (begins_with_action(file.text()) || !lists_action_files(entry.path(), file.text())) continue;
    if (found) return std::nullopt;
    found = entry.path();
  }
  return found;
}

/// The files that make up the trace in a folder: those of its list, else all of them.
std::vector<fs::path> files_in(const fs::path& folder) {
  const std::optional<fs::path> list = list_in(folder);
  return list ? listed_files(*list, DecompressedFile(*list).text()) : action_files(folder);
}

struct Part {
  std::string name;
  std::string_view text;
};

struct RankLines {
  std::size_t calls = 0, computations = 0;
};

/// What lines there are of each rank below `limit`. What is no number is told when the line is
/// read.
std::vector<RankLines> measure(const std::vector<Part>& parts, std::int64_t limit) {
  std::vector<RankLines> ranks;
  for (const Part& part : parts) {
    std::string_view rest = part.text;
    while (!rest.empty()) {
      const std::string_view line = take_line(rest);
      const std::string_view first = ti::first_word(line);
      const std::optional<std::int64_t> rank = ti::parse_integer(first);
      if (!rank || *rank < 0 || *rank >= limit) continue;
      const auto at = static_cast<std::size_t>(*rank);
      if (at >= ranks.size()) ranks.resize(at + 1);
      const auto behind = static_cast<std::size_t>(first.data() + first.size() - line.data());
      const bool computes = line.substr(behind).starts_with(kComputation);
      ++(computes ? ranks[at].computations : ranks[at].calls);
    }
  }
  return ranks;
}

/// Every rank has a line, so a number beyond their count is a mistake and must not cost memory.
std::vector<RankLines> count_ranks(const std::vector<Part>& parts) {
  std::int64_t lines = 0;
  for (const Part& part : parts) lines += 1 + std::ranges::count(part.text, '\n');
  return measure(parts, std::min(kMostRanks, lines));
}

class Reader {
 public:
  explicit Reader(const std::vector<RankLines>& ranks)
      : trace_(static_cast<std::int32_t>(ranks.size()), false) {
    programs_.reserve(ranks.size());
    for (const RankLines& lines : ranks) {
      programs_.emplace_back(trace_, static_cast<std::int32_t>(programs_.size()));
      programs_.back().reserve(lines.calls, lines.computations);
    }
  }

  void read(const Part& part) {
    std::string_view rest = part.text;
    for (std::size_t number = 1; !rest.empty(); ++number) {
      const char* const begin = rest.data();
      fields_.take_line(rest);
      if (is_comment(fields_.first()) || append()) continue;
      const std::string_view line = trimmed({begin, static_cast<std::size_t>(rest.data() - begin)});
      trace_.findings().add(
          kBadLine, fmt::format("{}:{}: {}: {}", part.name, number, why_, line.substr(0, 60)));
    }
  }

  /// A rank that a message names and of which there are no actions.
  std::optional<std::int64_t> missing_rank() const {
    for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
      if (trace_.calls(r).empty() && trace_.calls(r).regions().empty()) return r;
    }
    return missing_;
  }

  Trace finish() {
    trace_.findings().add(kFlops);
    trace_.info().recorder = "SimGrid time-independent trace";
    trace_.info().flops_per_second = kTiFlopsPerSecond;
    for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
      RankCallsBuilder& calls = trace_.calls(r);
      trace_.rank_info(r).present = !calls.empty() || !calls.regions().empty();
      trace_.rank_info(r).finalized =
          !calls.empty() && calls.operation(calls.size() - 1) == Operation::finalize;
      calls.shrink();
    }
    return std::move(trace_).build();
  }

 private:
  bool append() {
    try {
      if (fields_.size() < 2) throw ti::BadAction{"not an action"};
      const std::int64_t rank = fields_.integer(0);
      if (rank < 0 || rank >= trace_.ranks()) throw ti::BadAction{"no such rank"};
      programs_[static_cast<std::size_t>(rank)].append(fields_);
      return true;
    } catch (const ti::BadField& bad) {
      why_ = bad.index < fields_.size()
                 ? fmt::format("'{}' is not a number", fields_.word(bad.index).substr(0, 20))
                 : "an argument is missing";
    } catch (const ti::NoSuchRank& bad) {
      why_ = bad.why;
      if (bad.rank >= trace_.ranks() && bad.rank < kMostRanks) missing_ = bad.rank;
    } catch (const ti::BadAction& bad) {
      why_ = bad.why;
    }
    return false;
  }

  TraceBuilder trace_;
  std::vector<ti::Program> programs_;
  ti::Fields fields_;
  std::string why_;
  std::optional<std::int64_t> missing_;
};

Trace read_parts(const std::vector<Part>& parts, const fs::path& path, TiRanks ranks) {
  Reader reader(count_ranks(parts));
  for (const Part& part : parts) reader.read(part);
  const std::optional<std::int64_t> missing = reader.missing_rank();
  if (ranks == TiRanks::all && missing) {
    throw Error(fmt::format("cannot read '{}' as a trace of all ranks", path.string()),
                fmt::format("there are no actions of rank {}", *missing),
                "Put the files of all ranks and nothing else into the folder, or name their list.");
  }
  return reader.finish();
}

/// The files of a list, all of which are there. Throws Error.
std::vector<fs::path> present_files(const fs::path& list, std::vector<fs::path> files) {
  std::error_code ignored;
  const auto missing = std::ranges::find_if_not(
      files, [&](const fs::path& file) { return fs::exists(file, ignored); });
  if (missing == files.end()) return files;
  throw Error(fmt::format("cannot read '{}'", list.string()),
              fmt::format("'{}', of the {} files that it lists, is missing", missing->string(),
                          files.size()),
              "Put the files where the list has them, or change the list.");
}

}  // namespace

Trace read_ti(const fs::path& path, std::span<const std::byte> bytes, TiRanks ranks) {
  const std::string_view text = text_of(bytes);
  const bool is_folder = fs::is_directory(path);
  if (!is_folder && begins_with_action(text))
    return read_parts({{path.string(), text}}, path, ranks);
  std::vector<DecompressedFile> files;
  std::vector<Part> parts;
  for (const fs::path& name :
       present_files(path, is_folder ? files_in(path) : listed_files(path, text))) {
    files.emplace_back(name);
    parts.push_back({name.string(), {}});
  }
  for (std::size_t i = 0; i < files.size(); ++i) parts[i].text = files[i].text();
  return read_parts(parts, path, ranks);
}

bool looks_like_ti(const fs::path& path, std::span<const std::byte> bytes) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return !files_in(path).empty();
  const std::string_view text = text_of(bytes);
  return begins_with_action(text) || lists_action_files(path, text);
}

std::optional<std::string> missing_listed_file(const fs::path& path,
                                               std::span<const std::byte> bytes) {
  std::error_code ignored;
  std::optional<std::string> missing;
  for_each_line(text_of(bytes), [&](std::string_view line) {
    const std::string_view name = trimmed(line);
    const bool is_name = name.size() <= kLongestName &&
                         name.find_first_of("./") != std::string_view::npos &&
                         std::ranges::all_of(name, [](char c) { return c > ' ' && c <= '~'; });
    if (is_name && !fs::exists(listed(path, name), ignored)) missing = name;
    return false;
  });
  return missing;
}

}  // namespace slackline
