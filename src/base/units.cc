#include "base/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.h"

namespace slackline {
namespace {

constexpr std::int64_t kMaxInt = std::numeric_limits<std::int64_t>::max();

struct Unit {
  std::string_view name;
  long double factor;
};

constexpr std::array kTimesInFs{Unit{"fs", 1e0L}, Unit{"ps", 1e3L},    Unit{"ns", 1e6L},
                                Unit{"us", 1e9L}, Unit{"µs", 1e9L},    Unit{"ms", 1e12L},
                                Unit{"s", 1e15L}, Unit{"min", 60e15L}, Unit{"h", 3600e15L}};

constexpr std::array kSizesInBytes{Unit{"", 1.0L},
                                   Unit{"B", 1.0L},
                                   Unit{"kB", 1e3L},
                                   Unit{"MB", 1e6L},
                                   Unit{"GB", 1e9L},
                                   Unit{"TB", 1e12L},
                                   Unit{"K", 1024.0L},
                                   Unit{"k", 1024.0L},
                                   Unit{"KiB", 1024.0L},
                                   Unit{"M", 1048576.0L},
                                   Unit{"MiB", 1048576.0L},
                                   Unit{"G", 1073741824.0L},
                                   Unit{"GiB", 1073741824.0L},
                                   Unit{"TiB", 1099511627776.0L}};

constexpr std::array kBandwidthsInBytesPerSecond{
    Unit{"B/s", 1.0L},         Unit{"kB/s", 1e3L},           Unit{"MB/s", 1e6L},
    Unit{"GB/s", 1e9L},        Unit{"TB/s", 1e12L},          Unit{"KiB/s", 1024.0L},
    Unit{"MiB/s", 1048576.0L}, Unit{"GiB/s", 1073741824.0L}, Unit{"b/s", 0.125L},
    Unit{"kb/s", 0.125e3L},    Unit{"Mb/s", 0.125e6L},       Unit{"Gb/s", 0.125e9L},
    Unit{"Tb/s", 0.125e12L}};

struct Number {
  long double value;
  std::string_view rest;  // what follows the digits, blanks between skipped
};

std::optional<Number> leading_number(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  long double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value) || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return Number{value, text};
}

template <std::size_t N>
std::optional<long double> in_unit(const Number& number, const std::array<Unit, N>& units) {
  for (const Unit& unit : units) {
    if (unit.name == number.rest) return number.value * unit.factor;
  }
  return std::nullopt;
}

std::int64_t rounded(long double value, std::string_view text, std::string_view what) {
  if (value > static_cast<long double>(kMaxInt) / 2) {
    throw usage_error(fmt::format("cannot use '{}' as {}", text, what), "the value is too large",
                      "Use a smaller value.");
  }
  return static_cast<std::int64_t>(std::llroundl(value));
}

Error malformed(std::string_view text, std::string_view what, std::string_view example) {
  return usage_error(fmt::format("cannot use '{}' as {}", text, what),
                     "a number with a unit is required", fmt::format("Example: {}.", example));
}

long double time_in_fs(std::string_view text, std::string_view what) {
  const auto number = leading_number(text);
  if (number && number->rest.empty() && number->value == 0) return 0;
  const auto value = number ? in_unit(*number, kTimesInFs) : std::nullopt;
  if (!value) throw malformed(text, what, "3us, 250ns or 0.5ms");
  return *value;
}

}  // namespace

std::int64_t parse_time_fs(std::string_view text, std::string_view what) {
  return rounded(time_in_fs(text, what), text, what);
}

std::int64_t parse_time_ns(std::string_view text, std::string_view what) {
  return rounded(time_in_fs(text, what) / kFemtosPerNano, text, what);
}

