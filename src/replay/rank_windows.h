#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "calls/collective_scope.h"
#include "trace/trace.h"

namespace slackline {

/// A window of the program: its communicator, and how many its members had made before.
struct WindowId {
  std::uint32_t comm = kCommNull;
  std::uint32_t number = 0;

  auto operator<=>(const WindowId&) const = default;
};

/// Which window each call of one rank is on. The tag of a call has a number that the window shares
/// with no other one of its communicator that is open (trace/wire.h). Older recordings and traces
/// of other tools have 0 everywhere, which tells the window where only one is open.
class RankWindows {
 public:
  /// The window of the next call of OperationClass::one_sided, in program order; nothing where the
  /// recording does not tell it: open_windows() says between how many.
  std::optional<WindowId> next(const Call& call) {
    comm_ = communicators_.of(call.operation, call.comm);
    Windows& windows = by_comm_[comm_];
    const std::int32_t number = call.tag / 2;
    if (opens_object(call.operation)) {
      const WindowId made{comm_, windows.made++};
      windows.open.push_back({number, made});
      return made;
    }
    const auto is_it = [number](const Open& open) { return open.number == number; };
    if (std::ranges::count_if(windows.open, is_it) != 1) return std::nullopt;
    const auto found = std::ranges::find_if(windows.open, is_it);
    const WindowId window = found->window;
    if (call.operation == Operation::win_free) windows.open.erase(found);
    return window;
  }
  /// How many windows of the last call's communicator are open.
  std::size_t open_windows() const { return by_comm_.at(comm_).open.size(); }

 private:
  struct Open {
    std::int32_t number;
    WindowId window;
  };
  struct Windows {
    std::uint32_t made = 0;
    std::vector<Open> open{};
  };

  ObjectCommunicator communicators_;
  std::map<std::uint32_t, Windows> by_comm_;
  std::uint32_t comm_ = kCommNull;
};

}  // namespace slackline
