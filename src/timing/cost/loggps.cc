#include "timing/cost/loggps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"

namespace slackline {
namespace {

constexpr std::int64_t ns(std::int64_t n) {
  return n * 1'000'000;
}
constexpr std::int64_t ps(std::int64_t n) {
  return n * 1'000;
}
constexpr std::uint64_t kib(std::uint64_t n) {
  return n * 1024;
}

constexpr std::array kNetworks{
    NamedNetwork{
        "infiniband-fdr",
        {ns(3000), ns(500), ps(18)},
        kib(256),
        "LLAMP section III-B: Netgauge on 188 nodes with ConnectX-3 56 Gbit/s (L, G, S); o "
        "is matched per application there, 500 ns is the order Netgauge gives for small "
        "messages"},
    NamedNetwork{"shared-memory",
                 {ns(600), ns(200), ps(120)},
                 kib(8),
                 "one node, UCX posix transport: 0.62 us one way for 8 B, 8.3 us for 64 KiB "
                 "(measured with MPICH 4.0.2)"},
    NamedNetwork{
        "ethernet-10g",
        {ns(20000), ns(1500), ps(800)},
        kib(64),
        "10 Gbit/s line rate; latency of TCP through one switch, as mpi-benchmarks commonly "
        "show (20 us): an order of magnitude, not a measurement"},
    NamedNetwork{
        "ideal", {0, 0, 0}, kib(256), "no network cost: only dependences between ranks remain"}};

}  // namespace

std::string_view symbol(Parameter parameter) {
  switch (parameter) {
    case Parameter::latency:
      return "L";
    case Parameter::overhead:
      return "o";
    case Parameter::gap_per_byte:
      return "G";
  }
  return "L";
}

Parameter parse_parameter(std::string_view text) {
  for (const Parameter p : {Parameter::latency, Parameter::overhead, Parameter::gap_per_byte}) {
    if (symbol(p) == text) return p;
  }
  throw usage_error(fmt::format("unknown parameter '{}'", text), "LogGPS has no such parameter",
                    "Choose L (latency), o (overhead) or G (gap per byte).");
}

std::int64_t value_fs(const LogGPS& model, Parameter parameter) {
  switch (parameter) {
    case Parameter::latency:
      return model.latency_fs;
    case Parameter::overhead:
      return model.overhead_fs;
    case Parameter::gap_per_byte:
      return model.gap_per_byte_fs;
  }
  return 0;
}

std::span<const NamedNetwork> named_networks() {
  return kNetworks;
}

const NamedNetwork& find_network(std::string_view name) {
  const auto found = std::ranges::find(kNetworks, name, &NamedNetwork::name);
  if (found != kNetworks.end()) return *found;
  std::string names;
  for (const NamedNetwork& n : kNetworks)
    names += (names.empty() ? "" : ", ") + std::string(n.name);
  throw usage_error(fmt::format("unknown network '{}'", name), "no such name",
                    fmt::format("Choose {}, or give -L, -o, -G and -S.", names));
}

}  // namespace slackline
