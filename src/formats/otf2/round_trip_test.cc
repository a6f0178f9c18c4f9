#include <fmt/format.h>
#include <gtest/gtest.h>
#include <otf2/otf2.h>
#include <rapidcheck.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <sstream>
#include <string>

#include "base/file.h"
#include "base/testing/scratch_folder.h"
#include "formats/native/reader.h"
#include "formats/otf2/otf2.h"
#include "formats/text/text.h"
#include "trace/testing/arbitrary_trace.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

class Otf2RoundTrip : public ::testing::Test {
 protected:
  Trace there_and_back(const Trace& trace) {
    fs::remove_all(folder_ / "run");
    fs::create_directory(folder_ / "run");
    write_otf2(trace, folder_ / "run/run.otf2");
    return read_otf2(folder_ / "run/run.otf2");
  }

  ScratchFolder folder_;
};

std::string calls_as_text(const Trace& trace) {
  std::istringstream all(to_text(trace));
  std::string kept;
  for (std::string line; std::getline(all, line);) {
    if (!line.starts_with("finding ")) kept += line + "\n";
  }
  return kept;
}

/// What the library finds of one location: how deep regions nest at its end, and the one in which
/// all others lie.
struct Nesting {
  std::uint32_t root = OTF2_UNDEFINED_REGION;
  int depth = 0;
  bool one_root = true;

  static OTF2_CallbackCode on_enter(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* data,
                                    OTF2_AttributeList*, OTF2_RegionRef region) {
    auto& nesting = *static_cast<Nesting*>(data);
    if (nesting.depth++ > 0) return OTF2_CALLBACK_SUCCESS;
    if (nesting.root == OTF2_UNDEFINED_REGION) nesting.root = region;
    nesting.one_root = nesting.one_root && nesting.root == region;
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode on_leave(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* data,
                                    OTF2_AttributeList*, OTF2_RegionRef) {
    --static_cast<Nesting*>(data)->depth;
    return OTF2_CALLBACK_SUCCESS;
  }
};

Nesting nesting_of(const fs::path& anchor, std::uint64_t location) {
  Nesting nesting;
  OTF2_Reader* const reader = OTF2_Reader_Open(anchor.c_str());
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  OTF2_Reader_SelectLocation(reader, location);
  OTF2_Reader_OpenEvtFiles(reader);
  OTF2_EvtReader* const events = OTF2_Reader_GetEvtReader(reader, location);
  OTF2_EvtReaderCallbacks* const callbacks = OTF2_EvtReaderCallbacks_New();
  OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, &Nesting::on_enter);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, &Nesting::on_leave);
  OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, &nesting);
  OTF2_EvtReaderCallbacks_Delete(callbacks);
  std::uint64_t read = 0;
  OTF2_Reader_ReadAllLocalEvents(reader, events, &read);
  OTF2_Reader_Close(reader);
  return nesting;
}

// The first line in which two traces' texts differ.
std::string difference(const Trace& a, const Trace& b) {
  std::istringstream left(calls_as_text(a));
  std::istringstream right(calls_as_text(b));
  std::string x;
  std::string y;
  while (true) {
    const bool more_left = static_cast<bool>(std::getline(left, x));
    const bool more_right = static_cast<bool>(std::getline(right, y));
    if (!more_left && !more_right) return "the texts are equal";
    if (x != y) return x + "\nread back as\n" + y;
  }
}