std::int64_t parse_gap_per_byte_fs(std::string_view text, std::string_view what) {
  const auto number = leading_number(text);
  if (!number) throw malformed(text, what, "0.018ns/B, or as a bandwidth 100Gb/s");
  if (number->rest.empty() && number->value == 0) return 0;
  if (number->rest.size() > 2 && number->rest.substr(number->rest.size() - 2) == "/B") {
    const Number time{number->value, number->rest.substr(0, number->rest.size() - 2)};
    if (const auto fs = in_unit(time, kTimesInFs)) return rounded(*fs, text, what);
  }
  const auto bandwidth = in_unit(*number, kBandwidthsInBytesPerSecond);
  if (!bandwidth || *bandwidth == 0) {
    throw malformed(text, what, "0.018ns/B, or as a bandwidth 100Gb/s");
  }
  return rounded(1e15L / *bandwidth, text, what);
}

std::uint64_t parse_bytes(std::string_view text, std::string_view what, std::string_view example) {
  if (text == "unlimited") return std::numeric_limits<std::uint64_t>::max();
  const auto number = leading_number(text);
  const auto value = number ? in_unit(*number, kSizesInBytes) : std::nullopt;
  if (!value) throw malformed(text, what, example);
  return static_cast<std::uint64_t>(rounded(*value, text, what));
}

std::int64_t parse_degradation_ppm(std::string_view text, std::string_view what) {
  const auto number = leading_number(text);
  if (!number || (number->rest != "%" && !number->rest.empty())) {
    throw usage_error(fmt::format("cannot use '{}' as {}", text, what),
                      "a percentage or a ratio is required", "Examples: 1% or 0.01.");
  }
  if (number->rest.empty() && number->value >= 1) {
    throw usage_error(fmt::format("cannot use '{0}' as {1}", text, what),
                      fmt::format("as a ratio that is {:g} %", 100 * number->value),
                      fmt::format("Did you mean {0}%? Write {0}%, or a ratio below 1.", text));
  }
  const long double ratio = number->rest == "%" ? number->value / 100 : number->value;
  return rounded(ratio * 1e6L, text, what);
}

namespace {

std::string format_time(double ns, int digits) {
  struct Scale {
    double factor;
    const char* unit;
  };
  static constexpr std::array kScales{Scale{1e9, "s"}, Scale{1e6, "ms"}, Scale{1e3, "us"}};
  const double magnitude = std::abs(ns);
  // The 0.5 ulp of four digits keeps 999.96 us from printing as "1000 us".
  for (const Scale& scale : kScales) {
    if (magnitude >= 0.99995 * scale.factor) {
      return fmt::format("{:#.{}g} {}", ns / scale.factor, digits, scale.unit);
    }
  }
  if (ns == 0) return "0 s";
  if (ns == std::floor(ns)) return fmt::format("{:.0f} ns", ns);
  return fmt::format("{:#.{}g} ns", ns, digits);
}

}  // namespace

std::string format_time_ns(double ns) {
  return format_time(ns, 4);
}

std::pair<std::string, std::string> format_time_range_ns(double begin_ns, double end_ns) {
  constexpr int kFewest = 4;
  constexpr int kMost = 12;
  std::pair<std::string, std::string> range{format_time_ns(begin_ns), format_time_ns(end_ns)};
  for (int digits = kFewest + 1; digits <= kMost && range.first == range.second; ++digits) {
    range = {format_time(begin_ns, digits), format_time(end_ns, digits)};
  }
  return range;
}

std::string format_bytes(double bytes) {
  static constexpr std::array kNames{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t scale = 0;
  while (bytes >= 1024 && scale + 1 < kNames.size()) {
    bytes /= 1024;
    ++scale;
  }
  return scale == 0 ? fmt::format("{:.0f} B", bytes)
                    : fmt::format("{:.1f} {}", bytes, kNames[scale]);
}

std::string format_count(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t i = digits.size(); i > 3;) {
    i -= 3;
    digits.insert(i, ",");
  }
  return digits;
}

std::string count_of(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

std::string format_percent(double ratio, int digits) {
  return fmt::format("{:.{}f} %", 100 * ratio, digits);
}

}  // namespace slackline
