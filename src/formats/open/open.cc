#include "formats/open/open.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/output_target.h"
#include "calls/causality.h"
#include "calls/clock_correction.h"
#include "formats/compressed/decompressed_file.h"
#include "formats/dumpi/reader.h"
#include "formats/goal/goal.h"
#include "formats/kineto/reader.h"
#include "formats/liballprof/reader.h"
#include "formats/native/reader.h"
#include "formats/otf2/otf2.h"
#include "formats/paraver/paraver.h"
#include "formats/raw/reader.h"
#include "formats/text/text.h"
#include "formats/ti/ti.h"
#include "trace/sound_calls.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNativeFile = "trace.slk";
constexpr std::size_t kTextHeadBytes = 4096;
constexpr std::size_t kProbedBytes = std::size_t{64} << 10;  // of a compressed file
constexpr std::size_t kShownBytes = 8;
constexpr std::size_t kHashedBytes = std::size_t{16} << 20;

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Every format that can be read. The first whose probe says yes is taken, so SimGrid's comes last:
// its traces have no header, and it accepts any text with an action among the first lines.
constexpr std::array kReaders{
    TraceReader{"native", "a native trace (.slk)",
                [](const TraceInput& in) { return looks_like_native(in.bytes); },
                [](const TraceInput& in) {
                  return read_native(in.bytes, in.path.string(), in.samples, in.calls_known);
                }},
    TraceReader{"text", "a trace in text format",
                [](const TraceInput& in) {
                  return looks_like_text(as_text(in.bytes).substr(0, kTextHeadBytes));
                },
                [](const TraceInput& in) {
                  TraceBuilder trace = read_text(as_text(in.bytes), in.path.string(), in.samples);
                  find_request_zero(trace);
                  return std::move(trace).build();
                }},
    TraceReader{
        "goal", "a GOAL program, text or LogGOPSim binary",
        [](const TraceInput& in) { return looks_like_goal(in.bytes); },
        [](const TraceInput& in) { return read_goal_as_trace(in.bytes, in.path.string()); }},
    TraceReader{"raw", "a folder made by 'slackline record'",
                [](const TraceInput& in) { return in.is_directory && looks_like_raw(in.path); },
                [](const TraceInput& in) { return read_raw(in.path, in.samples); }},
    TraceReader{"paraver", "a Paraver trace (.prv, .prv.gz)",
                [](const TraceInput& in) { return looks_like_paraver(in.bytes); },
                [](const TraceInput& in) { return read_paraver(in.bytes, in.path, in.release); },
                nullptr, true},
    TraceReader{"liballprof", "liballprof files (one per rank)",
                [](const TraceInput& in) {
                  return looks_like_liballprof(in.path, in.is_directory, in.bytes);
                },
                [](const TraceInput& in) { return read_liballprof(in.path); }},
    TraceReader{
        "dumpi", "DUMPI files (one per rank)",
        [](const TraceInput& in) { return looks_like_dumpi(in.path, in.is_directory, in.bytes); },
        [](const TraceInput& in) { return read_dumpi(in.path); }},
    TraceReader{
        "otf2", "an OTF2 archive (its file .otf2, or the folder with it)",
        [](const TraceInput& in) { return find_otf2_anchor(in.path).has_value(); },
        [](const TraceInput& in) { return read_otf2(*find_otf2_anchor(in.path), in.sends); },
        [](const fs::path& path) { return otf2_files(*find_otf2_anchor(path)); }},
    TraceReader{"ti", "a SimGrid time-independent trace",
                [](const TraceInput& in) { return looks_like_ti(in.path, in.bytes); },
                [](const TraceInput& in) {
                  const bool whole = in.is_directory || in.from_folder;
                  return read_ti(in.path, in.bytes, whole ? TiRanks::all : TiRanks::as_given);
                }},
};

std::string accepted_formats() {
  std::string all;
  for (const TraceReader& reader : kReaders) {
    all += reader.description;
    all += ", ";
  }
  return all + "profiles of PyTorch (.pt.trace.json, one or a folder with one per rank)";
}

// The first bytes of an input that nobody knows, for the message.
std::string shown(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte b : bytes.first(std::min(kShownBytes, bytes.size()))) {
    const char c = static_cast<char>(b);
    text +=
        c >= ' ' && c <= '~' ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<int>(b));
  }
  return text;
}

const TraceReader* reader_of(const TraceInput& input);

