#include "app/load/loaded_reduction.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "base/file.h"
#include "base/testing/scratch_folder.h"
#include "parallel/process_group.h"
#include "timing/testing/sealed_cache.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

/// T = max(L + o + o + 1000, 3000) and so on: one message.
std::string program(int ns) {
  return "num_ranks 2\nrank 0 {\nc: calc " + std::to_string(ns) +
         "\ns: send 8b to 1\ns requires c\n}\nrank 1 {\nr: recv 8b from 0\n}\n";
}

class LoadedReductionTest : public ::testing::Test {
 protected:
  LoadedReductionTest() {
    fs::create_directories(folder_ / "cache");
    request_.trace = (folder_ / "x.goal").string();
    request_.model.latency = "3us";
    request_.model.overhead = "1us";
    request_.model.gap_per_byte = "0ns/B";
    write_file(request_.trace, program(1000));
  }

  std::optional<LoadedReduction> open() {
    return load_reduction(request_, {.where = (folder_ / "cache").string()}, Parameter::latency,
                          alone_);
  }
  static double makespan_ns(const LoadedReduction& q) {
    MakespanFunction t = q.makespan(Parameter::latency);
    return t.value_ns(t.line_at(t.base()), t.base());
  }
  std::vector<fs::path> caches() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_ / "cache")) found.push_back(entry);
    return found;
  }

  ScratchFolder folder_;
  ModelRequest request_;
  SingleProcess alone_;
};

TEST_F(LoadedReductionTest, TheSecondTimeItComesFromTheCache) {
  const auto first = open();
  ASSERT_EQ(caches().size(), 1u);
  const auto written = fs::last_write_time(caches()[0]);
  const auto second = open();
  EXPECT_EQ(fs::last_write_time(caches()[0]), written);
  EXPECT_EQ(makespan_ns(*first), 6000);
  EXPECT_EQ(makespan_ns(*second), 6000);
  EXPECT_EQ(second->subject, first->subject);
  EXPECT_EQ(json_from(to_json(second->input)), json_from(to_json(first->input)));
  EXPECT_EQ(json_from(to_json(second->model)), json_from(to_json(first->model)));
}

TEST_F(LoadedReductionTest, OtherValuesShareIt) {
  open();
  request_.model.latency = "10us";
  EXPECT_EQ(makespan_ns(*open()), 13'000);
  EXPECT_EQ(caches().size(), 1u);
}

TEST_F(LoadedReductionTest, OtherChoicesDoNot) {
  open();
  request_.model.eager_threshold = "4B";
  request_.model.rendezvous = "sync";
  open();
  EXPECT_EQ(caches().size(), 2u);
}

TEST_F(LoadedReductionTest, IsNeverStale) {
  open();
  const auto time = fs::last_write_time(request_.trace);
  write_file(request_.trace, program(5000));  // of the same size
  fs::last_write_time(request_.trace, time);
  const auto q = open();
  EXPECT_EQ(makespan_ns(*q), 10'000);
  EXPECT_TRUE(q->findings.empty());
}

TEST_F(LoadedReductionTest, DamageIsFoundToldAndMended) {
  open();
  {
    std::fstream file(caches()[0], std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-3, std::ios::end);
    file.put('x');
  }
  const auto q = open();
  EXPECT_EQ(makespan_ns(*q), 6000);
  ASSERT_EQ(q->findings.entries().size(), 1u);
  EXPECT_EQ(q->findings.entries()[0].name, "cache_damaged");
  EXPECT_TRUE(open()->findings.empty());
}

/// Bits of all that it says of the input are flipped and the hash is made anew.
TEST_F(LoadedReductionTest, AForgedCacheNeverEndsTheCommand) {
  open();
  const fs::path cache = caches()[0];
  const std::string whole(MappedFile(cache).text());
  const std::size_t about = whole.find("{\"subject\"");
  const std::size_t length = whole.find('\0', about) - about;
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    std::string forged = whole;
    const std::size_t at = about + random() % length;
    forged[at] = static_cast<char>(forged[at] ^ (1 << random() % 8));
    std::ofstream(cache, std::ios::binary) << sealed_cache(forged);
    EXPECT_EQ(makespan_ns(*open()), 6000) << at;
  }
}

TEST_F(LoadedReductionTest, DoesNotTakeAnotherTracesCache) {
  open();
  const fs::path others = caches()[0];
  write_file(request_.trace, program(5000));
  open();
  ASSERT_EQ(caches().size(), 2u);
  const fs::path own = caches()[0] == others ? caches()[1] : caches()[0];
  fs::copy_file(others, own, fs::copy_options::overwrite_existing);
  EXPECT_EQ(makespan_ns(*open()), 10'000);
}

TEST_F(LoadedReductionTest, NoneIsKeptWhereNoneIsWanted) {
  const CacheOptions none{.where = (folder_ / "cache").string(), .none = true};
  EXPECT_FALSE(load_reduction(request_, none, Parameter::latency, alone_).has_value());
  EXPECT_TRUE(caches().empty());
}

TEST_F(LoadedReductionTest, OfALargeTraceLiesInTheUsersFolder) {
  setenv("XDG_CACHE_HOME", (folder_ / "home").c_str(), 1);
  write_file(request_.trace, program(1000) + std::string(5 << 20, '\n'));
  EXPECT_EQ(makespan_ns(*load_reduction(request_, {}, Parameter::latency, alone_)), 6000);
  EXPECT_FALSE(fs::is_empty(folder_ / "home/slackline"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 3);
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  EXPECT_EQ(makespan_ns(*load_reduction(request_, {}, Parameter::latency, alone_)), 6000);
}

TEST_F(LoadedReductionTest, WhereItCannotBeWrittenThereIsNone) {
  const auto q =
      load_reduction(request_, {.where = (folder_ / "none").string()}, Parameter::latency, alone_);
  EXPECT_EQ(makespan_ns(*q), 6000);
}

TEST_F(LoadedReductionTest, RequestsThatNeedMoreAreLeftToOthers) {
  const VariedParameter some(Parameter::latency, "inter-node");
  EXPECT_FALSE(
      load_reduction(request_, {.where = folder_.path().string()}, some, alone_).has_value());
  EXPECT_FALSE(load_reduction(request_, {.where = "auto"}, Parameter::latency, alone_).has_value());
  request_.network.ranks_per_node = 2;
  EXPECT_FALSE(open().has_value());
}

}  // namespace
}  // namespace slackline
