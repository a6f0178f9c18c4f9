#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/kineto/event.h"
#include "training/training_run.h"

namespace slackline {

/// Collects the events of one rank's profile, in whatever order they come.
class KinetoRankBuilder {
 public:
  /// Only complete events ("X") count.
  void add(const KinetoEvent& event);
  /// Sorts, links activities to their launches, and adds the base to all times. Runtime calls that
  /// neither launch nor synchronise are dropped. O(n log n).
  ProfiledRank build(std::int64_t base_time_ns);

 private:
  std::uint32_t name(std::string_view text);
  std::uint32_t location(bool stream, std::int64_t id);
  void add_gpu(const KinetoEvent& event, GpuWork work);
  void add_range(const KinetoEvent& event, CpuRangeKind kind);
  void link_launches();

  ProfiledRank profile_;
  std::unordered_map<std::string, std::uint32_t> name_ids_;
  std::unordered_map<std::int64_t, std::uint32_t> threads_;
  std::unordered_map<std::int64_t, std::uint32_t> streams_;
  std::vector<std::int64_t> gpu_correlations_;   // of profile_.gpu
  std::vector<std::int64_t> call_correlations_;  // of profile_.runtime_calls
};

}  // namespace slackline
