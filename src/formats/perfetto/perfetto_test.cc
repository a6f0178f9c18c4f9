#include "formats/perfetto/perfetto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

#include "base/file.h"
#include "base/testing/scratch_folder.h"
#include "formats/text/text.h"
#include "trace/testing/arbitrary_trace.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

constexpr std::string_view kTrace =
    "slackline-trace 1 timed ranks=2\n"
    "rank 0 host=n0\n@100 enter \"solve\"\n@200 +50 send to=1 tag=3 bytes=8\n@300 leave \"solve\"\n"
    "rank 1\n@150 +150 recv from=0 tag=3 bytes=8\n";

// A reader of protobuf's wire format, written from its specification alone.
struct Field {
  std::uint64_t number = 0;
  std::uint64_t type = 0;
  std::uint64_t value = 0;
  std::string_view bytes{};
};

std::uint64_t varint(std::string_view& in) {
  std::uint64_t value = 0;
  for (int shift = 0; !in.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(in.front());
    in.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) break;
  }
  return value;
}

std::vector<Field> fields(std::string_view in) {
  std::vector<Field> all;
  while (!in.empty()) {
    const std::uint64_t key = varint(in);
    Field f{key >> 3, key & 7};
    if (f.type == 0) {
      f.value = varint(in);
    } else if (f.type == 1) {
      for (int b = 7; b >= 0; --b) {
        f.value = f.value << 8 | static_cast<unsigned char>(in[static_cast<std::size_t>(b)]);
      }
      in.remove_prefix(8);
    } else {
      EXPECT_EQ(f.type, 2u);
      const std::uint64_t size = varint(in);
      EXPECT_LE(size, in.size());
      f.bytes = in.substr(0, size);
      in.remove_prefix(f.bytes.size());
    }
    all.push_back(f);
  }
  return all;
}

std::optional<Field> field(std::string_view message, std::uint64_t number) {
  for (const Field& f : fields(message)) {
    if (f.number == number) return f;
  }
  return std::nullopt;
}

// The messages of Perfetto's schema that are written, as its .proto files number their fields: a
// message's name stands where its field holds one.
struct SchemaField {
  std::string_view message;
  std::uint64_t number;
  std::uint64_t type;  // of the wire: 0 varint, 1 fixed64, 2 bytes
  std::string_view content{};
};
constexpr std::array kSchema{
    SchemaField{"Trace", 1, 2, "TracePacket"},
    SchemaField{"TracePacket", 8, 0},   // timestamp
    SchemaField{"TracePacket", 10, 0},  // trusted_packet_sequence_id
    SchemaField{"TracePacket", 11, 2, "TrackEvent"},
    SchemaField{"TracePacket", 12, 2, "InternedData"},
    SchemaField{"TracePacket", 13, 0},  // sequence_flags
    SchemaField{"TracePacket", 60, 2, "TrackDescriptor"},
    SchemaField{"TrackDescriptor", 1, 0},  // uuid
    SchemaField{"TrackDescriptor", 2, 2},  // name
    SchemaField{"TrackDescriptor", 3, 2, "ProcessDescriptor"},
    SchemaField{"TrackDescriptor", 4, 2, "ThreadDescriptor"},
    SchemaField{"TrackDescriptor", 5, 0},  // parent_uuid
    SchemaField{"TrackDescriptor", 8, 2, "CounterDescriptor"},
    SchemaField{"ProcessDescriptor", 1, 0},  // pid
    SchemaField{"ProcessDescriptor", 6, 2},  // process_name
    SchemaField{"ThreadDescriptor", 1, 0},   // pid
    SchemaField{"ThreadDescriptor", 2, 0},   // tid
    SchemaField{"ThreadDescriptor", 5, 2},   // thread_name
    SchemaField{"TrackEvent", 4, 2, "DebugAnnotation"},
    SchemaField{"TrackEvent", 9, 0},       // type
    SchemaField{"TrackEvent", 10, 0},      // name_iid
    SchemaField{"TrackEvent", 11, 0},      // track_uuid
    SchemaField{"TrackEvent", 22, 2},      // categories
    SchemaField{"TrackEvent", 44, 1},      // double_counter_value
    SchemaField{"TrackEvent", 47, 1},      // flow_ids
    SchemaField{"TrackEvent", 48, 1},      // terminating_flow_ids
    SchemaField{"DebugAnnotation", 1, 0},  // name_iid
    SchemaField{"DebugAnnotation", 4, 0},  // int_value
    SchemaField{"InternedData", 2, 2, "EventName"},
    SchemaField{"InternedData", 3, 2, "DebugAnnotationName"},
    SchemaField{"EventName", 1, 0},            // iid
    SchemaField{"EventName", 2, 2},            // name
    SchemaField{"DebugAnnotationName", 1, 0},  // iid
    SchemaField{"DebugAnnotationName", 2, 2},  // name
};

