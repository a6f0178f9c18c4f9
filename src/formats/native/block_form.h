#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/flat_map.h"
#include "formats/native/bytes.h"
#include "trace/trace.h"

namespace slackline::native {

// What encoder and decoder of a block share.
//
// A parallel program says the same few things over and over: a halo exchange over 26 neighbours
// makes about a hundred different calls, whatever the number of time steps. So a block has a table
// of *shapes* (everything of a call but times, request and argument values), and each call names
// its shape. Which shape comes next is predicted by which one came after the same shape the last
// time; a right prediction is a zero, and zeros are what zstd is good at. Requests are predicted by
// counting on, and arguments by those of the previous call of that shape. What remains are the
// times, which nothing predicts; they are most of a file.

/// Parts of a block's payload; their ids are part of the format.
enum BlockPart : unsigned {
  kPartBase = 1,
  kPartShapeOperation = 2,
  kPartShapeFlags = 3,
  kPartShapeThread = 4,
  kPartShapePeer = 5,
  kPartShapeTag = 6,
  kPartShapeBytes = 7,
  kPartShapeComm = 8,
  kPartShapeArguments = 9,
  kPartShapeRequest = 10,
  kPartCodes = 11,
  kPartGaps = 12,
  kPartDurations = 13,
  kPartRequests = 14,
  kPartArguments = 15,
  kPartRegionCalls = 16,
  kPartRegionNames = 17,
  kPartRegionTimes = 18,
  kPartShapeFrame = 19,
  kPartEnd = 20
};

/// Bits of the base part's mode.
inline constexpr std::uint64_t kModeSignedGaps = 1;
inline constexpr std::uint64_t kModeSignedDurations = 2;

struct Shape {
  std::uint64_t bytes = 0;
  std::int32_t peer = kPeerNone;
  std::int32_t tag = 0;
  std::uint32_t comm = kCommWorld;
  std::uint32_t arguments = 0;  ///< how many
  FrameId frame = 0;            ///< of the call tree
  std::uint16_t thread = 0;
  Operation operation = Operation::none;
  std::uint8_t flags = 0;
  bool has_request = false;  ///< else the request is 0

  bool operator==(const Shape&) const = default;
};

/// Whether a call's request is counted with those that were started, or with those completed.
inline bool starts_request(Operation operation) {
  switch (operation_class(operation)) {
    case OperationClass::isend:
    case OperationClass::irecv:
    case OperationClass::request_init:
    case OperationClass::icollective:
    case OperationClass::comm_create:
    case OperationClass::one_sided:
    case OperationClass::io:
    case OperationClass::local:
      return true;
    default:
      return false;
  }
}

/// Arguments that are serials of completed requests.
inline bool lists_requests(Operation operation, std::uint8_t flags) {
  return operation_class(operation) == OperationClass::completion && (flags & SLK_FLAG_FAILED) == 0;
}

/// Predicts the next shape: the one that followed the same shape last time, at first the next
/// number.
class ShapePredictor {
 public:
  void add_shape() { next_.push_back(static_cast<std::uint32_t>(next_.size())); }
  /// next_[0] stands for "before the first call".
  ShapePredictor() { add_shape(); }

  std::uint32_t predicted() const { return next_[previous_]; }
  void advance(std::uint32_t shape) {
    next_[previous_] = shape;
    previous_ = shape + 1;
  }

 private:
  std::vector<std::uint32_t> next_;
  std::size_t previous_ = 0;
};

/// Predicts requests and arguments. Encoder and decoder feed it the same calls.
struct RequestPredictor {
  std::uint32_t started = 0;
  std::uint32_t completed = 0;

  std::uint32_t& counter(bool starts) { return starts ? started : completed; }
};

}  // namespace slackline::native
