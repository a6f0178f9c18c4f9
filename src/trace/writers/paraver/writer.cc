// A .prv file is one list of records in order of time. Every thread of the trace is a stream of
// records that is ordered already, so the file is the merge of the streams, by a heap of one entry
// a thread. A communication record stands with its send; which receive it had is found beforehand
// (trace/message_pairs.h) and sorted by sender, because that is the order in which it is needed.

#include "trace/writers/paraver/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/file.h"
#include "trace/message_pairs.h"
#include "trace/writers/paraver/event_values.h"
#include "trace/writers/paraver/findings.h"
#include "trace/writers/paraver/rank_stream.h"
#include "trace/writers/paraver/side_files.h"

namespace slackline {
namespace paraver {
namespace {

constexpr std::size_t kMostBlockBytes = 8 << 10;
constexpr std::size_t kBlocksBytes = 16 << 20;  // of all streams together

std::int64_t first_time(const Trace& trace) {
  std::int64_t first = 0;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const RankCalls& calls = trace.calls(rank);
    first = std::min(first, calls.start_ns());
    for (std::size_t i = 0; i < calls.size(); ++i) first = std::min(first, calls.begin_ns(i));
  }
  return first;
}

std::vector<std::vector<Outgoing>> by_source(const Trace& trace,
                                             const std::vector<std::vector<MessagePair>>& pairs) {
  std::vector<std::vector<Outgoing>> outgoing(static_cast<std::size_t>(trace.ranks()));
  for (std::size_t to = 0; to < pairs.size(); ++to) {
    for (const MessagePair& pair : pairs[to]) {
      outgoing[static_cast<std::size_t>(pair.source)].push_back(
          {pair.send, static_cast<std::int32_t>(to), &pair});
    }
  }
  for (auto& list : outgoing) std::ranges::stable_sort(list, {}, &Outgoing::send);
  return outgoing;
}

std::vector<std::uint32_t> threads_of(const Trace& trace) {
  std::vector<std::uint32_t> threads;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const RankCalls& calls = trace.calls(rank);
    std::uint32_t most = 1;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      most = std::max(most, std::uint32_t{calls.thread(i)} + 1);
    }
    threads.push_back(most);
  }
  return threads;
}

// "2019-10-09T16:08" as "09/10/2019 at 16:08".
std::string header_date(std::string_view iso) {
  constexpr std::size_t kLength = 16;
  if (iso.size() < kLength || iso[4] != '-' || iso[7] != '-' || iso[13] != ':') {
    return "01/01/1970 at 00:00";
  }
  return fmt::format("{}/{}/{} at {}", iso.substr(8, 2), iso.substr(5, 2), iso.substr(0, 4),
                     iso.substr(11, 5));
}

// The lines "c:1:number:size:tasks"; intercommunicators have none.
std::vector<std::string> communicator_lines(const Trace& trace) {
  std::vector<std::string> lines;
  const auto line = [&](std::int64_t number, std::span<const std::int32_t> members) {
    std::string text = fmt::format("c:1:{}:{}", number, members.size());
    for (const std::int32_t member : members) text += fmt::format(":{}", member + 1);
    lines.push_back(std::move(text));
  };
  line(1, trace.communicators()[kCommWorld].members);
  // A trace of one rank says the same of MPI_COMM_SELF; the reader takes the first of each rank.
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    line(communicator_number(trace, kCommSelf, rank), std::span(&rank, 1));
  }
  for (std::uint32_t comm = kCommSelf + 1; comm < trace.communicators().size(); ++comm) {
    const Communicator& c = trace.communicators()[comm];
    if (!c.is_inter() && !c.members.empty()) {
      line(communicator_number(trace, comm, 0), c.members);
    }
  }
  return lines;
}

std::string header(const Trace& trace, const Nodes& nodes, std::span<const std::uint32_t> threads,
                   std::int64_t duration) {
  const std::vector<std::string> communicators = communicator_lines(trace);
  std::string text =
      fmt::format("#Paraver ({}):{}_ns:{}({}):1:{}(", header_date(trace.info().started), duration,
                  nodes.names.size(), fmt::join(nodes.processors, ","), trace.ranks());
  for (std::size_t rank = 0; rank < threads.size(); ++rank) {
    text += fmt::format("{}{}:{}", rank == 0 ? "" : ",", threads[rank], nodes.of_rank[rank] + 1);
  }
  text += fmt::format("),{}\n", communicators.size());
  for (const std::string& line : communicators) text += line + '\n';
  return text;
}

std::int64_t duration_of(const Trace& trace, std::int64_t zero) {
  std::int64_t last = zero;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const RankCalls& calls = trace.calls(rank);
    last = std::max(last, calls.stop_ns());
    for (std::size_t i = 0; i < calls.size(); ++i) last = std::max(last, calls.end_ns(i));
    for (const Pause& pause : calls.pauses()) last = std::max(last, pause.end_ns);
  }
  return last - zero;
}

