#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/keyed_rows.h"
#include "calls/call_paths.h"
#include "trace/samples.h"
#include "trace/trace.h"

namespace slackline {

/// A frame at which samples found a rank, between calls at two others.
struct SampledPlace {
  bool blocked;  ///< or computing
  std::int32_t rank;
  FrameId before;  ///< of the calls around; 0 unknown
  FrameId after;
  FrameId frame;
  auto operator<=>(const SampledPlace&) const = default;
};
/// How long, in ns.
using SampledTime = KeyedSum<SampledPlace, std::int64_t>;
/// Those of `samples` of `trace`, ascending. Of a part of a run they are a part of the run's.
/// O(samples log samples).
std::vector<SampledTime> sampled_times(const Trace& trace, const Samples& samples);

/// How computation between two calls is shared out among the frames at which all samples of a run
/// found ranks between calls at the same frames.
class SampledShares {
 public:
  struct Part {
    FrameId frame;
    double until;  ///< its share and those of the parts before it
  };
  using Parts = std::vector<Part>;
  using FrameTimes = std::map<FrameId, std::int64_t>;

  /// `of_run`: the sampled times of the run, added up. O(rows log rows).
  explicit SampledShares(std::span<const SampledTime> of_run);

  bool empty() const { return empty_; }
  /// As that rank's samples say, and without any, those of all ranks; empty: nothing is known.
  std::span<const Part> find(std::int32_t rank, bool blocked, FrameId before, FrameId after) const;
  /// In proportion to `times`; nothing where their sum is not positive.
  static Parts parts_of(const FrameTimes& times);

 private:
  using Place = std::tuple<std::int32_t, bool, FrameId, FrameId>;  // rank -1: all
  std::map<Place, Parts> by_place_;
  bool empty_ = true;
};

/// In which functions and lines the ranks computed between their calls of MPI.
///
/// Where the recording has samples, a stretch of computation is shared out among the places at
/// which its samples found the rank; a stretch with few samples is shared out as all stretches of
/// that rank between the same two places of the code are, and if there are none, as those of all
/// ranks. Without samples it is the function that both calls around it have in common. Where a rank
/// was blocked is shared out in the same way among the places from which it came back.
class ComputationCode {
 public:
  /// `samples` of `trace`, or of one from which it was made by changing times; null: none. Keeps
  /// references. O(samples log samples + frames).
  ComputationCode(const Trace& trace, const Samples* samples);
  /// The same of a part of a run with samples, of which `of_run` tells for all of it. O(samples of
  /// the part + frames).
  ComputationCode(const Trace& part, const Samples& samples,
                  std::shared_ptr<const SampledShares> of_run);

  /// Whether there are samples.
  bool sampled() const { return of_run_ != nullptr && !of_run_->empty(); }

  /// Calls visit(frame, ns) for the places of `ns` of the computation right before `call`; frame 0
  /// is not known. The parts add up to `ns`. O(places + depth).
  template <class Visit>
  void split(std::int32_t rank, std::uint32_t call, std::int64_t ns, Visit visit) const {
    visit_parts(parts_of(rank, call), rank, call, ns, visit);
  }

  /// The same for the part in which the rank was blocked of `ns` of all time between `call` and the
  /// one before it. Returns that part.
  template <class Visit>
  std::int64_t split_blocked(std::int32_t rank, std::uint32_t call, std::int64_t ns,
                             Visit visit) const {
    const std::span<const Part> parts = blocked_parts_of(rank, call);
    // Where others were found blocked and this one was not, as in a page fault, it computed.
    if (parts.empty() && sampled()) return 0;
    const std::int64_t blocked = blocked_part(rank, call, ns);
    visit_parts(parts, rank, call, blocked, visit);
    return blocked;
  }
  /// For all of that time.
  template <class Visit>
  void split_gap(std::int32_t rank, std::uint32_t call, std::int64_t ns, Visit visit) const {
    split(rank, call, ns - split_blocked(rank, call, ns, visit), visit);
  }

