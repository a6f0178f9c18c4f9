// From return addresses to functions and lines.
//
// Programs are the same on all ranks, so every place in the code is looked up once: first all paths
// of all files are read as places in modules, then each place is named, module by module in
// threads, then the tree is built serially, because the numbers of frames are the trace's.

#include "formats/raw/call_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/parallel.h"
#include "formats/raw/findings.h"
#include "formats/raw/python_code.h"
#include "formats/raw/source_lines.h"
#include "trace/sample_wire.h"

namespace slackline::raw {

namespace {

/// No recorder writes deeper paths.
constexpr std::size_t kDeepest = 4096;
/// One after the other without a frame between them.
constexpr std::size_t kMostTailCalls = 8;
/// In one file: 200 samples a second, each on a path of its own, for a day.
constexpr std::uint32_t kMostPaths = 1 << 24;

/// A program or library file.
struct ModuleKey {
  std::string file;
  std::vector<std::uint8_t> build_id;
  auto operator<=>(const ModuleKey&) const = default;
};

/// A place in the code: the module's number, or none, and the address in its file; or one in
/// Python, and its number; or frames that the recorder left out.
struct CodePlace {
  static constexpr std::uint32_t kNoModule = 0xffffffffu;
  static constexpr std::uint32_t kPython = 0xfffffffeu;
  static constexpr std::uint32_t kOmitted = 0xfffffffdu;
  std::uint32_t module = kNoModule;
  std::uint64_t address = 0;
  bool in_module() const { return module < kOmitted; }
  bool in_python() const { return module == kPython; }
  bool is_omitted() const { return module == kOmitted; }
};

/// A module in the memory of one process.
struct Mapping {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t bias = 0;
  std::uint32_t module = 0;
};

/// A path as it was recorded, innermost place first.
struct RecordedPath {
  std::size_t rank = 0;
  std::uint32_t file = 0;
  std::uint32_t id = 0;
  bool of_sample = false;
  std::optional<std::uint32_t> unknown_python;  // its version, where Python frames are not recorded
  std::vector<CodePlace> places;
  bool in_python() const { return std::ranges::any_of(places, &CodePlace::in_python); }
};

/// What the places of one module mean.
struct NamedModule {
  SourceLines::State state = SourceLines::State::missing;
  struct Place {
    std::vector<CodeLocation> locations;
    std::optional<std::uint64_t> callee;  // begin of the function that the call at this place names
  };
  std::map<std::uint64_t, Place> places;                     // by address
  std::map<std::uint64_t, SourceLines::Function> functions;  // callees, by begin
};

/// The functions that calls name, and those to which they jump.
void find_functions(const SourceLines& lines, const std::string& file, NamedModule& module) {
  std::vector<std::uint64_t> wanted;
  for (const auto& [address, place] : module.places) {
    if (place.callee) wanted.push_back(*place.callee);
  }
  while (!wanted.empty()) {
    const std::uint64_t begin = wanted.back();
    wanted.pop_back();
    if (module.functions.contains(begin)) continue;
    std::optional<SourceLines::Function> function = lines.function_at(begin);
    if (!function) continue;
    function->location.module = file;
    for (SourceLines::TailCall& call : function->tail_calls) {
      for (CodeLocation& location : call.locations) location.module = file;
      if (call.target != 0) wanted.push_back(call.target);
    }
    module.functions.emplace(begin, std::move(*function));
  }
}

bool is_mpi_library(std::string_view module) {
  const std::string name = file_name(std::string(module));
  static constexpr std::array<std::string_view, 14> kNames{
      "libmpi.so",  "libmpi_usempi", "libmpi_mpifh",    "libmpi_ignore",  "libmpi_cxx",
      "libmpi_abi", "libmpi_cray",   "libmpi_gnu",      "libmpi_intel",   "libmpich.so",
      "libmpifort", "libmpichfort",  "libslackline_re", "libslackline_on"};
  return std::ranges::any_of(kNames, [&](auto n) { return name.starts_with(n); });
}

/// Python's own functions: of its program or library.
bool is_interpreter(std::string_view module) {
  const std::string name = file_name(std::string(module));
  return name.starts_with("python") || name.starts_with("libpython");
}

/// By which Python calls functions of C, and so MPI: it stands for the function that it is given.
bool is_python_binding(std::string_view module) {
  const std::string name = file_name(std::string(module));
  static constexpr std::array<std::string_view, 3> kNames{"_ctypes.", "_cffi_backend.",
                                                          "libffi.so"};
  return module.find("/mpi4py/") != std::string_view::npos ||
         std::ranges::any_of(kNames, [&](auto n) { return name.starts_with(n); });
}

/// The C library starts the program and its threads.
bool is_c_library(std::string_view module) {
  const std::string name = file_name(std::string(module));
  return name.starts_with("libc.so") || name.starts_with("libc-2") ||
         name.starts_with("libpthread");
}

bool tells_of_code(std::uint8_t op) {
  return op == SLK_REC_MODULE || op == SLK_REC_CALL_PATH || op == SLK_REC_PYTHON ||
         op == SLK_REC_PYTHON_CODE;
}

class PathReader {
 public:
  explicit PathReader(Findings& findings) : findings_(findings) {}