/// Folders in `folder`, or in one of these, that could be named instead of it.
std::vector<std::string> readable_folders(const fs::path& folder) {
  constexpr int kDeepest = 1;
  constexpr std::size_t kMost = 256;
  std::vector<std::string> found;
  std::error_code ignored;
  std::size_t seen = 0;
  for (auto at = fs::recursive_directory_iterator(
           folder, fs::directory_options::skip_permission_denied, ignored);
       at != fs::recursive_directory_iterator() && seen < kMost; at.increment(ignored)) {
    if (at.depth() >= kDeepest) at.disable_recursion_pending();
    if (!at->is_directory(ignored)) continue;
    ++seen;
    const bool readable =
        reader_of({at->path(), true, {}}) != nullptr || !kineto_files(at->path()).empty();
    if (readable) found.push_back(at->path().string());
  }
  std::ranges::sort(found);
  return found;
}

Error unknown_folder(const fs::path& folder, const std::string& problem) {
  const std::vector<std::string> inner = readable_folders(folder);
  if (inner.size() == 1) {
    return Error(problem, "what can be read is in a folder in it",
                 fmt::format("Name {}.", inner.front()));
  }
  if (inner.size() > 1) {
    return Error(problem,
                 fmt::format("it has {} folders with files that can be read", inner.size()),
                 fmt::format("Name one, for example {}, or put the files of all ranks of one run "
                             "into one folder.",
                             inner.front()));
  }
  if (const auto foreign = foreign_folder(folder)) {
    return Error(problem, fmt::format("it seems to be {}", foreign->name), foreign->advice);
  }
  return Error(problem, "the folder contains none",
               fmt::format("Accepted are: {}.", accepted_formats()));
}

Error unknown_input(const TraceInput& input) {
  const std::string problem = fmt::format("cannot read '{}' as a trace", input.path.string());
  if (!kineto_files(input.path).empty()) return profile_without_calls(input.path);
  const std::string hint = fmt::format("Accepted are: {}.", accepted_formats());
  if (input.is_directory) return unknown_folder(input.path, problem);
  if (input.bytes.empty()) return Error(problem, "the file is empty", hint);
  if (input.path == "-" || input.path == "/dev/stdin") {
    return Error(problem, "what standard input has is no trace of one file in a known format",
                 "Give the path of an OTF2 archive, of DUMPI or liballprof files, or of a "
                 "recording's folder.");
  }
  if (const auto foreign = foreign_file(input.path, input.bytes)) {
    return Error(problem, fmt::format("it seems to be {}", foreign->name), foreign->advice);
  }
  if (const auto missing = missing_listed_file(input.path, input.bytes)) {
    return Error(
        problem,
        fmt::format("it lists files as a SimGrid trace does, and '{}' is missing", *missing),
        "Put the files where the list has them, or change the list.");
  }
  return Error(problem,
               fmt::format("its beginning, \"{}\", matches no known format", shown(input.bytes)),
               hint);
}

std::string hex(std::uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

// In pieces, each of which is given up after it.
std::string checksum(std::span<const std::byte> bytes,
                     const std::function<void(std::span<const std::byte>)>& release = {}) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(kHashedBytes, bytes.size()));
    XXH3_64bits_update(&state, piece.data(), piece.size());
    if (release) release(piece);
    bytes = bytes.subspan(piece.size());
  }
  return hex(XXH3_64bits_digest(&state));
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  const auto options = fs::directory_options::skip_permission_denied;
  for (auto at = fs::recursive_directory_iterator(folder, options, ignored);
       at != fs::recursive_directory_iterator(); at.increment(ignored)) {
    if (at->is_regular_file(ignored)) files.push_back(at->path());
  }
  return files;
}

// In pieces, each of which is given up after it.
std::uint64_t hash_of(const MappedFile& file, std::uint64_t seed) {
  XXH3_state_t state;
  XXH3_INITSTATE(&state);
  XXH3_64bits_reset_withSeed(&state, seed);
  for (auto rest = file.bytes(); !rest.empty();) {
    const auto piece = rest.first(std::min(kHashedBytes, rest.size()));
    XXH3_64bits_update(&state, piece.data(), piece.size());
    file.release(piece);
    rest = rest.subspan(piece.size());
  }
  return XXH3_64bits_digest(&state);
}

