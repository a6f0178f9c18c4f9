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

/// Which window each call of one rank is on. A recording names the communicator of a window, which
/// tells where no other window of that communicator is open at the time.
class RankWindows {
 public:
  /// The window of the next call of OperationClass::one_sided, in program order; nothing where the
  /// recording does not tell it: open_windows() says between how many.
  std::optional<WindowId> next(const Call& call) {
    comm_ = communicators_.of(call.operation, call.comm);
    Windows& windows = by_comm_[comm_];
    if (opens_object(call.operation)) {
      windows.open.push_back(windows.made);
      return WindowId{comm_, windows.made++};
    }
    if (windows.open.size() != 1) return std::nullopt;
    const WindowId window{comm_, windows.open.front()};
    if (call.operation == Operation::win_free) windows.open.clear();
    return window;
  }
  /// How many windows of the last call's communicator are open.
  std::size_t open_windows() const { return by_comm_.at(comm_).open.size(); }

 private:
  struct Windows {
    std::uint32_t made = 0;
    std::vector<std::uint32_t> open{};
  };

  ObjectCommunicator communicators_;
  std::map<std::uint32_t, Windows> by_comm_;
  std::uint32_t comm_ = kCommNull;
};

}  // namespace slackline
