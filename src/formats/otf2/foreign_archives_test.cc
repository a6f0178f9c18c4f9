// Archives as other recorders write them, made by the library.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <otf2/otf2.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/testing/scratch_folder.h"
#include "calls/summary.h"
#include "formats/findings.h"
#include "formats/otf2/findings.h"
#include "formats/otf2/otf2.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

OTF2_FlushType before_flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}
OTF2_TimeStamp after_flush(void*, OTF2_FileType, OTF2_LocationRef) {
  return 0;
}

// Regions by number, which are their names' numbers as well.
enum Region : std::uint32_t { kMain, kInit, kFinalize, kBarrier, kAllreduce, kBcast, kAlltoall };

constexpr std::uint32_t kNoProcess = OTF2_UNDEFINED_UINT32;

/// An archive of two ranks on one node, whose locations are numbered as the ranks.
class Archive {
 public:
  Archive(const fs::path& folder, const char* creator)
      : archive_(OTF2_Archive_Open(folder.c_str(), "run", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 20,
                                   OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE)) {
    OTF2_Archive_SetFlushCallbacks(archive_, &flush_, nullptr);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive_);
    OTF2_Archive_SetCreator(archive_, creator);
    OTF2_Archive_OpenEvtFiles(archive_);
  }
  ~Archive() {
    OTF2_Archive_CloseEvtFiles(archive_);
    OTF2_Archive_OpenDefFiles(archive_);
    for (const Location& l : locations_) {
      OTF2_Archive_CloseDefWriter(archive_, OTF2_Archive_GetDefWriter(archive_, l.id));
    }
    OTF2_Archive_CloseDefFiles(archive_);
    define();
    OTF2_Archive_Close(archive_);
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  /// Events that follow are of this location.
  void at(std::uint64_t id, OTF2_LocationType type = OTF2_LOCATION_TYPE_CPU_THREAD,
          std::uint32_t process = kNoProcess) {
    close();
    writer_ = OTF2_Archive_GetEvtWriter(archive_, id);
    const auto rank = static_cast<std::uint32_t>(id);
    locations_.push_back({id, type, process == kNoProcess ? rank : process, 0});
  }
  void enter(OTF2_TimeStamp time, Region region) {
    OTF2_EvtWriter_Enter(writer_, nullptr, time, region);
  }
  void leave(OTF2_TimeStamp time, Region region) {
    OTF2_EvtWriter_Leave(writer_, nullptr, time, region);
  }
  void call(OTF2_TimeStamp begin, OTF2_TimeStamp end, Region region) {
    enter(begin, region);
    leave(end, region);
  }
  struct Record {
    OTF2_TimeStamp begin;
    OTF2_TimeStamp end;
  };
  void collective(OTF2_TimeStamp begin, OTF2_TimeStamp end, Region region, OTF2_CollectiveOp what,
                  Record record, std::uint64_t sent = 0, std::uint64_t received = 0,
                  std::uint32_t root = OTF2_COLLECTIVE_ROOT_NONE) {
    enter(begin, region);
    OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, record.begin);
    OTF2_EvtWriter_MpiCollectiveEnd(writer_, nullptr, record.end, what, 0, root, sent, received);
    leave(end, region);
  }
  void with_cuda() { cuda_ = true; }

 private:
  struct Location {
    std::uint64_t id;
    OTF2_LocationType type;
    std::uint32_t process;
    std::uint64_t events;
  };

  void close() {
    if (writer_ == nullptr) return;
    OTF2_EvtWriter_GetNumberOfEvents(writer_, &locations_.back().events);
    OTF2_Archive_CloseEvtWriter(archive_, writer_);
    writer_ = nullptr;
  }
  std::uint32_t text(const std::string& value) {
    OTF2_GlobalDefWriter_WriteString(definitions_, strings_, value.c_str());
    return strings_++;
  }
  void define() {
    definitions_ = OTF2_Archive_GetGlobalDefWriter(archive_);
    OTF2_GlobalDefWriter_WriteClockProperties(definitions_, 1'000'000'000, 0, 1'000'000,
                                              OTF2_UNDEFINED_TIMESTAMP);
    std::uint32_t number = 0;
    for (const char* const name : {"main", "MPI_Init", "MPI_Finalize", "MPI_Barrier",
                                   "MPI_Allreduce", "MPI_Bcast", "MPI_Alltoall"}) {
      const bool mpi = number != kMain;
      const std::uint32_t string = text(name);
      OTF2_GlobalDefWriter_WriteRegion(
          definitions_, number++, string, string, 0, OTF2_REGION_ROLE_FUNCTION,
          mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, 0, 0, 0);
    }
    const std::uint32_t node = text("node");
    OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions_, 0, node, node,
                                             OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (std::uint32_t process = 0; process < 2; ++process) {
      OTF2_GlobalDefWriter_WriteLocationGroup(
          definitions_, process, text("MPI Rank " + std::to_string(process)),
          OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP);
    }
    OTF2_GlobalDefWriter_WriteLocationGroup(definitions_, 2, text("GPU"),
                                            OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 0, 0);
    for (const Location& l : locations_) {
      OTF2_GlobalDefWriter_WriteLocation(definitions_, l.id,
                                         text("location " + std::to_string(l.id)), l.type, l.events,
                                         l.process);
    }
    const std::uint64_t ranks[] = {0, 1};
    const std::uint32_t none = text("");
    OTF2_GlobalDefWriter_WriteGroup(definitions_, 0, none, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                    OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2, ranks);
    OTF2_GlobalDefWriter_WriteGroup(definitions_, 1, none, OTF2_GROUP_TYPE_COMM_GROUP,
                                    OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2, ranks);
    OTF2_GlobalDefWriter_WriteComm(definitions_, 0, text("MPI_COMM_WORLD"), 1, OTF2_UNDEFINED_COMM,
                                   OTF2_COMM_FLAG_NONE);
    if (!cuda_) return;
    const std::uint64_t streams[] = {7};
    const std::uint64_t first[] = {0};
    OTF2_GlobalDefWriter_WriteGroup(definitions_, 2, none, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                    OTF2_PARADIGM_CUDA, OTF2_GROUP_FLAG_NONE, 1, streams);
    OTF2_GlobalDefWriter_WriteGroup(definitions_, 3, none, OTF2_GROUP_TYPE_COMM_GROUP,
                                    OTF2_PARADIGM_CUDA, OTF2_GROUP_FLAG_NONE, 1, first);
    OTF2_GlobalDefWriter_WriteComm(definitions_, 1, text("streams"), 3, OTF2_UNDEFINED_COMM,
                                   OTF2_COMM_FLAG_NONE);
  }

  OTF2_FlushCallbacks flush_{before_flush, after_flush};
  OTF2_Archive* archive_;
  OTF2_EvtWriter* writer_ = nullptr;
  OTF2_GlobalDefWriter* definitions_ = nullptr;
  std::uint32_t strings_ = 0;
  std::vector<Location> locations_;
  bool cuda_ = false;

 public:
  void finish() { close(); }
};

