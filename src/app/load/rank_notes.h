#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/efficiency/ideal_replay.h"
#include "analysis/waits/wait_states.h"
#include "app/load/stretched_run.h"
#include "base/spill_file.h"
#include "parallel/process_group.h"
#include "trace/rank_range.h"

namespace slackline {

/// What only all ranks together show of each call: its times on the ideal network and how long it
/// waits. Noted stretch by stretch, some 5 bytes a call, in a temporary file; read rank by rank.
class RankNotes {
 public:
  explicit RankNotes(std::size_t ranks) : places_(ranks) {}

  /// Adds the next stretch; `waits` in the analysed interval. Throws Error, as of a full disk.
  void append(const LoadedStretch& stretch, const IdealRun& ideal, const WaitStates& waits);
  /// After that: gives each process the notes of its ranks. All processes call it together.
  void share(RankRange own, ProcessGroup& group);

  struct OfRank {
    IdealRun ideal{};  ///< of other ranks empty
    std::vector<WaitState> waits{};
  };
  /// `calls`: all of the rank. By several threads at once, after share().
  OfRank read(const RankCalls& calls, std::int32_t rank) const;

 private:
  struct Place {
    std::size_t from;
    std::size_t bytes;
  };
  void append(std::size_t rank, std::span<const std::byte> bytes);
  Bytes of_rank(std::size_t rank) const;

  std::optional<SpillFile> file_{std::in_place};
  std::size_t written_ = 0;
  std::vector<std::vector<Place>> places_;  // by rank, in the order of the run
  std::span<const std::byte> all_;
};

}  // namespace slackline