// Every field of `bytes`, a message of that name, is one that the schema has, of its type.
void expect_schema(std::string_view message, std::string_view bytes) {
  for (const Field& f : fields(bytes)) {
    const auto known = std::ranges::find_if(kSchema, [&](const SchemaField& s) {
      return s.message == message && s.number == f.number && s.type == f.type;
    });
    ASSERT_NE(known, kSchema.end()) << message << " field " << f.number << " type " << f.type;
    if (!known->content.empty()) expect_schema(known->content, f.bytes);
  }
}

class Timeline : public ::testing::Test {
 protected:
  ScratchFolder folder_;
  fs::path path_ = folder_ / "timeline";
};

// Numbers below are those of trace_packet.proto, track_descriptor.proto and track_event.proto.
TEST_F(Timeline, PerfettoHasTheDocumentedFields) {
  const std::vector<TimelineFlow> flows{{0, 0, 1, 0}};
  const std::vector<TimelineCounter> counters{{"efficiency", {{100, 0.5}}}};
  write_perfetto(read_text(kTrace, "t"), path_, {flows, counters});
  const MappedFile file(path_);
  std::vector<std::string> processes;
  std::vector<std::uint64_t> begins;
  std::vector<std::uint64_t> ends;
  std::uint64_t flow_begins = 0;
  std::uint64_t flow_ends = 0;
  for (const Field& packet : fields(file.text())) {
    EXPECT_EQ(packet.number, 1u);                       // Trace.packet
    EXPECT_EQ(field(packet.bytes, 10)->value, 1u);      // trusted_packet_sequence_id
    EXPECT_TRUE(field(packet.bytes, 13).has_value());   // sequence_flags
    if (const auto track = field(packet.bytes, 60)) {   // track_descriptor
      EXPECT_TRUE(field(track->bytes, 1).has_value());  // uuid
      if (const auto process = field(track->bytes, 3)) {
        processes.emplace_back(field(process->bytes, 6)->bytes);
      }
    }
    const auto event = field(packet.bytes, 11);  // track_event
    if (!event) continue;
    const std::uint64_t time = field(packet.bytes, 8)->value;
    const std::uint64_t type = field(event->bytes, 9)->value;
    if (type == 1) begins.push_back(time);
    if (type == 2) ends.push_back(time);
    if (type == 4) {
      EXPECT_EQ(field(event->bytes, 44)->type, 1u);  // double_counter_value
    }
    if (const auto flow = field(event->bytes, 47)) {
      EXPECT_EQ(flow->type, 1u);  // fixed64
      flow_begins = flow->value;
    }
    if (const auto flow = field(event->bytes, 48)) flow_ends = flow->value;
  }
  EXPECT_THAT(processes, ElementsAre("rank 0 on n0", "rank 1"));
  EXPECT_THAT(begins, ElementsAre(100, 200, 150));
  EXPECT_THAT(ends, ElementsAre(250, 300, 300));
  EXPECT_EQ(flow_begins, flow_ends);
  EXPECT_NE(flow_begins, 0u);
}

TEST_F(Timeline, PerfettoHasNothingButTheSchemasFields) {
  EXPECT_TRUE(rc::check([&] {
    const Trace trace = testing::arbitrary_trace();
    const std::vector<TimelineFlow> flows{{0, 0, 0, 1}};
    const std::vector<TimelineCounter> counters{{"transfer", {{0, 0.25}, {7, 1}}}};
    const std::vector<TimelineTrack> tracks{{"path", -1, {{0, 7, 1}}}, {"waits", 0, {{3, 4, 0}}}};
    const std::vector<std::string> names{"late sender", "rank 0: computation"};
    write_perfetto(trace, path_, {flows, counters, tracks, names});
    expect_schema("Trace", MappedFile(path_).text());
    RC_ASSERT(!HasFailure());
  }));
}

