#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/findings.h"
#include "base/flat_map.h"
#include "formats/otf2/conventions.h"
#include "formats/otf2/counter_gaps.h"
#include "formats/otf2/job.h"
#include "trace/trace.h"

namespace slackline::otf2 {

/// Fields of a call that attributes give (conventions.h).
struct Overrides {
  std::uint32_t given = 0;  ///< bits by Attribute
  std::uint8_t flags = 0;
  std::uint64_t bytes = 0;
  std::int32_t peer = 0;
  std::int32_t tag = 0;
  std::uint32_t comm = 0;
  std::uint32_t request = 0;
  std::uint64_t order = 0;
  std::uint64_t position = 0;
  std::vector<std::int64_t> args{};

  bool has(Attribute a) const { return (given & (1u << static_cast<unsigned>(a))) != 0; }
  void set(Attribute a) { given |= 1u << static_cast<unsigned>(a); }
};

/// What was read of one location.
struct LocationCalls {
  RankCallsBuilder calls;
  std::vector<RegionEvent> regions;  ///< region: number of the definition
  std::vector<Pause> pauses;
  std::vector<std::vector<std::uint64_t>> counters;  ///< per Job::counters: a value a gap, or none
  std::vector<std::uint32_t> sent_after_ns;          ///< as in SendRecords
  std::vector<std::uint64_t> order;                  ///< of each call, where attributes say it
  std::vector<std::uint64_t> region_at;              ///< likewise of region events
  std::vector<std::uint64_t> pause_at;               ///< and of pauses
  std::optional<std::int64_t> stop_ns;   ///< of the program, in archives of others the last event
  std::vector<std::uint32_t> bare;       ///< calls that are collectives_without_arguments
  std::optional<std::int64_t> first_ns;  ///< of any event
  bool initialized = false;              ///< MPI_Init was called
  bool finalized = false;
  Findings findings;
};

/// Requests of one rank that are open; shared by its locations, which are read one after the other.
class OpenRequests {
 public:
  enum class Kind : std::uint8_t { send, receive, collective, started };
  struct Request {
    Kind kind = Kind::send;
    std::uint16_t location = 0;
    std::uint32_t call = 0;
    std::uint32_t argument = 0;  ///< started: where its group begins in the call's args
    std::uint32_t serial = 0;
  };
  struct Message {
    std::int32_t peer = kPeerNone;
    std::int32_t tag = 0;
    std::uint64_t bytes = 0;
    std::uint32_t comm = kCommWorld;
  };

  /// The Trace's serial for a request that starts under the archive's number `id`.
  std::uint32_t start(std::uint64_t id, Request request, bool keep_number);
  /// Takes the open request `id`, if there is one.
  std::optional<Request> finish(std::uint64_t id);
  /// A serial for a request that the archive has no number for.
  std::uint32_t unnumbered() { return next_unnumbered_--; }
  std::deque<std::uint32_t>& bare() { return bare_; }

  /// A receive that was completed before its start was read (on another thread's location).
  void complete_early(std::uint64_t id, const Message& message) { early_[id] = message; }
  std::optional<Message> take_early(std::uint64_t id);

 private:
  struct Hash {
    std::uint64_t operator()(std::uint64_t id) const { return mix_bits(id); }
  };
  FlatMap<std::uint64_t, Request, Hash> open_;
  FlatMap<std::uint64_t, Message, Hash> early_;
  std::deque<std::uint32_t> bare_;  // serials of open requests without any number
  std::uint64_t largest_ = 0;
  std::uint32_t next_unnumbered_ = 0xffffffffu;
};

/// Turns the records of one location, in their order, into calls. Knows nothing of the library: its
/// functions are called by it (archive_events.h), by tests and by the fuzzer. Times are the
/// Trace's; references are the archive's.
class LocationReader {
 public:
  /// `index`: of the location among `before`'s; `before` are the rank's locations read so far.
  LocationReader(const Job& job, const Trace& trace, std::int32_t rank, std::uint16_t thread,
                 std::vector<LocationCalls>& locations, OpenRequests& requests);

  void enter(std::int64_t time, std::uint32_t region, const Overrides* overrides = nullptr);
  void leave(std::int64_t time, std::uint32_t region, const Overrides* overrides = nullptr);

