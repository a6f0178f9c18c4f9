#include "calibration/calibration_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "calibration/estimate_json.h"

namespace slackline {
namespace {

constexpr FindingKind kAllSizesEager{
    "all_sizes_eager", Severity::info,
    "No send waited for its receiver, up to the longest message measured: S is at least that."};
constexpr FindingKind kNoLatency{
    "no_latency", Severity::notice,
    "MPI_Send and MPI_Recv together take at least the one-way time, as is possible within a node: "
    "L is 0, and o is half of the one-way time."};
constexpr double kShortMessages = 64 * 1024;

struct NamedFit {
  const char* name;
  const char* title;
  const PiecewiseFit* fit;
};

std::vector<NamedFit> fits_of(const LogGPSFit& f) {
  std::vector<NamedFit> fits{{"one_way", "one way, PRTT(1,0,s)/2", &f.one_way},
                             {"stream", "per message of a stream, g + (s-1) G", &f.stream},
                             {"send", "in MPI_Send", &f.send},
                             {"isend", "in MPI_Isend", &f.isend},
                             {"recv", "in MPI_Recv, message there", &f.receive}};
  std::erase_if(fits, [](const NamedFit& named) { return named.fit->segments.empty(); });
  return fits;
}

auto piece_object(const NamedFit& named, const FittedSegment& s) {
  return Object{"quantity"_key = named.name, "from_bytes"_key = s.from, "to_bytes"_key = s.to,
                "offset_ns"_key = to_json(s.offset), "slope_ns_per_byte"_key = to_json(s.slope)};
}

auto piece_objects(const LogGPSFit& fit) {
  std::vector<ReturnedBy<piece_object>> pieces;
  for (const NamedFit& named : fits_of(fit)) {
    for (const FittedSegment& s : named.fit->segments) pieces.push_back(piece_object(named, s));
  }
  return pieces;
}

auto calibration_object(const CalibrationSamples& samples, const LogGPSFit& f) {
  return Object{
      "loggps"_key =
          Object{"L_ns"_key = to_json(f.latency), "o_ns"_key = to_json(f.overhead),
                 "o_send_ns"_key = to_json(f.send_overhead),
                 "o_recv_ns"_key = to_json(f.receive_overhead), "g_ns"_key = to_json(f.gap),
                 "G_ns_per_byte"_key = to_json(f.gap_per_byte),
                 "S_bytes"_key = to_json(f.eager_bytes)},
      "breakpoints_bytes"_key =
          list_of(f.one_way.breakpoints, [](const Breakpoint& b) { return b.value; }),
      "breakpoints"_key =
          list_of(f.one_way.breakpoints, [](const Breakpoint& b) { return to_json(b); }),
      "pieces"_key = piece_objects(f),
      "test_ns"_key = to_json(f.test),
      "iprobe_ns"_key = to_json(f.probe),
      "wtime_ns"_key = to_json(f.clock),
      "rounds"_key = samples[Quantity::round_trip].rounds.size()};
}

using Format = std::string (*)(double);

std::string per_byte(double ns) {
  return fmt::format("{:.4g} ns/B", ns);
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
  row("MPI_Test", f.test, format_time_ns, "that finds nothing");
  row("MPI_Iprobe", f.probe, format_time_ns, "that finds nothing");
  row("MPI_Wtime", f.clock, format_time_ns, "");
  return table;
}

Table piece_table(const LogGPSFit& fit) {
  Table table{"pieces", "Pieces: time = offset + slope * bytes", {}, {}};
  table.columns = {{"of"},
                   {"from", Unit::bytes},
                   {"to", Unit::bytes},
                   {"offset", Unit::ns},
                   {"slope"},
                   {"95 % from"},
                   {"to"}};
  for (const NamedFit& named : fits_of(fit)) {
    for (const FittedSegment& s : named.fit->segments) {
      table.rows.push_back({named.name, s.from, s.to, s.offset.value, per_byte(s.slope.value),
                            per_byte(s.slope.low), per_byte(s.slope.high)});
    }
  }
  return table;
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
              "bisection with sends that no receive is posted for. By message size, one_way is "
              "PRTT(1,0,s)/2, stream the line of g and G, and send, isend and recv are times "
              "within the calls. Breakpoints are those of the partition into lines with the least "
              "modified BIC (Zhang and Siegmund 2007); intervals are from a bootstrap over the "
              "rounds."}}};
}

}  // namespace

const JsonType& declared_type(const CalibrationJsonTag*) {
  return json_type_by<calibration_object>();
}

Described<CalibrationJson> describe(const CalibrationSamples& samples, const LogGPSFit& fit) {
  Described<CalibrationJson> report{calibration_object(samples, fit)};
  if (fit.all_eager) report.findings.add(kAllSizesEager);
  if (fit.latency.value == 0) report.findings.add(kNoLatency);
  const std::size_t rounds = samples[Quantity::round_trip].rounds.size();
  const std::string places = samples.hosts[0] == samples.hosts[1]
                                 ? fmt::format("processors {} and {} of {}", samples.processors[0],
                                               samples.processors[1], samples.hosts[0])
                                 : fmt::format("{} and {}", samples.hosts[0], samples.hosts[1]);
  Section parameters{.id = "loggps", .title = "LogGPS between two ranks"};
  parameters.items = {Paragraph{fmt::format("{}, {}; {} rounds in {}.", samples.mpi, places, rounds,
                                            format_time_ns(ns_of_seconds(samples.seconds)))},
                      parameter_table(fit)};
  Section pieces{.id = "pieces", .title = "By message size"};
  pieces.items = {piece_table(fit)};
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
