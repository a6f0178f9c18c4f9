#include "replay/replay_file.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "calls/findings.h"
#include "calls/run_span.h"
#include "replay/rank_program.h"
#include "replay/step_list.h"
#include "replay/stripped_program.h"
#include "trace/replay_wire.h"

namespace slackline {
namespace {

[[noreturn]] void refuse(const std::string& why, std::string_view what_to_do) {
  throw Error("cannot replay the trace", why, what_to_do);
}

void check_ranks(const Trace& trace) {
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    if (!trace.rank_info(r).present || trace.calls(r).empty()) {
      refuse(fmt::format("it has no calls of rank {}", r), "Record all ranks of the program.");
    }
  }
  if (trace.info().lost_calls > 0) {
    refuse(fmt::format("{} of its calls were lost", trace.info().lost_calls),
           "Record the program again, with more space for the recording.");
  }
}

void check_calls(const Trace& trace) {
  std::map<Operation, std::uint64_t> beyond;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (calls.thread(i) != 0) {
        refuse(fmt::format("several threads of rank {} call MPI", r),
               "Record a run in which one thread calls MPI.");
      }
      if (calls.has(i, SLK_FLAG_UNFINISHED)) {
        refuse(fmt::format("rank {} died in {}", r, mpi_name(calls.operation(i))),
               "Record a run that comes to its end.");
      }
      if (calls.operation(i) == Operation::abort) {
        refuse(fmt::format("rank {} ended the run by MPI_Abort", r),
               "Record a run that comes to its end.");
      }
      if (is_beyond_replay(calls.operation(i))) ++beyond[calls.operation(i)];
    }
  }
  if (beyond.empty()) return;
  std::string names;
  for (const auto& [operation, count] : beyond) {
    names += fmt::format("{}{} ({}×)", names.empty() ? "" : ", ", mpi_name(operation), count);
  }
  refuse(fmt::format("it has operations that cannot be replayed: {}", names),
         "Take their time for computation with --skip-unsupported.");
}

void check_matching(const CallMatching& matching) {
  for (const FindingKind* kind : {&kUnmatchedSend, &kUnmatchedReceive, &kBadPeer,
                                  &kCollectiveIncomplete, &kCollectiveMismatch}) {
    for (const Findings::Entry& entry : matching.findings().entries()) {
      if (entry.name != kind->name) continue;
      const std::string where =
          entry.examples.empty() ? std::string() : fmt::format("; {}", entry.examples.front());
      std::string_view what = "sends without a receive";
      if (kind == &kUnmatchedReceive) what = "receives without a send";
      if (kind == &kBadPeer) what = "calls that name a rank that does not exist";
      if (kind == &kCollectiveIncomplete) what = "collectives that some ranks never enter";
      if (kind == &kCollectiveMismatch) what = "different collectives that meet";
      refuse(fmt::format("it has {} ({}×{}), for which a process would wait forever", what,
                         entry.count, where),
             "Record the whole run of all ranks.");
    }
  }
}

void check_object(const std::string& why, std::string_view kind) {
  if (why.empty()) return;
  refuse(fmt::format("its {} cannot be replayed: {}", kind, why),
         "Take the time of these calls for computation with --skip-unsupported.");
}

}  // namespace

void check_replayable(const Trace& trace, const CallMatching& matching) {
  check_ranks(trace);
  check_calls(trace);
  check_matching(matching);
  check_object(WindowPlan(trace, matching).refusal(), "one-sided communication");
  check_object(FilePlan(trace, matching).refusal(), "MPI-IO");
}

ReplayFile write_replay_file(const Trace& trace, const CallMatching& matching,
                             const ReplayOptions& options, const std::filesystem::path& path) {
  const ReplayPlans plans{{trace, matching}, {trace, matching}, {trace, matching}};
  check_object(plans.windows.refusal(), "one-sided communication");
  check_object(plans.files.refusal(), "MPI-IO");
  const std::vector<std::uint64_t> received = largest_received(trace, matching);
  const std::int64_t begin = run_span(trace).analysed.begin_ns;
  ReplayFile file;
  file.common_start = options.common_start;
  const auto ranks = static_cast<std::uint32_t>(trace.ranks());
  std::string parts;
  std::string head;
  put_bytes(head, slk_replay_file{SLK_REPLAY_MAGIC, SLK_REPLAY_VERSION, ranks});
  const std::uint64_t first = head.size() + ranks * sizeof(slk_replay_part);
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    RankProgram program =
        rank_program(trace, plans, r, begin, received[static_cast<std::size_t>(r)], options);
    put_bytes(head, slk_replay_part{first + parts.size(), program.bytes.size()});
    parts += program.bytes;
    file.steps += program.calls.size();
    file.calls.push_back(std::move(program.calls));
  }
  file.bytes = head.size() + parts.size();
  OutputFile out(path);
  out.write(head);
  out.write(parts);
  out.commit();
  return file;
}

}  // namespace slackline