  struct Peer {
    std::uint32_t rank;  ///< in the communicator
    std::uint32_t comm;
    std::uint32_t tag;
    std::uint64_t bytes;
  };
  void send(std::int64_t time, const Peer& to);
  void isend(std::int64_t time, const Peer& to, std::uint64_t request);
  void recv(std::int64_t time, const Peer& from);
  void irecv_request(std::int64_t time, std::uint64_t request);
  void irecv(std::int64_t time, const Peer& from, std::uint64_t request);
  void isend_complete(std::int64_t time, std::uint64_t request);
  void cancelled(std::int64_t time, std::uint64_t request);

  struct Collective {
    Operation operation;  ///< none: makes or frees something
    std::uint32_t comm;
    std::uint32_t root;
    std::uint64_t sent;
    std::uint64_t received;
  };
  void collective_begin(std::int64_t time);
  void collective_end(std::int64_t time, const Collective& what);
  void icollective_request(std::int64_t time, std::uint64_t request);
  void icollective_complete(std::int64_t time, const Collective& what, std::uint64_t request);
  void comm_create(std::int64_t time, std::uint32_t comm);

  void program_begin(std::int64_t time) { at(time); }
  void program_end(std::int64_t time);
  void paused(std::int64_t time);
  void buffer_flush(std::int64_t time, std::int64_t until, const Overrides* overrides = nullptr);
  /// Values of a class of metrics; those with kNoCounter are left out.
  void metric(std::int64_t time, std::uint32_t metric_class, std::span<const std::uint64_t> values);
  void one_sided(std::int64_t time);
  /// Any other record.
  void other(std::int64_t time) { at(time); }

  /// Call once, after the last record.
  void finish();

 private:
  LocationCalls& out() { return locations_[index_]; }
  void at(std::int64_t& time);
  std::string region_name(std::uint32_t ref) const;
  bool take_bare(std::int64_t time, Operation operation);
  void begin_call(std::int64_t time, Operation operation);
  void end_call(std::int64_t time);
  void end_pause(std::int64_t time);
  void describe_call();
  void describe_completion();
  void describe_unrecorded();
  void apply_overrides();
  void start_request(OpenRequests::Kind kind, std::uint64_t id);
  void complete(std::uint32_t serial) { completed_.push_back(serial); }
  void set_message(const Peer& peer);
  void note_sent(std::int64_t time);
  OpenRequests::Message message(const Peer& peer);
  void resolve(const OpenRequests::Request& request, const OpenRequests::Message& message);
  std::uint32_t comm(std::uint32_t ref);
  std::int32_t world_rank(std::uint32_t comm_id, std::uint32_t relative);
  std::int32_t root(const Collective& what, std::uint32_t comm_id);
  std::uint64_t bytes(Operation operation, const Collective& what, std::uint32_t comm_id,
                      std::int32_t root);
  void unbalanced(const std::string& what);

  const Job& job_;
  const Trace& trace_;
  std::int32_t rank_;
  std::uint16_t thread_;
  std::vector<LocationCalls>& locations_;
  std::size_t index_;
  OpenRequests& requests_;

  std::vector<std::uint32_t> open_regions_;  // user and artificial ones
  Call call_;
  std::uint32_t call_region_ = 0;
  bool in_call_ = false;
  bool recorded_ = false;           // the open call has a record that describes it
  bool started_ = false;            // ... and a request
  std::int64_t sent_after_ns_ = 0;  // its send record lies so far behind its begin
  std::uint32_t nested_ = 0;
  std::optional<Overrides> overrides_;
  std::vector<std::int64_t> args_;
  std::vector<std::uint32_t> completed_;  // serials that the open call completed
  CounterGaps counters_;
  std::int64_t collective_begin_ = 0;
  std::int64_t last_ns_ = -kTimeLimit_ns;
};

/// One rank's calls from its locations'. Regions are those of the first location (the main
/// thread's), and still numbered by definition. `bare` holds the calls to be resolved when all
/// ranks are read.
struct RankCallsRead {
  RankCallsBuilder calls;
  std::vector<std::uint32_t> bare;
  std::vector<std::vector<std::uint64_t>> counters;  ///< as in LocationCalls
  std::vector<std::uint32_t> sent_after_ns;          ///< as in SendRecords
  Findings findings;
  bool present = false;
  bool initialized = false;
  bool finalized = false;
};

RankCallsRead merge_locations(std::vector<LocationCalls> locations);

/// Reads all events of one rank's locations, each into an element of the result, in their order. A
/// reader of the library's own is opened for it, so that ranks can be read at the same time.
std::vector<LocationCalls> read_rank_events(const std::filesystem::path& anchor, const Job& job,
                                            const Trace& trace, std::int32_t rank);

}  // namespace slackline::otf2
