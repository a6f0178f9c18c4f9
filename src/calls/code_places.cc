#include "calls/code_places.h"

#include <algorithm>
#include <array>

namespace slackline {
namespace {

/// How the files of libraries begin that programs are not made of.
constexpr std::array<std::string_view, 31> kLibraries{
    "libc.",        "libc-",       "libm.",      "libm-",       "libpthread", "librt.",
    "libdl.",       "ld-linux",    "linux-vdso", "[vdso]",      "libgcc",     "libstdc++",
    "libgfortran",  "libquadmath", "libmpi",     "libmpich",    "libompi",    "libopen-",
    "libpmi",       "libpmix",     "libucp",     "libuct",      "libucs",     "libucm",
    "libfabric",    "libhwloc",    "libblas",    "libopenblas", "liblapack",  "libffi",
    "libslackline_"};

bool is_run_time_library(const std::string& module) {
  const std::string file = file_name(module);
  return is_openmp_runtime(module) || std::ranges::any_of(kLibraries, [&](std::string_view name) {
           return file.starts_with(name);
         });
}

/// Python's own program or library: python3.11, libpython3.11.so.1.0.
bool is_interpreter(const std::string& module) {
  const std::string file = file_name(module);
  if (file.starts_with("libpython")) return true;
  constexpr std::string_view kProgram = "python";
  return file.starts_with(kProgram) &&
         file.find_first_not_of("0123456789.", kProgram.size()) == std::string::npos;
}

/// Where Python keeps what programs import: its own modules, in Python and in C, and those that
/// were installed.
bool is_of_python_library(const std::string& file) {
  return file.starts_with("<frozen ") || file.find("/site-packages/") != std::string::npos ||
         file.find("/dist-packages/") != std::string::npos ||
         file.find("/lib/python3") != std::string::npos;
}

/// Is the function of a library, by where it lies, by where its source lies, or, where that is not
/// known, by its name? Templates of libraries lie in the program itself.
bool is_of_library(const CodeLocation& location) {
  const std::string& function = location.function;
  if (function.empty()) return true;
  if (is_run_time_library(location.module) || is_interpreter(location.module)) return true;
  if (is_of_python_library(location.module)) return true;
  if (!location.file.empty()) {
    return location.file.starts_with("/usr/include/") || location.file.starts_with("/usr/lib/");
  }
  const std::string name = function.substr(0, function.find_first_of("<("));
  return name.starts_with("std::") || name.starts_with("__gnu_cxx::") ||
         name.find(" std::") != std::string::npos;
}

bool is_fortran(const std::string& file) {
  const std::size_t dot = file.rfind('.');
  return dot != std::string::npos &&
         (file.substr(dot).starts_with(".f") || file.substr(dot).starts_with(".F"));
}

/// Is the function the program's first, of which everything else is a part? Fortran's main program
/// is called by a `main` of the compiler's.
bool is_entry(const CallTree& tree, FrameId frame) {
  const CodeLocation& location = tree.location(frame);
  if (location.function == "main" || location.function == "MAIN__") return true;
  const FrameId parent = tree.parent(frame);
  return parent != 0 && is_fortran(location.file) && tree.location(parent).function == "main";
}

/// `frame`, or the innermost of its callers whose source is known, if there is one.
FrameId frame_with_source(const CallTree& tree, FrameId frame) {
  for (FrameId at = frame; at != 0; at = tree.parent(at)) {
    if (!tree.location(at).file.empty()) return at;
  }
  return frame;
}

}  // namespace

FrameId own_frame(const CallTree& tree, FrameId frame) {
  FrameId inlined = 0;  // the outermost in `found` on the path, and the one inside of that
  FrameId inner = 0;
  for (FrameId at = frame; at != 0; at = tree.parent(at)) {
    const CodeLocation& location = tree.location(at);
    if (is_of_library(location)) continue;
    if (location.inlined) {
      inner = inlined;
      inlined = at;
      continue;
    }
    if (inlined == 0 || !is_entry(tree, at)) return at;
    return is_entry(tree, inlined) && inner != 0 ? inner : inlined;
  }
  return frame_with_source(tree, frame);
}

std::vector<FrameId> own_frames(const CallTree& tree) {
  std::vector<FrameId> own(tree.size() + 1);
  for (FrameId frame = 1; frame < own.size(); ++frame) own[frame] = own_frame(tree, frame);
  return own;
}

std::vector<bool> frames_of_function(const CallTree& tree, std::string_view function) {
  std::vector<bool> inside(tree.size() + 1);
  for (FrameId frame = 1; frame <= tree.size(); ++frame) {
    inside[frame] = inside[tree.parent(frame)] || tree.location(frame).function == function;
  }
  return inside;
}

FrameId ancestor_at(const CallTree& tree, FrameId frame, std::uint32_t depth) {
  if (tree.depth(frame) < depth) return 0;
  while (tree.depth(frame) > depth) frame = tree.parent(frame);
  return frame;
}

FrameId frame_of_gap(const Trace& trace, const CallPaths& functions, std::int32_t rank,
                     std::uint32_t call) {
  const PathId path = functions.before_call(rank, call);
  return ancestor_at(trace.call_tree(), trace.calls(rank).frame(call), functions.depth(path));
}

}  // namespace slackline
