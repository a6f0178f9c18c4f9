#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/flat_map.h"
#include "calls/call_actions.h"
#include "calls/call_matching.h"
#include "calls/collective_calls.h"
#include "calls/collective_scope.h"
#include "calls/open_polls.h"
#include "calls/region_tree.h"
#include "calls/run_span.h"
#include "trace/sound_calls.h"
#include "trace/trace.h"

namespace slackline {

/// One rank's k-th call of a blocking collective of all ranks that no rank leaves before all have
/// entered: where the run may be cut.
struct CutPoint {
  std::uint32_t number = 0;  ///< k
  CallIndex call = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  /// A checksum of the rank's messages and collectives so far. Its sum over all ranks is 0 where
  /// every message that was sent is received, and every member of every communicator has entered as
  /// many of its collectives; otherwise it is 0 once in 2^64 times.
  std::uint64_t balance = 0;
  PathId path = 0;  ///< chain of marked regions that the call is in, of Result::regions
  /// Requests, windows, files and polls that wait for something later that are open over it.
  std::int32_t open = 0;
};

/// Whether the program goes on after the last call that was read.
enum class ScanEnd : std::uint8_t {
  of_run,
  of_reading  ///< then what is open may yet be completed, and no point over which it is can be cut
};

/// Reads one rank's calls, block by block, for places where the run can be cut.
class RankScan : public IgnoreActions {
 public:
  /// `job`: the trace, of which only the communicators are read. Keeps a reference.
  RankScan(const Trace& job, std::int32_t rank);

  /// The next ones. About 50 ns a call.
  void add(const RankCalls& calls);

  /// When the last call so far ends.
  std::int64_t last_end_ns() const { return result_.last_end_ns; }

  struct Result {
    std::vector<CutPoint> points;
    RankExtent extent;
    std::int64_t last_end_ns = 0;
    RegionTree regions{};
    std::string_view obstacle{};  ///< why the run cannot be cut anywhere; empty: it can
  };
  /// After all calls. Of many points the same ones are kept of every rank, drawn by their numbers,
  /// so that all ranks together have some four million at most. `details`: when the rank starts and
  /// stops, as NativePieces::read_details() tells.
  Result take(const RankCalls& details, ScanEnd end = ScanEnd::of_run);

  // What visit_actions() tells of a call.
  void send(const PostedMessage& m);
  void receive(const PostedMessage& m);
  void complete(const Call& call);
  void free_request(std::uint32_t serial);
  void collective(const Call& call);
  void one_sided(const Call& call);
  void io();
  void free_communicator();
  void initialize();

 private:
  struct SerialHash {
    std::uint64_t operator()(std::uint32_t serial) const { return mix_bits(serial); }
  };
  struct WeightHash {
    std::uint64_t operator()(std::uint64_t key) const { return mix_bits(key); }
  };

  void note_regions(std::span<const RegionEvent>& events, std::size_t until_call);
  void note_span(const RankCalls& calls, std::size_t i);
  bool has_all_ranks(std::uint32_t comm) const;
  void note_point(const RankCalls& calls, std::size_t i);
  void note_objects(Operation operation);
  void note_poll(const Call& call);
  void drop_some_points();
  void opened(std::uint32_t request);
  /// Something was open from the point of that number on, until now.
  void was_open_since(std::uint32_t point);
  void join(std::uint32_t comm, CollectiveScope scope);
  std::uint64_t weight_in(std::uint32_t comm, CollectiveScope scope);
  void give_up(std::string_view why) {
    if (result_.obstacle.empty()) result_.obstacle = why;
  }

  const Trace& job_;
  const std::int32_t rank_;
  SoundCalls sound_;
  Result result_;
  std::uint64_t call_ = 0;  // its number in the rank
  PathId path_ = 0;
  const Call* visited_ = nullptr;
  std::uint64_t balance_ = 0;
  FlatMap<std::uint32_t, std::uint32_t, SerialHash> requests_;  // open: since which point
  FlatMap<std::uint64_t, std::uint64_t, WeightHash> weights_;   // by communicator and scope
  OpenPolls<std::uint32_t> polls_;                              // that failed: since which point
  std::array<ObjectCommunicator, kCollectiveScopes> objects_;
  std::uint32_t open_objects_ = 0;  // windows and files
  std::uint32_t objects_since_ = 0;
  std::int32_t closed_ = 0;                       // since the last point, of what was open over it
  std::uint32_t points_ = 0;                      // so far, those that are not kept included
  std::uint64_t kept_below_ = ~std::uint64_t{0};  // of mix_bits(number + 1)
  std::size_t most_points_;
  bool init_ = false;         // MPI_Init or MPI_Init_thread
  bool initialized_ = false;  // in whichever way
};

}  // namespace slackline
