#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/findings.h"
#include "base/flat_map.h"
#include "formats/findings.h"
#include "formats/liballprof/line.h"
#include "trace/trace.h"

namespace slackline::liballprof {

inline constexpr FindingKind kTests{"tests_without_result", Severity::notice,
                                    "The recording does not contain the results of MPI_Test and "
                                    "similar calls; they are assumed to be unsuccessful."};
inline constexpr FindingKind kWildcards{
    "wildcards_without_source", Severity::notice,
    "Receives from any source; the recording does not contain the actual source."};

/// What the comments of a file say, and which communicators it uses.
struct RankFacts {
  std::string host;
  std::string started;
  std::optional<double> init_offset_us;      ///< to be added to the local clock at MPI_Init
  std::optional<double> finalize_offset_us;  ///< and at MPI_Finalize
  std::vector<CommHandle> comms;             ///< in order of first use
  bool finalized = false;
};

/// First pass: comments and communicators.
RankFacts scan_rank(std::string_view text);

/// Communicators of one rank: the Trace's communicator of each handle.
class CommTable {
 public:
  void add(const CommHandle& handle, std::uint32_t comm) { ids_[key(handle)] = comm; }
  /// kCommNull when it is not known.
  std::uint32_t find(const CommHandle& handle) {
    const std::uint32_t* found = ids_.find(key(handle));
    return found == nullptr ? kCommNull : *found;
  }

 private:
  struct Hash {
    std::uint64_t operator()(std::uint64_t key) const { return mix_bits(key); }
  };
  static std::uint64_t key(const CommHandle& h) {
    return mix_bits(h.handle) ^ static_cast<std::uint64_t>(h.size);
  }

  FlatMap<std::uint64_t, std::uint32_t, Hash> ids_;
};

/// Second pass: the calls, in the rank's own clock.
void read_calls(std::string_view text, std::string_view name, const Trace& trace, CommTable& comms,
                RankCallsBuilder& calls, Findings& findings);

}  // namespace slackline::liballprof
