// Formats that users of MPI and of GPUs bring along and that are not read. Each is known by its
// name or by words at its beginning, so that the refusal says what it is and what to give instead.

#include "formats/open/open.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "formats/compressed/decompressed_file.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLookedAt = std::size_t{1} << 20;
constexpr std::size_t kMostFiles = 100;  // of a folder

constexpr std::string_view kTraining =
    "Of a training run, give what torch.profiler exports (export_chrome_trace or "
    "tensorboard_trace_handler), a file for each rank. Of an MPI program, record it: "
    "'slackline record -- mpirun ...'.";
constexpr std::string_view kRecord = "Record the program: 'slackline record -- mpirun ...'.";

struct Looks {
  std::string name;       // of the file, without the extension of a compression
  std::string_view text;  // its beginning
  bool is(std::initializer_list<std::string_view> extensions) const {
    return std::ranges::any_of(extensions, [&](auto end) { return name.ends_with(end); });
  }
  bool has(std::string_view word) const { return text.find(word) != std::string_view::npos; }
  bool has_any(std::initializer_list<std::string_view> words) const {
    return std::ranges::any_of(words, [&](auto word) { return has(word); });
  }
  bool begins(std::string_view word) const { return text.starts_with(word); }
  bool is_json() const {
    const std::size_t at = text.find_first_not_of(" \t\r\n");
    return at != std::string_view::npos && (text[at] == '{' || text[at] == '[');
  }
  bool is_sqlite() const { return begins("SQLite format 3"); }
  bool is_pickle() const { return text.size() > 2 && text[0] == '\x80' && text[1] <= 5; }
  bool is_tar() const { return text.substr(0, 512).find("ustar") == 257; }
};

struct Format {
  std::string_view name;
  bool (*probe)(const Looks&);
  std::string_view advice;
};

