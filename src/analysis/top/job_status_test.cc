#include "analysis/top/job_status.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

namespace slackline {
namespace {

/// A second in which the ranks compute for these times, in ms, in descending order.
JobStatus second_of(const std::vector<std::int64_t>& computation_ms) {
  JobStatus job{.state = JobStatus::State::running,
                .size = static_cast<std::int32_t>(computation_ms.size()),
                .whole = {0, 1'000'000'000},
                .recent = {0, 1'000'000'000}};
  for (const std::int64_t ms : computation_ms) {
    const MpiSums sums{.computation_ns = ms * 1'000'000, .mpi_ns = (1'000 - ms) * 1'000'000};
    job.ranks.push_back({.rank = static_cast<std::int32_t>(job.ranks.size()) + 5,
                         .heard_ns = 1'000'000'000,
                         .recent = sums,
                         .whole = sums});
  }
  return job;
}

Json late_rank(const std::vector<std::int64_t>& computation_ms) {
  const Json result = describe(second_of(computation_ms), 4).result;
  return result["late_rank"];
}

TEST(JobStatus, NamesTheRankThatComputesLongerThanTheMean) {
  const Json late = late_rank({900, 800, 800, 700});
  EXPECT_EQ(late["rank"], 5);
  EXPECT_DOUBLE_EQ(late["excess_ns"].as_double(), 100'000'000);
}

TEST(JobStatus, NamesNoLateRankWhereAllComputeForAboutTheSameTime) {
  EXPECT_TRUE(late_rank({810, 800, 800, 790}).is_null());
  EXPECT_TRUE(late_rank({0, 0}).is_null());
}

// Rank 6 sleeps.
TEST(JobStatus, NamesTheRankThatPausesLongerThanTheMean) {
  JobStatus job = second_of({300, 300, 300});
  job.ranks[1].recent.mpi_ns -= 600'000'000;
  job.ranks[1].recent.paused_ns += 600'000'000;
  const auto described = describe(job, 4);
  const Json result = described.result;
  const Json& late = result["late_rank"];
  EXPECT_EQ(late["rank"], 6);
  EXPECT_EQ(late["paused_ns"], 600'000'000);
  EXPECT_DOUBLE_EQ(late["excess_ns"].as_double(), 400'000'000);
  const auto is_text = [](const Item& item) { return std::holds_alternative<Paragraph>(item); };
  const auto& items = described.sections.at(0).items;
  const auto text = std::ranges::find_if(items, is_text);
  ASSERT_NE(text, items.end());
  EXPECT_EQ(std::get<Paragraph>(*text).text,
            "Late rank: 6, 90.0 % outside MPI; mean 50.0 %; 60.0 % pauses (blocked, without a "
            "processor, or recording).");
}

TEST(JobStatus, SaysWhichPhasesHaveEndedAndWhyNoLaterOnes) {
  JobStatus job = second_of({800, 800});
  const auto last_text = [&] {
    const auto described = describe(job, 4);
    const Item& item = described.sections.at(0).items.back();
    return std::holds_alternative<Paragraph>(item) ? std::get<Paragraph>(item).text : "";
  };
  const auto phases = [&] { return Json(describe(job, 4).result)["ended_phases"]; };
  EXPECT_TRUE(phases().is_null());
  job.ended_phases = {.calls = 900, .until_ns = 2'000'000'000};
  EXPECT_EQ(last_text(), "No phase has ended in the first 2.000 s.");
  EXPECT_TRUE(phases()["obstacle"].is_null());
  job.ended_phases->obstacle = "OpenMP regions";
  EXPECT_EQ(last_text(), "Phases are not analysed after 2.000 s: OpenMP regions.");
  job.ended_phases->intervals.emplace_back().end_ns = 1'000'000'000;
  EXPECT_EQ(phases()["regions"][0]["end_ns"], 1'000'000'000);
}

}  // namespace
}  // namespace slackline