  void read(std::size_t rank, const CodeRecords& file) {
    std::vector<Mapping> mappings;
    PythonCode python;
    for (const Record& record : file.records) {
      const std::uint8_t op = record.head.op;
      if (op == SLK_REC_MODULE) add_module(record, mappings);
      if ((op == SLK_REC_PYTHON || op == SLK_REC_PYTHON_CODE) && !python.add(record)) {
        findings_.add(kDamagedRecord, "a function of Python");
      }
      if (record.head.op != SLK_REC_CALL_PATH) continue;
      const bool exact = (record.head.bytes & SLK_PATH_EXACT) != 0;
      const bool whole = (record.head.bytes & SLK_PATH_WHOLE) != 0;
      if (!whole && !exact) findings_.add(kCutCallPaths, fmt::format("rank {}", rank));
      if (record.head.request > kMostPaths) continue;
      RecordedPath path{rank, file.file, record.head.request, exact, std::nullopt, {}};
      if (!python.has_frames()) path.unknown_python = python.version();
      const auto depth = std::min(record.args.size(), kDeepest);
      for (const std::int64_t address : record.args.first(depth)) {
        const auto at = static_cast<std::uint64_t>(address);
        if (at == SLK_PATH_OMITTED) {
          path.places.push_back({CodePlace::kOmitted, 0});
          continue;
        }
        if ((at & SLK_PATH_PYTHON) != 0) {
          path.places.push_back(python_place(python.at(at)));
          continue;
        }
        // The call is before the address to which it returns.
        const std::uint64_t back = exact && path.places.empty() ? 0 : 1;
        path.places.push_back(find(mappings, at - back));
      }
      paths_.push_back(std::move(path));
    }
  }

  const std::vector<RecordedPath>& paths() const { return paths_; }
  const std::vector<ModuleKey>& modules() const { return modules_; }
  /// By number.
  const std::vector<CodeLocation>& python() const { return python_; }

 private:
  CodePlace python_place(std::optional<CodeLocation> location) {
    if (!location) return {};
    const auto next = static_cast<std::uint32_t>(python_.size());
    const auto [at, fresh] = python_numbers_.try_emplace(*location, next);
    if (fresh) python_.push_back(std::move(*location));
    return {CodePlace::kPython, at->second};
  }

  void add_module(const Record& record, std::vector<Mapping>& mappings) {
    const auto word = [&](std::size_t i) { return static_cast<std::uint64_t>(record.args[i]); };
    if (record.args.size() <= SLK_MODULE_NAME_AT || word(1) <= word(0) ||
        word(3) > SLK_MODULE_BUILD_ID_BYTES) {
      findings_.add(kDamagedRecord, "a module");
      return;
    }
    const auto bytes = std::as_bytes(record.args);
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    ModuleKey key;
    const auto* id = reinterpret_cast<const std::uint8_t*>(text + 8 * SLK_MODULE_BUILD_ID_AT);
    key.build_id.assign(id, id + word(3));
    key.file.assign(text + 8 * SLK_MODULE_NAME_AT, bytes.size() - 8 * SLK_MODULE_NAME_AT);
    key.file.resize(std::min(key.file.find('\0'), key.file.size()));
    // What lay there before has been unloaded.
    std::erase_if(mappings, [&](const Mapping& m) { return m.begin < word(1) && m.end > word(0); });
    mappings.push_back({word(0), word(1), word(2), number_of(key)});
  }

  std::uint32_t number_of(const ModuleKey& key) {
    const auto [at, fresh] = numbers_.try_emplace(key, static_cast<std::uint32_t>(modules_.size()));
    if (fresh) modules_.push_back(key);
    return at->second;
  }