// Size and checksum over names and contents of `files`, in order of name. `Opened` has both.
template <class Opened>
void identify_files(std::vector<fs::path> files, const fs::path& folder, Opened& opened) {
  std::ranges::sort(files);
  std::uint64_t hash = 0;
  for (const fs::path& path : files) {
    const MappedFile file(path);
    const std::string name = path.lexically_relative(folder).string();
    hash = XXH3_64bits_withSeed(name.data(), name.size(), hash);
    hash = hash_of(file, hash);
    opened.bytes += file.bytes().size();
  }
  opened.checksum = hex(hash);
}

/// None when no reader knows the input.
const TraceReader* reader_of(const TraceInput& input) {
  const auto reader =
      std::ranges::find_if(kReaders, [&](const TraceReader& r) { return r.probe(input); });
  return reader == kReaders.end() ? nullptr : &*reader;
}

/// Corrects the trace's times as the options say, and counts what is still against causality.
void check_clocks(TraceBuilder& trace, const OpenOptions& options, OpenedTrace& opened) {
  if (!options.keep_matching && options.clocks == ClockPolicy::as_read) {
    count_causality_violations(trace, CallMatching(trace, CallMatching::Extent::receipts));
    return;
  }
  auto matching = std::make_shared<const CallMatching>(trace);
  opened.clocks = correct_clocks(trace, *matching, options.clocks);
  const CausalityCheck check = count_causality_violations(trace, *matching);
  if (options.clocks == ClockPolicy::as_read && check.beyond_error > 0) {
    trace.findings().add(kClocksKept, worst_violation(check));
  }
  if (options.keep_matching) opened.matching = std::move(matching);
}

OpenedTrace read_input(TraceInput input, const fs::path& given, const OpenOptions& options) {
  SendRecords sends;
  Samples samples;
  input.sends = &sends;
  input.samples = &samples;
  input.calls_known = options.calls_known;
  const TraceReader* const reader = reader_of(input);
  if (reader == nullptr) throw unknown_input(input);
  OpenedTrace opened{
      reader->read(input), std::string(reader->name), given.string(), 0, {}, 0, {}, {}, {}, {}};
  opened.sends = std::move(sends);
  opened.samples = std::move(samples);
  if (reader->files != nullptr) {
    const fs::path folder = input.is_directory             ? input.path
                            : input.path.has_parent_path() ? input.path.parent_path()
                                                           : ".";
    identify_files(reader->files(input.path), folder, opened);
  } else if (input.is_directory) {
    identify_files(files_below(input.path), input.path, opened);
  } else {
    const auto file = input.stored.empty() ? input.bytes : input.stored;
    opened.bytes = file.size();
    opened.checksum = checksum(file, input.release);
  }
  opened.calls = opened.trace.call_count();
  if (options.calls_known) options.calls_known(opened.calls);
  TraceBuilder trace = std::move(opened.trace);
  mend_time_order(trace);
  limit_nesting(trace, opened.samples);
  check_time_span(trace);
  if (trace.timed() || options.keep_matching) check_clocks(trace, options, opened);
  opened.trace = std::move(trace).build();
  return opened;
}

OpenedTrace read_file(const fs::path& path, const fs::path& given, const OpenOptions& options) {
  const MappedFile file(path);
  const auto release = [&file](std::span<const std::byte> part) { file.release(part); };
  TraceInput input{path, false, std::as_bytes(std::span(file.text())), release};
  input.from_folder = path != given;
  const bool plain = compression_of(file.bytes()) == Compression::none;
  const TraceReader* const reader = plain ? nullptr : reader_of(input);
  if (plain || (reader != nullptr && reader->decompresses)) {
    return read_input(std::move(input), given, options);
  }
  const DecompressedFile content(path);
  input.stored = file.bytes();
  input.bytes = content.bytes();
  if (looks_like_native(input.bytes)) {
    check_expansion(native_content_bytes(input.bytes), input.stored.size(), path.string());
  }
  return read_input(std::move(input), given, options);
}

bool is_trace(const fs::path& path) {
  try {
    const DecompressedFile file(path, kProbedBytes);
    return reader_of({path, false, file.bytes()}) != nullptr;
  } catch (const Error&) {
    return false;  // what cannot be read is not what the folder was named for
  }
}

Error several_traces(const fs::path& folder, const std::vector<fs::path>& traces) {
  return Error(fmt::format("ambiguous trace in '{}'", folder.string()),
               fmt::format("it contains {} traces", traces.size()),
               fmt::format("Name one, for example {}.", traces.front().string()));
}

