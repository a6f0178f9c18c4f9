#include "analysis/efficiency/efficiency.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "formats/text/text.h"
#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

constexpr double kSixDigits = 1e-6;

// A made-up run: T 100, ideal 80, useful 40 and 60.
EfficiencyInputs example() {
  EfficiencyInputs in;
  in.ranks = 2;
  in.observed_ns = 100;
  in.ideal_ns = 80;
  in.useful_mean_ns = 50;
  in.useful_max_ns = 60;
  in.outside_max_ns = 64;
  in.ideal_useful_max_ns = 64;
  return in;
}

TEST(Efficiency, MultipliesByPopsDefinition) {
  const EfficiencyFactors f = factors(example(), EfficiencyVariant::multiplicative);
  EXPECT_DOUBLE_EQ(f.parallel, 0.5);
  EXPECT_DOUBLE_EQ(f.load_balance, 50.0 / 60);
  EXPECT_DOUBLE_EQ(f.communication, 0.6);
  EXPECT_DOUBLE_EQ(f.serialisation, 0.75);
  EXPECT_DOUBLE_EQ(f.transfer, 0.8);
  EXPECT_NEAR(f.load_balance * f.serialisation * f.transfer, f.parallel, 1e-12);
}

TEST(Efficiency, AddsUpInTheAdditiveForm) {
  const EfficiencyFactors f = factors(example(), EfficiencyVariant::additive);
  EXPECT_DOUBLE_EQ(f.load_balance, 0.9);
  EXPECT_DOUBLE_EQ(f.communication, 0.64);
  EXPECT_DOUBLE_EQ(f.serialisation, 1 - 0.16);
  EXPECT_DOUBLE_EQ(f.transfer, 0.8);
  EXPECT_NEAR(1 - (1 - f.load_balance) - (1 - f.serialisation) - (1 - f.transfer), f.parallel,
              1e-12);
}

TEST(Efficiency, TakesSerialisationFromTheIdealRunLikeBasicanalysis) {
  const EfficiencyFactors f = factors(example(), EfficiencyVariant::basicanalysis);
  EXPECT_DOUBLE_EQ(f.serialisation, 0.8);
  EXPECT_DOUBLE_EQ(f.transfer, 0.75);
}

TEST(Efficiency, ComparesComputationWithTheReference) {
  EfficiencyInputs reference = example();
  EfficiencyInputs larger = example();
  larger.ranks = 4;  // 200 useful instead of 100
  reference.instructions = 1000;
  larger.instructions = 1250;
  reference.cycles = 500;
  larger.cycles = 1000;
  const Scalability s = scalability(larger, reference, Scaling::strong);
  EXPECT_DOUBLE_EQ(s.computation, 0.5);
  EXPECT_DOUBLE_EQ(*s.instructions, 0.8);
  EXPECT_DOUBLE_EQ(*s.ipc, 1.25 / 2);
  EXPECT_DOUBLE_EQ(*s.frequency, 1.0);
  EXPECT_NEAR(*s.instructions * *s.ipc * *s.frequency, s.computation, 1e-12);
  EXPECT_DOUBLE_EQ(scalability(larger, reference, Scaling::weak).computation, 1.0);
}

TEST(Efficiency, IsMadeOfWhatTheTraceSays) {
  // Useful: 100 and 30 + 10; the run lasts 190, the ideal one 140.
  const Trace trace =
      testing::timed_trace(2,
                           "rank 0\n @0 +0 init\n @100 +50 send to=1 bytes=8\n @150 finalize\n"
                           "rank 1\n @0 +0 init\n @30 +150 recv from=0 bytes=8\n @190 finalize\n");
  const Efficiency e = efficiency(trace, CallMatching(trace), {});
  EXPECT_EQ(e.useful_ns, (std::vector<std::int64_t>{100, 40}));
  EXPECT_EQ(e.inputs.observed_ns, 190);
  EXPECT_EQ(e.inputs.ideal_ns, 110);
  EXPECT_EQ(e.inputs.useful_mean_ns, 70);
}

const char* const kStartsAndEndsApart =
    "rank 0\n @0 +100 init\n @200 +300 send to=1\n @1000 +70 finalize\n"
    "rank 1\n @0 +130 init\n @200 +200 recv from=0\n @900 +170 finalize\n";

