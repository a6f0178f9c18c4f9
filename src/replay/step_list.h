#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include "calls/call_matching.h"
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

/// The steps of one rank's program, and the different calls in them.
class StepList {
 public:
  /// A call after this much computation. `polls` and `period_ns` only for shapes with
  /// SLK_REPLAY_POLLED.
  void add(CallIndex call, std::int64_t gap_ns, const CallShape& shape, std::uint64_t polls = 0,
           std::int64_t period_ns = 0);

  std::uint64_t size() const { return steps_.size(); }
  std::uint64_t shape_count() const { return shapes_.size(); }
  std::vector<CallIndex> calls() const;
  /// Shapes, the most frequent first since small numbers are short, then steps.
  void write(std::string& to) const;

 private:
  struct Step {
    CallIndex call;
    std::uint32_t shape;
    std::uint64_t gap;     // in units
    std::uint32_t polled;  // index + 1 into polls_, 0: none
  };
  struct Polls {
    std::uint64_t count;
    std::uint64_t period;
  };

  std::vector<Step> steps_;
  std::vector<Polls> polls_;
  std::vector<const std::string*> shapes_;
  std::vector<std::uint64_t> uses_;
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::int64_t rest_ns_ = 0;  // what rounding to units has left over so far
};

// Integers as runtime/replay reads them (trace/replay_wire.h): seven bits a byte, least significant
// first.

inline void put_unsigned(std::string& to, std::uint64_t value) {
  for (; value >= 128; value >>= 7) to.push_back(static_cast<char>((value & 127) | 128));
  to.push_back(static_cast<char>(value));
}

/// Numbers near zero of both signs are short.
inline void put_signed(std::string& to, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  put_unsigned(to, (bits << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0));
}

/// A structure of fixed size as it lies in memory.
template <class T>
void put_bytes(std::string& to, const T& value) {
  const std::size_t at = to.size();
  to.resize(at + sizeof value);
  std::memcpy(to.data() + at, &value, sizeof value);
}

}  // namespace slackline
