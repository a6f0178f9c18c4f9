#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "training/training_run.h"

namespace slackline {

/// A place in the program: the outermost operator, or a data loader, and the innermost `nn.Module`.
/// Either may be empty: no operator (Python between operators), or no module recorded.
struct TrainingPlace {
  std::string operation{};
  std::string module{};

  auto operator<=>(const TrainingPlace&) const = default;
};

/// Time by place, in nanoseconds.
using TimeByPlace = std::map<TrainingPlace, std::int64_t>;

/// What one rank did before its collectives, by place in the program. The time of a kernel belongs
/// to the operator that launched it; while the GPU was idle, time belongs to what the launching
/// thread of the next kernel was in. Building it is O(n log n); it refers to `rank`.
class RankWork {
 public:
  explicit RankWork(const ProfiledRank& rank);

  /// From the begin of the last NCCL kernel before `activity` (of the rank's GPU activities), or
  /// from `earliest_ns`, to its begin, without the time in which NCCL alone ran: what computed
  /// beside the kernel before counts. Linear in what happened in between.
  TimeByPlace before(std::uint32_t activity, std::int64_t earliest_ns) const;

  /// What encloses a runtime call on its thread, as names of the profile.
  struct Place {
    std::uint32_t operation = kNotRecorded;   ///< outermost operator
    std::uint32_t module = kNotRecorded;      ///< innermost `nn.Module`
    std::uint32_t annotation = kNotRecorded;  ///< innermost annotation
  };
  const Place& launch_place(std::uint32_t runtime_call) const {
    return launch_places_[runtime_call];
  }
  /// Calls visit(name, ns) for each outermost operator of a thread that reaches into `window`.
  template <class Visit>
  void for_operations(std::uint32_t location, const TimeSpan& window, Visit visit) const {
    const auto& operations = operations_[location];
    auto at = std::ranges::upper_bound(operations, window.begin_ns, {},
                                       [](const Named& named) { return named.time.end_ns; });
    for (; at != operations.end() && at->time.begin_ns < window.end_ns; ++at) {
      visit(at->name, std::min(at->time.end_ns, window.end_ns) -
                          std::max(at->time.begin_ns, window.begin_ns));
    }
  }

 private:
  struct Named {
    TimeSpan time{};
    std::uint32_t name = kNotRecorded;
  };

  std::int64_t begin_before(std::uint32_t activity, std::int64_t earliest_ns) const;
  void find_places();
  void add_gap(const TimeSpan& gap, std::uint32_t launch, TimeByPlace& times) const;
  void add_idle(const TimeSpan& gap, std::uint32_t launch, TimeByPlace& times) const;
  TrainingPlace place(const Place& named) const;

  const ProfiledRank& rank_;
  TimeSpans communicating_;
  std::vector<Place> launch_places_;            // of ProfiledRank::runtime_calls
  std::vector<std::vector<Named>> operations_;  // outermost ones by location, ascending
};

}  // namespace slackline
