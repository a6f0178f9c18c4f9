#pragma once

#include <cstdint>
#include <vector>

#include "trace/operation.h"

namespace slackline {

/// A call as its process makes it (struct shape of runtime/replay): ranks are those of the
/// communicator, and communicators and requests are places in the process's tables.
struct CallShape {
  Operation operation = Operation::none;
  std::uint8_t flags = 0;  ///< enum slk_replay_flag
  std::int32_t peer = 0;
  std::int32_t tag = 0;
  std::uint32_t comm = 0;
  std::uint64_t bytes = 0;
  std::uint32_t request = 0;
  std::vector<std::int64_t> args{};
};

}  // namespace slackline
