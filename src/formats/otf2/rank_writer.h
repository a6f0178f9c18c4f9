#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/findings.h"
#include "base/flat_map.h"
#include "formats/otf2/conventions.h"
#include "trace/trace.h"

namespace slackline::otf2 {

// References of the definitions that the writer makes. Communicators keep the Trace's ids.
inline constexpr std::uint32_t kLocationsGroup = 0;
inline constexpr std::uint32_t kWorldGroup = 1;
inline constexpr std::uint32_t kSelfGroup = 2;
inline constexpr std::uint32_t kCounters = 0;  ///< the class of all hardware counters

/// Location of a rank's thread, as Score-P numbers them.
inline std::uint64_t location_id(std::int32_t rank, std::uint16_t thread) {
  return static_cast<std::uint64_t>(rank) | std::uint64_t{thread} << 32;
}

/// Ranks inside communicators, for all ranks' writers. Lookups are logarithmic.
class CommRanks {
 public:
  explicit CommRanks(const Trace& trace);
  static constexpr std::uint32_t kNone = 0xffffffffu;
  /// The number by which records on `rank` call world rank `peer` in communicator `comm`; kNone if
  /// they cannot.
  std::uint32_t relative(std::int32_t rank, std::uint32_t comm, std::int32_t peer) const;
  bool exists(std::uint32_t comm) const { return comm < comms_.size(); }
  /// Among the communicator's members; 0 if it is none of them.
  std::uint64_t own(std::int32_t rank, std::uint32_t comm) const;
  std::uint64_t size(std::uint32_t comm) const;

 private:
  using Index = std::vector<std::pair<std::int32_t, std::uint32_t>>;  // world rank, number
  static std::uint32_t find(const Index& index, std::int32_t world);
  struct Comm {
    Index members, remote;
  };
  std::int32_t ranks_;
  std::vector<Comm> comms_;
};

/// What events need of the definitions, which are written after them. Numbers are dense, since
/// otf2-print and others expect that.
class Names {
 public:
  /// Regions: one for each operation that occurs, then the user's, and the one around all of them.
  explicit Names(const Trace& trace);
  std::uint32_t region(Operation operation) const {
    return regions_[static_cast<std::size_t>(operation)];
  }
  std::uint32_t user_region(std::uint32_t region) const { return first_user_ + region; }
  /// The whole program, on every location: tools that build a call tree (Scalasca) need its root.
  std::uint32_t program() const { return program_; }
  bool occurs(Operation operation) const { return region(operation) != kNone; }

  /// Strings, in the order in which they are asked for.
  std::uint32_t text(const std::string& value);
  const std::vector<const std::string*>& texts() const { return texts_; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  std::vector<std::uint32_t> regions_ = std::vector<std::uint32_t>(kOperationCount, kNone);
  std::uint32_t first_user_ = 0;
  std::uint32_t program_ = 0;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<const std::string*> texts_;
};

/// Writes one rank's events, one location after the other. What no record can say goes into
/// attributes of the call's ENTER, so that reading gives the same calls.
class RankWriter {
 public:
  RankWriter(const Trace& trace, std::int32_t rank, const CommRanks& comms,
             std::uint64_t zero_ticks, Names& names);

  /// Threads that call MPI; 0 always.
  const std::vector<std::uint16_t>& threads() const { return threads_; }
  /// Returns the number of events written.
  std::uint64_t write(OTF2_EvtWriter* writer, std::uint16_t thread);
  const Findings& findings() const { return findings_; }

 private:
  struct Started {
    std::uint32_t call = 0;
    std::uint32_t group = 0;
  };
  struct SerialHash {
    std::uint64_t operator()(std::uint32_t serial) const { return mix_bits(serial); }
  };
  struct Completed {
    Started start;
    std::uint32_t serial = 0;
  };

