#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/trace.h"
#include "whatif/edit.h"
#include "whatif/program_writer.h"

namespace slackline {

/// The waits for calls that an edit makes nonblocking. A trace does not tell which data a call
/// reads or writes and who uses them next, so the edit says how long they are left alone:
///   wait-before=  until the rank's next call of this operation ("call": of any)
///   wait-in=      until the rank next enters this region
/// Until its next call where neither is given; in any case until its last one.
class DeferredWaits {
 public:
  static constexpr std::string_view kBefore = "wait-before";
  static constexpr std::string_view kIn = "wait-in";

  /// Throws usage Error for arguments that cannot be used. Refers to the trace.
  DeferredWaits(const Edit& edit, const Trace& trace);

  /// Writes call `i` of the rank as `call`, which is nonblocking and gets a request of its own.
  void start(std::int32_t rank, std::size_t i, Call call, RankWriter& to);
  /// To be called before anything of the rank's call `i` is written, and before a region's event.
  void before_call(std::int32_t rank, std::size_t i, RankWriter& to);
  void before_region(std::int32_t rank, const RegionEvent& event, RankWriter& to);

 private:
  struct Rank {
    std::uint32_t next_serial = 0;
    std::vector<std::int64_t> open{};  ///< requests that are not waited for
    Call last{};                       ///< of them
  };
  Rank& state(std::int32_t rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  bool is_last(std::int32_t rank, std::size_t i) const {
    return i + 1 == trace_.calls(rank).size();
  }
  static void wait(Rank& rank, RankWriter& to);

  const Trace& trace_;
  bool before_any_ = false;
  std::optional<Operation> before_{};
  std::optional<std::uint32_t> region_{};
  std::vector<Rank> ranks_{};
};

}  // namespace slackline
