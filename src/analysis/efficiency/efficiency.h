#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/efficiency/ideal_replay.h"
#include "analysis/efficiency/machine_share.h"
#include "analysis/openmp/openmp_use.h"
#include "base/findings.h"
#include "calls/run_span.h"
#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"
#include "trace/trace.h"

namespace slackline {

/// Three ways to split the communication efficiency are in use; they differ in what they call
/// serialisation and transfer.
enum class EfficiencyVariant : std::uint8_t {
  multiplicative,  ///< POP: SerE = max U / T_ideal, TE = T_ideal / T
  additive,        ///< POP's hybrid form: each factor is 1 minus a loss, and the losses add up
  basicanalysis,   ///< BSC's script: SerE = max U of the ideal run / T_ideal, TE = CE / SerE
};
inline constexpr std::array kEfficiencyVariants{EfficiencyVariant::multiplicative,
                                                EfficiencyVariant::additive,
                                                EfficiencyVariant::basicanalysis};
/// The name that --variant reads.
std::string_view to_string(EfficiencyVariant variant);

/// POP's tree. All between 0 and 1 for a causal run.
struct EfficiencyFactors {
  double parallel = 0;
  double load_balance = 0;
  double communication = 0;
  double serialisation = 0;
  double transfer = 0;
};

/// What POP's factors are made of. Times in ns.
struct EfficiencyInputs {
  std::int32_t ranks = 0;     ///< that have calls
  double observed_ns = 0;     ///< T: from the first rank's start to the last rank's end
  double ideal_ns = 0;        ///< T on the ideal network
  double useful_mean_ns = 0;  ///< computation outside of MPI, without pauses
  double useful_max_ns = 0;
  double outside_max_ns = 0;       ///< time outside of MPI, pauses included
  double ideal_useful_max_ns = 0;  ///< computation of the ideal run (some MPI calls count as it)
  std::optional<double> instructions;  ///< sums over all ranks, of the computation
  std::optional<double> cycles;

  /// Without any time nothing can be said of its use.
  bool has_time() const { return observed_ns > 0; }
  double useful_sum_ns() const { return useful_mean_ns * ranks; }
};

/// All 0 where there is no time.
EfficiencyFactors factors(const EfficiencyInputs& inputs, EfficiencyVariant variant);

/// One run's efficiencies.
struct Efficiency {
  std::string name;                     ///< of the trace, for tables
  EfficiencyInputs inputs;              ///< of the whole run
  EfficiencyInputs analysed;            ///< of the analysed interval
  TimeInterval interval;                ///< that one, from the start of the run
  std::string interval_meaning;         ///< of it (calls/run_span.h)
  std::vector<std::int64_t> useful_ns;  ///< per rank
  std::optional<MachineShare> machine;  ///< where the recording counted context switches
  std::optional<OpenMPUse> openmp;      ///< of the analysed interval, where there are regions
  Findings findings;
};

/// Throws Error for an untimed trace. Without `analysed` (in the trace's own time) that is
/// RunSpan::common. O(calls).
Efficiency efficiency(const Trace& trace, const CallMatching& matching, const IdealOptions& options,
                      const std::optional<TimeInterval>& analysed = std::nullopt);
/// The same of a timed trace whose run on the ideal network is known already.
Efficiency efficiency_from(const Trace& trace, const CallMatching& matching, const IdealRun& ideal,
                           const TimeInterval& analysed);

/// Whether the work of all ranks together stays (strong) or grows with them (weak).
enum class Scaling : std::uint8_t { strong, weak };

/// The kind of scaling to assume without --scaling. With the work per rank proportional to a power
/// of the number of ranks, between the runs with the fewest and the most ranks, it is weak where
/// the exponent is above -0.5 (weak scaling has 0, strong -1). Work is instructions where all runs
/// know them, else computation time. `why` is a sentence, empty where all have the same number of
/// ranks.
struct LikelyScaling {
  Scaling scaling = Scaling::strong;
  std::string why{};
};
LikelyScaling likely_scaling(const std::vector<Efficiency>& runs);

/// How computation grows with the ranks, against a reference run.
struct Scalability {
  double computation = 1;              ///< sum U of the reference / sum U
  std::optional<double> instructions;  ///< the same of instructions
  std::optional<double> ipc;           ///< instructions per cycle, against the reference's
  std::optional<double> frequency;     ///< cycles per useful time, against the reference's
  double global(double parallel) const { return parallel * computation; }
};
/// Computation of `inputs` against `reference`; under weak scaling the work grows with the ranks.
Scalability scalability(const EfficiencyInputs& inputs, const EfficiencyInputs& reference,
                        Scaling scaling);

/// One run's tree of `Efficiency::inputs` in one variant, as a table `efficiency_<variant>`; its
/// title names their interval.
/// What to say of a transfer efficiency above 100 %; nothing of others.
std::optional<std::string> transfer_note(const EfficiencyInputs& inputs);
Table efficiency_table(const Efficiency& run, EfficiencyVariant variant, std::string_view interval);
extern const Rows<EfficiencyFactors> kEfficiencyFactors;
using FactorsJson = JsonBy<kEfficiencyFactors>;
/// The factors by name; nothing where there is no time.
std::optional<FactorsJson> factors_to_json(const EfficiencyInputs& inputs,
                                           EfficiencyVariant variant);
extern const Rows<Efficiency, struct EfficiencyOf> kEfficiency;
using EfficiencyRunJson = JsonBy<kEfficiency>;
/// The inputs in ns, and the factors of all variants.
EfficiencyRunJson efficiency_to_json(const Efficiency& run);
using EfficiencyJson = JsonOf<struct EfficiencyJsonTag>;
const JsonType& declared_type(const EfficiencyJsonTag*);
/// `runs` in the order of the table; the first one is the reference. `why_scaling`, if any, says
/// why the scaling was taken.
Described<EfficiencyJson> describe_efficiency(const std::vector<Efficiency>& runs, Scaling scaling,
                                              const std::string& why_scaling = {});

using ScalingJson = JsonOf<struct ScalingJsonTag>;
const JsonType& declared_type(const ScalingJsonTag*);

/// How the factors of the analysed interval change with the ranks: the sentences that name the one
/// that degrades most and why, all factors over ranks, and the speed-up beside the ideal one. Two
/// runs at least, of which the first is the reference.
struct ScalingStudy {
  Section section;
  std::optional<ScalingJson> result{};  ///< nothing of fewer than two runs with time
};
ScalingStudy scaling_study(const std::vector<Efficiency>& runs, Scaling scaling);

}  // namespace slackline