// OTF2's times do not decrease along a location, computation starts before all of them, and only a
// rank that finalized has an end.
Trace with_ordered_times(const Trace& trace) {
  TraceBuilder out(trace.ranks(), trace.timed());
  for (std::size_t c = 2; c < trace.communicators().size(); ++c) {
    out.add_communicator(trace.communicators()[c]);
  }
  for (const std::string& region : trace.regions()) out.region_id(region);
  for (const std::string& counter : trace.counters()) out.add_counter(counter);
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& from = trace.calls(r);
    RankCallsBuilder& to = out.calls(r);
    to.set_start_ns(from.start_ns());
    std::int64_t now = from.start_ns();
    std::size_t next = 0;
    std::size_t next_pause = 0;
    const auto pauses_up_to = [&](std::uint32_t call, std::int64_t until) {
      for (; next_pause < from.pauses().size() && from.pauses()[next_pause].before_call <= call &&
             from.pauses()[next_pause].begin_ns <= until;
           ++next_pause) {
        Pause pause = from.pauses()[next_pause];
        pause.begin_ns = now = std::max(now, pause.begin_ns);
        pause.end_ns = now = std::max(now, pause.end_ns);
        to.append_pause(pause);
      }
    };
    const auto regions_up_to = [&](std::uint32_t call) {
      for (; next < from.regions().size() && from.regions()[next].before_call <= call; ++next) {
        RegionEvent event = from.regions()[next];
        pauses_up_to(call, event.time_ns);
        event.time_ns = now = std::max(now, event.time_ns);
        to.append_region(event);
      }
    };
    for (std::uint32_t i = 0; i < from.size(); ++i) {
      regions_up_to(i);
      pauses_up_to(i, std::numeric_limits<std::int64_t>::max());
      Call call = from[i];
      call.begin_ns = now = std::max(now, call.begin_ns);
      call.end_ns = now = std::max(now, call.end_ns);
      to.append(call);
    }
    regions_up_to(0xffffffffu);
    pauses_up_to(0xffffffffu, std::numeric_limits<std::int64_t>::max());
    to.set_stop_ns(std::max(now, from.stop_ns()));
    out.rank_info(r).present = true;
    out.rank_info(r).finalized = true;
    for (std::size_t which = 0; which < trace.counters().size(); ++which) {
      std::vector<std::uint64_t> values(from.size() + 1);
      for (std::size_t gap = 0; gap <= from.size(); ++gap) values[gap] = from.counter(which, gap);
      to.set_counter(which, std::move(values));
    }
  }
  return std::move(out).build();
}

// Scalasca refuses archives whose calls have no region around them: its call tree has one root.
TEST_F(Otf2RoundTrip, AllEventsOfALocationLieInOneRegion) {
  const Trace trace = read_text(
      "slackline-trace 1 timed ranks=2\ninfo program=\"./app -n 3\"\nregion 0 \"step\"\n"
      "rank 0\n@0 +5 init\n@7 enter \"step\"\n@10 +5 send to=1 bytes=8\n@16 leave \"step\"\n"
      "@20 +5 finalize\n"
      "rank 1 unfinalized\n@0 +5 init\n@10 +9 recv from=0 bytes=8\n",
      "t");
  const Trace back = there_and_back(trace);
  EXPECT_EQ(difference(trace, back), "the texts are equal");
  const fs::path anchor = folder_ / "run/run.otf2";
  for (const std::uint64_t location : {0u, 1u}) {
    const Nesting nesting = nesting_of(anchor, location);
    EXPECT_NE(nesting.root, OTF2_UNDEFINED_REGION);
    EXPECT_TRUE(nesting.one_root);
    EXPECT_EQ(nesting.depth, 0);
  }
}

TEST_F(Otf2RoundTrip, GivesTheSameTrace) {
  EXPECT_TRUE(rc::check("native -> OTF2 -> native", [&] {
    const Trace trace = with_ordered_times(testing::arbitrary_trace());
    const Trace back = there_and_back(trace);
    if (!same_content(trace, back)) RC_LOG() << difference(trace, back) << std::endl;
    RC_ASSERT(same_content(trace, back));
    RC_ASSERT(testing::same_details(trace, back));
  }));
}