  static CodePlace find(const std::vector<Mapping>& mappings, std::uint64_t address) {
    for (const Mapping& m : mappings) {
      if (address >= m.begin && address < m.end) return {m.module, address - m.bias};
    }
    return {CodePlace::kNoModule, address};
  }

  Findings& findings_;
  std::vector<RecordedPath> paths_;
  std::vector<ModuleKey> modules_;
  std::map<ModuleKey, std::uint32_t> numbers_;
  std::vector<CodeLocation> python_;
  std::map<CodeLocation, std::uint32_t> python_numbers_;
};

std::vector<NamedModule> name_places(const PathReader& read) {
  std::vector<NamedModule> named(read.modules().size());
  for (const RecordedPath& path : read.paths()) {
    for (const CodePlace& place : path.places) {
      if (place.in_module()) named[place.module].places[place.address];
    }
  }
  parallel_for(named.size(), [&](std::size_t m) {
    const ModuleKey& key = read.modules()[m];
    const SourceLines lines(key.file, key.build_id);
    named[m].state = lines.state();
    for (auto& [address, place] : named[m].places) {
      place.locations = lines.at(address);
      for (CodeLocation& location : place.locations) {
        location.module = key.file;
        if (!location.function.empty()) continue;
        location.function = fmt::format("{}+{:#x}", file_name(key.file), address);
      }
      place.callee = lines.called_before(address + 1);
    }
    find_functions(lines, key.file, named[m]);
  });
  return named;
}

class TreeBuilder {
 public:
  TreeBuilder(const PathReader& read, const std::vector<NamedModule>& named, TraceBuilder& trace)
      : modules_(read.modules()), python_(read.python()), named_(named), trace_(trace) {}

  FrameId add(const RecordedPath& path) {
    const bool in_python = path.in_python();
    std::vector<const CodeLocation*> frames;  // innermost first
    const std::size_t innermost = first_of_program(path);
    const std::size_t first = path.of_sample ? first_outside_of_openmp(path, innermost) : innermost;
    if (first != innermost) frames.push_back(&waiting_in(path.places[first - 1]));
    for (std::size_t i = first; i < path.places.size(); ++i) {
      const CodePlace& place = path.places[i];
      if (is_of_recorder(place)) continue;
      if (in_python && is_of_interpreter(place)) continue;
      if (!place.in_module()) {
        frames.push_back(&outside_of_modules(place));
        continue;
      }
      const NamedModule::Place& named = named_[place.module].places.at(place.address);
      const CodePlace* const inner = i > first ? &path.places[i - 1] : nullptr;
      const bool calls_other = inner != nullptr && (inner->in_python() || inner->is_omitted());
      const bool calls = (i > 0 || !path.of_sample) && !calls_other;
      if (calls && named.callee) add_tail_callers(*named.callee, place.module, inner, frames);
      for (const CodeLocation& location : named.locations) frames.push_back(&location);
    }
    if (!path.of_sample && !in_python) note_what_is_missing(path.places[first]);
    if (path.unknown_python) note_interpreter(path);
    // A function of Python may be called main, too.
    if (in_python || !drop_outside_of_main(frames)) drop_c_library(frames);
    FrameId frame = 0;
    for (auto at = frames.rbegin(); at != frames.rend(); ++at) {
      frame = trace_.call_tree().child(frame, **at);
    }
    return frame;
  }

 private:
  const CodeLocation& outside_of_modules(const CodePlace& place) const {
    if (place.in_python()) return python_[place.address];
    return place.is_omitted() ? omitted_ : unknown_;
  }

  const SourceLines::Function* function_of(std::uint32_t module, std::uint64_t begin) const {
    const auto& functions = named_[module].functions;
    const auto found = functions.find(begin);
    return found == functions.end() ? nullptr : &found->second;
  }

  /// Whether the next inner place of a path, null for a function of MPI, lies in that function of
  /// `module`.
  bool is_inside(const SourceLines::Function& function, std::uint32_t module,
                 const CodePlace* inner) const {
    if (inner == nullptr || inner->module != module) return false;
    // Parts of a function that the compiler moved away lie elsewhere.
    return function.holds(inner->address) ||
           named_[module].places.at(inner->address).locations.back().function ==
               function.location.function;
  }