// The first that fits is taken: the general ones stand last.
constexpr std::array kFormats{
    Format{"a report of Nsight Systems",
           [](const Looks& f) {
             return f.is({".nsys-rep", ".qdrep", ".qdstrm"});
           },
           kTraining},
    Format{"a table of Nsight Systems (nsys stats)",
           [](const Looks& f) {
             return f.begins("Time (%),") || f.begins("Time(%),") ||
                    f.begins("Start (ns),Duration (ns)");
           },
           kTraining},
    Format{"a database that Nsight Systems exported",
           [](const Looks& f) {
             return f.is_sqlite() &&
                    f.has_any({"CUPTI_ACTIVITY_KIND", "META_DATA_EXPORT", "TARGET_INFO_",
                               "NVTX_EVENTS", "CREATE TABLE StringIds"});
           },
           kTraining},
    Format{"a database of rocprof (rocpd)",
           [](const Looks& f) {
             return f.is_sqlite() && f.has_any({"rocpd_", "rocpd"});
           },
           kTraining},
    Format{
        "output of rocprof",
        [](const Looks& f) {
          const bool csv = f.has("\"Kernel_Name\"") && f.has_any({"\"Dispatch_Id\"", "\"Kind\""});
          const bool old = f.begins("\"Index\",\"KernelName\"") || f.begins("Index,KernelName") ||
                           f.begins("\"Name\",\"Calls\",\"TotalDurationNs\"");
          return csv || old || (f.is_json() && f.has_any({"rocprofiler-sdk", "ROCProfiler"}));
        },
        kTraining},
    Format{"a Chakra execution trace",
           [](const Looks& f) {
             const bool nodes = f.has("\"nodes\"") && f.has("\"schema\"");
             return f.is({".et", ".chakra"}) ||
                    (f.is_json() &&
                     (f.has("chakra") || (nodes && f.has_any({"\"ctrl_deps\"", "\"parent\""}))));
           },
           "It has no times of GPU kernels: give the profile that torch.profiler wrote beside it "
           "(export_chrome_trace), a file for each rank."},
    Format{"a dump of PyTorch's NCCL flight recorder",
           [](const Looks& f) {
             return (f.is_json() || f.is_pickle()) &&
                    f.has_any({"collective_seq_id", "profiling_name", "nccl_comm_state"});
           },
           "It tells which collectives were called, for hangs, and not how long the steps took. "
           "Give what torch.profiler exports, a file for each rank."},
    Format{"a log of the NCCL inspector",
           [](const Looks& f) {
             return f.has_any({"inspector_output_format_version", "\"coll_perf\""});
           },
           "It has collectives without the kernels beside them. Give what torch.profiler exports, "
           "a file for each rank."},
    Format{"a trace of NCCL's profiler plug-in",
           [](const Looks& f) {
             return f.is_json() && f.has_any({"\"cat\": \"GROUP\"", "\"cat\": \"GROUP_API\"",
                                              "\"cat\": \"COLL\"", "\"CommHash\""});
           },
           kTraining},
    Format{"a profile of JAX or TensorFlow (XPlane)",
           [](const Looks& f) { return f.is({".xplane.pb"}); },
           "Only profiles of PyTorch are read. Of an MPI program, record it: 'slackline record -- "
           "mpirun ...'."},
    Format{"a trace of JAX or XLA in Chrome's format",
           [](const Looks& f) {
             return f.is_json() && f.has("\"traceEvents\"") &&
                    f.has_any({"hlo_module", "hlo_op", "/device:", "/host:", "XLA Modules"});
           },
           "Only profiles of PyTorch are read. Of an MPI program, record it: 'slackline record -- "
           "mpirun ...'."},
    Format{"a file of events for TensorBoard",
           [](const Looks& f) {
             return f.has("brain.Event:") || f.name.find("tfevents") != f.name.npos;
           },
           kTraining},
    Format{"a Cube profile",
           [](const Looks& f) {
             return f.is({".cubex", ".cube"}) || (f.is_tar() && f.has("anchor.xml"));
           },
           "A profile has sums only. With Score-P, set SCOREP_ENABLE_TRACING=true and give the "
           "archive traces.otf2."},
    Format{"a TAU profile", [](const Looks& f) { return f.has("templated_functions"); },
           "A profile has sums only. With TAU, set TAU_TRACE=1 and TAU_TRACE_FORMAT=otf2, and give "
           "the archive traces.otf2."},
    Format{"a trace of TAU",
           [](const Looks& f) {
             return f.is({".trc", ".edf"});
           },
           "Set TAU_TRACE_FORMAT=otf2 instead, and give the archive traces.otf2."},
    Format{"a measurement of HPCToolkit",
           [](const Looks& f) {
             return f.is({".hpcrun", ".hpctrace", ".hpcstruct"}) || f.begins("HPCRUN") ||
                    f.begins("HPCTOOLKIT") || f.has("<HPCToolkitExperiment");
           },
           kRecord},
    Format{"an intermediate trace of Extrae",
           [](const Looks& f) {
             return f.is({".mpit", ".mpits", ".sym"});
           },
           "Merge it with mpi2prv, and give the .prv file."},
    Format{"a trace of Intel Trace Collector",
           [](const Looks& f) { return f.is({".stf"}) || f.name.find(".stf.") != f.name.npos; },
           kRecord},
    Format{"a report of mpiP", [](const Looks& f) { return f.begins("@ mpiP"); }, kRecord},
    Format{"a log of Darshan", [](const Looks& f) { return f.is({".darshan"}); }, kRecord},
    Format{"a Caliper profile",
           [](const Looks& f) { return f.is({".cali"}) || f.begins("__rec="); }, kRecord},
    Format{"data of perf", [](const Looks& f) { return f.begins("PERFILE"); }, kRecord},
    Format{"a Perfetto trace",
           [](const Looks& f) {
             return f.is({".pftrace", ".perfetto-trace", ".pb"});
           },
           kTraining},
    Format{"a Chrome trace of another program than PyTorch's profiler",
           [](const Looks& f) {
             const bool list = f.has("\"ph\"") && f.has("\"ts\"");
             return f.is_json() && (list || f.has("\"traceEvents\""));
           },
           kTraining},
    Format{"an SQLite database", [](const Looks& f) { return f.is_sqlite(); }, kRecord},
    Format{"a pickle of Python", [](const Looks& f) { return f.is_pickle(); }, kTraining},
};

