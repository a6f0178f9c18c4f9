#include "calls/computation_code.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/arithmetic.h"

namespace slackline {
namespace {

/// This many samples say more of a stretch than those of others like it.
constexpr std::size_t kEnough = 20;
constexpr std::size_t kEnoughBlocked = 1;  // each time is recorded

/// The frames of a call and of the one before it.
std::pair<FrameId, FrameId> frames_around(const RankCalls& calls, std::size_t call) {
  if (call > calls.size()) return {0, 0};
  return {call == 0 ? 0 : calls.frame(call - 1), call < calls.size() ? calls.frame(call) : 0};
}

}  // namespace

std::vector<SampledTime> sampled_times(const Trace& trace, const Samples& samples) {
  std::vector<SampledTime> times;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    std::vector<SampledTime> own;
    for (const Sample& s : samples.of(r)) {
      const auto [before, after] = frames_around(trace.calls(r), s.before_call);
      own.push_back({{s.blocked, r, before, after, s.frame}, s.cpu_ns});
    }
    add_up_rows(own);
    times.insert(times.end(), own.begin(), own.end());
  }
  add_up_rows(times);
  return times;
}

SampledShares::SampledShares(std::span<const SampledTime> of_run) {
  std::map<Place, FrameTimes> times;
  for (const SampledTime& time : of_run) {
    const SampledPlace& at = time.of;
    for (const std::int32_t rank : {at.rank, -1}) {
      times[{rank, at.blocked, at.before, at.after}][at.frame] += time.sum;
    }
  }
  for (const auto& [place, of_place] : times) {
    by_place_[place] = parts_of(of_place);
    if (!by_place_[place].empty()) empty_ = false;
  }
}

SampledShares::Parts SampledShares::parts_of(const FrameTimes& times) {
  std::int64_t sum = 0;
  for (const auto& [frame, ns] : times) sum += ns;
  Parts parts;
  if (sum <= 0) return parts;
  std::int64_t until = 0;
  for (const auto& [frame, ns] : times) {
    until += ns;
    parts.push_back({frame, static_cast<double>(until) / static_cast<double>(sum)});
  }
  return parts;
}

std::span<const SampledShares::Part> SampledShares::find(std::int32_t rank, bool blocked,
                                                         FrameId before, FrameId after) const {
  for (const std::int32_t r : {rank, -1}) {
    const auto found = by_place_.find({r, blocked, before, after});
    if (found != by_place_.end()) return found->second;
  }
  return {};
}

ComputationCode::ComputationCode(const Trace& trace, const Samples* samples)
    : trace_(trace), functions_(CallPaths::of_functions(trace)) {
  if (samples == nullptr) return;
  of_run_ = std::make_shared<const SampledShares>(sampled_times(trace, *samples));
  computing_ = own_parts(*samples, false, kEnough);
  blocked_ = own_parts(*samples, true, kEnoughBlocked);
}

ComputationCode::ComputationCode(const Trace& part, const Samples& samples,
                                 std::shared_ptr<const SampledShares> of_run)
    : trace_(part),
      functions_(CallPaths::of_functions(part)),
      of_run_(std::move(of_run)),
      computing_(own_parts(samples, false, kEnough)),
      blocked_(own_parts(samples, true, kEnoughBlocked)) {}

ComputationCode::OwnParts ComputationCode::own_parts(const Samples& samples, bool blocked,
                                                     std::size_t enough) const {
  OwnParts own(static_cast<std::size_t>(trace_.ranks()));
  for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
    const std::span<const Sample> of_rank = samples.of(r);
    for (std::size_t i = 0; i < of_rank.size();) {
      const std::uint32_t call = of_rank[i].before_call;
      SampledShares::FrameTimes here;
      std::size_t count = 0;
      for (; i < of_rank.size() && of_rank[i].before_call == call; ++i) {
        if (of_rank[i].blocked != blocked) continue;
        here[of_rank[i].frame] += of_rank[i].cpu_ns;
        ++count;
      }
      if (count >= enough) own[static_cast<std::size_t>(r)][call] = SampledShares::parts_of(here);
    }
  }
  return own;
}

/// In proportion, where `ns` is a part of the gap only.
std::int64_t ComputationCode::blocked_part(std::int32_t rank, std::uint32_t call,
                                           std::int64_t ns) const {
  const RankCalls& calls = trace_.calls(rank);
  if (calls.pauses().empty()) return 0;
  const std::int64_t gap = calls.gap_ns(call);
  const std::int64_t blocked = calls.paused_ns(call, PauseKind::blocked);
  return gap <= 0 ? 0 : static_cast<std::int64_t>(Int128{blocked} * ns / gap);
}

std::span<const ComputationCode::Part> ComputationCode::parts_of(const OwnParts& own, bool blocked,
                                                                 std::int32_t rank,
                                                                 std::uint32_t call) const {
  if (of_run_ == nullptr) return {};
  const auto& of_rank = own[static_cast<std::size_t>(rank)];
  if (const auto found = of_rank.find(call); found != of_rank.end()) return found->second;
  const auto [before, after] = frames_around(trace_.calls(rank), call);
  return of_run_->find(rank, blocked, before, after);
}

FrameId ComputationCode::frame_without_samples(std::int32_t rank, std::uint32_t call) const {
  if (trace_.call_tree().empty() || call >= trace_.calls(rank).size()) return 0;
  return frame_of_gap(trace_, functions_, rank, call);
}

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
