#include "calibration/loggps_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>

#include "base/error.h"

namespace slackline {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// A network with the parameters that LogGPS has, whose messages over S wait for their receiver.
struct Network {
  double latency = 900, send = 300, receive = 200, gap = 400, per_byte = 0.2;
  double eager = 4040;
  double handshake = 2500;      // more of messages over S
  double asynchronous = eager;  // longer messages up to S leave when their receive is posted
  double contention = 2;        // bandwidth of both directions over that of one
  double call_factor = 1;       // of MPI_Send and MPI_Recv when they are measured by themselves
  double reused = 1, same = 1;  // of the time per byte, for such buffers

  double one_way(double size, double factor = 1) const {
    const double over = size > eager ? handshake : 0;
    return latency + send + receive + (size - 1) * factor * per_byte + over;
  }
  double both_ways(double size) const {
    return one_way(size) + (2 / contention - 1) * (size - 1) * per_byte;
  }
  double receive_call(double size) const {
    if (size > eager) return std::nan("");
    return size > asynchronous ? one_way(size) - send : call_factor * receive;
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
    s.messages_reused = s.messages;
    fill(s[Quantity::round_trip_reused], rounds,
         [&](double x) { return 2 * network.one_way(x, network.reused); });
    fill(s[Quantity::stream_reused], rounds, [&](double x) {
      return 2 * network.one_way(x, network.reused) +
             (kMessages - 1) * (network.gap + (x - 1) * network.reused * network.per_byte);
    });
    fill(s[Quantity::round_trip_same], rounds,
         [&](double x) { return 2 * network.one_way(x, network.same); });
    fill(s[Quantity::send], rounds, [&](double) { return network.call_factor * network.send; });
    fill(s[Quantity::isend], rounds, [&](double) { return network.send + 30; });
    fill(s[Quantity::receive], rounds, [&](double x) { return network.receive_call(x); });
    fill(s[Quantity::both_ways], rounds, [&](double x) { return network.both_ways(x); });
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

// A process that is moved between three starts, with what is planted: two starts at 1, one at 1.5.
TEST(FitLogGPS, SaysHowFarTheStartsAreApart) {
  SampleTable table{.sizes = {1, 8, 64}, .rounds = {}};
  for (const double factor : {1.0, 1.0, 1.5, 1.5, 1.0, 1.0}) {
    table.rounds.push_back({factor * 100, factor * 110, factor * 300});
  }
  EXPECT_EQ(spread_of_starts(table), 0);
  table.processes = {0, 2, 4};
  EXPECT_DOUBLE_EQ(spread_of_starts(table), 0.5);
  for (auto& round : table.rounds) round[1] = std::nan("");
  EXPECT_DOUBLE_EQ(spread_of_starts(table), 0.5);
}

TEST(FitLogGPS, HasACurveForEachUseOfBuffers) {
  Benchmark benchmark(9);
  const Network network{.reused = 0.6, .same = 1.2};
  const LogGPSFit fit = fit_loggps(benchmark.run(network, 40), {.replicates = 50});
  for (const double size : {8.0, 2000.0, 20'000.0, 1e6}) {
    const auto near = [&](const PiecewiseFit& found, double planted) {
      EXPECT_NEAR(found.at(size), planted, 0.03 * planted) << size;
    };
    near(fit.one_way_of(Buffers::written), network.one_way(size));
    near(fit.one_way_of(Buffers::reused), network.one_way(size, 0.6));
    near(fit.one_way_of(Buffers::same), network.one_way(size, 1.2));
    near(fit.stream_reused, network.gap + (size - 1) * 0.6 * network.per_byte);
  }
  // The route of a platform has the bandwidth of the messages that it is for.
  EXPECT_NEAR(smpi_tables(fit).bandwidth_bytes_per_s, 5e9, 0.03 * 5e9);
  EXPECT_NEAR(smpi_tables(fit, Buffers::reused).bandwidth_bytes_per_s, 5e9 / 0.6, 0.03 * 5e9 / 0.6);
}

TEST(FitLogGPS, BuffersThatWereNotMeasuredAreNamed) {
  Benchmark benchmark(10);
  CalibrationSamples samples = benchmark.run({}, 10);
  samples[Quantity::round_trip_same] = {};
  samples[Quantity::round_trip_reused] = {};
  samples[Quantity::stream_reused] = {};
  const LogGPSFit fit = fit_loggps(samples, {.replicates = 5});
  EXPECT_THROW(fit.one_way_of(Buffers::same), Error);
  EXPECT_THROW(smpi_tables(fit, Buffers::reused), Error);
}

TEST(FitLogGPS, FindsThePlantedContention) {
  for (const double planted : {1.0, 1.3, 1.5, 1.8, 2.0}) {
    Benchmark benchmark(static_cast<std::uint32_t>(10 * planted));
    const LogGPSFit fit =
        fit_loggps(benchmark.run({.contention = planted}, 40), {.replicates = 100});
    ASSERT_TRUE(fit.contention.has_value());
    EXPECT_NEAR(fit.contention->factor.value, planted, 0.01 * planted);
    EXPECT_LE(fit.contention->factor.low, planted * 1.005);
    EXPECT_GE(fit.contention->factor.high, planted * 0.995);
    EXPECT_LT(fit.contention->residual, 0.01);
    const SmpiTables tables = smpi_tables(fit);
    EXPECT_NEAR(*tables.limiter_bytes_per_s, planted * 1e9 / 0.2, 0.02 * planted * 1e9 / 0.2);
  }
}

TEST(FitLogGPS, ContentionThatIsNoBandwidthLeavesAResidual) {
  Benchmark benchmark(7);
  CalibrationSamples samples = benchmark.run({}, 40);
  for (auto& round : samples[Quantity::both_ways].rounds) {
    for (double& ns : round) ns += 400'000;  // whatever the size, which takes 200 to 800 us
  }
  EXPECT_GT(fit_loggps(samples, {.replicates = 20}).contention->residual, 0.1);
  samples[Quantity::both_ways] = {};
  EXPECT_FALSE(fit_loggps(samples, {.replicates = 20}).contention.has_value());
}

TEST(FitLogGPS, TellsDetachedMessagesFromAsynchronousOnes) {
  for (const double planted : {2000.0, 9000.0, 30'000.0}) {
    Benchmark benchmark(static_cast<std::uint32_t>(planted));
    const Network network{.eager = 65'536, .asynchronous = planted};
    const LogGPSFit fit = fit_loggps(benchmark.run(network, 40), {.replicates = 50});
    EXPECT_EQ(fit.eager_bytes.value, 65'536);
    EXPECT_LE(fit.asynchronous_bytes.low, planted);
    EXPECT_GE(fit.asynchronous_bytes.high, planted);
    EXPECT_NEAR(fit.asynchronous_bytes.value, planted, 0.2 * planted);  // sizes are 17 % apart
  }
}

// Receives of other caches or of other protocols within the eager ones are no transfers.
TEST(FitLogGPS, WithoutDetachedMessagesBothThresholdsAreOne) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    Benchmark benchmark(seed);
    CalibrationSamples samples = benchmark.run({.eager = 65'536}, 40);
    SampleTable& receive = samples[Quantity::receive];
    for (auto& round : receive.rounds) {
      for (std::size_t i = 0; i < round.size(); ++i) {
        if (receive.sizes[i] > 8192) round[i] += 150;
      }
    }
    const LogGPSFit fit = fit_loggps(samples, {.replicates = 20});
    EXPECT_EQ(fit.asynchronous_bytes.value, 65'536) << seed;
  }
}

// Where the receive takes nearly all of the one-way time, a slower receive is no transfer.
TEST(FitLogGPS, OverheadsBesideWhichTheTransferIsSmallAreNoTransfers) {
  Benchmark benchmark(11);
  CalibrationSamples samples =
      benchmark.run({.latency = 60, .receive = 2000, .per_byte = 1e-4, .eager = 65'536}, 40);
  SampleTable& receive = samples[Quantity::receive];
  for (auto& round : receive.rounds) {
    for (std::size_t i = 0; i < round.size(); ++i) {
      if (receive.sizes[i] > 8192) round[i] += 100;
    }
  }
  const LogGPSFit fit = fit_loggps(samples, {.replicates = 20});
  EXPECT_FALSE(fit.receive.breakpoints.empty());
  EXPECT_EQ(fit.asynchronous_bytes.value, 65'536);
}

// As within a node under MPICH, in ns: calls by themselves find colder caches than in a ping-pong,
// so that short receives take longer than a transfer, and long ones less.
TEST(FitLogGPS, CopiesWithinANodeAreNoTransfers) {
  Benchmark benchmark(9);
  CalibrationSamples samples = benchmark.run({.eager = 8255}, 40);
  for (const auto& [quantity, times, line] :
       {std::tuple{Quantity::round_trip, 2.0, AffineFunction{190, 0.048}},
        std::tuple{Quantity::send, 1.0, AffineFunction{100, 0.009}},
        std::tuple{Quantity::receive, 1.0, AffineFunction{110, 0.014}}}) {
    const double shorter = quantity == Quantity::round_trip ? 135 : 85;
    for (auto& round : samples[quantity].rounds) {
      for (std::size_t i = 0; i < round.size(); ++i) {
        const double size = samples[quantity].sizes[i];
        if (std::isnan(round[i]) || size > 8255) continue;
        const double noise = 1 + 0.01 * static_cast<double>(i * 7 % 5);
        round[i] = times * noise * (size > 100 ? line.at(size) : shorter);
      }
    }
  }
  EXPECT_EQ(fit_loggps(samples, {.replicates = 20}).asynchronous_bytes.value, 8255);
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

// Detached: os is paid by the sender, and or by the receiver after the transfer.
TEST(SmpiTables, GiveTheOneWayTimeOfDetachedMessagesAgain) {
  Benchmark benchmark(6);
  const Network network{.eager = 65'536, .asynchronous = 3000};
  const SmpiTables tables = smpi_tables(fit_loggps(benchmark.run(network, 60), {.replicates = 20}));
  expect_one_way_times(tables, network);
  EXPECT_THAT(tables.scaled_sizes, IsEmpty());
  EXPECT_NEAR(std::stod(option(tables, "smpi/async-small-thresh")), 3000, 600);
  EXPECT_EQ(option(tables, "smpi/send-is-detached-thresh"), "65537");
  for (const double size : {2.0, 20'000.0}) {
    EXPECT_NEAR(1e9 * piecewise_at(option(tables, "smpi/or"), size, true), network.receive, 20);
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

// Two messages of the noise vary like the round trips: in their mean beyond twice the median of
// one, and in their variance.
TEST(MessageNoise, OfTwoMessagesIsThatOfARoundTrip) {
  std::mt19937 random(7);
  std::exponential_distribution<> late(1 / 100.0);
  SampleTable table{.sizes = {8, 9000}, .rounds = {}, .processes = {}};
  double sum = 0, squares = 0;
  constexpr int kRounds = 20'000;
  for (int r = 0; r < kRounds; ++r) {
    const double deviation = late(random) + late(random);
    sum += deviation;
    squares += deviation * deviation;
    table.rounds.push_back({2000 + deviation, 1e9 * late(random)});
  }
  const std::vector<double> percentiles = message_noise(table, 4040);
  ASSERT_THAT(percentiles, SizeIs(101));
  EXPECT_TRUE(std::ranges::is_sorted(percentiles));
  double mean = 0, variance = 0;
  for (std::size_t i = 0; i < 100; ++i) mean += (percentiles[i] + percentiles[i + 1]) / 200;
  for (std::size_t i = 0; i < 100; ++i) {
    const double middle = (percentiles[i] + percentiles[i + 1]) / 2 - mean;
    variance += middle * middle / 100;
  }
  const double mean_of_trips = sum / kRounds;
  const double median = points_of(table).front().y - 2000;
  EXPECT_NEAR(2 * mean, mean_of_trips - median, 5);
  const double variance_of_trips = squares / kRounds - mean_of_trips * mean_of_trips;
  EXPECT_NEAR(2 * variance, variance_of_trips, 0.06 * variance_of_trips);
  EXPECT_THAT(message_noise(table, 4), IsEmpty());
}

}  // namespace
}  // namespace slackline