ForeignInput described(const Format& format) {
  return {std::string(format.name), std::string(format.advice)};
}

bool has(const fs::path& folder, std::string_view name) {
  std::error_code ignored;
  return fs::exists(folder / name, ignored);
}

struct FolderFormat {
  std::string_view name;
  bool (*probe)(const fs::path&);
  std::string_view advice;
};
constexpr std::array kFolders{
    FolderFormat{"a folder of TensorBoard with profiles of JAX or TensorFlow",
                 [](const fs::path& f) {
                   return has(f, "plugins/profile") ||
                          (f.filename() == "profile" && f.parent_path().filename() == "plugins");
                 },
                 "Only profiles of PyTorch are read. Of an MPI program, record it: 'slackline "
                 "record -- mpirun ...'."},
    FolderFormat{"a database of HPCToolkit",
                 [](const fs::path& f) {
                   return has(f, "experiment.xml") || (has(f, "meta.db") && has(f, "profile.db"));
                 },
                 kRecord},
    FolderFormat{"a Score-P experiment without a trace",
                 [](const fs::path& f) { return has(f, "profile.cubex") || has(f, "scorep.cfg"); },
                 "Set SCOREP_ENABLE_TRACING=true when you measure, and give the archive "
                 "traces.otf2."},
    FolderFormat{"a folder of TAU's profiles",
                 [](const fs::path& f) { return has(f, "profile.0.0.0") || has(f, "MULTI__TIME"); },
                 "A profile has sums only. Set TAU_TRACE=1 and TAU_TRACE_FORMAT=otf2, and give the "
                 "archive traces.otf2."},
    FolderFormat{"intermediate traces of Extrae",
                 [](const fs::path& f) { return has(f, "TRACE.mpits") || has(f, "set-0"); },
                 "Merge them with mpi2prv, and give the .prv file."},
    FolderFormat{"a trace of LTTng (CTF)",
                 [](const fs::path& f) { return has(f, "metadata") && has(f, "index"); }, kRecord},
};

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code ignored;
  for (auto at = fs::directory_iterator(folder, ignored);
       at != fs::directory_iterator() && entries.size() < kMostFiles; at.increment(ignored)) {
    entries.push_back(at->path());
  }
  std::ranges::sort(entries);
  return entries;
}

}  // namespace

std::optional<ForeignInput> foreign_file(const fs::path& path, std::span<const std::byte> bytes) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const Looks looks{without_compression_suffix(path).filename().string(), all.substr(0, kLookedAt)};
  const auto* const format =
      std::ranges::find_if(kFormats, [&](const Format& f) { return f.probe(looks); });
  return format == kFormats.end() ? std::nullopt : std::optional(described(*format));
}

std::optional<ForeignInput> foreign_folder(const fs::path& folder) {
  const fs::path whole = folder.has_filename() ? folder : folder.parent_path();
  const auto* const format =
      std::ranges::find_if(kFolders, [&](const FolderFormat& f) { return f.probe(whole); });
  if (format != kFolders.end()) {
    return ForeignInput{std::string(format->name), std::string(format->advice)};
  }
  std::error_code ignored;
  for (const fs::path& path : entries_of(folder)) {
    if (!fs::is_regular_file(path, ignored)) continue;
    try {
      const DecompressedFile file(path, kLookedAt);
      if (auto found = foreign_file(path, file.bytes())) {
        found->name = fmt::format("a folder with {} ('{}')", found->name, path.filename().string());
        return found;
      }
    } catch (const Error&) {
      continue;  // what cannot be read says nothing
    }
  }
  return std::nullopt;
}

}  // namespace slackline
