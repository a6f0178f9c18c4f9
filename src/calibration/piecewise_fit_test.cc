// Segmentation and intervals against data whose breakpoints, offsets and slopes are known: several
// hundred synthetic calibrations with noise that grows with the time, and with interruptions.

#include "calibration/piecewise_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace slackline {
namespace {

using ::testing::SizeIs;

struct Planted {
  std::vector<double> begins;  // of the segments; the first is 0
  std::vector<AffineFunction> lines;

  double at(double size) const {
    std::size_t i = 0;
    while (i + 1 < begins.size() && size >= begins[i + 1]) ++i;
    return lines[i].at(size);
  }
};

struct Noise {
  double relative = 0.03;        // standard deviation of one value
  double interruptions = 0.05;   // share of values that are lengthened
  double interruption = 20'000;  // ns, mean
};

class Synthetic {
 public:
  explicit Synthetic(std::uint32_t seed) : random_(seed) {}

  std::vector<double> sizes(std::size_t count) {
    std::vector<double> sizes;
    while (sizes.size() < count) {
      const double size = std::floor(std::exp2(uniform(0, 22)));
      if (std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(size);
    }
    std::ranges::sort(sizes);
    return sizes;
  }

  SampleTable measure(const Planted& planted, const std::vector<double>& sizes, std::size_t rounds,
                      const Noise& noise) {
    SampleTable table{sizes, {}};
    for (std::size_t r = 0; r < rounds; ++r) {
      std::vector<double> values;
      for (const double size : sizes) {
        double value = planted.at(size) * (1 + noise.relative * normal_(random_));
        if (uniform(0, 1) < noise.interruptions) {
          value += std::exponential_distribution<>(1 / noise.interruption)(random_);
        }
        values.push_back(value);
      }
      table.rounds.push_back(std::move(values));
    }
    return table;
  }

  /// One to four segments of eight measured sizes or more. From one to the next the slope changes
  /// by a fifth or more, or the time jumps by 1 us or more, and what the change makes is at least
  /// a tenth of the time: smaller ones no measurement with 3 % of noise shows.
  Planted plant(const std::vector<double>& sizes) {
    const std::size_t segments = 1 + random_() % 4;
    std::vector<std::size_t> begins{0};
    while (begins.size() < segments) {
      const std::size_t begin = 8 + random_() % (sizes.size() - 16);
      const bool apart = std::ranges::all_of(begins, [&](std::size_t other) {
        return std::max(begin, other) - std::min(begin, other) >= 8;
      });
      if (apart) begins.push_back(begin);
    }
    std::ranges::sort(begins);
    Planted planted{{0}, {{uniform(200, 2000), uniform(0.05, 0.3)}}};
    for (std::size_t i = 1; i < segments; ++i) {
      const double size = sizes[begins[i]];
      planted.begins.push_back(size);
      planted.lines.push_back(changed(planted.lines.back(), size));
    }
    return planted;
  }

 private:
  double uniform(double low, double high) {
    return std::uniform_real_distribution<>(low, high)(random_);
  }
  AffineFunction changed(const AffineFunction& before, double size) {
    const double change = uniform(0, 1) < 0.5 ? uniform(0.7, 0.8) : uniform(1.2, 1.6);
    const double jump = std::max(1000.0, uniform(0.1, 0.4) * before.at(size));
    const double slope = before.slope * change;
    return {before.at(size) + jump - slope * size, slope};
  }

  std::mt19937 random_;
  std::normal_distribution<> normal_;
};

TEST(FindSegments, OneLineWithoutNoise) {
  std::vector<WeightedPoint> points;
  for (int i = 1; i <= 40; ++i) points.push_back({i * 10.0, 500 + 0.5 * (i * 10.0), 1});
  const auto segments = find_segments(points, {});
  ASSERT_THAT(segments, SizeIs(1));
  EXPECT_NEAR(segments[0].line.offset, 500, 1e-6);
  EXPECT_NEAR(segments[0].line.slope, 0.5, 1e-9);
}

TEST(FindSegments, AJumpAndABendWithoutNoise) {
  std::vector<WeightedPoint> points;
  for (int i = 0; i < 60; ++i) {
    const double x = i;
    const double y = i < 20 ? 100 + x : i < 40 ? 200 + x : 200 + 40 + 5 * (x - 40);
    points.push_back({x, y, 0.5});
  }
  const auto segments = find_segments(points, {});
  ASSERT_THAT(segments, SizeIs(3));
  EXPECT_EQ(segments[1].first, 20U);
  EXPECT_THAT(segments[2].first, ::testing::AnyOf(40U, 41U));  // both lines go through 40
}

TEST(FindSegments, TheOptimumOfAllPartitions) {
  // Brute force over all pairs of breakpoints with the same residuals.
  Synthetic synthetic(7);
  for (int round = 0; round < 20; ++round) {
    const auto sizes = synthetic.sizes(24);
    const Planted line{{0}, {{800, 0.1}}};
    const auto points = points_of(synthetic.measure(line, sizes, 10, {}));
    const SegmentationOptions options{.least_points = 4, .relative_tolerance = 0};
    const auto residual = [&](std::size_t begin, std::size_t end) {
      const std::span part = std::span(points).subspan(begin, end - begin);
      const AffineFunction fitted = fit_line(part);
      double sum = 0;
      for (const auto& p : part) sum += std::pow((p.y - fitted.at(p.x)) / p.deviation, 2);
      return sum;
    };
    double least = 1e300;
    for (std::size_t a = 4; a + 8 <= points.size(); ++a) {
      for (std::size_t b = a + 4; b + 4 <= points.size(); ++b) {
        least = std::min(least, residual(0, a) + residual(a, b) + residual(b, points.size()));
      }
    }
    double found = 0;
    for (const auto& s : split_into(points, 3, options)) found += residual(s.first, s.end);
    EXPECT_NEAR(found, least, 1e-6 * least);
  }
}

TEST(FindSegments, FewPointsAreOneLine) {
  EXPECT_THAT(find_segments({}, {}), SizeIs(0));
  const std::vector<WeightedPoint> one{{8, 100, 1}};
  ASSERT_THAT(find_segments(one, {}), SizeIs(1));
  EXPECT_EQ(find_segments(one, {})[0].line.at(8), 100);
}

TEST(FitPiecewise, NoneIsInventedInPureNoise) {
  constexpr int kTimes = 1000;
  int invented = 0;
  for (int i = 0; i < kTimes; ++i) {
    Synthetic synthetic(static_cast<std::uint32_t>(i) + 1);
    const auto sizes = synthetic.sizes(60 + static_cast<std::size_t>(i) % 60);
    const Planted line{{0}, {{600, i % 3 == 0 ? 0 : 0.1}}};
    const Noise noise{i % 2 == 0 ? 0.03 : 0.1, 0.05};
    const auto points = points_of(synthetic.measure(line, sizes, 20, noise));
    invented += find_segments(points, {}).size() > 1;
  }
  RecordProperty("invented", invented);
  EXPECT_LE(invented, kTimes / 100);
}

TEST(FitPiecewise, FindsWhatWasPlanted) {
  constexpr int kTimes = 400;
  int same_count = 0, intervals = 0, covered = 0, breakpoints = 0, covered_breakpoints = 0;
  for (int i = 0; i < kTimes; ++i) {
    Synthetic synthetic(static_cast<std::uint32_t>(i) + 1);
    const auto sizes = synthetic.sizes(96);
    const Planted planted = synthetic.plant(sizes);
    const SampleTable samples = synthetic.measure(planted, sizes, 40, {});
    const PiecewiseFit fit = fit_piecewise(samples, {.replicates = 100});
    if (fit.segments.size() != planted.lines.size()) continue;
    ++same_count;
    for (std::size_t s = 0; s < fit.segments.size(); ++s) {
      intervals += 2;
      covered += fit.segments[s].offset.contains(planted.lines[s].offset);
      covered += fit.segments[s].slope.contains(planted.lines[s].slope);
    }
    for (std::size_t b = 0; b < fit.breakpoints.size(); ++b) {
      ++breakpoints;
      covered_breakpoints += fit.breakpoints[b].contains(planted.begins[b + 1]);
    }
  }
  RecordProperty("same_count", same_count);
  RecordProperty("covered", 1000 * covered / intervals);
  RecordProperty("covered_breakpoints", 1000 * covered_breakpoints / breakpoints);
  // 95 % is stated; four standard deviations of what so many intervals give are allowed.
  EXPECT_GE(same_count, kTimes * 97 / 100);
  EXPECT_GE(covered, intervals * 0.95 - 4 * std::sqrt(intervals * 0.95 * 0.05));
  EXPECT_GE(covered_breakpoints, breakpoints * 0.95 - 4 * std::sqrt(breakpoints * 0.95 * 0.05));
}

TEST(RobustLocation, LeavesInterruptionsOut) {
  std::vector<double> values(19, 100);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += static_cast<double>(i % 5);
  values.insert(values.end(), {5000, 9000, 20'000});
  std::sort(values.begin(), values.end());
  const Location location = location_of_sorted(values);
  EXPECT_EQ(location.centre, 102);
  EXPECT_EQ(location.kept, 19U);
}

TEST(RobustLocation, NothingMeasured) {
  EXPECT_EQ(location_of_sorted({}).kept, 0U);
}

TEST(FitPiecewise, SizesThatWereNeverMeasuredAreLeftOut) {
  const SampleTable table{{1, 2, 3}, {{10, std::nan(""), 12}, {10, std::nan(""), 12}}};
  const auto points = points_of(table);
  ASSERT_THAT(points, SizeIs(2));
  EXPECT_EQ(points[1].x, 3);
}

// Three processes whose messages take 100, 110 and 120 ns, each almost exactly: what one of them
// says of itself is no interval of what the next one will find.
TEST(FitPiecewise, IntervalsHoldWhatProcessesDifferBy) {
  SampleTable samples;
  for (double size = 1; size <= 20; ++size) samples.sizes.push_back(size);
  samples.processes = {0, 10, 20};
  for (int round = 0; round < 30; ++round) {
    const double value = 100 + 10 * (round / 10) + 0.01 * (round % 10);
    samples.rounds.emplace_back(samples.sizes.size(), value);
  }
  const PiecewiseFit fit = fit_piecewise(samples, {.replicates = 200});
  ASSERT_EQ(fit.segments.size(), 1U);
  EXPECT_LT(fit.segments[0].offset.low, 105);
  EXPECT_GT(fit.segments[0].offset.high, 115);
}

// Processes in which all messages take .7, 1 or 1.4 times as long: their median is what is planted,
// and that messages of 512 to 1500 bytes take 15 % longer is less than they scatter.
TEST(FitPiecewise, IsNearTheMediansHoweverProcessesDiffer) {
  Synthetic synthetic(1);
  const Planted planted{{0, 512, 1500}, {{520, 0.05}, {620, 0.05}, {520, 0.05}}};
  const std::vector<double> sizes = synthetic.sizes(100);
  SampleTable samples{sizes, {}, {0, 20, 40}};
  for (const double factor : {0.7, 1.0, 1.4}) {
    for (int round = 0; round < 20; ++round) {
      samples.rounds.emplace_back();
      for (const double size : sizes) {
        const double jitter = 1 + 0.001 * (round % 5 - 2);
        samples.rounds.back().push_back(factor * jitter * planted.at(size));
      }
    }
  }
  const PiecewiseFit fit = fit_piecewise(samples, {});
  for (const double size : sizes) {
    EXPECT_NEAR(fit.at(size) / planted.at(size), 1, 0.03) << size;
  }
}

}  // namespace
}  // namespace slackline
