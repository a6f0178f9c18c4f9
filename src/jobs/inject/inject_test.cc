#include "jobs/inject/inject.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/error.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string value_of(const Environment& variables, const std::string& name) {
  const auto found = std::ranges::find(variables, name, &Environment::value_type::first);
  return found == variables.end() ? "(not set)" : found->second;
}

TEST(InjectionEnvironment, SaysWhatIsInjectedBetweenWhom) {
  const Injection injection{.latency_ns = 10'000, .gap_fs_per_byte = 1'000'000, .jitter_ns = 500};
  const Environment all = injection_environment(injection, LauncherKind::mpich, "/l.so", "/c");
  EXPECT_EQ(value_of(all, "SLACKLINE_INJECT_INTRA"), "10000,1000000000,500");
  EXPECT_EQ(value_of(all, "SLACKLINE_INJECT_INTER"), "10000,1000000000,500");
  EXPECT_EQ(value_of(all, "UCX_RNDV_THRESH"), "65537");
  EXPECT_EQ(value_of(all, "OMPI_MCA_pml"), "(not set)");
  Injection some = injection;
  some.pairs = InjectedPairs::between_hosts;
  const Environment inter = injection_environment(some, LauncherKind::open_mpi, "/l.so", "/c");
  EXPECT_EQ(value_of(inter, "SLACKLINE_INJECT_INTRA"), "(not set)");
  EXPECT_EQ(value_of(inter, "OMPI_MCA_pml"), "ucx");
}

TEST(InjectionEnvironment, LeavesOpenMpiOnLibfabric) {
  const std::vector<std::string> command{"mpirun", "--mca", "pml", "cm", "-n", "2", "./app"};
  EXPECT_TRUE(chooses_libfabric(command));
  EXPECT_TRUE(chooses_libfabric({"mpirun", "-x", "OMPI_MCA_mtl=ofi", "./app"}));
  EXPECT_FALSE(chooses_libfabric({"mpirun", "--mca", "pml", "ob1", "./app", "cm"}));
  const Environment left = injection_environment({}, LauncherKind::open_mpi, "/l.so", "/c", false);
  EXPECT_EQ(value_of(left, "OMPI_MCA_pml"), "(not set)");
  EXPECT_EQ(value_of(left, "SLACKLINE_INJECT_EAGER"), "65536");
}

TEST(DescribeInjection, NamesWhatIsThere) {
  EXPECT_EQ(describe_injection({.latency_ns = 10'000}), "10.00 us");
  EXPECT_EQ(describe_injection({}), "a latency of 0");
  EXPECT_EQ(describe_injection({.latency_ns = 10'000, .jitter_ns = 500}),
            "10.00 us and up to 500 ns of jitter");
}

class Counts : public testing::Test {
 protected:
  Counts() { fs::create_directories(folder_); }
  ~Counts() override { fs::remove_all(folder_); }
  Counts(const Counts&) = delete;
  Counts& operator=(const Counts&) = delete;

  void rank(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / (name + ".counts")) << text;
  }

  fs::path folder_ = fs::temp_directory_path() / ("slackline-counts-" + std::to_string(getpid()));
};

TEST_F(Counts, AreAddedUp) {
  EXPECT_THAT(why_not_injected(read_counts(folder_)), HasSubstr("no rank was seen"));
  rank("a-1", "interfaces 1\nsent 10\ndelayed 12\nlate 3\nlate_ns 70\nended 1\n");
  rank("a-2", "interfaces 1\nsent 12\ndelayed 10\nlate 1\nlate_ns 5\nended 1\n");
  const InjectionCounts counts = read_counts(folder_);
  EXPECT_EQ(counts.ranks, 2);
  EXPECT_EQ(counts.sent, 22u);
  EXPECT_EQ(counts.delayed, 22u);
  EXPECT_EQ(counts.late_ns, 75u);
  EXPECT_THAT(why_not_injected(counts), IsEmpty());
}

TEST_F(Counts, AreAddedUpByTransportAndDevice) {
  rank("a-1", "interfaces 1\ntransport tcp;ofi_rxm eth0 5 40 1 100000\nsent 6\n");
  rank("a-2",
       "interfaces 2\ntransport tcp;ofi_rxm eth0 2 16 0 0\ntransport posix memory 1 8 0 0\nsent "
       "3\n");
  const InjectionCounts counts = read_counts(folder_);
  EXPECT_EQ(counts.sent, 9u);
  ASSERT_EQ(counts.transports.size(), 2u);
  const auto fabric = std::ranges::find(counts.transports, "tcp;ofi_rxm", &TransportCounts::name);
  ASSERT_NE(fabric, counts.transports.end());
  EXPECT_EQ(fabric->eager, 7u);
  EXPECT_EQ(fabric->eager_bytes, 56u);
  EXPECT_EQ(fabric->rendezvous_bytes, 100'000u);
}

TEST_F(Counts, SayWhenItDidNotTakeHold) {
  rank("a-1", "interfaces 0\nsent 0\nended 1\n");
  EXPECT_THAT(why_not_injected(read_counts(folder_)),
              HasSubstr("neither through UCX nor libfabric"));
  rank("a-2", "interfaces 1\nsent 5\nended 1\n");
  EXPECT_THAT(why_not_injected(read_counts(folder_)), HasSubstr("in 1 of 2 ranks"));
  rank("a-3", "interfaces 0\nobstacle the job's UCX is of another version\n");
  EXPECT_THAT(why_not_injected(read_counts(folder_)), HasSubstr("another version"));
}

}  // namespace
}  // namespace slackline