TEST(Efficiency, IsAnalysedFromTheLastReturnFromInitToTheFirstEntryIntoFinalize) {
  const Trace trace = testing::timed_trace(2, kStartsAndEndsApart);
  const Efficiency e = efficiency(trace, CallMatching(trace), {});
  EXPECT_EQ(e.interval, (TimeInterval{130, 900}));
  EXPECT_EQ(e.analysed.observed_ns, 770);
  EXPECT_EQ(e.analysed.useful_mean_ns, 520);  // 770 without 300 and 200 in calls
  EXPECT_EQ(e.analysed.useful_max_ns, 570);
  EXPECT_LE(e.analysed.ideal_ns, 770);
  EXPECT_GE(e.analysed.ideal_ns, 570);
}

// No rank waits and nothing is transferred: on an ideal network the run is as long.
TEST(Efficiency, OfARunWithoutFinalizeCountsWhatFollowsTheLastCall) {
  const Trace trace = testing::timed_trace(2,
                                           "rank 0 unfinalized stop=1000\n @0 +100 init\n"
                                           " @200 +0 barrier\n"
                                           "rank 1 unfinalized stop=1000\n @0 +100 init\n"
                                           " @200 +0 barrier\n");
  const Efficiency e = efficiency(trace, CallMatching(trace), {});
  EXPECT_EQ(e.analysed.observed_ns, 900);
  EXPECT_EQ(e.analysed.ideal_ns, 900);
  EXPECT_EQ(e.analysed.useful_mean_ns, 900);
}

TEST(Efficiency, OfAnAskedIntervalCutsCallsAtItsEnds) {
  const Trace trace = testing::timed_trace(2, kStartsAndEndsApart);
  const Efficiency e = efficiency(trace, CallMatching(trace), {}, TimeInterval{300, 600});
  EXPECT_EQ(e.analysed.observed_ns, 300);
  EXPECT_EQ(e.analysed.useful_mean_ns, 150);  // 100 and 200
  EXPECT_EQ(e.analysed.useful_max_ns, 200);
}

// Stretches of 400 and 300 ns have 200 and 100 ns in the interval: half and a third of what they
// have counted.
TEST(Efficiency, CountsComputationAtAnIntervalsEndWithThePartInside) {
  const Trace trace = read_text(
      "slackline-trace 1 timed ranks=1\n"
      "counter 0 \"PAPI_TOT_INS\"\ncounter 1 \"PAPI_TOT_CYC\"\n"
      "rank 0\n@0 +100 init\ncounted 4000 800\n@500 +100 barrier\ncounted 600 90\n"
      "@900 +70 finalize\n",
      "test");
  const Efficiency e = efficiency(trace, CallMatching(trace), {}, TimeInterval{300, 700});
  EXPECT_DOUBLE_EQ(e.analysed.instructions.value(), 4000.0 / 2 + 600.0 / 3);
  EXPECT_DOUBLE_EQ(e.analysed.cycles.value(), 800.0 / 2 + 90.0 / 3);
  EXPECT_DOUBLE_EQ(e.inputs.instructions.value(), 4600);
  EXPECT_DOUBLE_EQ(e.inputs.cycles.value(), 890);
}

// Rank 0 loses 300 of 1000 in an interrupted stretch, and pauses by itself in another one.
TEST(MachineShare, IsTheTimeLostInInterruptedStretches) {
  const Trace trace = read_text(
      "slackline-trace 1 timed ranks=2\ninfo processors=4000 stolen=100 other_processes=800\n"
      "counter 0 \"ru_nivcsw\"\ncounter 1 \"ru_minflt\"\n"
      "rank 0\n@0 +10 init\n@310 +300 pause no_processor\ncounted 2 7\n@610 +10 barrier\n"
      "@700 +20 pause\n@1020 +10 finalize\n"
      "rank 1\n@0 +10 init\ncounted 0 1\n@610 +10 barrier\n@1020 +10 finalize\n",
      "test");
  const auto share = machine_share(trace);
  ASSERT_TRUE(share.has_value());
  EXPECT_EQ(share->all.computation_ns, 2000);
  EXPECT_EQ(share->all.lost_ns, 300);
  EXPECT_EQ(share->all.stretches, 4u);
  EXPECT_EQ(share->all.interrupted, 1u);
  EXPECT_EQ(share->all.involuntary_switches, 2u);
  EXPECT_EQ(share->all.minor_faults, 8u);
  EXPECT_EQ(share->rank, 0);
  EXPECT_DOUBLE_EQ(share->rank_lost_share, 0.3);
  EXPECT_DOUBLE_EQ(share->lost_share(), 0.15);
  EXPECT_DOUBLE_EQ(share->stolen_share.value(), 0.025);
  EXPECT_DOUBLE_EQ(share->other_processes_share.value(), 0.2);
}