class ForeignOtf2 : public ::testing::Test {
 protected:
  template <class Write>
  Trace archive(Write write, const char* creator = "") {
    fs::remove_all(folder_ / "a");
    {
      Archive written(folder_ / "a", creator);
      write(written);
      written.finish();
    }
    return read_otf2(folder_ / "a/run.otf2");
  }

  ScratchFolder folder_;
};

std::vector<std::int64_t> times_of(const Trace& trace, std::int32_t rank, std::size_t call) {
  return {trace.calls(rank).begin_ns(call), trace.calls(rank).end_ns(call)};
}

// Recorders write the record of a collective's end when they come to it, inside of its region.
TEST_F(ForeignOtf2, CollectivesLastFromEnterToLeave) {
  const Trace trace = archive([](Archive& a) {
    for (const std::uint64_t rank : {0u, 1u}) {
      a.at(rank);
      a.enter(0, kMain);
      a.call(0, 10, kInit);
      a.collective(20, 90, kBarrier, OTF2_COLLECTIVE_OP_BARRIER, {.begin = 25, .end = 60});
      a.call(100, 110, kFinalize);
      a.leave(115, kMain);
    }
  });
  EXPECT_THAT(times_of(trace, 0, 1), ElementsAre(20, 90));
  EXPECT_EQ(trace.calls(0).gap_ns(2), 10);
  EXPECT_EQ(trace.calls(0).stop_ns(), 115) << "main goes on behind MPI_Finalize";
  EXPECT_TRUE(trace.findings().empty());
}