TEST_F(Timeline, TracksStandBesideTheCalls) {
  const std::vector<TimelineTrack> tracks{{"critical path", -1, {{100, 150, 1}, {150, 300, 2}}},
                                          {"wait states", 1, {{150, 200, 0}}}};
  const std::vector<std::string> names{"late sender", "rank 0: computation", "rank 1: MPI_Recv"};
  write_perfetto(read_text(kTrace, "t"), path_, {{}, {}, tracks, names});
  const MappedFile file(path_);
  std::map<std::uint64_t, std::string> interned;
  std::map<std::uint64_t, std::string> named;  // tracks, by uuid
  std::map<std::uint64_t, std::uint64_t> parents;
  std::map<std::uint64_t, std::string> processes;
  std::vector<std::tuple<std::string, std::uint64_t, std::string>> begins;
  for (const Field& packet : fields(file.text())) {
    if (const auto data = field(packet.bytes, 12)) {
      for (const Field& name : fields(data->bytes)) {
        if (name.number != 2) continue;
        interned[field(name.bytes, 1)->value] = field(name.bytes, 2)->bytes;
      }
    }
    if (const auto track = field(packet.bytes, 60)) {
      const std::uint64_t uuid = field(track->bytes, 1)->value;
      if (const auto name = field(track->bytes, 2)) named[uuid] = name->bytes;
      if (const auto parent = field(track->bytes, 5)) parents[uuid] = parent->value;
      if (const auto process = field(track->bytes, 3)) {
        processes[uuid] = field(process->bytes, 6)->bytes;
      }
    }
    const auto event = field(packet.bytes, 11);
    if (!event || field(event->bytes, 9)->value != 1) continue;
    const std::uint64_t uuid = field(event->bytes, 11)->value;
    if (!named.contains(uuid)) continue;
    const std::string on = parents.contains(uuid) ? processes[parents[uuid]] : "run";
    begins.emplace_back(on + ", " + named[uuid], field(packet.bytes, 8)->value,
                        interned[field(event->bytes, 10)->value]);
  }
  EXPECT_THAT(begins, ElementsAre(std::tuple("run, critical path", 100u, "rank 0: computation"),
                                  std::tuple("run, critical path", 150u, "rank 1: MPI_Recv"),
                                  std::tuple("rank 1, wait states", 150u, "late sender")));
}

// The trace processor takes a flow's earliest event for its source.
TEST_F(Timeline, ArrowsLeaveWithTheSendAndArriveWithTheReceivesEnd) {
  const std::vector<TimelineFlow> flows{{0, 0, 1, 0}};
  write_perfetto(read_text(kTrace, "t"), path_, {flows, {}});
  const MappedFile file(path_);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> leaves;  // time, type of event
  std::vector<std::pair<std::uint64_t, std::uint64_t>> arrives;
  for (const Field& packet : fields(file.text())) {
    const auto event = field(packet.bytes, 11);
    if (!event) continue;
    const std::pair at{field(packet.bytes, 8)->value, field(event->bytes, 9)->value};
    if (field(event->bytes, 47)) leaves.push_back(at);
    if (field(event->bytes, 48)) arrives.push_back(at);
  }
  EXPECT_THAT(leaves, ElementsAre(std::pair(200u, 1u)));
  EXPECT_THAT(arrives, ElementsAre(std::pair(300u, 2u)));
}

TEST_F(Timeline, NamesAreInterned) {
  write_perfetto(read_text(kTrace, "t"), path_);
  const MappedFile file(path_);
  const auto packets = fields(file.text());
  const auto interned = field(packets.front().bytes, 12);
  ASSERT_TRUE(interned);
  EXPECT_EQ(field(packets.front().bytes, 13)->value, 1u);  // incremental state cleared
  bool found = false;
  for (const Field& entry : fields(interned->bytes)) {
    if (entry.number == 2 && field(entry.bytes, 2)->bytes == "MPI_Send") {
      found = field(entry.bytes, 1)->value == static_cast<std::uint64_t>(Operation::send) + 1;
    }
  }
  EXPECT_TRUE(found);
}

TEST_F(Timeline, ChromeJsonIsJson) {
  write_chrome_json(read_text(kTrace, "t"), path_);
  const auto json = nlohmann::json::parse(MappedFile(path_).text());
  const auto& events = json["traceEvents"];
  ASSERT_EQ(events.size(), 6u);
  EXPECT_EQ(events[2]["name"], "MPI_Send");
  EXPECT_EQ(events[2]["ts"], 0.2);
  EXPECT_EQ(events[2]["dur"], 0.05);
  EXPECT_EQ(events[2]["args"]["peer"], 1);
}

TEST_F(Timeline, CsvHasALineForEachCall) {
  write_operations_csv(read_text(kTrace, "t"), path_);
  EXPECT_EQ(MappedFile(path_).text(),
            "rank,call,thread,operation,begin_ns,end_ns,bytes,peer,tag,comm,request,flags,region,"
            "function\n"
            "0,0,0,MPI_Send,200,250,8,1,3,0,0,0,solve,\n"
            "1,0,0,MPI_Recv,150,300,8,0,3,0,0,0,,\n");
}

/// A slice as a track shows it: its process and thread, name, begin and end.
using ShownSlice = std::tuple<std::string, std::string, std::string, std::uint64_t, std::uint64_t>;

struct ShownTimeline {
  std::vector<ShownSlice> slices{};
  std::map<std::uint64_t, std::vector<std::string>> arrows{};  ///< names of slices by flow
};

