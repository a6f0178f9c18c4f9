#include "calibration/machine_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr std::int64_t kVersion = 1;
constexpr double kLongestBound_ns = 1e12;
/// The [[piece]] of each use of buffers.
constexpr std::array<std::string_view, 3> kOneWay{"one_way", "one_way_reused", "one_way_same"};

/// A basic string of TOML.
std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out + "\"";
}

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "0.0";
}

/// TOML's floats need a point or an exponent.
std::string real(double value) {
  const std::string text = number(value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string interval_line(std::string_view name, const Estimate& e, std::string_view comment) {
  return fmt::format("{} = {{ value = {}, low = {}, high = {} }}  # {}\n", name, real(e.value),
                     real(e.low), real(e.high), comment);
}

std::string head(const CalibrationSamples& s, const LogGPSFit& f) {
  return fmt::format(
      "# Written by 'slackline calibrate': what messages between two ranks cost here.\n"
      "# Use it with --machine; 'slackline calibrate --help' says how it was measured.\n\n"
      "[machine]\n"
      "version = {}\n"
      "measured = {}  # UTC\n"
      "mpi = {}\n"
      "hosts = [{}, {}]  # of the two ranks\n"
      "processors = [{}, {}]\n"
      "seconds = {}  # of measurement\n"
      "without_processor = {}  # share of it in which others had the processor of a rank\n"
      "rounds = {}  # in each of which {} measured once, in random order\n"
      "spread = {}  # of round trips between the starts of the benchmark\n\n",
      kVersion, toml_string(s.started), toml_string(s.mpi), toml_string(s.hosts[0]),
      toml_string(s.hosts[1]), toml_string(s.processors[0]), toml_string(s.processors[1]),
      real(s.seconds), real(s.without_processor), s[Quantity::round_trip].rounds.size(),
      s.unmeasured > 0 ? "those sizes for which there was time were" : "every size was",
      real(f.spread));
}

std::string loggps_table(const LogGPSFit& f) {
  return fmt::format(
      "[loggps]  # as --params reads it, too\n"
      "L = \"{}ns\"  # latency: one crossing of the network\n"
      "o = \"{}ns\"  # CPU time to send or to receive a message\n"
      "G = \"{}ns/B\"  # time per byte\n"
      "S = \"{:.0f}\"  # bytes; longer messages wait for their receiver{}\n\n",
      number(f.latency.value), number(f.overhead.value), number(f.gap_per_byte.value),
      f.eager_bytes.value, f.all_eager ? " (the longest one measured did not)" : "");
}

std::string intervals_table(const LogGPSFit& f) {
  return "[intervals]  # of 95 % confidence, from a bootstrap over the rounds\n" +
         interval_line("L_ns", f.latency, "PRTT(1,0,1)/2 - o_send - o_recv") +
         interval_line("o_ns", f.overhead, "mean of the next two, at most half of PRTT(1,0,1)/2") +
         interval_line("o_send_ns", f.send_overhead, "in MPI_Send of 1 byte") +
         interval_line("o_recv_ns", f.receive_overhead, "in MPI_Recv of 1 byte that is there") +
         interval_line("g_ns", f.gap, "between messages of 1 byte") +
         interval_line("G_ns_per_byte", f.gap_per_byte, "least relative error over all sizes") +
         interval_line("S_bytes", f.eager_bytes, "by sends to a receiver that is late") +
         interval_line("asynchronous_bytes", f.asynchronous_bytes,
                       "transferred before the receive is posted") +
         (f.contention
              ? interval_line(
                    "contention", f.contention->factor,
                    fmt::format(
                        "bandwidth of both directions together over that of one; residual {:.1f} %",
                        100 * f.contention->residual))
              : std::string()) +
         interval_line("test_ns", f.test, "an MPI_Test that finds nothing") +
         interval_line("iprobe_ns", f.probe, "an MPI_Iprobe that finds nothing") +
         interval_line("wtime_ns", f.clock, "MPI_Wtime") + "\n";
}

std::string noise_table(const LogGPSFit& f) {
  std::vector<std::string> percentiles;
  for (const double ns : f.noise_ns) percentiles.push_back(real(ns));
  return fmt::format(
      "[noise]\n# What a short message takes more than its median: percentiles 0 to 100.\n"
      "message_ns = [{}]\n\n",
      fmt::join(percentiles, ", "));
}

/// Where a piece begins: S is known exactly; another change lies between two sizes that were
/// measured, and is taken to be in the middle of their logarithms.
double begin_of(const PiecewiseFit& fit, std::size_t segment, double eager_bytes) {
  const double from = fit.segments[segment].from;
  if (segment == 0) return from;
  const double before = fit.segments[segment - 1].to;
  if (before <= eager_bytes && eager_bytes < from) return eager_bytes + 1;
  return std::ceil(std::sqrt(before * from));
}

std::string pieces(std::string_view quantity, const PiecewiseFit& fit, double eager_bytes) {
  std::string text;
  for (std::size_t i = 0; i < fit.segments.size(); ++i) {
    const FittedSegment& s = fit.segments[i];
    text += fmt::format("[[piece]]\nquantity = {}\nfrom_bytes = {:.0f}\nto_bytes = {:.0f}\n{}{}\n",
                        toml_string(quantity), begin_of(fit, i, eager_bytes), s.to,
                        interval_line("offset_ns", s.offset, "at size 0"),
                        interval_line("slope_ns_per_byte", s.slope, "per byte"));
  }
  return text;
}

std::string pairs_table(const std::optional<PairsAtOnce>& pairs) {
  if (!pairs || pairs->points.empty()) return {};
  std::string text = fmt::format(
      "[pairs_at_once]  # long round trips of several pairs of ranks at the same time\n{}residual "
      "= {}\n",
      pairs->factor ? fmt::format("factor = {}  # bandwidth of all pairs over that of one\n",
                                  real(*pairs->factor))
                    : std::string(),
      real(pairs->residual));
  for (const PairsAtOnce::Point& p : pairs->points) {
    text += fmt::format(
        "[[pairs_at_once.point]]\npairs = {}\nround_trip_ns = {}\nbandwidth_share = {}\n"
        "disturbed = {}\n",
        p.pairs, real(p.round_trip_ns), real(p.share), p.disturbed);
  }
  return text + "\n";
}

std::string smpi_table(const SmpiTables& smpi) {
  std::string text = fmt::format(
      "[smpi]  # SimGrid's options, for a route of this latency and bandwidth\n"
      "route_latency = \"{}ns\"\nroute_bandwidth = \"{}Bps\"\n",
      number(smpi.latency_ns), number(smpi.bandwidth_bytes_per_s));
  for (const auto& [name, value] : smpi.options) {
    text += fmt::format("{} = {}\n", toml_string(name), toml_string(value));
  }
  return text;
}

[[noreturn]] void no_machine(const std::filesystem::path& path, std::string_view why) {
  throw Error(fmt::format("cannot use '{}' as a machine", path.string()), why,
              "Measure one with 'slackline calibrate -o machine.toml -- mpirun -n 2', or give a "
              "file with a table [loggps] alone as --params.");
}

std::string origin_of(const toml::table& machine) {
  const auto text = [&](std::string_view key) {
    return machine[key].value_or(std::string("unknown"));
  };
  const auto host = [&](std::size_t i) {
    return machine["hosts"][i].value_or(std::string("unknown"));
  };
  const std::string place = host(0) == host(1) ? fmt::format("within {}", host(0))
                                               : fmt::format("between {} and {}", host(0), host(1));
  const double others = machine["without_processor"].value_or(0.0);
  return fmt::format(
      "measured {} {}, {}{}", text("measured"), place, text("mpi"),
      others > kDisturbedCalibration
          ? fmt::format("; other processes used {:.0f} % of a processor meanwhile", 100 * others)
          : std::string());
}

/// A value with its interval, or a bare number.
std::optional<double> number_of(const toml::node_view<toml::node>& node) {
  const auto value = node.is_table() ? node["value"] : node;
  const std::optional<double> number = value.value<double>();
  return number && std::isfinite(*number) ? number : std::nullopt;
}

/// The end `end` of the intervals of L, o and G.
std::optional<LogGPS> bound_of(const toml::table& root, std::string_view end) {
  const auto fs = [&](std::string_view key) -> std::optional<std::int64_t> {
    const auto ns = root["intervals"][key][end].value<double>();
    if (!ns || !(*ns >= 0) || *ns > kLongestBound_ns) return std::nullopt;
    return std::llround(*ns * kFemtosPerNano);
  };
  const auto latency = fs("L_ns");
  const auto overhead = fs("o_ns");
  const auto gap = fs("G_ns_per_byte");
  if (!latency || !overhead || !gap) return std::nullopt;
  return LogGPS{*latency, *overhead, *gap};
}

std::optional<ParameterBounds> bounds_of(const toml::table& root) {
  const std::optional<LogGPS> low = bound_of(root, "low");
  const std::optional<LogGPS> high = bound_of(root, "high");
  if (!low || !high) return std::nullopt;
  return ParameterBounds{*low, *high};
}

/// Ascending.
std::vector<double> noise_of(toml::table& root, const std::filesystem::path& path) {
  std::vector<double> percentiles;
  const toml::array* const all = root["noise"]["message_ns"].as_array();
  if (all == nullptr) return percentiles;
  for (const toml::node& node : *all) {
    const auto ns = node.value<double>();
    if (!ns || !(std::abs(*ns) <= kLongestBound_ns)) {
      no_machine(path, "message_ns of [noise] is not a list of numbers");
    }
    percentiles.push_back(*ns);
  }
  std::ranges::sort(percentiles);
  return percentiles;
}

/// Ascending by size.
std::vector<MeasuredPiece> pieces_of(toml::table& root, std::string_view quantity,
                                     const std::filesystem::path& path) {
  std::vector<MeasuredPiece> pieces;
  toml::array* const all = root["piece"].as_array();
  if (all == nullptr) return pieces;
  for (toml::node& node : *all) {
    const toml::node_view<toml::node> piece(node);
    if (piece["quantity"].value_or(std::string_view()) != quantity) continue;
    const auto from = piece["from_bytes"].value<std::int64_t>();
    const auto offset = number_of(piece["offset_ns"]);
    const auto slope = number_of(piece["slope_ns_per_byte"]);
    if (!from || *from < 0 || !offset || !slope) {
      no_machine(path, fmt::format("a [[piece]] of {} has no from_bytes, offset_ns or "
                                   "slope_ns_per_byte",
                                   quantity));
    }
    pieces.push_back({static_cast<std::uint64_t>(*from), *offset, *slope});
  }
  std::ranges::sort(pieces, {}, &MeasuredPiece::from_bytes);
  return pieces;
}

}  // namespace

std::string machine_text(const CalibrationSamples& samples, const LogGPSFit& fit,
                         const SmpiTables& smpi, const std::optional<PairsAtOnce>& pairs) {
  const double eager = fit.eager_bytes.value;
  return head(samples, fit) + loggps_table(fit) + intervals_table(fit) + noise_table(fit) +
         "# The piecewise functions: time in ns is offset + slope * bytes.\n\n" +
         pieces("one_way", fit.one_way, eager) + pieces("stream", fit.stream, eager) +
         pieces("one_way_reused", fit.one_way_reused, eager) +
         pieces("stream_reused", fit.stream_reused, eager) +
         pieces("one_way_same", fit.one_way_same, eager) + pieces("send", fit.send, eager) +
         pieces("isend", fit.isend, eager) + pieces("recv", fit.receive, eager) +
         pairs_table(pairs) + smpi_table(smpi);
}

std::string smpi_options_text(const SmpiTables& smpi) {
  std::string text = fmt::format("# for a route of {} ns and {} B/s\n", number(smpi.latency_ns),
                                 number(smpi.bandwidth_bytes_per_s));
  for (const auto& [name, value] : smpi.options) text += fmt::format("{}:{}\n", name, value);
  return text;
}

std::string platform_text(const SmpiTables& smpi, const std::optional<PairsAtOnce>& pairs) {
  const std::string limiter =
      smpi.limiter_bytes_per_s
          ? fmt::format("limiter = \"{:.0f}B/s\"  # sending and receiving at the same time\n",
                        *smpi.limiter_bytes_per_s)
          : std::string();
  const std::string backbone =
      pairs && pairs->factor
          ? fmt::format(
                "backbone = {{ bandwidth = \"{:.0f}B/s\", latency = \"0us\" }}  # of all pairs\n",
                *pairs->factor * smpi.bandwidth_bytes_per_s)
          : std::string();
  const std::int32_t hosts = pairs ? 2 * std::max(1, pairs->placed) : 2;
  return fmt::format(
      "# Written by 'slackline calibrate': hosts at the places of the ranks, for\n"
      "# 'slackline simulate --platform' with the options that were written beside it.\n"
      "[[cluster]]\n"
      "name = \"machine\"\n"
      "hosts = \"node-[0-{}]\"\n"
      "speed = \"1Gf\"\n"
      "bandwidth = \"{:.0f}B/s\"\n"
      "latency = \"{:.6f}us\"  # of each of the two cables of a route\n{}{}",
      hosts - 1, smpi.bandwidth_bytes_per_s, smpi.latency_ns / 2000, limiter, backbone);
}

MeasuredMachine read_machine_file(const std::filesystem::path& path, Buffers buffers) {
  toml::table root;
  {
    const MappedFile file(path);
    try {
      root = toml::parse(file.text());
    } catch (const toml::parse_error& error) {
      no_machine(path, fmt::format("line {}: {}", error.source().begin.line, error.description()));
    }
  }
  const toml::table* machine = root["machine"].as_table();
  if (machine == nullptr) no_machine(path, "it has no table [machine]");
  if ((*machine)["version"].value_exact<std::int64_t>() != kVersion) {
    no_machine(path, fmt::format("its version is not {}", kVersion));
  }
  const std::string_view stream = buffers == Buffers::reused ? "stream_reused" : "stream";
  MeasuredMachine measured{read_model_file(path),
                           bounds_of(root),
                           pieces_of(root, kOneWay[static_cast<std::size_t>(buffers)], path),
                           pieces_of(root, stream, path),
                           noise_of(root, path),
                           origin_of(*machine)};
  if (buffers != Buffers::written) {
    const std::string_view name = kBuffersNames[static_cast<std::size_t>(buffers)];
    if (measured.one_way.empty()) {
      no_machine(path, fmt::format("it has no messages of --buffers {}", name));
    }
    measured.origin += fmt::format("; buffers {}", name);
  }
  const ModelSettings& s = measured.settings;
  if (!s.latency_fs || !s.overhead_fs || !s.gap_per_byte_fs || !s.eager_threshold_bytes) {
    no_machine(path, "its table [loggps] lacks one of L, o, G and S");
  }
  return measured;
}

}  // namespace slackline