  /// split() for `ns` of a stretch that is of computation only, or in which the rank was blocked.
  template <class Visit>
  void split_stretch(std::int32_t rank, std::uint32_t call, std::int64_t ns, bool blocked,
                     Visit visit) const {
    const std::span<const Part> parts =
        blocked ? blocked_parts_of(rank, call) : std::span<const Part>{};
    visit_parts(parts.empty() ? parts_of(rank, call) : parts, rank, call, ns, visit);
  }

  /// The part of `ns` of such a stretch that is at frames for which `selected` is set: a bit for
  /// each frame of the call tree, the one for 0 included. Linear as split().
  std::int64_t selected_ns(std::int32_t rank, std::uint32_t call, std::int64_t ns, bool blocked,
                           const std::vector<bool>& selected) const {
    std::int64_t sum = 0;
    split_stretch(rank, call, ns, blocked, [&](FrameId frame, std::int64_t part) {
      if (selected[frame]) sum += part;
    });
    return sum;
  }

 private:
  using Part = SampledShares::Part;
  /// By rank and call: the stretches with enough samples of their own.
  using OwnParts = std::vector<std::map<std::uint32_t, SampledShares::Parts>>;

  template <class Visit>
  void visit_parts(std::span<const Part> parts, std::int32_t rank, std::uint32_t call,
                   std::int64_t ns, Visit& visit) const {
    if (ns <= 0) return;
    if (parts.empty()) return visit(frame_without_samples(rank, call), ns);
    std::int64_t before = 0;
    for (const Part& part : parts) {
      const bool last = &part == &parts.back();
      const auto until =
          last ? ns : static_cast<std::int64_t>(part.until * static_cast<double>(ns));
      if (until > before) visit(part.frame, until - before);
      before = until;
    }
  }

  std::int64_t blocked_part(std::int32_t rank, std::uint32_t call, std::int64_t ns) const;
  std::span<const Part> parts_of(std::int32_t rank, std::uint32_t call) const {
    return parts_of(computing_, false, rank, call);
  }
  std::span<const Part> blocked_parts_of(std::int32_t rank, std::uint32_t call) const {
    return parts_of(blocked_, true, rank, call);
  }
  std::span<const Part> parts_of(const OwnParts& own, bool blocked, std::int32_t rank,
                                 std::uint32_t call) const;
  FrameId frame_without_samples(std::int32_t rank, std::uint32_t call) const;
  OwnParts own_parts(const Samples& samples, bool blocked, std::size_t enough) const;

  const Trace& trace_;
  CallPaths functions_;
  std::shared_ptr<const SampledShares> of_run_;  // null without samples
  OwnParts computing_;
  OwnParts blocked_;
};

/// The frame of the function that the computation right before `call` ran in, with the line from
/// which that function came to `call`; 0 unknown. `functions` are paths of functions. Linear in the
/// depth of the path.
FrameId frame_of_gap(const Trace& trace, const CallPaths& functions, std::int32_t rank,
                     std::uint32_t call);

/// `frame` or the innermost of its callers that is a function of the program's own: of no C or C++
/// library, compiler's run-time library, MPI or math library, Python's own or an installed Python
/// module, and not inlined into its caller; but what is inlined into `main` or Fortran's main
/// program stands for itself. Without one, the
/// innermost whose source is known, else `frame`. Linear in the depth.
FrameId own_frame(const CallTree& tree, FrameId frame);
/// own_frame() of every frame of the tree, 0 included. O(frames x depth).
std::vector<FrameId> own_frames(const CallTree& tree);

/// For each frame of the tree, 0 included, whether it is one of `function` or of what that calls.
std::vector<bool> frames_of_function(const CallTree& tree, std::string_view function);

/// `frame`, or the outer one of its path that lies `depth` deep; 0 if the path is not so deep.
FrameId ancestor_at(const CallTree& tree, FrameId frame, std::uint32_t depth);

}  // namespace slackline
