#include "calibration/loggps_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/error.h"
#include "calibration/smpi_tables.h"

namespace slackline {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// A network with the parameters that LogGPS has, whose messages over S wait for their receiver.
struct Network {
  double latency = 900, send = 300, receive = 200, gap = 400, per_byte = 0.2;
  double eager = 4040;
  double handshake = 2500;  // more of messages over S
  double call_factor = 1;   // of MPI_Send and MPI_Recv when they are measured by themselves

  double one_way(double size) const {
    const double over = size > eager ? handshake : 0;
    return latency + send + receive + (size - 1) * per_byte + over;
  }
  double per_message(double size) const { return gap + (size - 1) * per_byte; }
};

class Benchmark {
 public:
  explicit Benchmark(std::uint32_t seed) : random_(seed) {}

  CalibrationSamples run(const Network& network, std::size_t rounds) {
    CalibrationSamples s;
    s.eager_bytes = static_cast<std::uint64_t>(network.eager);
    s.synchronous_bytes = *s.eager_bytes + 1;
    constexpr double kMessages = 16;
    fill(s[Quantity::round_trip], rounds, [&](double x) { return 2 * network.one_way(x); });
    fill(s[Quantity::stream], rounds, [&](double x) {
      return 2 * network.one_way(x) + (kMessages - 1) * network.per_message(x);
    });
    s.messages = s[Quantity::stream];
    for (auto& round : s.messages.rounds) std::ranges::fill(round, kMessages);
    fill(s[Quantity::send], rounds, [&](double) { return network.call_factor * network.send; });
    fill(s[Quantity::isend], rounds, [&](double) { return network.send + 30; });
    fill(s[Quantity::receive], rounds,
         [&](double) { return network.call_factor * network.receive; });
    fill(s[Quantity::test], rounds, [&](double) { return 50.0; });
    return s;
  }

 private:
  template <class Time>
  void fill(SampleTable& table, std::size_t rounds, Time time) {
    for (double size = 1; size < 4e6; size = std::ceil(size * 1.17)) table.sizes.push_back(size);
    for (std::size_t r = 0; r < rounds; ++r) {
      std::vector<double> values;
      for (const double size : table.sizes) {
        double value = time(size) * (1 + 0.02 * normal_(random_));
        if (random_() % 20 == 0) value += 30'000;
        values.push_back(value);
      }
      table.rounds.push_back(std::move(values));
    }
  }

  std::mt19937 random_;
  std::normal_distribution<> normal_;
};

TEST(FitLogGPS, IntervalsHoldThePlantedParameters) {
  constexpr int kTimes = 30;
  int all = 0, held = 0;
  for (int i = 0; i < kTimes; ++i) {
    const Network network{.latency = 500.0 + 50 * i, .gap = 200.0 + 10 * i};
    Benchmark benchmark(static_cast<std::uint32_t>(i) + 1);
    const LogGPSFit fit = fit_loggps(benchmark.run(network, 40), {.replicates = 100});
    for (const bool good :
         {fit.latency.contains(network.latency), fit.send_overhead.contains(network.send),
          fit.receive_overhead.contains(network.receive), fit.gap.contains(network.gap),
          fit.gap_per_byte.contains(network.per_byte)}) {
      ++all;
      held += good;
    }
  }
  RecordProperty("held_per_mille", 1000 * held / all);
  EXPECT_GE(held, all * 0.95 - 4 * std::sqrt(all * 0.95 * 0.05));
}

TEST(FitLogGPS, TheProtocolChangeIsABreakpoint) {
  Benchmark benchmark(3);
  const Network network;
  const LogGPSFit fit = fit_loggps(benchmark.run(network, 40), {.replicates = 50});
  EXPECT_EQ(fit.eager_bytes.value, 4040);
  EXPECT_FALSE(fit.all_eager);
  ASSERT_THAT(fit.one_way.breakpoints, SizeIs(1));
  EXPECT_TRUE(fit.one_way.breakpoints[0].contains(network.eager));
  EXPECT_THAT(fit.stream.breakpoints, SizeIs(0));
  EXPECT_NEAR(fit.test.value, 50, 1);
}

TEST(FitLogGPS, WithoutAThresholdThereIsNoFit) {
  Benchmark benchmark(4);
  CalibrationSamples samples = benchmark.run({}, 3);
  samples.eager_bytes.reset();
  EXPECT_THROW(fit_loggps(samples, {}), Error);
  CalibrationSamples empty;
  empty.eager_bytes = 1;
  EXPECT_THROW(fit_loggps(empty, {}), Error);
}

/// SimGrid's "from:a:b;from:a:b" at x, which lies above the beginning of its segment.
double piecewise_at(const std::string& text, double x, bool affine) {
  double value = 0;
  const char* at = text.c_str();
  while (*at != '\0') {
    char* end = nullptr;
    const double from = std::strtod(at, &end);
    const double a = std::strtod(end + 1, &end);
    const double b = affine ? std::strtod(end + 1, &end) : 0;
    if (x > from || from == 0) value = a + b * x;
    at = *end == ';' ? end + 1 : end;
  }
  return value;
}

std::string option(const SmpiTables& tables, std::string_view name) {
  for (const auto& [key, value] : tables.options) {
    if (key == name) return value;
  }
  return {};
}

// SMPI's rules for one message: os, latency times its factor, bytes and envelope at the bandwidth
// times its factor, or.
void expect_one_way_times(const SmpiTables& tables, const Network& network) {
  for (const double size : {2.0, 100.0, 1000.0, 4000.0, 10'000.0, 300'000.0, 3'000'000.0}) {
    const double wire = size + 16;
    const double bandwidth = tables.bandwidth_bytes_per_s *
                             piecewise_at(option(tables, "network/bandwidth-factor"), wire, false);
    double ns =
        tables.latency_ns * piecewise_at(option(tables, "network/latency-factor"), wire, false) +
        1e9 * wire / bandwidth;
    if (size <= network.eager) {
      ns += 1e9 * (piecewise_at(option(tables, "smpi/os"), size, true) +
                   piecewise_at(option(tables, "smpi/or"), size, true));
    }
    EXPECT_NEAR(ns, network.one_way(size), 0.01 * network.one_way(size)) << size;
  }
}

TEST(SmpiTables, GiveTheOneWayTimeAgain) {
  Benchmark benchmark(5);
  const Network network;
  const LogGPSFit fit = fit_loggps(benchmark.run(network, 60), {.replicates = 20});
  const SmpiTables tables = smpi_tables(fit);
  expect_one_way_times(tables, network);
  EXPECT_THAT(tables.scaled_sizes, IsEmpty());
  EXPECT_EQ(option(tables, "smpi/async-small-thresh"), "4041");
  ASSERT_EQ(tables.one_way_ns.size(), fit.one_way.points.size());
  for (std::size_t i = 0; i < tables.one_way_ns.size(); ++i) {
    const double measured = network.one_way(fit.one_way.points[i].x);
    EXPECT_NEAR(tables.one_way_ns[i], measured, 0.02 * measured);
  }
}

// As in shared memory: each call by itself finds colder caches than in a ping-pong, up to 4 kB.
TEST(SmpiTables, GiveTheOneWayTimeAgainWhereCallsAloneTakeLonger) {
  Benchmark benchmark(5);
  const Network network{.call_factor = 5};  // 2500 ns of 1400
  const SmpiTables tables = smpi_tables(fit_loggps(benchmark.run(network, 60), {.replicates = 20}));
  expect_one_way_times(tables, network);
  EXPECT_THAT(tables.scaled_sizes, Not(IsEmpty()));
}

}  // namespace
}  // namespace slackline