/// The trace in a folder that is not a trace as a whole; none if there is no trace in it.
std::optional<fs::path> only_trace_in(const fs::path& folder) {
  std::vector<fs::path> traces;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file() && is_trace(entry.path())) traces.push_back(entry.path());
  }
  if (traces.size() > 1) {
    std::ranges::sort(traces);
    throw several_traces(folder, traces);
  }
  return traces.empty() ? std::nullopt : std::optional(traces.front());
}

}  // namespace

std::span<const TraceReader> trace_readers() {
  return kReaders;
}

const CallMatching& matching_of(OpenedTrace& opened) {
  if (opened.matching == nullptr) {
    opened.matching = std::make_shared<const CallMatching>(opened.trace);
  }
  return *opened.matching;
}

OpenedTrace open_trace(const fs::path& path, const OpenOptions& options) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    const fs::path native = path / kNativeFile;
    if (fs::is_regular_file(native, ignored)) return read_file(native, path, options);
    const TraceInput folder{path, true, {}};
    if (reader_of(folder) == nullptr) {
      if (const auto file = only_trace_in(path)) return read_file(*file, path, options);
    }
    return read_input(folder, path, options);
  }
  return read_file(path, path, options);
}

std::optional<fs::path> native_file_of(const fs::path& path) {
  std::error_code ignored;
  const fs::path file = fs::is_directory(path, ignored) ? path / kNativeFile : path;
  if (!fs::is_regular_file(file, ignored)) return std::nullopt;
  const MappedFile mapped(file);
  return looks_like_native(mapped.bytes()) ? std::optional(file) : std::nullopt;
}

std::uint64_t fingerprint(const fs::path& file) {
  constexpr std::size_t kHashedAtEnds = std::size_t{1} << 20;
  const MappedFile mapped(file);
  const auto bytes = mapped.bytes();
  const std::size_t length = std::min(kHashedAtEnds, bytes.size());
  const std::uint64_t begin = XXH3_64bits_withSeed(bytes.data(), length, bytes.size());
  return XXH3_64bits_withSeed(bytes.data() + (bytes.size() - length), length, begin);
}

std::string checksum_of(const MappedFile& file) {
  return checksum(file.bytes(), [&file](std::span<const std::byte> part) { file.release(part); });
}

std::optional<OpenedGoal> open_goal(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return std::nullopt;
  if (!looks_like_goal(DecompressedFile(path, kProbedBytes).bytes())) return std::nullopt;
  const DecompressedFile file(path);
  return OpenedGoal{read_goal(file.bytes(), path.string()), path.string(),
                    file.stored().bytes().size(), checksum(file.stored().bytes())};
}

Error profile_without_calls(const fs::path& path) {
  return Error(fmt::format("cannot read '{}' as a trace", path.string()),
               "it is a profile of a training run",
               "Analyse it by 'slackline report', 'predict', 'sensitivity', 'tolerance' or "
               "'path'; other commands need a trace of MPI.");
}

namespace {

// None where the path is a recording of MPI calls, or has no profiles.
std::vector<fs::path> training_files(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_regular_file(path / kNativeFile, ignored)) return {};
  return kineto_files(path);
}

}  // namespace

bool is_training(const fs::path& path) {
  return !training_files(path).empty();
}

std::optional<OpenedTraining> open_training(const fs::path& path) {
  std::error_code ignored;
  const bool is_folder = fs::is_directory(path, ignored);
  const std::vector<fs::path> files = training_files(path);
  if (files.empty()) return std::nullopt;
  OpenedTraining opened{read_kineto(files), path.string(), 0, {}};
  identify_files(files, is_folder ? path : path.parent_path(), opened);
  return opened;
}

InputIdentity identify_recording(const fs::path& folder) {
  InputIdentity identity{folder, 0, {}};
  identify_files(files_below(folder), folder, identity);
  return identity;
}

std::optional<InputIdentity> identify_input(const fs::path& path) {
  std::error_code ignored;
  const fs::path file = fs::is_directory(path, ignored) ? path / kNativeFile : path;
  if (!fs::is_regular_file(file, ignored) || named_descriptor(file)) return std::nullopt;
  const MappedFile mapped(file);
  if (!looks_like_native(mapped.bytes()) && !looks_like_goal(mapped.bytes())) return std::nullopt;
  return InputIdentity{file, mapped.bytes().size(), checksum_of(mapped)};
}

}  // namespace slackline
