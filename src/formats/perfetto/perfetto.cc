// Perfetto's trace format: a sequence of packets, each a protobuf message. Tracks are described
// once (a process per rank, a thread track per thread) and named by numbers; slices begin and end
// in packets of their own. Names are interned: a packet at the start gives each a number.

#include "formats/perfetto/perfetto.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "base/file.h"
#include "formats/perfetto/slices.h"
#include "formats/perfetto/track_events.h"

namespace slackline {
namespace {

// Annotations of a call's slice, by iid - 1.
constexpr std::array<std::string_view, 4> kAnnotations{"peer", "bytes", "tag", "comm"};

/// One end of each flow, in the order of calls.
class FlowEnds {
  using Place = std::pair<std::int32_t, std::uint32_t>;
  using End = std::pair<Place, std::uint64_t>;

 public:
  void add(std::int32_t rank, std::uint32_t call, std::uint64_t flow) {
    ends_.push_back({{rank, call}, flow});
  }
  void sort() { std::ranges::sort(ends_); }

  /// To be asked for calls in their order, from one of them on.
  class Cursor {
   public:
    Cursor(const FlowEnds& flows, std::int32_t rank, std::size_t call)
        : ends_(flows.ends_),
          next_(static_cast<std::size_t>(
              std::ranges::lower_bound(ends_, place(rank, call), {}, &End::first) -
              ends_.begin())) {}
    /// Calls visit(flow) for each at that call.
    template <class Visit>
    void for_each_at(std::int32_t rank, std::size_t call, Visit visit) {
      const Place here = place(rank, call);
      while (next_ < ends_.size() && ends_[next_].first < here) ++next_;
      for (; next_ < ends_.size() && ends_[next_].first == here; ++next_) {
        visit(ends_[next_].second);
      }
    }

   private:
    static Place place(std::int32_t rank, std::size_t call) {
      return {rank, static_cast<std::uint32_t>(call)};
    }
    const std::vector<End>& ends_;
    std::size_t next_;
  };

 private:
  std::vector<End> ends_;
};

/// What all pieces of the file know.
struct Drawn {
  Drawn(const Trace& drawn, const TimelineExtras& beside) : trace(drawn), extras(beside) {
    for (std::size_t i = 0; i < extras.flows.size(); ++i) {
      const TimelineFlow& flow = extras.flows[i];
      starts.add(flow.from_rank, flow.from_call, i + 1);
      ends.add(flow.to_rank, flow.to_call, i + 1);
    }
    starts.sort();
    ends.sort();
    for (std::int32_t r = 0; r < trace.ranks(); ++r) {
      const RankCalls& calls = trace.calls(r);
      zero_ns = std::min(zero_ns, calls.start_ns());
      if (!calls.empty()) zero_ns = std::min(zero_ns, calls.begin_ns(0));
      for (const RegionEvent& e : calls.regions()) zero_ns = std::min(zero_ns, e.time_ns);
    }
  }

  const Trace& trace;
  const TimelineExtras& extras;
  FlowEnds starts{}, ends{};
  std::int64_t zero_ns = 0;
};

std::uint64_t process_uuid(std::int32_t rank) {
  return (static_cast<std::uint64_t>(rank) + 1) << 20;
}
std::uint64_t thread_uuid(std::int32_t rank, std::uint16_t thread) {
  return process_uuid(rank) + thread + 1;
}
std::uint64_t region_iid(std::uint32_t region) {
  return kOperationCount + region + 1;
}

/// The number of an extra track: behind those of counters and of threads.
std::uint64_t track_uuid(std::int32_t rank, std::size_t track) {
  constexpr std::uint64_t kFirst = std::uint64_t{1} << 19;
  return (rank < 0 ? 0 : process_uuid(rank)) + kFirst + track % kFirst;
}

/// Appends packets to a piece of the file.
class PacketWriter {
 public:
  PacketWriter(const Drawn& drawn, FilePiece& file)
      : drawn_(drawn), trace_(drawn.trace), events_(file, drawn.zero_ns) {}

  void write_names() {
    ProtoMessage data;
    for (std::size_t op = 0; op < kOperationCount; ++op) {
      const std::string_view name = mpi_name(static_cast<Operation>(op));
      TrackEvents::intern(data, interned::kEventNames, op + 1, name.empty() ? "MPI call" : name);
    }
    for (std::uint32_t r = 0; r < trace_.regions().size(); ++r) {
      TrackEvents::intern(data, interned::kEventNames, region_iid(r), trace_.regions()[r]);
    }
    for (std::uint32_t n = 0; n < drawn_.extras.names.size(); ++n) {
      TrackEvents::intern(data, interned::kEventNames, extra_iid(n), drawn_.extras.names[n]);
    }
    for (std::size_t a = 0; a < kAnnotations.size(); ++a) {
      TrackEvents::intern(data, interned::kAnnotationNames, a + 1, kAnnotations[a]);
    }
    events_.names(data);
  }