/// What Perfetto shows: slices of a track are a stack, which is empty at the end.
ShownTimeline shown(std::string_view file) {
  struct Track {
    std::string name;
    std::uint64_t pid = 0;
    std::vector<std::pair<std::string, std::uint64_t>> open{};
  };
  ShownTimeline timeline;
  std::map<std::uint64_t, std::string> names;
  std::map<std::uint64_t, std::string> processes;
  std::map<std::uint64_t, Track> tracks;
  for (const Field& packet : fields(file)) {
    if (const auto data = field(packet.bytes, 12)) {
      for (const Field& name : fields(data->bytes)) {
        if (name.number == 2) names[field(name.bytes, 1)->value] = field(name.bytes, 2)->bytes;
      }
    }
    if (const auto track = field(packet.bytes, 60)) {
      if (const auto process = field(track->bytes, 3)) {
        processes[field(process->bytes, 1)->value] = field(process->bytes, 6)->bytes;
      }
      if (const auto thread = field(track->bytes, 4)) {
        tracks[field(track->bytes, 1)->value] = {std::string(field(thread->bytes, 5)->bytes),
                                                 field(thread->bytes, 1)->value};
      }
    }
    const auto event = field(packet.bytes, 11);
    if (!event) continue;
    Track& track = tracks.at(field(event->bytes, 11)->value);
    const std::uint64_t time = field(packet.bytes, 8)->value;
    if (field(event->bytes, 9)->value == 1) {
      track.open.emplace_back(names.at(field(event->bytes, 10)->value), time);
      for (const Field& f : fields(event->bytes)) {
        if (f.number == 47 || f.number == 48) {
          timeline.arrows[f.value].push_back(track.open.back().first);
        }
      }
    } else {
      const auto& [name, begin] = track.open.back();
      timeline.slices.emplace_back(processes.at(track.pid), track.name, name, begin, time);
      track.open.pop_back();
    }
  }
  for (const auto& [uuid, track] : tracks) EXPECT_TRUE(track.open.empty()) << track.name;
  std::ranges::sort(timeline.slices);
  return timeline;
}

/// A thread with an operator that launches a collective, and an annotation that outlasts it.
ProfiledRank profiled(std::int32_t number, std::int64_t late_ns) {
  ProfiledRank rank;
  rank.rank = number;
  rank.names = {"aten::mm", "cudaLaunchKernel", "ncclAllReduce", "forward"};
  rank.locations = {{.stream = false, .id = 17}, {.stream = true, .id = 7}};
  rank.cpu = {{.time = {100 + late_ns, 200 + late_ns}, .location = 0, .name = 0},
              {.time = {150 + late_ns, 400 + late_ns},
               .kind = CpuRangeKind::annotation,
               .location = 0,
               .name = 3}};
  rank.runtime_calls = {{.time = {120 + late_ns, 130 + late_ns}, .location = 0, .name = 1}};
  rank.gpu = {{.time = {300 + late_ns, 500},
               .work = GpuWork::communication,
               .location = 1,
               .name = 2,
               .launch = 0}};
  return rank;
}

TEST_F(Timeline, PerfettoHasThreadsAndStreamsOfATrainingRun) {
  TrainingRun run;
  run.world_size = 2;
  run.ranks = {profiled(0, 0), profiled(1, 50)};
  write_perfetto(run, path_);
  const MappedFile file(path_);
  expect_schema("Trace", file.text());
  const ShownTimeline timeline = shown(file.text());
  // Times since the earliest, 100 ns.
  EXPECT_THAT(timeline.slices,
              ElementsAre(ShownSlice("rank 0", "stream 7", "ncclAllReduce", 200, 400),
                          ShownSlice("rank 0", "thread 17", "aten::mm", 0, 100),
                          ShownSlice("rank 0", "thread 17", "cudaLaunchKernel", 20, 30),
                          ShownSlice("rank 0", "thread 17 (2)", "forward", 50, 300),
                          ShownSlice("rank 1", "stream 7", "ncclAllReduce", 250, 400),
                          ShownSlice("rank 1", "thread 17", "aten::mm", 50, 150),
                          ShownSlice("rank 1", "thread 17", "cudaLaunchKernel", 70, 80),
                          ShownSlice("rank 1", "thread 17 (2)", "forward", 100, 350)));
  std::vector<std::vector<std::string>> arrows;
  for (const auto& [flow, ends] : timeline.arrows) arrows.push_back(ends);
  const std::vector<std::string> launch{"cudaLaunchKernel", "ncclAllReduce"};
  EXPECT_THAT(arrows, ElementsAre(std::vector<std::string>{"ncclAllReduce", "ncclAllReduce"},
                                  launch, launch));
}

}  // namespace
}  // namespace slackline