TEST(MachineShare, IsNotKnownWithoutCounters) {
  EXPECT_FALSE(
      machine_share(read_text("slackline-trace 1 timed ranks=1\nrank 0\n@0 +10 init\n", "test"))
          .has_value());
}

TEST(Efficiency, OfAnUntimedTraceIsRefused) {
  const Trace trace = testing::untimed_trace(1, "rank 0\n pack\n");
  EXPECT_THROW(efficiency(trace, CallMatching(trace), {}), Error);
}

TEST(Efficiency, OfAnEmptyRunIsAFinding) {
  const Trace trace = testing::timed_trace(2, "rank 0\nrank 1\n");
  const Efficiency e = efficiency(trace, CallMatching(trace), {});
  EXPECT_FALSE(e.findings.empty());
  for (const EfficiencyVariant v : kEfficiencyVariants) EXPECT_EQ(factors(e.inputs, v).parallel, 0);
  const Report report = describe_efficiency({e, e}, Scaling::strong);
  EXPECT_TRUE(report.result["runs"][0]["multiplicative"].is_null());
  EXPECT_TRUE(report.result["runs"][1]["scalability"].is_null());
}

TEST(Efficiency, ScalingIsThatOfTheWorkOfARank) {
  const auto run = [](std::int32_t ranks, double useful_ns, std::optional<double> instructions) {
    Efficiency e;
    e.analysed = example();
    e.analysed.ranks = ranks;
    e.analysed.useful_mean_ns = useful_ns;
    e.analysed.instructions = instructions;
    return e;
  };
  const LikelyScaling weak =
      likely_scaling({run(2, 5e6, {}), run(4, 5.1e6, {}), run(8, 5.2e6, {})});
  EXPECT_EQ(weak.scaling, Scaling::weak);
  EXPECT_EQ(weak.why,
            "Weak scaling is assumed: the mean computation per rank is 5.000 ms on 2 ranks and "
            "5.200 ms on 8 ranks. Another kind: --scaling strong.");
  EXPECT_EQ(likely_scaling({run(8, 1.3e6, {}), run(2, 5e6, {})}).scaling, Scaling::strong);
  // Work that grows even faster than the ranks is not shared.
  EXPECT_EQ(likely_scaling({run(2, 5e6, {}), run(4, 1e7, {})}).scaling, Scaling::weak);
  // As many instructions, which memory makes slower.
  EXPECT_EQ(likely_scaling({run(2, 5e6, 8e6), run(8, 5e6, 8e6)}).scaling, Scaling::strong);
  EXPECT_EQ(likely_scaling({run(2, 5e6, {}), run(2, 6e6, {})}).why, "");
  EXPECT_EQ(likely_scaling({}).scaling, Scaling::strong);
}

TEST(Efficiency, ScalingNamesTheFactorThatDegradesAndWhy) {
  Efficiency one;
  one.inputs = one.analysed = example();
  one.analysed.instructions = 1000;
  one.analysed.cycles = 500;
  Efficiency two = one;
  two.analysed.ranks = 4;  // twice the computation time, at half the instructions a cycle
  two.analysed.cycles = 1000;
  const Report report = describe_efficiency({one, two}, Scaling::strong);
  EXPECT_EQ(report.result["scaling"]["degrading_factor"].as_string(), "computation");
  const std::string text = report.result["scaling"]["sentence"].as_string();
  EXPECT_NE(text.find("fewer instructions per cycle (50.0 %)"), std::string::npos) << text;
  EXPECT_EQ(report.result["scaling"]["runs"][1]["ideal_speedup"].as_double(), 2);
  EXPECT_EQ(report.sections.front().id, "scalability");
}

// The inputs of the next test are the known times of a public run of EPOCH on 8 ranks.
TEST(Efficiency, OfEpochOnEightRanks) {
  EfficiencyInputs in;
  in.ranks = 8;
  in.observed_ns = 3513565328;
  in.ideal_ns = 3486349432;
  in.useful_mean_ns = 3362753840;
  in.useful_max_ns = 3421581670;
  in.ideal_useful_max_ns = 3426454460;
  const EfficiencyFactors f = factors(in, EfficiencyVariant::basicanalysis);
  EXPECT_NEAR(f.load_balance, 3362753.84 / 3421581.67, kSixDigits);
  EXPECT_NEAR(f.serialisation, 3426454.46 / 3486349.432, kSixDigits);
  EXPECT_NEAR(f.serialisation * f.transfer, 3421581.67 / 3513565.328, kSixDigits);
}

}  // namespace
}  // namespace slackline
