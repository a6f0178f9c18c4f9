#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calls/call_paths.h"
#include "trace/trace.h"

namespace slackline {

/// What the calls in the rows of a time line are, besides when they are: the same in all runs. A
/// call is what a row is busy with; between calls there is computation, or nothing.
class DrawnCalls {
 public:
  struct NamedOperation {
    std::string name;
    std::string class_name;  ///< chooses the colour: "send", "kernel", ...
  };
  /// A message that a call received, or the collective that it took part in.
  struct Partner {
    bool collective = false;
    std::uint32_t id = 0;    ///< of the collective
    std::int32_t row = 0;    ///< of the sender
    std::uint32_t send = 0;  ///< call within that row
  };
  struct Data {
    std::int32_t peer = kPeerNone;
    std::uint64_t bytes = 0;
  };

  virtual ~DrawnCalls() = default;

  virtual std::int32_t rows() const = 0;
  virtual std::uint64_t count() const = 0;
  virtual std::size_t count(std::int32_t row) const = 0;
  /// In the order of their numbers; 0 is what happens between calls. At most 255.
  virtual std::vector<NamedOperation> operations() const = 0;
  virtual std::uint8_t operation(std::int32_t row, std::size_t call) const = 0;
  /// Whether its operation is of the class "collective".
  virtual bool is_collective(std::int32_t row, std::size_t call) const = 0;
  virtual Data data(std::int32_t row, std::size_t call) const = 0;
  /// Appends to `to`.
  virtual void partners(std::int32_t row, std::size_t call, std::vector<Partner>& to) const = 0;
  /// Names of call paths by number; 0 is outside of all.
  virtual std::vector<std::string> paths() const = 0;
  /// Whether paths are known at each call, and not as regions that begin and end between calls.
  virtual bool has_functions() const = 0;
  /// The path of a call, and of the time right before it, where has_functions().
  virtual PathId path_at(std::int32_t row, std::size_t call) const = 0;
  virtual PathId path_before(std::int32_t row, std::size_t call) const = 0;
  /// Whether ipc() is known anywhere.
  virtual bool has_ipc() const { return false; }
  /// Instructions per cycle of the computation right before a call, as a code
  /// (page/timeline_parts.h).
  virtual std::uint8_t ipc(std::int32_t, std::size_t) const { return 0; }
  /// Whether pauses() or recording_ns() are known anywhere.
  virtual bool has_pauses() const { return false; }
  /// Times between calls without computation that overlap an interval, in order. Nanoseconds from
  /// the start of the run.
  virtual std::vector<Pause> pauses(std::int32_t /*row*/, std::int64_t /*from_ns*/,
                                    std::int64_t /*to_ns*/) const {
    return {};
  }
  /// What the recorder took of the computation right before a call.
  virtual std::int64_t recording_ns(std::int32_t, std::size_t) const { return 0; }
  /// Whether any call is of another thread than its row's main one, which goes on meanwhile.
  virtual bool has_threads() const { return false; }
  virtual bool is_of_other_thread(std::int32_t, std::size_t) const { return false; }
};

}  // namespace slackline