  void write_slices(SlicePiece piece) {
    const std::int32_t rank = piece.rank;
    if (piece.is_first) describe(rank);
    FlowEnds::Cursor starts(drawn_.starts, rank, piece.first_call);
    FlowEnds::Cursor ends(drawn_.ends, rank, piece.first_call);
    for_each_slice(
        trace_.calls(rank), piece, [&](std::size_t i) { write_call(rank, i, starts, ends); },
        [&](std::int64_t ns, std::uint32_t region, bool enter) {
          if (enter) {
            events_.begin(ns, thread_uuid(rank, 0), region_iid(region), "region");
          } else {
            events_.end(ns, thread_uuid(rank, 0));
          }
          events_.write();
          events_.flush();
        });
  }

  void write_tracks() {
    for (std::size_t t = 0; t < drawn_.extras.tracks.size(); ++t) {
      const TimelineTrack& track = drawn_.extras.tracks[t];
      const std::uint64_t uuid = track_uuid(track.rank, t);
      events_.describe_track(uuid, track.rank < 0 ? 0 : process_uuid(track.rank), track.name);
      for (const TimelineTrack::Interval& interval : track.intervals) {
        events_.begin(interval.begin_ns, uuid, extra_iid(interval.name), track.name);
        events_.write();
        events_.end(interval.end_ns, uuid);
        events_.write();
        events_.flush();
      }
    }
  }

  void write_counters() {
    const std::span<const TimelineCounter> counters = drawn_.extras.counters;
    for (std::size_t c = 0; c < counters.size(); ++c) {
      const std::uint64_t uuid = c + 1;
      events_.describe_counter(uuid, counters[c].name);
      for (const auto& [ns, value] : counters[c].points) {
        events_.count(ns, uuid, value);
        events_.write();
        events_.flush();
      }
    }
  }

 private:
  std::uint64_t extra_iid(std::uint32_t name) const {
    return region_iid(static_cast<std::uint32_t>(trace_.regions().size()) + name);
  }

  void describe(std::int32_t rank) {
    const auto number = static_cast<std::uint64_t>(rank) + 1;
    const std::string& host = trace_.rank_info(rank).host;
    events_.describe_process(
        process_uuid(rank), number,
        host.empty() ? fmt::format("rank {}", rank) : fmt::format("rank {} on {}", rank, host));
    const RankCalls& calls = trace_.calls(rank);
    std::vector<std::uint16_t> threads{0};
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const std::uint16_t thread = calls.thread(i);
      if (std::ranges::find(threads, thread) == threads.end()) threads.push_back(thread);
    }
    for (const std::uint16_t thread : threads) {
      const std::uint64_t tid = (static_cast<std::uint64_t>(thread) << 24) + number;
      events_.describe_thread(thread_uuid(rank, thread), number, tid,
                              thread == 0 ? "MPI" : fmt::format("MPI, thread {}", thread));
    }
  }

  void annotate(ProtoMessage& event, std::uint64_t iid, std::int64_t value) {
    annotation_.clear();
    annotation_.varint(interned::kAnnotationNameIid, iid);
    annotation_.varint(interned::kAnnotationInt, static_cast<std::uint64_t>(value));
    event.bytes(event::kAnnotation, annotation_.view());
  }

  void write_call(std::int32_t rank, std::size_t i, FlowEnds::Cursor& starts,
                  FlowEnds::Cursor& ends) {
    const Call call = trace_.calls(rank)[i];
    const std::uint64_t uuid = thread_uuid(rank, call.thread);
    ProtoMessage& begin =
        events_.begin(call.begin_ns, uuid, static_cast<std::uint64_t>(call.operation) + 1, "mpi");
    if (call.peer != kPeerNone) annotate(begin, 1, call.peer);
    if (call.bytes > 0) annotate(begin, 2, static_cast<std::int64_t>(call.bytes));
    if (call.tag != 0) annotate(begin, 3, call.tag);
    if (call.comm != kCommWorld) annotate(begin, 4, call.comm);
    // The earliest event of a flow is its source. A receive may begin before its send, but it ends
    // after that, so flows leave with a call's begin and arrive with its end.
    starts.for_each_at(rank, i, [&](std::uint64_t flow) { begin.fixed64(event::kFlow, flow); });
    events_.write();
    ProtoMessage& end = events_.end(call.end_ns, uuid);
    ends.for_each_at(rank, i,
                     [&](std::uint64_t flow) { end.fixed64(event::kTerminatingFlow, flow); });
    events_.write();
  }

  const Drawn& drawn_;
  const Trace& trace_;
  TrackEvents events_;
  ProtoMessage annotation_;
};

}  // namespace

Findings write_perfetto(const Trace& trace, const std::filesystem::path& path,
                        const TimelineExtras& extras) {
  const Drawn drawn(trace, extras);
  const std::vector<SlicePiece> slices = slice_pieces(trace);
  OutputFile file(path);
  // Names come first, for all that follows refers to them; extra tracks and counters last.
  file.write_pieces(slices.size() + 2, [&](std::size_t index, FilePiece& piece) {
    PacketWriter packets(drawn, piece);
    if (index == 0) {
      packets.write_names();
    } else if (index <= slices.size()) {
      packets.write_slices(slices[index - 1]);
    } else {
      packets.write_tracks();
      packets.write_counters();
    }
  });
  file.commit();
  return {};
}

}  // namespace slackline
