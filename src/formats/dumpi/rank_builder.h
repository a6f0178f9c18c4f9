#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/findings.h"
#include "formats/dumpi/communicators.h"
#include "formats/dumpi/rank_file.h"
#include "formats/findings.h"
#include "trace/trace_builder.h"

namespace slackline::dumpi {

// What only DUMPI's traces can have.

inline constexpr FindingKind kSwitchedOff{
    "calls_switched_off", Severity::data_loss,
    "Calls that the configuration of DUMPI left out of the recording."};
inline constexpr FindingKind kFailedTestsLeftOut{"failed_tests_left_out", Severity::notice,
                                                 "Tests and probes that DUMPI was configured to "
                                                 "record only when they succeed; their time counts "
                                                 "as computation."};
inline constexpr FindingKind kUnknownDatatypes{
    "datatype_size_unknown", Severity::data_loss,
    "Datatypes without a recorded size; their messages count as empty."};
inline constexpr FindingKind kSourceUnknown{
    "source_unknown", Severity::notice,
    "Receives from any source without a recorded status; their actual source is unknown."};
inline constexpr FindingKind kCpuTimesOnly{
    "cpu_times_only", Severity::notice,
    "Ranks with CPU times only; these were taken for times of the run, in which waiting without "
    "using the processor is missing."};
inline constexpr FindingKind kCountersLeftOut{"dumpi_counters_left_out", Severity::info,
                                              "Calls with hardware counters, which are ignored."};

/// Entering or leaving a function of the program; its name becomes a region later.
struct FunctionEvent {
  std::int64_t time_ns;
  std::string name;
  std::uint32_t before_call;
  bool enter;
};

/// What the records of one rank become, beside its calls.
struct RankResult {
  std::vector<FunctionEvent> functions;
  std::string program;  ///< command line, of MPI_Init
  std::int64_t cpu_ns = 0;
  bool finalized = false;
  Findings findings;
};

/// Turns one rank's records, in order of their begin, into calls on its own clock.
class RankBuilder {
 public:
  /// `made` is what the rank's membership events made, in the order of its file. All are used as
  /// long as the builder is.
  RankBuilder(const Trace& trace, std::int32_t rank, const FileFacts& facts,
              std::span<const MadeMembers> made, RankCallsBuilder& calls);

  /// `event`: how many membership events stand before the record in the file.
  void take(const Record& record, std::size_t event);
  RankResult finish() &&;

 private:
  /// A persistent request, which starts anew each time; or one that is under way.
  struct Request {
    std::uint32_t serial = kRequestNone;
    Operation operation = Operation::none;  ///< as it was made
    std::int32_t peer = kPeerNone;
    std::int32_t tag = 0;
    std::uint64_t bytes = 0;
    std::uint32_t comm = kCommNull;
    std::uint8_t flags = 0;
    std::size_t call = 0;      ///< that started it
    std::size_t argument = 0;  ///< of that call, where its group begins (MPI_Startall)
    bool persistent = false;
    bool under_way = false;
  };

  bool fill(const Record& record, Call& call);
  void take_function(const Record& record);
  bool take_local(const Record& record, Call& call);
  bool take_message(const Record& record, Call& call);
  bool take_sendrecv(const Record& record, Call& call);
  bool take_probe(const Record& record, Call& call);
  void take_start(const Record& record, Call& call);
  void take_completion(const Record& record, Call& call);
  void take_several(const Record& record, Call& call);
  void take_request(const Record& record, Call& call);
  bool take_collective(const Record& record, Call& call);
  bool take_one_sided(const Record& record, Call& call);
  bool take_io(const Record& record, Call& call);
  void take_maker(const Record& record, Call& call);
  void learn_members(const Record& record);

  std::uint32_t complete(std::int64_t handle, const Status* status);
  void resolve(const Request& request, const Status& status);
  void fail(Call& call);
  /// The other rank of a receive or probe, from its status where the source was a wildcard.
  bool source(std::int64_t given, const Status* status, Call& call);
  bool destination(std::int64_t given, std::uint32_t comm, std::int32_t& peer);
  std::int32_t world_rank(std::uint32_t comm, std::int64_t rank) const;
  std::int32_t root(const Record& record, const Call& call) const;
  bool find_comm(std::int64_t handle, Call& call);
  std::uint64_t bytes_of(std::int64_t count, std::int64_t type);
  void append_counts(const std::vector<std::int64_t>& counts, std::int64_t type);

  const Trace& trace_;
  std::int32_t rank_;
  const FileFacts& facts_;
  std::span<const MadeMembers> made_;
  RankCallsBuilder& calls_;
  RankResult result_;
  std::unordered_map<std::int64_t, std::uint32_t> comms_;
  std::unordered_map<std::int64_t, std::uint32_t> comm_of_win_;
  std::unordered_map<std::int64_t, std::uint32_t> comm_of_file_;
  std::unordered_map<std::int64_t, std::span<const std::int32_t>> groups_;
  std::unordered_map<std::int64_t, Request> requests_;
  std::vector<std::int64_t> args_;
  const MadeMembers* event_ = nullptr;  // of the record taken; null: it is none, or not known
  std::uint32_t last_request_ = 0;
  std::int64_t last_end_ns_ = INT64_MIN;
  std::uint16_t last_thread_ = 0;
  std::int64_t first_cpu_ns_ = kNoTime;
};

}  // namespace slackline::dumpi
