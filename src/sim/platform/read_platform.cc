#include "sim/platform/read_platform.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/file.h"

namespace slackline {

Platform read_platform(const std::filesystem::path& path, Findings& findings) {
  const MappedFile file(path);
  const std::string_view text = file.text();
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  const bool xml = first != std::string_view::npos && text[first] == '<';
  return xml ? parse_platform_xml(text, path.string(), findings)
             : parse_platform_toml(text, path.string(), findings);
}

namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array kTimes{Unit{"s", 1},      Unit{"ms", 1e-3},  Unit{"us", 1e-6},
                            Unit{"ns", 1e-9},  Unit{"ps", 1e-12}, Unit{"m", 60},
                            Unit{"min", 60},   Unit{"h", 3600},   Unit{"d", 86400},
                            Unit{"w", 604800}, Unit{"µs", 1e-6}};

constexpr std::array kPrefixes{
    Unit{"", 1},        Unit{"k", 1e3},     Unit{"K", 1e3},     Unit{"M", 1e6},
    Unit{"G", 1e9},     Unit{"T", 1e12},    Unit{"P", 1e15},    Unit{"E", 1e18},
    Unit{"Z", 1e21},    Unit{"Y", 1e24},    Unit{"Ki", 0x1p10}, Unit{"Mi", 0x1p20},
    Unit{"Gi", 0x1p30}, Unit{"Ti", 0x1p40}, Unit{"Pi", 0x1p50}, Unit{"Ei", 0x1p60}};

constexpr std::array kLongPrefixes{Unit{"", 1},       Unit{"kilo", 1e3},   Unit{"mega", 1e6},
                                   Unit{"giga", 1e9}, Unit{"tera", 1e12},  Unit{"peta", 1e15},
                                   Unit{"exa", 1e18}, Unit{"zetta", 1e21}, Unit{"yotta", 1e24}};

template <std::size_t N>
std::optional<double> factor_of(std::string_view name, const std::array<Unit, N>& units) {
  for (const Unit& unit : units) {
    if (unit.name == name) return unit.factor;
  }
  return std::nullopt;
}

/// The factor of `unit` when it is a prefix and one of `bases`.
template <std::size_t N, std::size_t M>
std::optional<double> prefixed(std::string_view unit, const std::array<Unit, N>& prefixes,
                               const std::array<Unit, M>& bases) {
  for (const Unit& base : bases) {
    if (!unit.ends_with(base.name)) continue;
    const auto prefix = factor_of(unit.substr(0, unit.size() - base.name.size()), prefixes);
    if (prefix) return *prefix * base.factor;
  }
  return std::nullopt;
}

template <class FactorOf>
double parse(std::string_view text, std::string_view what, std::string_view example,
             FactorOf factor_of_unit) {
  const auto refuse = [&](std::string_view why) {
    return usage_error(fmt::format("cannot use '{}' as {}", text, what), why,
                       fmt::format("Example: {}.", example));
  };
  std::string_view rest = text;
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  while (!rest.empty() && rest.back() == ' ') rest.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc{} || !std::isfinite(value))
    throw refuse("a number with a unit is required");
  if (std::signbit(value) && value != 0) throw refuse("it is negative");
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  if (rest.empty()) {
    if (value == 0) return 0;
    throw refuse("its unit is missing");
  }
  const std::optional<double> factor = factor_of_unit(rest);
  if (!factor) throw refuse(fmt::format("'{}' is not a valid unit", rest));
  return value * *factor;
}

}  // namespace

double parse_bandwidth(std::string_view text, std::string_view what) {
  static constexpr std::array kBases{Unit{"Bps", 1}, Unit{"B/s", 1}, Unit{"bps", 0.125},
                                     Unit{"b/s", 0.125}};
  return parse(text, what, "125MBps, 12.5GB/s or 100Gb/s",
               [](std::string_view unit) { return prefixed(unit, kPrefixes, kBases); });
}

double parse_latency(std::string_view text, std::string_view what) {
  return parse(text, what, "50us or 1ms",
               [](std::string_view unit) { return factor_of(unit, kTimes); });
}

double parse_speed(std::string_view text, std::string_view what) {
  static constexpr std::array kBases{Unit{"f", 1}, Unit{"flops", 1}, Unit{"flop/s", 1}};
  static constexpr std::array kLongBases{Unit{"flops", 1}};
  return parse(text, what, "1Gf or 2.5Tflops", [](std::string_view unit) {
    const auto with_letter = prefixed(unit, kPrefixes, kBases);
    return with_letter ? with_letter : prefixed(unit, kLongPrefixes, kLongBases);
  });
}

}  // namespace slackline