  /// The one tail call of a function by which it can have come to `inner`; null if that is not
  /// certain.
  const SourceLines::TailCall* taken(const SourceLines::Function& function, std::uint32_t module,
                                     const CodePlace* inner) const {
    if (function.tail_calls.size() == 1) return &function.tail_calls.front();
    const SourceLines::TailCall* found = nullptr;
    for (const SourceLines::TailCall& call : function.tail_calls) {
      const SourceLines::Function* const target = function_of(module, call.target);
      const bool elsewhere = inner == nullptr || inner->module != module;
      const bool leads = target == nullptr ? elsewhere : is_inside(*target, module, inner);
      if (!leads) continue;
      if (found != nullptr) return nullptr;
      found = &call;
    }
    return found;
  }

  /// If the next inner place is not in the function that is called, that function ended with a jump
  /// to the next one and left no frame; so may that one have done. Adds their frames, where it is
  /// not certain which jump was taken without a line.
  void add_tail_callers(std::uint64_t callee, std::uint32_t module, const CodePlace* inner,
                        std::vector<const CodeLocation*>& frames) {
    std::vector<const CodeLocation*> outermost_first;
    std::uint64_t begin = callee;
    for (std::size_t depth = 0; depth < kMostTailCalls; ++depth) {
      const SourceLines::Function* const function = function_of(module, begin);
      if (function == nullptr || is_inside(*function, module, inner)) break;
      const SourceLines::TailCall* const call = taken(*function, module, inner);
      if (call == nullptr) {
        outermost_first.push_back(&without_line(function->location));
        break;
      }
      for (auto at = call->locations.rbegin(); at != call->locations.rend(); ++at) {
        outermost_first.push_back(&*at);
      }
      if (call->target == 0 || call->target == begin) break;
      begin = call->target;
    }
    frames.insert(frames.end(), outermost_first.rbegin(), outermost_first.rend());
  }

  const CodeLocation& without_line(const CodeLocation& location) {
    CodeLocation other = location;
    other.line = 0;
    return *made_up_.insert(std::move(other)).first;
  }

  /// The library that is preloaded: it stands between the program and functions that may block.
  bool is_of_recorder(const CodePlace& place) const {
    return place.in_module() && file_name(modules_[place.module].file).starts_with("libslackline_");
  }
  bool is_in_mpi(const CodePlace& place) const {
    return place.in_module() && is_mpi_library(modules_[place.module].file);
  }
  /// The innermost place that is not how MPI is called, and not what the interpreter does to
  /// execute a function of Python.
  std::size_t first_of_program(const RecordedPath& path) const {
    const bool in_python = path.in_python();
    std::size_t first = 0;
    while (first + 1 < path.places.size() &&
           (is_in_mpi(path.places[first]) || (in_python && is_of_binding(path, first)))) {
      ++first;
    }
    if (!path.of_sample || !in_python) return first;
    const auto python = std::ranges::find_if(path.places, &CodePlace::in_python);
    const std::span inside(path.places.begin(), python);
    const bool executed =
        std::ranges::any_of(inside, [&](const CodePlace& p) { return is_of_interpreter(p); }) &&
        std::ranges::all_of(inside, [&](const CodePlace& p) {
          return is_of_interpreter(p) || is_of_recorder(p) || is_of_c_library(p);
        });
    return executed ? inside.size() : first;
  }
  /// The innermost place from `first` on that is not in OpenMP's runtime, nor in what that calls.
  std::size_t first_outside_of_openmp(const RecordedPath& path, std::size_t first) const {
    std::size_t outside = first;
    for (std::size_t i = first; i < path.places.size(); ++i) {
      const CodePlace& place = path.places[i];
      if (is_of_openmp(place)) {
        outside = i + 1;
      } else if (!is_of_c_library(place) && !is_of_recorder(place)) {
        break;
      }
    }
    return outside;
  }
  /// The runtime's own functions have no names for users, and often none at all.
  const CodeLocation& waiting_in(const CodePlace& place) {
    CodeLocation location{"[waiting for OpenMP threads]", {}, 0, modules_[place.module].file};
    return *made_up_.insert(std::move(location)).first;
  }
  bool is_of_openmp(const CodePlace& place) const {
    return place.in_module() && is_openmp_runtime(modules_[place.module].file);
  }
  bool is_of_binding(const RecordedPath& path, std::size_t i) const {
    const CodePlace& place = path.places[i];
    return !path.of_sample && place.in_module() &&
           (is_python_binding(modules_[place.module].file) || is_of_interpreter(place));
  }
  bool is_of_c_library(const CodePlace& place) const {
    return place.in_module() && (is_c_library(modules_[place.module].file) ||
                                 file_name(modules_[place.module].file).starts_with("libm."));
  }
  bool is_of_interpreter(const CodePlace& place) const {
    return place.in_module() && is_interpreter(modules_[place.module].file);
  }

