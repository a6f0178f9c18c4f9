// POP's factors of public runs of EPOCH (Extrae), against what BSC's basicanalysis and
// Dimemas 5.5.0 gave for them: times to the nanosecond, factors to six digits.

#include "analysis/efficiency/efficiency.h"

#include <gtest/gtest.h>

#include "formats/open/open.h"
#include "trace/testing/shared_traces.h"

namespace slackline {
namespace {

struct Epoch {
  int ranks;
  std::int64_t observed_ns;
  std::int64_t ideal_ns;
  double useful_mean_us;
  double useful_max_us;
  double ideal_useful_max_us;
};

void PrintTo(const Epoch& e, std::ostream* out) {
  *out << e.ranks;
}

class EpochEfficiency : public ::testing::TestWithParam<Epoch> {};

TEST_P(EpochEfficiency, IsAsDimemasAndBasicanalysisSay) {
  const Epoch& known = GetParam();
  const auto path =
      testing::shared_trace("epoch/epoch_" + std::to_string(known.ranks) + "proc.prv.gz");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "not here: " << path;
  const OpenedTrace opened = open_trace(path);
  const EfficiencyInputs in = efficiency(opened.trace, CallMatching(opened.trace), {}).inputs;
  EXPECT_EQ(in.observed_ns, static_cast<double>(known.observed_ns));
  EXPECT_EQ(in.ideal_ns, static_cast<double>(known.ideal_ns));
  EXPECT_NEAR(in.useful_mean_ns / 1e3, known.useful_mean_us, 0.0051);
  EXPECT_NEAR(in.useful_max_ns / 1e3, known.useful_max_us, 0.0051);
  EXPECT_NEAR(in.ideal_useful_max_ns / 1e3, known.ideal_useful_max_us, 0.0051);

  const double t = static_cast<double>(known.observed_ns) / 1e3;
  const double ideal = static_cast<double>(known.ideal_ns) / 1e3;
  const auto near = [](double a, double b) { EXPECT_NEAR(a, b, 1e-7); };
  const EfficiencyFactors basic = factors(in, EfficiencyVariant::basicanalysis);
  near(basic.load_balance, known.useful_mean_us / known.useful_max_us);
  near(basic.communication, known.useful_max_us / t);
  near(basic.serialisation, known.ideal_useful_max_us / ideal);
  near(basic.transfer, known.useful_max_us / t / (known.ideal_useful_max_us / ideal));
  const EfficiencyFactors pop = factors(in, EfficiencyVariant::multiplicative);
  near(pop.serialisation, known.useful_max_us / ideal);
  near(pop.transfer, ideal / t);
  near(pop.parallel, known.useful_mean_us / t);
}

INSTANTIATE_TEST_SUITE_P(
    Runs, EpochEfficiency,
    ::testing::Values(Epoch{1, 21898659139, 21884758971, 21882362.82, 21882362.82, 21884758.97},
                      Epoch{2, 11528373565, 11504370091, 11456696.18, 11484151.34, 11486234.50},
                      Epoch{4, 6082352213, 6051059081, 5921167.02, 5999910.80, 6002862.00},
                      Epoch{8, 3513565328, 3486349432, 3362753.84, 3421581.67, 3426454.46}),
    [](const auto& test) { return "ranks" + std::to_string(test.param.ranks); });

}  // namespace
}  // namespace slackline