// MPI_Parrived completes requests, but names none: what was found by chance, and each of its kind.
TEST_F(Otf2RoundTrip, KeepsWhichRequestACompletionNames) {
  for (const Operation operation :
       {Operation::wait, Operation::waitall, Operation::waitany, Operation::waitsome,
        Operation::test, Operation::testall, Operation::testany, Operation::testsome,
        Operation::parrived, Operation::request_free, Operation::cancel}) {
    for (const std::uint32_t request : {0u, 1u, 2u}) {
      for (const std::vector<std::int64_t>& args :
           {std::vector<std::int64_t>{}, {1}, {2}, {1, 2}, {2, 8, 8}}) {
        TraceBuilder out(1, true);
        RankCallsBuilder& calls = out.calls(0);
        for (const std::uint32_t serial : {1u, 2u}) {
          Call start;
          start.operation = Operation::isend;
          start.peer = 0;
          start.begin_ns = start.end_ns = 10 * serial;
          start.request = serial;
          calls.append(start);
        }
        Call end;
        end.operation = operation;
        end.peer = kPeerRoot;
        end.tag = 8;
        end.begin_ns = end.end_ns = 50;
        end.request = request;
        end.args = args;
        calls.append(end);
        calls.set_stop_ns(60);
        out.rank_info(0).present = out.rank_info(0).finalized = true;
        const Trace trace = std::move(out).build();
        const Trace back = there_and_back(trace);
        EXPECT_TRUE(same_content(trace, back)) << difference(trace, back);
      }
    }
  }
}

// Recorded under Open MPI and MPICH, with persistent requests, communicators and Fortran.
TEST_F(Otf2RoundTrip, KeepsRecordedTraces) {
  int traces = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(SLACKLINE_SOURCE) / "examples/traces")) {
    if (entry.path().extension() != ".slk") continue;
    const MappedFile file(entry.path());
    const Trace trace = read_native(file.bytes(), entry.path().string());
    if (!trace.call_tree().empty()) continue;  // which OTF2 does not hold: test/corpus/identity.py
    EXPECT_TRUE(same_content(trace, there_and_back(trace))) << entry.path();
    ++traces;
  }
  EXPECT_GE(traces, 5);
}

// More locations than one OTF2_Archive is given; some ranks have several.
TEST_F(Otf2RoundTrip, KeepsManyRanks) {
  constexpr int kRanks = 2100;
  std::string text = fmt::format("slackline-trace 1 timed ranks={}\n", kRanks);
  for (int rank = 0; rank < kRanks; ++rank) {
    text += fmt::format("rank {} host=n{}\n@{} +5 init\n", rank, rank / 64, rank);
    if (rank % 100 == 0) text += fmt::format("@{} +3 barrier thread=2\n", rank + 10);
    text += fmt::format("@{} +4 allreduce elem=8 bytes=8\n@5000 +5 finalize\n", rank + 20);
  }
  const Trace trace = read_text(text, "many");
  const Trace back = there_and_back(trace);
  EXPECT_TRUE(same_content(trace, back));
  EXPECT_EQ(back.rank_info(kRanks - 1).host, "n32");
}

TEST_F(Otf2RoundTrip, KeepsHostsAndTheProgram) {
  Trace trace = read_text(
      "slackline-trace 1 timed ranks=2\ninfo program=\"./app x\" mpi=\"Open MPI\" "
      "flops_per_second=1.5e9\n"
      "rank 0 host=n0\n@5 +5 init\n@100 +5 finalize\nrank 1 host=n1 unfinalized\n@6 +5 init\n",
      "t");
  const Trace back = there_and_back(trace);
  EXPECT_EQ(back.info().program, "./app x");
  EXPECT_EQ(back.info().mpi_library, "Open MPI");
  EXPECT_EQ(back.info().flops_per_second, 1.5e9);
  EXPECT_EQ(back.rank_info(1).host, "n1");
  EXPECT_TRUE(back.rank_info(0).finalized);
  EXPECT_FALSE(back.rank_info(1).finalized);
}

}  // namespace
}  // namespace slackline