  void plan_requests();
  void plan_start(std::uint32_t i, FlatMap<std::uint32_t, Started, SerialHash>& open);
  void plan_completion(std::uint32_t i, FlatMap<std::uint32_t, Started, SerialHash>& open);
  bool can_start(const Call& call) const;
  bool group_can_start(std::span<const std::int64_t> group) const;
  bool can_message(const Call& call) const;
  bool can_collective(const Call& call) const;
  struct Received {
    std::uint32_t rank;  ///< in the communicator
    std::uint32_t tag;
    std::uint64_t bytes;
  };
  /// A sendrecv's receive, if a record can hold it.
  std::optional<Received> received_by(const Call& call) const;
  bool makes_comm(const Call& call) const;
  std::uint32_t record_root(const Call& call) const;
  CollectiveBytes record_bytes(const Call& call) const;
  CollectivePlace place(const Call& call) const;

  std::uint64_t ticks(std::int64_t time);
  void write_call(std::uint32_t i, const Call& call);
  Call expected(std::uint32_t i, const Call& call, std::vector<std::int64_t>& args) const;
  void expect_sendrecv(const Call& call, Call& told, std::vector<std::int64_t>& args) const;
  void expect_completion(std::uint32_t i, Call& told, std::vector<std::int64_t>& args) const;
  void write_records(std::uint32_t i, const Call& call);
  void write_starts(const Call& call);
  void write_completions(std::uint32_t i, const Call& call);
  void write_collective(const Call& call);
  void write_between(std::uint32_t before_call);
  void write_region_event(const RegionEvent& event);
  void write_pause(const Pause& pause);
  void write_totals(std::int64_t time);
  void write_totals_after(std::uint32_t gap, std::int64_t time);
  void add_attributes(std::uint32_t i, const Call& call);
  void add_argument_attributes(std::span<const std::int64_t> args);
  void add_position(std::uint32_t before_call);
  template <class Add>
  void attribute(Attribute which, Add add);

  const Trace& trace_;
  const RankCalls& calls_;
  std::int32_t rank_;
  const CommRanks& comms_;
  std::uint64_t zero_ticks_;
  Names& names_;
  std::vector<std::uint16_t> threads_{0};
  bool requests_told_ = true;  // by records
  std::vector<char> told_;     // per call: 1 its start is recorded, 2 and its completion too
  std::vector<std::uint32_t> first_completed_;  // per call, into completed_
  std::vector<Completed> completed_;
  Findings findings_;

  OTF2_EvtWriter* writer_ = nullptr;
  OTF2_AttributeList* attributes_ = nullptr;
  std::vector<std::int64_t> expected_args_;
  std::size_t next_region_ = 0;
  std::size_t next_pause_ = 0;
  std::vector<OTF2_MetricValue> totals_;  // of hardware counters
  std::vector<OTF2_Type> total_types_;
  std::uint64_t events_ = 0;
  std::uint64_t last_ticks_ = 0;
};

/// Hardware counters that are written: as many as one class of metrics can hold.
std::size_t written_counters(const Trace& trace);

/// OTF2's name of a collective's operation; -1 if it has none.
int collective_op(Operation operation);

struct WrittenLocation {
  std::int32_t rank = 0;
  std::uint16_t thread = 0;
  std::uint64_t events = 0;

  std::uint64_t id() const { return location_id(rank, thread); }
};

/// Ticks are nanoseconds. A Trace's times may be negative, ticks may not.
struct ArchiveTimes {
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;

  /// The tick at the Trace's zero.
  std::uint64_t zero_ticks() const {
    return first_ns < 0 ? static_cast<std::uint64_t>(-first_ns) : 0;
  }
  std::uint64_t first_ticks() const { return zero_ticks() + static_cast<std::uint64_t>(first_ns); }
};

/// Writes global definitions and the archive's properties. Failures are the library's messages.
void write_definitions(OTF2_Archive* archive, const Trace& trace, ArchiveTimes times, Names& names,
                       const std::vector<WrittenLocation>& locations);

}  // namespace slackline::otf2
