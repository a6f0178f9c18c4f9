#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/findings.h"
#include "formats/kineto/event.h"
#include "training/communication_names.h"
#include "training/training_run.h"

namespace slackline {

inline constexpr FindingKind kRankGuessed{
    "rank_guessed", Severity::notice,
    "Profiles that do not say which rank they are of; the number that tells the files' names apart "
    "was taken, or else the next free rank in the order of names."};
inline constexpr FindingKind kRankTwice{
    "rank_twice", Severity::data_loss,
    "Profiles of a rank of which another one was read; they were omitted."};
inline constexpr FindingKind kOnlyNamedLikeCommunication{
    "kernels_named_like_collectives", Severity::notice,
    "Kernels named like a collective operation, but of no communication library that is known; "
    "they count as communication unless an operator that works inside one GPU (such as aten::) "
    "launched them."};
inline constexpr FindingKind kTruncatedRank{
    "truncated_rank", Severity::data_loss,
    "Ranks whose profile ends early, beside complete ones of other ranks; they were omitted."};

inline constexpr FindingKind kCutSteps{"cut_steps", Severity::data_loss,
                                       "Steps that go on after the end of a truncated profile; "
                                       "they were left out, but where it has no "
                                       "whole step, the first one counts as far as it is known."};

/// Collects the events of one rank's profile, in whatever order they come.
class KinetoRankBuilder {
 public:
  /// Only complete events ("X") count.
  void add(const KinetoEvent& event);
  /// Sorts, links activities to their launches, finds out which kernels communicate, and adds the
  /// base to all times. Runtime calls that neither launch nor synchronise are dropped. Of a profile
  /// that is cut, only whole steps are kept. `rank_name` is for Findings. O(n log n).
  ProfiledRank build(std::int64_t base_time_ns, bool cut, std::string_view rank_name,
                     Findings& findings);
  /// How many steps build() left out.
  std::size_t cut_steps() const { return cut_steps_; }

 private:
  // What an operator or annotation says of the kernels that it launches.
  struct Launcher {
    LaunchedBy kind = LaunchedBy::other;
    std::uint32_t collective = kNotRecorded;  // in profile_.collectives
  };

  std::uint32_t name(std::string_view text);
  std::uint32_t location(const TrainingLocation& where);
  std::uint32_t thread_of(const KinetoEvent& event);
  std::uint32_t collective(const KinetoEvent& event);
  void add_gpu(const KinetoEvent& event, GpuWork work);
  void add_range(const KinetoEvent& event, CpuRangeKind kind);
  void sort_events();
  void link_launches();
  LaunchedBy launched_by(const CpuRange& range);
  std::vector<Launcher> launchers_of_calls();
  void find_communication(std::string_view rank_name, Findings& findings);
  void leave_out_cut_steps();

  ProfiledRank profile_;
  std::unordered_map<std::string, std::uint32_t> name_ids_;
  std::map<TrainingLocation, std::uint32_t> locations_;
  std::vector<std::int64_t> gpu_correlations_;         // of profile_.gpu
  std::vector<std::int64_t> gpu_externals_;            // of profile_.gpu
  std::vector<std::int64_t> call_correlations_;        // of profile_.runtime_calls
  std::vector<std::uint32_t> range_collectives_;       // of profile_.cpu, in profile_.collectives
  std::vector<std::optional<LaunchedBy>> name_kinds_;  // of names as operators
  std::unordered_map<std::int64_t, Launcher> externals_;  // of operators that communicate
  std::size_t cut_steps_ = 0;
  std::int64_t last_read_ns_ =
      0;  // begin of the GPU activity that was read last, else of the event
};

}  // namespace slackline
