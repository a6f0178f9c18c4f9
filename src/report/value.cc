#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/units.h"
#include "report/unicode.h"
#include "report/writers.h"

namespace slackline {
namespace {

std::string format_count_like(double value) {
  const std::uint64_t magnitude = static_cast<std::uint64_t>(std::abs(value));
  return (value < 0 ? "-" : "") + format_count(magnitude);
}

std::string format_plain(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

std::string format_ratio(double ratio) {
  if (ratio != 0 && std::abs(ratio) < 0.001) return fmt::format("{:.2g} %", 100 * ratio);
  return format_percent(ratio);
}

std::string format_signed_bytes(double bytes) {
  return bytes < 0 ? "-" + format_bytes(-bytes) : format_bytes(bytes);
}

std::string format_double(double value, Unit unit) {
  if (std::isnan(value)) return "-";
  if (std::isinf(value)) return value > 0 ? "unlimited" : "-unlimited";
  if (value == 0) value = 0;  // no "-0"
  switch (unit) {
    case Unit::count:
      return value == std::floor(value) && std::abs(value) < 1e18 ? format_count_like(value)
                                                                  : format_plain(value);
    case Unit::ns:
      return format_time_ns(value);
    case Unit::bytes:
      return format_signed_bytes(value);
    case Unit::ratio:
      return format_ratio(value);
    case Unit::points:
      return fmt::format("{:.1f} pp", 100 * value);
    case Unit::none:
      break;
  }
  return format_plain(value);
}

// Through uint64_t, so that the most negative number has a magnitude too.
std::string format_integer(std::int64_t value, Unit unit) {
  if (unit == Unit::none) return std::to_string(value);
  if (unit != Unit::count) return format_double(static_cast<double>(value), unit);
  const std::uint64_t bits = static_cast<std::uint64_t>(value);
  return value < 0 ? "-" + format_count(0 - bits) : format_count(bits);
}

}  // namespace

std::string format_value(const Value& value, Unit unit) {
  if (const auto* text = std::get_if<std::string>(&value)) return printable(*text);
  if (const auto* number = std::get_if<double>(&value)) return format_double(*number, unit);
  if (const auto* number = std::get_if<std::int64_t>(&value)) return format_integer(*number, unit);
  return "-";
}

}  // namespace slackline
