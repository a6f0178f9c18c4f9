#pragma once

#include <cstdint>
#include <functional>
#include <unordered_set>
#include <vector>

#include "calls/call_matching.h"
#include "calls/call_paths.h"
#include "trace/samples.h"
#include "trace/trace.h"
#include "whatif/edit.h"
#include "whatif/selection.h"

namespace slackline {

/// The collectives that an edit selects, by the arguments of Selection and by
///   operation=  its name, of either form ("allreduce", "iallreduce")
///   comm=       the communicator's number
/// Selected are those of which every member's call lies where the edit says.
class CollectiveSelection {
 public:
  /// `accepts`: has to hold for the calls of all members, if it is not null. Throws usage Error for
  /// arguments that cannot be used. Linear.
  CollectiveSelection(const Edit& edit, const ProgramView& program, const CallPaths& paths,
                      const std::function<bool(const Call&)>& accepts = {});

  std::uint64_t count() const { return count_; }
  bool has_call(std::int32_t rank, std::size_t i) const {
    return calls_[static_cast<std::size_t>(rank)][i];
  }
  bool has_request(std::int32_t rank, std::uint32_t serial) const {
    return requests_[static_cast<std::size_t>(rank)].contains(serial);
  }

 private:
  void mark(const RankCalls& calls, const CollectiveMember& member);

  std::vector<std::vector<bool>> calls_;                     // by rank
  std::vector<std::unordered_set<std::uint32_t>> requests_;  // by rank
  std::uint64_t count_ = 0;
};

}  // namespace slackline
