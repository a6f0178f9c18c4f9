#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/paths/activities.h"
#include "analysis/summary/polled_gaps.h"
#include "calls/call_paths.h"
#include "calls/computation_code.h"
#include "trace/operation.h"

namespace slackline {

/// Owners of costs whose costs change together.
struct GainGroup {
  std::string name;
  std::string kind;  ///< of kGainKinds
  std::vector<std::uint32_t> owners{};
};

/// To whom the times of a run belong: those of calls without their waiting to their operation,
/// which is an owner by its number, and computation to one owner for each rank, call path of
/// regions and function. Computation that only passes the time between polls has no owner.
class GainOwners {
 public:
  /// Refers to all. O(calls + stretches of computation); 4 bytes a call, 8 a stretch.
  GainOwners(const Activities& run, const CallPaths& paths, const ComputationCode& code,
             const PolledGaps& polled);

  /// A part of the computation before a call. `owner`: its number, less first_of() its rank's.
  struct Part {
    std::uint32_t owner;
    std::uint32_t ns;
  };
  std::span<const Part> before(std::int32_t rank, CallIndex call) const {
    const OfRank& own = ranks_[static_cast<std::size_t>(rank)];
    return std::span(own.parts).subspan(own.first[call], own.first[call + 1] - own.first[call]);
  }
  std::uint32_t first_of(std::int32_t rank) const {
    return ranks_[static_cast<std::size_t>(rank)].first_owner;
  }
  /// The owner of the time of a call without its waiting.
  std::uint32_t of_call(std::int32_t rank, CallIndex call) const {
    return static_cast<std::uint32_t>(trace_.calls(rank).operation(call));
  }
  std::size_t size() const { return size_; }
  /// Computation of each owner, ns; nothing of operations.
  std::vector<std::int64_t> computation() const;

  /// All computation, each region, each function of some length, call paths if asked for, ranks,
  /// and operations: those that have owners among which `ns` is not 0.
  std::vector<GainGroup> groups(const std::vector<std::int64_t>& ns, bool call_paths) const;

 private:
  struct Code {
    PathId path;
    FrameId frame;
    auto operator<=>(const Code&) const = default;
  };
  struct OfRank {
    std::uint32_t first_owner = 0;
    std::vector<Code> owners{};
    std::vector<std::uint32_t> first{};  // of each call's parts; and the end
    std::vector<Part> parts{};
  };
  struct Recorder;

  std::vector<std::string> long_functions(const std::vector<std::int64_t>& ns) const;
  /// Puts every owner of computation into the groups that groups_of(rank, code, put) names, linear
  /// in these.
  template <class GroupsOf>
  std::vector<GainGroup> make_groups(std::size_t count, const std::string& kind,
                                     const std::vector<std::int64_t>& ns, GroupsOf groups_of) const;

  const Trace& trace_;
  const CallPaths& paths_;
  std::vector<OfRank> ranks_;
  std::size_t size_ = kOperationCount;
};

}  // namespace slackline
