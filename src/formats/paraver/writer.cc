// A .prv file is one list of records in order of time. It is made in pieces, each a window of time:
// all threads' records of a window are formatted, sorted and written together. Where a thread's
// records of each window begin is found beforehand by one pass over its calls, so that windows can
// be made side by side. A communication record stands with its send; which receive it had is found
// beforehand, too (calls/call_matching.h).

#include "formats/paraver/paraver.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/parallel.h"
#include "calls/call_matching.h"
#include "formats/findings.h"
#include "formats/paraver/event_values.h"
#include "formats/paraver/findings.h"
#include "formats/paraver/rank_stream.h"
#include "formats/paraver/writer.h"

namespace slackline {
namespace paraver {
namespace {

// For all threads together. A window costs each thread one call that is formatted twice.
constexpr std::size_t kWindowCalls = 2048;
constexpr std::size_t kWindowCallsOfThread = 16;

struct RankExtent {
  std::int64_t first = 0;
  std::int64_t last = INT64_MIN;
  std::vector<bool> threads{true};  // that have calls; the first one has records without
};

RankExtent extent_of(const RankCalls& calls) {
  RankExtent extent;
  extent.first = std::min(extent.first, calls.start_ns());
  extent.last = calls.stop_ns();
  for (const Pause& pause : calls.pauses()) extent.last = std::max(extent.last, pause.end_ns);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    extent.first = std::min(extent.first, calls.begin_ns(i));
    extent.last = std::max(extent.last, calls.end_ns(i));
    const std::size_t thread = calls.thread(i);
    if (thread >= extent.threads.size()) extent.threads.resize(thread + 1);
    extent.threads[thread] = true;
  }
  return extent;
}

std::vector<RankExtent> extents_of(const Trace& trace) {
  std::vector<RankExtent> extents(static_cast<std::size_t>(trace.ranks()));
  parallel_for(extents.size(), [&](std::size_t rank) {
    extents[rank] = extent_of(trace.calls(static_cast<std::int32_t>(rank)));
  });
  return extents;
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

/// Where a window ends: before a thread's step, or what comes at the same time in later threads.
struct WindowBound {
  std::int64_t time;
  std::size_t stream;
  std::uint64_t step;
  auto operator<=>(const WindowBound&) const = default;

  RecordPlace place_in(std::size_t other) const {
    return {time, other < stream ? UINT64_MAX : other == stream ? step : 0};
  }
};

class RecordWriter {
 public:
  RecordWriter(const WriterContext& context, std::span<const RankExtent> extents)
      : context_(context) {
    first_stream_.reserve(extents.size());
    for (std::size_t rank = 0; rank < extents.size(); ++rank) {
      first_stream_.push_back(streams_.size());
      for (std::size_t thread = 0; thread < extents[rank].threads.size(); ++thread) {
        if (!extents[rank].threads[thread]) continue;
        streams_.push_back({static_cast<std::int32_t>(rank), static_cast<std::uint16_t>(thread)});
      }
    }
    find_bounds();
    find_positions();
  }

  void write(OutputFile& file) {
    file.write_pieces(bounds_.size() + 1, [this](std::size_t window, FilePiece& piece) {
      std::unique_ptr<RecordBlock> block = take_block();
      make(window, *block);
      block->append_to(piece.text());
      give_back(std::move(block));
    });
  }

 private:
  // From a sample of the calls, and of what else there may be many of.
  void find_bounds() {
    constexpr std::size_t kStride = 64;
    std::vector<std::vector<WindowBound>> samples(first_stream_.size());
    parallel_for(samples.size(), [&](std::size_t rank) {
      const RankCalls& calls = context_.trace.calls(static_cast<std::int32_t>(rank));
      const std::size_t stream = first_stream_[rank];
      for (std::size_t i = kStride / 2; i < calls.size(); i += kStride)
        samples[rank].push_back({calls.begin_ns(i), stream, i + 1});
      const auto regions = calls.regions();
      for (std::size_t i = kStride / 2; i < regions.size(); i += kStride)
        samples[rank].push_back(
            {regions[i].time_ns, stream, regions[i].before_call + std::uint64_t{1}});
    });
    std::vector<WindowBound> all;
    for (const auto& part : samples) all.insert(all.end(), part.begin(), part.end());
    std::ranges::sort(all);
    const std::size_t calls = std::max(kWindowCalls, kWindowCallsOfThread * streams_.size());
    const std::size_t stride = calls / kStride;
    for (std::size_t i = stride; i < all.size(); i += stride) bounds_.push_back(all[i]);
    const auto repeated = std::ranges::unique(bounds_);
    bounds_.erase(repeated.begin(), repeated.end());
  }

  void find_positions() {
    positions_.resize(streams_.size());
    parallel_for(streams_.size(), [&](std::size_t s) {
      std::vector<RecordPlace> places{kBeforeAll};
      for (const WindowBound& bound : bounds_) places.push_back(bound.place_in(s));
      positions_[s] =
          stream_positions(context_.trace.calls(streams_[s].rank), streams_[s].thread, places);
    });
  }

  void make(std::size_t window, RecordBlock& block) const {
    block.clear();
    for (std::size_t s = 0; s < streams_.size(); ++s) {
      const RecordPlace first = window == 0 ? kBeforeAll : bounds_[window - 1].place_in(s);
      const RecordPlace end = window == bounds_.size() ? kBehindAll : bounds_[window].place_in(s);
      block.begin_thread(streams_[s].rank, streams_[s].thread, first, end);
      RankStream(context_, streams_[s], positions_[s][window], block).make();
    }
  }

  std::unique_ptr<RecordBlock> take_block() {
    const std::lock_guard lock(mutex_);
    if (blocks_.empty()) return std::make_unique<RecordBlock>();
    std::unique_ptr<RecordBlock> block = std::move(blocks_.back());
    blocks_.pop_back();
    return block;
  }
  void give_back(std::unique_ptr<RecordBlock> block) {
    const std::lock_guard lock(mutex_);
    blocks_.push_back(std::move(block));
  }

  static constexpr RecordPlace kBeforeAll{INT64_MIN, 0};
  static constexpr RecordPlace kBehindAll{INT64_MAX, UINT64_MAX};

  const WriterContext& context_;
  std::vector<StreamThread> streams_;
  std::vector<std::size_t> first_stream_;               // of each rank
  std::vector<WindowBound> bounds_;                     // between windows
  std::vector<std::vector<StreamPosition>> positions_;  // of each stream at each window
  std::mutex mutex_;
  std::vector<std::unique_ptr<RecordBlock>> blocks_;  // that nobody uses
};

// What the format cannot hold.
class Losses {
 public:
  explicit Losses(const Trace& trace) : trace_(trace) {
    findings_.add(kFactsLost);
    if (!trace.timed()) findings_.add(kUntimed);
    if (trace.info().flops_per_second > 0) findings_.add(kFlops);
    for (const Communicator& c : trace.communicators()) {
      if (c.is_inter()) findings_.add(kIntercommunicator, c.name);
    }
    std::vector<OfRank> ranks(static_cast<std::size_t>(trace.ranks()));
    parallel_for(ranks.size(), [&](std::size_t rank) {
      const RankCalls& calls = trace.calls(static_cast<std::int32_t>(rank));
      for (std::size_t i = 0; i < calls.size(); ++i) add(calls[i], ranks[rank]);
    });
    for (const OfRank& rank : ranks) {
      findings_.merge(rank.findings);
      message_ends_ += rank.message_ends;
    }
  }

  Findings with_messages(std::uint64_t pairs) {
    if (message_ends_ > 2 * pairs) findings_.add(kUnmatched, {}, message_ends_ - 2 * pairs);
    return std::move(findings_);
  }

 private:
  struct OfRank {
    Findings findings;
    std::uint64_t message_ends = 0;
  };

  void add(const Call& call, OfRank& rank) const {
    const OperationClass c = operation_class(call.operation);
    const bool sendrecv = c == OperationClass::sendrecv;
    const bool send = c == OperationClass::send || c == OperationClass::isend || sendrecv;
    const bool receive = c == OperationClass::recv || c == OperationClass::irecv;
    rank.message_ends += send && exists(call.peer) ? 1 : 0;
    rank.message_ends += receive && exists(call.peer) ? 1 : 0;
    rank.message_ends += sendrecv && !call.args.empty() && exists(call.args[0]) ? 1 : 0;
    if ((send || receive) && call.comm != kCommWorld) rank.findings.add(kCommunicatorsOfMessages);
    if ((receive && (call.has(SLK_FLAG_ANY_SOURCE) || call.has(SLK_FLAG_ANY_TAG))) ||
        (sendrecv && call.args.size() == 4 && call.args[3] != 0)) {
      rank.findings.add(kWildcardsLost);
    }
  }
  bool exists(std::int64_t peer) const { return peer >= 0 && peer < trace_.ranks(); }

  const Trace& trace_;
  Findings findings_;
  std::uint64_t message_ends_ = 0;
};

}  // namespace
}  // namespace paraver

Findings write_paraver(const Trace& trace, const CallMatching& matching,
                       const std::filesystem::path& path) {
  using namespace paraver;
  const std::vector<RankExtent> extents = extents_of(trace);
  WriterContext context{trace, matching, 0};
  std::int64_t last = INT64_MIN;
  std::vector<std::uint32_t> threads;
  for (const RankExtent& extent : extents) {
    context.zero_ns = std::min(context.zero_ns, extent.first);
    last = std::max(last, extent.last);
    threads.push_back(static_cast<std::uint32_t>(extent.threads.size()));
  }
  const Nodes nodes = nodes_of(trace);

  OutputFile file(path);
  file.write(header(trace, nodes, threads, std::max<std::int64_t>(0, last - context.zero_ns)));
  RecordWriter(context, extents).write(file);
  file.commit();

  const auto beside = [&](std::string_view extension) {
    return std::filesystem::path(path).replace_extension(extension);
  };
  write_file(beside(".pcf"), pcf_text(trace));
  write_file(beside(".row"), row_text(trace, nodes, threads));
  write_file(beside(".mpi_calls.cfg"), mpi_calls_cfg());
  write_file(beside(".useful_duration.cfg"), useful_duration_cfg());
  if (!trace.regions().empty()) write_file(beside(".user_functions.cfg"), user_functions_cfg());

  return Losses(trace).with_messages(matching.matched_count());
}

}  // namespace slackline