TEST_F(ForeignOtf2, TheRunEndsWithTheLastEvent) {
  const auto part_of_run = [&](bool init) {
    return archive([&](Archive& a) {
      for (const std::uint64_t rank : {0u, 1u}) {
        a.at(rank);
        a.enter(1, kMain);
        if (init) a.call(2, 3, kInit);
        a.collective(10, 20, kAllreduce, OTF2_COLLECTIVE_OP_ALLREDUCE, {.begin = 10, .end = 20}, 8,
                     8);
        a.leave(400 + rank, kMain);
      }
    });
  };
  const Trace trace = part_of_run(false);
  EXPECT_EQ(trace.calls(0).start_ns(), 1);
  EXPECT_EQ(trace.calls(0).stop_ns(), 400);
  EXPECT_EQ(trace.calls(1).stop_ns(), 401);
  EXPECT_EQ(trace.findings().count(kNotFinalized), 0u) << "a recording of a part of the run";
  EXPECT_EQ(part_of_run(true).findings().count(kNotFinalized), 2u);
}

TEST_F(ForeignOtf2, SaysWhatIsNoThreadOfARank) {
  const Trace trace = archive([](Archive& a) {
    a.with_cuda();
    for (const std::uint64_t rank : {0u, 1u}) {
      a.at(rank);
      a.call(0, 10, kInit);
      a.call(100, 110, kFinalize);
    }
    a.at(5, OTF2_LOCATION_TYPE_CPU_THREAD, 1);  // Pthreads' thread of rank 1
    a.call(20, 30, kMain);
    a.at(7, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 2);
    a.call(20, 30, kMain);
    a.call(40, 50, kMain);
    a.at(8, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 0);  // as older recorders have them
    a.call(20, 30, kMain);
  });
  const auto& found = trace.findings();
  EXPECT_EQ(found.count(otf2::kLocationsLeftOut), 2u);
  EXPECT_EQ(found.count(otf2::kEventsLeftOut), 4u + 2u);
  EXPECT_EQ(found.count(otf2::kEmptyLocations), 1u);
  EXPECT_EQ(found.count(otf2::kOtherCommunicators), 1u);
  EXPECT_EQ(trace.communicators().size(), 2u) << "MPI_COMM_WORLD and MPI_COMM_SELF";
  for (const Findings::Entry& entry : found.entries()) {
    if (entry.name == otf2::kLocationsLeftOut.name) {
      EXPECT_THAT(entry.examples.front(), HasSubstr("'location 7' with 4 events"));
    }
    if (entry.name == otf2::kOtherCommunicators.name) {
      EXPECT_THAT(entry.examples.front(), HasSubstr("CUDA"));
    }
  }
}

// Score-P counts every pair of ranks; OTF2 itself says that a record has what the call sent.
TEST_F(ForeignOtf2, BytesOfCollectivesAreThoseOfTheCall) {
  const auto bytes = [&](const char* creator) {
    const Trace trace = archive(
        [](Archive& a) {
          for (const std::uint64_t rank : {0u, 1u}) {
            a.at(rank);
            a.collective(10, 20, kAllreduce, OTF2_COLLECTIVE_OP_ALLREDUCE, {10, 20}, 16, 16);
            a.collective(30, 40, kBcast, OTF2_COLLECTIVE_OP_BCAST, {30, 40}, rank == 0 ? 16 : 0,
                         rank == 0 ? 0 : 16, 0);
            a.collective(50, 60, kAlltoall, OTF2_COLLECTIVE_OP_ALLTOALL, {50, 60}, 16, 16);
          }
        },
        creator);
    const RankCalls& calls = trace.calls(0);
    return std::vector{calls[0].bytes, calls[1].bytes, calls[2].bytes};
  };
  EXPECT_THAT(bytes(""), ElementsAre(16u, 16u, 8u));
  EXPECT_THAT(bytes("Score-P 8.4"), ElementsAre(8u, 8u, 8u));
}

}  // namespace
}  // namespace slackline