  static bool drop_outside_of_main(std::vector<const CodeLocation*>& frames) {
    const auto main = std::find_if(frames.rbegin(), frames.rend(),
                                   [](const CodeLocation* at) { return at->function == "main"; });
    if (main == frames.rend()) return false;
    frames.erase(main.base(), frames.end());
    return true;
  }

  static void drop_c_library(std::vector<const CodeLocation*>& frames) {
    // A stripped program: _start, then the C library, then main. A thread: the C library.
    const auto outer = [&](std::size_t i) { return frames[frames.size() - 1 - i]; };
    if (frames.size() > 2 && is_c_library(outer(1)->module)) frames.pop_back();
    while (frames.size() > 1 && is_c_library(outer(0)->module)) frames.pop_back();
  }

  /// Looks at the innermost place only, as users do.
  void note_what_is_missing(const CodePlace& place) {
    if (!place.in_module()) return;
    const NamedModule& module = named_[place.module];
    const std::string& file = modules_[place.module].file;
    const CodeLocation& at = module.places.at(place.address).locations.back();
    if (module.state != SourceLines::State::readable) {
      note(kUnreadableModules, file);
    } else if (at.line == 0 && at.function.starts_with(file_name(file) + "+0x")) {
      note(kNoFunctionNames, file);
    } else if (at.line == 0) {
      note(kNoLineNumbers, file);
    }
  }
  void note_interpreter(const RecordedPath& path) {
    const auto at = std::ranges::find_if(
        path.places, [&](const CodePlace& place) { return is_of_interpreter(place); });
    if (at == path.places.end()) return;
    const std::string& file = modules_[at->module].file;
    const std::uint32_t version = *path.unknown_python;
    note(kInterpretedCode,
         version == 0 ? file
                      : fmt::format("{}, Python {}.{}", file, version >> 24, version >> 16 & 0xff));
  }
  void note(const FindingKind& kind, const std::string& file) {
    if (noted_.try_emplace({std::string(kind.name), file}, true).second) {
      trace_.findings().add(kind, file);
    }
  }

  const std::vector<ModuleKey>& modules_;
  const std::vector<CodeLocation>& python_;
  const std::vector<NamedModule>& named_;
  TraceBuilder& trace_;
  std::map<std::pair<std::string, std::string>, bool> noted_;
  std::set<CodeLocation> made_up_;  // locations that are no place's
  const CodeLocation unknown_{"unknown code", {}, 0, {}};
  const CodeLocation omitted_{"[omitted frames]", {}, 0, {}};
};

/// By rank.
std::vector<CallFrames> frames_of(const PathReader& read, std::size_t ranks, TraceBuilder& trace) {
  const std::vector<NamedModule> named = name_places(read);
  TreeBuilder tree(read, named, trace);
  std::vector<CallFrames> frames(ranks);
  for (const RecordedPath& path : read.paths()) {
    if (path.places.empty()) continue;
    frames[path.rank].set(path.file, path.id, tree.add(path));
  }
  return frames;
}

}  // namespace

std::vector<CodeRecords> code_records(const RankFiles& rank) {
  std::vector<CodeRecords> files;
  const auto take = [&](const File& file) {
    CodeRecords& of = files.emplace_back(CodeRecords{static_cast<std::uint32_t>(files.size()), {}});
    for (std::size_t i = 0; i < file.size(); ++i) {
      if (tells_of_code(file[i].head.op)) of.records.push_back(file[i]);
    }
  };
  for (const File& file : rank.files) take(file);
  for (const File& file : rank.samples) take(file);
  std::erase_if(files, [](const CodeRecords& of) { return of.records.empty(); });
  return files;
}

std::vector<CallFrames> read_call_frames(const std::vector<std::vector<CodeRecords>>& ranks,
                                         TraceBuilder& trace) {
  PathReader read(trace.findings());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (const CodeRecords& file : ranks[r]) read.read(r, file);
  }
  return frames_of(read, ranks.size(), trace);
}

}  // namespace slackline::raw
