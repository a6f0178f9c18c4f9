#include "calibration/calibration_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "timing/cost/message_time.h"

namespace slackline {

/// The measured ping-pong of one size, one way, and what the models make of it.
struct PingPong {
  double bytes = 0;
  double measured_ns = 0;
  double predicted_ns = 0;
  double simulated_ns = 0;

  double prediction_error() const { return predicted_ns / measured_ns - 1; }
  double simulation_error() const { return simulated_ns / measured_ns - 1; }
};

/// What a fit is described with.
struct CalibrationOf {
  const CalibrationSamples& samples;
  const std::vector<PingPong>& ping_pong;
};

namespace {

constexpr FindingKind kAllSizesEager{
    "all_sizes_eager", Severity::info,
    "No send waited for its receiver, up to the longest message measured: S is at least that."};
constexpr FindingKind kNoLatency{
    "no_latency", Severity::notice,
    "MPI_Send and MPI_Recv together take at least the one-way time, as is possible within a node: "
    "L is 0, and o is half of the one-way time."};
constexpr FindingKind kDisturbed{
    "disturbed_calibration", Severity::notice,
    "Other processes used the processors during the measurement; parameters and their intervals "
    "contain that in part."};
constexpr FindingKind kScaledOverheads{
    "overheads_scaled", Severity::info,
    "MPI_Send and MPI_Recv, each measured by itself, take longer than a message one way, in which "
    "caches are warmer: the overheads of the simulation are scaled to the one-way time."};
constexpr FindingKind kLargeResidual{
    "calibration_residual", Severity::notice,
    "The ping-pong that was measured takes 5 % more or less in the model at some sizes."};
constexpr FindingKind kContentionResidual{
    "contention_residual", Severity::notice,
    "Messages in both directions at the same time do not take the time of a shared bandwidth: the "
    "factor of contention, and the limiter of the platform, are uncertain."};
constexpr FindingKind kIncomplete{
    "calibration_incomplete", Severity::notice,
    "The time was over before every size was measured once: curves have fewer sizes, of which some "
    "were measured in some of the starts only."};
constexpr FindingKind kSpread{
    "calibration_spread", Severity::notice,
    "The starts of the benchmark differ by over 10 %: the machine itself changed meanwhile, as a "
    "virtual one does whose processors are moved. Predictions are no more exact than that."};
constexpr double kMuchSpread = 0.1;
constexpr double kMuchResidual = 0.05;
constexpr double kMuchContentionResidual = 0.1;
constexpr double kShortMessages = 64 * 1024;

struct NamedFit {
  const char* name;
  const char* title;
  const PiecewiseFit* fit;
};

std::vector<NamedFit> fits_of(const LogGPSFit& f) {
  std::vector<NamedFit> fits{
      {"one_way", "one way, PRTT(1,0,s)/2", &f.one_way},
      {"stream", "per message of a stream, g + (s-1) G", &f.stream},
      {"one_way_reused", "one way, buffers not written", &f.one_way_reused},
      {"stream_reused", "per message of a stream, the same, from one buffer", &f.stream_reused},
      {"one_way_same", "one way, received into the sent buffer", &f.one_way_same},
      {"send", "in MPI_Send", &f.send},
      {"isend", "in MPI_Isend", &f.isend},
      {"recv", "in MPI_Recv, message there", &f.receive}};
  fits.push_back({"sendrecv", "in MPI_Sendrecv, a message each way", &f.both_ways});
  std::erase_if(fits, [](const NamedFit& named) { return named.fit->segments.empty(); });
  return fits;
}

std::vector<PingPong> ping_pongs(const LogGPSFit& fit, const SmpiTables& smpi, Buffers buffers) {
  std::vector<PingPong> all;
  const auto femtos = [](const Estimate& ns) {
    return std::llround(ns.value * static_cast<double>(kFemtosPerNano));
  };
  const LogGPS model{femtos(fit.latency), femtos(fit.overhead), femtos(fit.gap_per_byte)};
  const PiecewiseFit& one_way = fit.one_way_of(buffers);
  for (std::size_t i = 0; i < one_way.points.size(); ++i) {
    const WeightedPoint& p = one_way.points[i];
    // No message is faster than the model's latencies and overheads.
    const std::int64_t least_fs =
        message_fs_without_transfer(model, p.x <= fit.eager_bytes.value, GraphOptions{}.rendezvous);
    const double least = static_cast<double>(least_fs) / static_cast<double>(kFemtosPerNano);
    all.push_back({p.x, p.y, std::max(least, one_way.at(p.x)), smpi.one_way_ns[i]});
  }
  return all;
}

const Rows<PingPong> kPingPong{"ping_pong",
                               "Measured ping-pong in the models (one way)",
                               {{"bytes", "size", Unit::bytes, &PingPong::bytes},
                                {"measured_ns", "measured", Unit::ns, &PingPong::measured_ns},
                                {"predicted_ns", "predicted", Unit::ns, &PingPong::predicted_ns},
                                {kShown, "error", Unit::ratio, &PingPong::prediction_error},
                                {"simulated_ns", "simulated", Unit::ns, &PingPong::simulated_ns},
                                {kShown, "error", Unit::ratio, &PingPong::simulation_error}}};

/// One for each doubling of the size.
std::vector<PingPong> by_doubling(const std::vector<PingPong>& all) {
  std::vector<PingPong> some;
  for (const PingPong& p : all) {
    if (some.empty() || p.bytes >= 2 * some.back().bytes) some.push_back(p);
  }
  return some;
}

void note_residuals(const std::vector<PingPong>& all, Findings& findings) {
  for (const PingPong& p : all) {
    const auto note = [&](double error, std::string_view how) {
      if (std::abs(error) <= kMuchResidual) return;
      findings.add(kLargeResidual,
                   fmt::format("{} {}: {:+.0f} %", format_bytes(p.bytes), how, 100 * error));
    };
    note(p.prediction_error(), "predicted");
    note(p.simulation_error(), "simulated");
  }
}

using Format = std::string (*)(double);

std::string per_byte(double ns) {
  return fmt::format("{:.4g} ns/B", ns);
}

std::string plain(double factor) {
  return fmt::format("{:.3f}", factor);
}

Table parameter_table(const LogGPSFit& f) {
  Table table{"loggps", "Parameters", {}, {}};
  table.columns = {{"parameter"}, {"value"}, {"95 % from"}, {"to"}, {"what it is"}};
  const auto row = [&](const char* name, const Estimate& e, Format shown, const char* what) {
    table.rows.push_back({name, shown(e.value), shown(e.low), shown(e.high), what});
  };
  row("L", f.latency, format_time_ns, "latency: one crossing of the network");
  row("o", f.overhead, format_time_ns, "CPU time per message, mean of the two sides");
  row("o_send", f.send_overhead, format_time_ns, "in MPI_Send, 1 byte");
  row("o_recv", f.receive_overhead, format_time_ns, "in MPI_Recv, 1 byte that has arrived");
  row("g", f.gap, format_time_ns, "between messages of one byte");
  row("G", f.gap_per_byte, per_byte, "time per byte");
  row("S", f.eager_bytes, format_bytes, "longer messages wait for their receiver");
  row("asynchronous", f.asynchronous_bytes, format_bytes,
      "longer messages leave when their receive is posted; those up to S are detached");
  if (f.contention) {
    const std::string what =
        fmt::format("bandwidth of sending and receiving at once over that of one; residual {}",
                    format_percent(f.contention->residual, 1));
    row("contention", f.contention->factor, plain, what.c_str());
  }
  row("MPI_Test", f.test, format_time_ns, "that finds nothing");
  row("MPI_Iprobe", f.probe, format_time_ns, "that finds nothing");
  row("MPI_Wtime", f.clock, format_time_ns, "");
  return table;
}

struct NamedPiece {
  const char* quantity;
  FittedSegment fitted;
};

std::vector<NamedPiece> named_pieces(const LogGPSFit& fit) {
  std::vector<NamedPiece> pieces;
  for (const NamedFit& named : fits_of(fit)) {
    for (const FittedSegment& s : named.fit->segments) pieces.push_back({named.name, s});
  }
  return pieces;
}

const Rows<NamedPiece> kFittedPieces{
    "pieces",
    "Pieces: time = offset + slope * bytes",
    {{"quantity", "of", Unit::none, &NamedPiece::quantity},
     {"from_bytes", "from", Unit::bytes, [](auto& p) { return p.fitted.from; }},
     {"to_bytes", "to", Unit::bytes, [](auto& p) { return p.fitted.to; }},
     {"offset_ns", [](auto& p) -> auto& { return p.fitted.offset; }, kEstimateRows},
     {kShown, "offset", Unit::ns, [](auto& p) { return p.fitted.offset.value; }},
     {"slope_ns_per_byte", [](auto& p) -> auto& { return p.fitted.slope; }, kEstimateRows},
     {kShown, "slope", Unit::none, [](auto& p) { return per_byte(p.fitted.slope.value); }},
     {kShown, "95 % from", Unit::none, [](auto& p) { return per_byte(p.fitted.slope.low); }},
     {kShown, "to", Unit::none, [](auto& p) { return per_byte(p.fitted.slope.high); }}}};

const Rows<LogGPSFit> kParameters{{"L_ns", &LogGPSFit::latency, kEstimateRows},
                                  {"o_ns", &LogGPSFit::overhead, kEstimateRows},
                                  {"o_send_ns", &LogGPSFit::send_overhead, kEstimateRows},
                                  {"o_recv_ns", &LogGPSFit::receive_overhead, kEstimateRows},
                                  {"g_ns", &LogGPSFit::gap, kEstimateRows},
                                  {"G_ns_per_byte", &LogGPSFit::gap_per_byte, kEstimateRows},
                                  {"S_bytes", &LogGPSFit::eager_bytes, kEstimateRows}};

const Rows<DuplexContention> kContention{{"factor", &DuplexContention::factor, kEstimateRows},
                                         {"residual", &DuplexContention::residual}};

std::size_t rounds_of(const CalibrationSamples& samples) {
  return samples[Quantity::round_trip].rounds.size();
}

/// Medians as points and the fit as a line, up to `limit` bytes.
Series picture(const NamedFit& named, double limit, const std::string& id) {
  Series series{.id = id,
                .title = fmt::format("Time {}, up to {}", named.title, format_bytes(limit)),
                .x_name = "message size",
                .x_unit = Unit::bytes,
                .x = {},
                .lines = {{.name = "median", .unit = Unit::ns, .y = {}, .points = true},
                          {.name = "fit", .unit = Unit::ns, .y = {}}},
                .zones = {}};
  for (const WeightedPoint& p : named.fit->points) {
    if (p.x > limit) break;
    series.x.push_back(p.x);
    series.lines[0].y.push_back(p.y);
    series.lines[1].y.push_back(named.fit->at(p.x));
  }
  return series;
}

Section method() {
  return {.id = "method",
          .title = "How it was measured",
          .items = {Paragraph{
              "g and G are the line (PRTT(n,0,s) - PRTT(1,0,s))/(n-1) of Hoefler, Lichei and Rehm "
              "(2007); o_send and o_recv are times within the calls and L is what remains of half "
              "a round trip, as in SMPI's calibration (Degomme et al. 2017); S is found by "
              "bisection with sends that no receive is posted for; asynchronous messages are those "
              "whose receive, posted long after, does not take the time of the transfer; "
              "contention is that of MPI_Sendrecv between both ranks (Bedaride et al. 2013). By "
              "message size, one_way is "
              "PRTT(1,0,s)/2 of buffers written before, reused of those not written since, same of "
              "those "
              "that receive, too, stream the line of g and G, and send, isend and recv are times "
              "within the calls. Breakpoints are those of the partition into lines with the least "
              "modified BIC (Zhang and Siegmund 2007); intervals are from a bootstrap over the "
              "rounds."}}};
}

}  // namespace

const Rows<Estimate> kEstimateRows{
    {"value", &Estimate::value}, {"low", &Estimate::low}, {"high", &Estimate::high}};

const Rows<LogGPSFit, CalibrationOf> kCalibration{
    {"loggps", [](auto& f) -> auto& { return f; }, kParameters},
    {"asynchronous_bytes", &LogGPSFit::asynchronous_bytes, kEstimateRows},
    {"detached_bytes", &LogGPSFit::eager_bytes, kEstimateRows},
    {"contention", &LogGPSFit::contention, kContention},
    {"breakpoints_bytes",
     [](auto& f) { return list_of(f.one_way.breakpoints, [](auto& b) { return b.value; }); }},
    {"breakpoints", [](auto& f) -> auto& { return f.one_way.breakpoints; }, kEstimateRows},
    {"pieces", named_pieces, kFittedPieces},
    {"ping_pong", [](auto&, auto& of) -> auto& { return of.ping_pong; }, kPingPong},
    {"test_ns", &LogGPSFit::test, kEstimateRows},
    {"iprobe_ns", &LogGPSFit::probe, kEstimateRows},
    {"wtime_ns", &LogGPSFit::clock, kEstimateRows},
    {"without_processor", [](auto&, auto& of) { return of.samples.without_processor; }},
    {"spread", &LogGPSFit::spread},
    {"rounds", [](auto&, auto& of) { return rounds_of(of.samples); }}};

Described<CalibrationJson> describe(const CalibrationSamples& samples, const LogGPSFit& fit,
                                    const SmpiTables& smpi, Buffers buffers) {
  const std::vector<PingPong> ping_pong = ping_pongs(fit, smpi, buffers);
  Described<CalibrationJson> report{CalibrationJson(fit, CalibrationOf{samples, ping_pong})};
  note_residuals(ping_pong, report.findings);
  if (!smpi.scaled_sizes.empty()) {
    report.findings.add(kScaledOverheads,
                        fmt::format("{} to {}", format_bytes(smpi.scaled_sizes.front()),
                                    format_bytes(smpi.scaled_sizes.back())),
                        smpi.scaled_sizes.size());
  }
  if (fit.contention && fit.contention->residual > kMuchContentionResidual) {
    report.findings.add(kContentionResidual,
                        fmt::format("residual {}", format_percent(fit.contention->residual, 0)));
  }
  if (samples.unmeasured > 0) {
    report.findings.add(
        kIncomplete, format_percent(samples.unmeasured, 0) + " of a start's measurements missing");
  }
  if (fit.spread > kMuchSpread) {
    report.findings.add(kSpread, format_percent(fit.spread, 0));
  }
  if (fit.all_eager) report.findings.add(kAllSizesEager);
  if (fit.latency.value == 0) report.findings.add(kNoLatency);
  const std::string places = samples.hosts[0] == samples.hosts[1]
                                 ? fmt::format("processors {} and {} of {}", samples.processors[0],
                                               samples.processors[1], samples.hosts[0])
                                 : fmt::format("{} and {}", samples.hosts[0], samples.hosts[1]);
  Section parameters{.id = "loggps", .title = "LogGPS between two ranks"};
  if (samples.without_processor > kDisturbedCalibration) {
    const std::string share = format_percent(samples.without_processor, 0);
    report.findings.add(kDisturbed, share + " of a processor");
    parameters.items.emplace_back(Paragraph{
        fmt::format("During the measurement, other processes used {} of a rank's processor: "
                    "parameters may be wrong. Repeat on a quiet machine.",
                    share)});
  }
  parameters.items.emplace_back(Paragraph{
      fmt::format("{}, {}; {} rounds in {}; starts of the benchmark differ by {}.", samples.mpi,
                  places, rounds_of(samples), format_time_ns(ns_of_seconds(samples.seconds)),
                  format_percent(fit.spread, 1))});
  parameters.items.emplace_back(parameter_table(fit));
  Section pieces{.id = "pieces", .title = "By message size"};
  pieces.items = {kPingPong.table(by_doubling(ping_pong)), kFittedPieces.table(named_pieces(fit))};
  for (const NamedFit& named : fits_of(fit)) {
    const double largest = named.fit->points.back().x;
    pieces.items.emplace_back(picture(named, std::min(largest, kShortMessages), named.name));
    if (largest > kShortMessages) {
      pieces.items.emplace_back(picture(named, largest, fmt::format("{}_all", named.name)));
    }
  }
  report.sections = {std::move(parameters), std::move(pieces), method()};
  return report;
}

}  // namespace slackline