std::vector<RankStream> streams_of(const WriterContext& context,
                                   std::span<const std::uint32_t> threads) {
  // Long stretches of one stream go out in one piece; many streams must not need much memory.
  const std::size_t block_bytes = std::min(kMostBlockBytes, kBlocksBytes / threads.size());
  std::vector<RankStream> streams;
  for (std::size_t rank = 0; rank < threads.size(); ++rank) {
    std::vector<bool> used(threads[rank], false);
    used[0] = true;
    const RankCalls& calls = context.trace.calls(static_cast<std::int32_t>(rank));
    for (std::size_t i = 0; threads[rank] > 1 && i < calls.size(); ++i)
      used[calls.thread(i)] = true;
    for (std::size_t thread = 0; thread < used.size(); ++thread) {
      if (!used[thread]) continue;
      streams.emplace_back(context, static_cast<std::int32_t>(rank),
                           static_cast<std::uint16_t>(thread), block_bytes);
    }
  }
  return streams;
}

void write_records(const WriterContext& context, std::span<const std::uint32_t> threads,
                   OutputFile& file) {
  std::vector<RankStream> streams = streams_of(context, threads);
  struct Head {
    std::int64_t time;
    std::size_t stream;
    bool operator<(const Head& other) const {  // the heap's top is the earliest
      return time != other.time ? time > other.time : stream > other.stream;
    }
  };
  std::vector<Head> heads;
  for (std::size_t s = 0; s < streams.size(); ++s) {
    if (streams[s].has_record()) heads.push_back({streams[s].time(), s});
  }
  std::make_heap(heads.begin(), heads.end());
  while (!heads.empty()) {
    std::pop_heap(heads.begin(), heads.end());
    Head& head = heads.back();
    RankStream& stream = streams[head.stream];
    const std::int64_t until = heads.size() > 1 ? heads.front().time : INT64_MAX;
    bool more = true;
    do {
      file.write(stream.take(until));
      more = stream.has_record();
    } while (more && stream.time() < until);
    if (more) {
      head.time = stream.time();
      std::push_heap(heads.begin(), heads.end());
    } else {
      heads.pop_back();
    }
  }
}

// What the format cannot hold.
class Losses {
 public:
  explicit Losses(const Trace& trace) : trace_(trace) {
    if (!trace.timed()) findings_.add(kUntimed);
    for (const Communicator& c : trace.communicators()) {
      if (c.is_inter()) findings_.add(kIntercommunicator, c.name);
    }
    for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
      const RankCalls& calls = trace.calls(rank);
      for (std::size_t i = 0; i < calls.size(); ++i) add(calls[i]);
    }
  }

  Findings with_messages(std::uint64_t pairs) {
    const std::uint64_t ends = sends_ + receives_;
    if (ends > 2 * pairs) findings_.add(kUnmatched, {}, ends - 2 * pairs);
    return std::move(findings_);
  }

 private:
  void add(const Call& call) {
    const OperationClass c = operation_class(call.operation);
    const bool sendrecv = c == OperationClass::sendrecv;
    const bool send = c == OperationClass::send || c == OperationClass::isend || sendrecv;
    const bool receive = c == OperationClass::recv || c == OperationClass::irecv;
    sends_ += send && exists(call.peer) ? 1 : 0;
    receives_ += receive && exists(call.peer) ? 1 : 0;
    receives_ += sendrecv && !call.args.empty() && exists(call.args[0]) ? 1 : 0;
    if ((send || receive) && call.comm != kCommWorld) findings_.add(kCommunicatorsOfMessages);
    if ((receive && (call.has(SLK_FLAG_ANY_SOURCE) || call.has(SLK_FLAG_ANY_TAG))) ||
        (sendrecv && call.args.size() == 4 && call.args[3] != 0)) {
      findings_.add(kWildcardsLost);
    }
    if ((c == OperationClass::collective || c == OperationClass::icollective) &&
        !call.args.empty()) {
      findings_.add(kContributions);
    }
  }
  bool exists(std::int64_t peer) const { return peer >= 0 && peer < trace_.ranks(); }

  const Trace& trace_;
  Findings findings_;
  std::uint64_t sends_ = 0;
  std::uint64_t receives_ = 0;
};

}  // namespace
}  // namespace paraver

Findings write_paraver(const Trace& trace, const std::filesystem::path& path) {
  using namespace paraver;
  const auto pairs = pair_messages(trace);
  const WriterContext context{trace, first_time(trace), by_source(trace, pairs)};
  const Nodes nodes = nodes_of(trace);
  const std::vector<std::uint32_t> threads = threads_of(trace);

  OutputFile file(path);
  file.write(header(trace, nodes, threads, duration_of(trace, context.zero_ns)));
  write_records(context, threads, file);
  file.commit();

  const auto beside = [&](std::string_view extension) {
    return std::filesystem::path(path).replace_extension(extension);
  };
  write_file(beside(".pcf"), pcf_text(trace));
  write_file(beside(".row"), row_text(trace, nodes, threads));
  write_file(beside(".mpi_calls.cfg"), mpi_calls_cfg());
  write_file(beside(".useful_duration.cfg"), useful_duration_cfg());
  if (!trace.regions().empty()) write_file(beside(".user_functions.cfg"), user_functions_cfg());

  std::uint64_t messages = 0;
  for (const auto& list : pairs) messages += list.size();
  return Losses(trace).with_messages(messages);
}

}  // namespace slackline
