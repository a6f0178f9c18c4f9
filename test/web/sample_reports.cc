#include "sample_reports.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "report/object.h"

namespace slackline {
namespace {

struct Piece {
  double from_ns;
  double lambda;
};

// T(L) is convex: the slopes rise.
constexpr std::array kPieces{Piece{0, 120},      Piece{600, 203},    Piece{1200, 371},
                             Piece{4800, 402},   Piece{6900, 520},   Piece{9400, 611},
                             Piece{10'800, 790}, Piece{12'700, 868}, Piece{14'100, 901}};
constexpr double kLatency = 3000;
constexpr double kMakespan = 64'145'000;
constexpr double kHighest = 16'000;

double lambda_at(double latency) {
  double lambda = 0;
  for (const Piece& piece : kPieces) {
    if (piece.from_ns <= latency) lambda = piece.lambda;
  }
  return lambda;
}

/// Time above T(0).
double growth(double latency) {
  double sum = 0;
  for (std::size_t i = 0; i < kPieces.size(); ++i) {
    const double to = i + 1 < kPieces.size() ? kPieces[i + 1].from_ns : kHighest * 1e3;
    sum += kPieces[i].lambda * std::max(0.0, std::min(latency, to) - kPieces[i].from_ns);
  }
  return sum;
}

double makespan_at(double latency) {
  return kMakespan + growth(latency) - growth(kLatency);
}

/// By bisection: good enough for a picture.
double tolerance(double degradation) {
  double low = kLatency;
  double high = 1e9;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (makespan_at(middle) <= kMakespan * (1 + degradation) ? low : high) = middle;
  }
  return low;
}

std::vector<double> sampled_latencies() {
  std::vector<double> x;
  for (int i = 0; i <= 200; ++i) x.push_back(kHighest * i / 200);
  for (const Piece& piece : kPieces) x.push_back(piece.from_ns);
  std::sort(x.begin(), x.end());
  x.erase(std::unique(x.begin(), x.end()), x.end());
  return x;
}

Series latency_series() {
  Series series{
      .id = "makespan-over-latency",
      .title = "Makespan over network latency",
      .x_name = "latency L",
      .x_unit = Unit::ns,
      .x = sampled_latencies(),
      .lines = {{.name = "makespan T", .unit = Unit::ns, .y = {}, .panel = 0},
                {.name = "lambda_L", .unit = Unit::count, .y = {}, .steps = true, .panel = 1},
                {.name = "rho_L", .unit = Unit::ratio, .y = {}, .panel = 2}},
      .zones = {}};
  for (const double x : series.x) {
    series.lines[0].y.push_back(makespan_at(x));
    series.lines[1].y.push_back(lambda_at(x));
    series.lines[2].y.push_back(lambda_at(x) * x / makespan_at(x));
  }
  series.zones = {{"up to 1 % slower", kLatency, tolerance(0.01)},
                  {"up to 2 % slower", tolerance(0.01), tolerance(0.02)},
                  {"up to 5 % slower", tolerance(0.02), tolerance(0.05)}};
  return series;
}

Facts key_facts() {
  return Facts{{
      {"makespan", kMakespan, Unit::ns, "Predicted time from the first event to the last."},
      {"lambda_L", std::int64_t{371}, Unit::count,
       "Network latencies on the critical path: how many ns the run gains per ns of latency."},
      {"rho_L", 371 * kLatency / kMakespan, Unit::ratio,
       "Share of the makespan that is network latency."},
      {"tolerance 1 %", tolerance(0.01), Unit::ns,
       "The latency at which the run is 1 % slower than at 3 us."},
      {"tolerance 2 %", tolerance(0.02), Unit::ns,
       "The latency at which the run is 2 % slower than at 3 us."},
      {"tolerance 5 %", tolerance(0.05), Unit::ns,
       "The latency at which the run is 5 % slower than at 3 us."},
  }};
}

Section summary() {
  return {.id = "summary",
          .title = "Summary",
          .items = {Paragraph{"LULESH on 64 ranks is predicted to take 64.14 ms at a network "
                              "latency of 3 us. 371 messages lie on its critical path."},
                    Paragraph{"It tolerates 4.729 us of latency before it is 1 % slower, and "
                              "10.05 us before it is 5 % slower."},
                    Paragraph{"What holds it back most is computation: 91.3 % of the critical "
                              "path, most of it on rank 0 in CalcForceForNodes."},
                    key_facts()}};
}

Section latency() {
  Table tolerances{.id = "tolerance",
                   .title = "Latency tolerance",
                   .columns = {{"slower by", Unit::ratio},
                               {"latency L", Unit::ns, "The largest L within the degradation."},
                               {"above 3 us", Unit::ns},
                               {"makespan", Unit::ns}},
                   .rows = {}};
  for (const double degradation : {0.01, 0.02, 0.05}) {
    const double at = tolerance(degradation);
    tolerances.rows.push_back({degradation, at, at - kLatency, makespan_at(at)});
  }
  Table pieces{.id = "pieces",
               .title = "Pieces of T(L)",
               .columns = {{"from L", Unit::ns},
                           {"to L", Unit::ns},
                           {"lambda_L", Unit::count},
                           {"makespan at from", Unit::ns}},
               .rows = {}};
  for (std::size_t i = 0; i < kPieces.size(); ++i) {
    const double to = i + 1 < kPieces.size() ? kPieces[i + 1].from_ns : kHighest;
    pieces.rows.push_back({kPieces[i].from_ns, to, static_cast<std::int64_t>(kPieces[i].lambda),
                           makespan_at(kPieces[i].from_ns)});
  }
  return {.id = "latency",
          .title = "How much latency it tolerates",
          .items = {latency_series(), tolerances},
          .children = {{.id = "pieces",
                        .title = "Where the critical path changes",
                        .items = {Paragraph{"At each of these latencies another path becomes the "
                                            "longest one."},
                                  pieces}}}};
}

Table by_rank() {
  Table table{.id = "critical-path-by-rank",
              .title = "By rank",
              .columns = {{"rank", Unit::none},
                          {"compute", Unit::ns},
                          {"overhead", Unit::ns},
                          {"transfer", Unit::ns},
                          {"share", Unit::ratio}},
              .rows = {}};
  constexpr std::array kRanks{0, 21, 5, 63, 42, 16, 20, 37};
  double left = kMakespan;
  for (std::size_t i = 0; i < kRanks.size(); ++i) {
    const double time = i + 1 == kRanks.size() ? left : left * 0.42;
    left -= time;
    table.rows.push_back(
        {std::int64_t{kRanks[i]}, 0.93 * time, 0.01 * time, 0.06 * time, time / kMakespan});
  }
  return table;
}

Table by_operation() {
  struct Row {
    const char* name;
    std::int64_t count;
    double ns;
  };
  Table table{.id = "critical-path-by-operation",
              .title = "By operation",
              .columns = {{"operation"},
                          {"count", Unit::count},
                          {"time", Unit::ns},
                          {"bytes", Unit::bytes},
                          {"share", Unit::ratio}},
              .rows = {}};
  for (const Row& row : {Row{"computation", 1204, 58'560'000}, Row{"MPI_Waitall", 212, 3'108'000},
                         Row{"MPI_Allreduce", 71, 1'740'000}, Row{"MPI_Isend", 88, 512'000},
                         Row{"MPI_Wait", 31, 190'200}, Row{"MPI_Reduce", 1, 34'800}}) {
    table.rows.push_back({std::string(row.name), row.count, row.ns,
                          static_cast<double>(row.count) * 9216, row.ns / kMakespan});
  }
  return table;
}

Table by_region() {
  Table table{.id = "critical-path-by-region",
              .title = "By region",
              .columns = {{"region"}, {"time", Unit::ns}, {"share", Unit::ratio}},
              .rows = {}};
  for (const auto& [name, share] : {std::pair{"LagrangeNodal / CalcForceForNodes", 0.612},
                                    {"LagrangeElements", 0.247},
                                    {"CalcTimeConstraintsForElems", 0.094},
                                    {"(outside any region)", 0.047}}) {
    table.rows.push_back({std::string(name), share * kMakespan, share});
  }
  return table;
}

Findings sample_findings() {
  constexpr FindingKind kClock{"clock_drift", Severity::notice,
                               "Clocks of these ranks drifted by more than 1 us during the run; "
                               "their times were corrected linearly."};
  constexpr FindingKind kUnmatched{"unmatched_send", Severity::data_loss,
                                   "These sends have no receive in the trace; they were left out."};
  constexpr FindingKind kWildcard{"wildcard_receive", Severity::info,
                                  "Receives from any source were matched as they happened."};
  Findings findings;
  findings.add(kUnmatched, "rank 17, call 4,211: MPI_Isend to 18, tag 1024, 9,216 B", 2);
  findings.add(kClock, "rank 40: +3.1 us over 64 ms", 5);
  findings.add(kWildcard, "", 1344);
  return findings;
}

auto piece(std::size_t i) {
  const bool last = i + 1 == kPieces.size();
  return Object{"from_ns"_key = kPieces[i].from_ns,
                "to_ns"_key = known_if(!last, last ? 0 : kPieces[i + 1].from_ns),
                "lambda"_key = kPieces[i].lambda,
                "makespan_at_from_ns"_key = makespan_at(kPieces[i].from_ns)};
}

auto pieces() {
  std::vector<ReturnedBy<piece>> all;
  for (std::size_t i = 0; i < kPieces.size(); ++i) all.push_back(piece(i));
  return all;
}

Json one_member(const std::string& key, const std::string& value) {
  JsonMap<std::string> map;
  map.add(key, value);
  return json_from(map);
}

}  // namespace

Report sample_report() {
  return {
      .command = "report",
      .title = "lulesh-64.slk",
      .options = Object{"model"_key = Object{"L"_key = "3 us", "o"_key = "500 ns",
                                             "G"_key = "0.018 ns/B", "S"_key = "256 KiB"},
                        "collectives"_key = "as Open MPI 4.1 chooses",
                        "degradations"_key = std::vector<std::string>{"1 %", "2 %", "5 %"},
                        "threads"_key = 2},
      .input = Object{"path"_key = "lulesh-64.slk", "format"_key = "slackline 1", "ranks"_key = 64,
                      "calls"_key = 8'201'344, "checksum"_key = "9f2c11e07ab4d3c5"},
      .result = Object{"makespan_ns"_key = kMakespan, "lambda_L"_key = 371,
                       "rho_L"_key = 371 * kLatency / kMakespan, "pieces"_key = pieces()},
      .findings = sample_findings(),
      .sections = {summary(),
                   latency(),
                   {.id = "critical-path",
                    .title = "What the critical path is made of",
                    .items = {Paragraph{"The longest chain of computation and messages: to "
                                        "shorten the run, shorten these."},
                              by_operation(), by_rank(), by_region()}}}};
}

Report two_rank_report() {
  Report report{.command = "sensitivity",
                .title = "two-ranks.txt",
                .options = {},
                .input = {},
                .result = Object{"breakpoints_ns"_key = std::vector{385}},
                .findings = {},
                .sections = {}};
  report.sections.push_back({.id = "sensitivity",
                             .title = "Sensitivity",
                             .items = {Series{"sensitivity",
                                              "Makespan against latency L",
                                              "latency L",
                                              Unit::ns,
                                              {0, 385, 1000},
                                              {{"T", Unit::ns, {1500, 1500, 2115}},
                                               {"lambda_L", Unit::count, {0, 1, 1}, true, 1}},
                                              {{"up to 2 us", 0, 885}}}}});
  return report;
}

Report hostile_report() {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::string markup = "</script><img src=x onerror=\"document.title='owned'\">";
  const std::string comment = "<!--<script>-->&lt;b&gt;";
  const std::string binary = "bad \xff\xfe\xc3\x28 utf-8";
  const std::string control = "red \x1b[31m bell \x07 over \u202Egnp.exe line\nbreak";
  const std::string longest(400, 'x');
  constexpr FindingKind kKind{"hostile_name", Severity::data_loss,
                              "</script><script>document.title='owned'</script>"};
  JsonMap<std::string> hostile;
  hostile.add(binary, control);
  Report report{
      .command = markup,
      .title = markup + control + binary,
      .options = one_member(markup, binary),
      .input = Object{"path"_key = comment},
      .result = Object{"makespan_ns"_key = kNan, "lambda_L"_key = kInfinity, "map"_key = hostile},
      .findings = {},
      .sections = {}};
  report.findings.add(kKind, markup + binary);
  report.sections.push_back(
      {.id = markup,
       .title = markup,
       .items = {Paragraph{markup + comment + binary + control},
                 Facts{{{markup, kNan, Unit::ns, markup}, {control, longest, Unit::none, binary}}},
                 Table{markup,
                       markup,
                       {{markup}, {binary, Unit::ns}, {control, Unit::ratio}},
                       {{markup, kInfinity, kNan}, {comment, 1.0, 0.5}, {longest, {}, binary}}},
                 Series{"s",
                        markup,
                        markup,
                        Unit::ns,
                        {0, 1, 2},
                        {{markup, Unit::ns, {1, kNan, kInfinity}}, {binary, Unit::none, {}}},
                        {{markup, 0, kInfinity}}}}});
  return report;
}

}  // namespace slackline
