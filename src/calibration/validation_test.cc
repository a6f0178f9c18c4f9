#include "calibration/validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibration/calibration_report.h"

namespace slackline {
namespace {

/// T grows by 2 ns per ns from 1000 ns on; the model says so, too, but for `bias`.
ValidationSamples line(double bias) {
  ValidationSamples s;
  for (const double added : {0.0, 10.0, 20.0, 30.0, 40.0}) {
    const double t = 1000 + 2 * added;
    s.points.push_back({added, {t, t, t + 1, t - 1, t}, {t * (1 + bias), t * (1 + bias)}, {}});
  }
  s.tolerances = {{0.01, {5.0, 5.0}}, {0.05, {25.0, 25.0}}, {0.5, {std::nullopt, std::nullopt}}};
  return s;
}

TEST(Validation, OfAnExactModelFindsNoError) {
  const Validation v = validate(line(0), 200, 1);
  EXPECT_DOUBLE_EQ(v.rrmse.value, 0);
  EXPECT_LT(v.rrmse.high, 0.002);
  ASSERT_EQ(v.tolerances.size(), 3u);
  EXPECT_NEAR(v.tolerances[0].measured_ns->value, 5, 1e-9);
  EXPECT_NEAR(v.tolerances[1].measured_ns->value, 25, 1e-9);
  EXPECT_TRUE(v.tolerances[1].predicted_ns->contains(25));
}

TEST(Validation, SeparatesBiasFromTheEffectOfLatency) {
  const Validation v = validate(line(0.03), 200, 1);
  EXPECT_NEAR(v.rrmse.value, 0.03, 1e-12);
  EXPECT_NEAR(v.bias.value, 0.03, 1e-12);
  EXPECT_NEAR(v.relative_rrmse.value, 0, 1e-12);
}

TEST(Validation, LeavesOpenWhatWasNotReached) {
  const Validation v = validate(line(0), 50, 1);
  EXPECT_FALSE(v.tolerances[2].measured_ns.has_value());
  EXPECT_FALSE(v.tolerances[2].predicted_ns.has_value());
}

TEST(Validation, GivesScriptsTheirKeys) {
  const ValidationSamples samples = line(0);
  const Report report =
      describe(validate(samples, 50, 1), samples, {{0, 20, 40}, {1000, 1040, 1080}});
  EXPECT_EQ(report.result["points"].size(), 5u);
  EXPECT_EQ(report.result["points"][1]["latency_ns"], 10.0);
  EXPECT_EQ(report.result["points"][1]["measured_ns"].size(), 5u);
  EXPECT_EQ(report.result["points"][1]["predicted_ns"], 1020.0);
  EXPECT_EQ(report.result["rrmse"], 0.0);
  EXPECT_TRUE(report.result["tolerance"][2]["measured_ns"].is_null());
}

Report report_of(const ValidationSamples& samples) {
  return describe(validate(samples, 200, 1), samples, {{0, 40}, {1000, 1080}});
}

TEST(Validation, WarnsOfPredictionsThatMissTheMeasurement) {
  const ValidationSamples off = line(-0.617);
  const Report report = report_of(off);
  ASSERT_EQ(report.findings.entries().size(), 1u);
  EXPECT_EQ(report.findings.entries()[0].name, "prediction_misses_measurement");
  EXPECT_EQ(report.findings.entries()[0].count, 5u);
  EXPECT_THAT(report.findings.entries()[0].examples[0], ::testing::HasSubstr("-61.7 %"));
  EXPECT_EQ(report.result["points"][0]["agrees"], false);
  // One run of each latency has no scatter: the bound alone decides.
  EXPECT_EQ(report_of({{{0, {1000}, {1060}, {}}}, {}}).findings.entries().size(), 1u);
}

TEST(Validation, AcceptsErrorsWithinTheBoundOrTheScatterOfRuns) {
  EXPECT_TRUE(report_of(line(0.03)).findings.empty());
  // 8 % off the median of runs that scatter by half of it.
  const ValidationSamples noisy{{{0, {600, 800, 1000, 1200, 1400}, {1080}, {}}}, {}};
  EXPECT_TRUE(report_of(noisy).findings.empty());
  EXPECT_EQ(report_of(noisy).result["points"][0]["agrees"], true);
}

}  // namespace
}  // namespace slackline
