// SimGrid's profiles: availability over time (SimGrid 3.32,
// src/kernel/resource/profile/ProfileBuilder.cpp).

#include "sim/platform/profile.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/text_parsing.h"

namespace slackline {
namespace {

// A simulation would hardly get on with less.
constexpr double kShortestPeriod = 1e-6;

class ProfileReader {
 public:
  ProfileReader(std::string_view what, double periodicity)
      : what_(what), periodicity_(periodicity) {}

  void read_line(std::string_view line) {
    ++number_;
    line = trimmed(line);
    if (line.empty() || line.front() == '#' || line.front() == '%') return;
    if (const auto seconds = setting(line, "PERIODICITY")) {
      periodicity_ = *seconds;
    } else if (const auto pause = setting(line, "LOOPAFTER")) {
      profile_.repeats = true;
      profile_.repeat_delay = *pause;
    } else {
      read_step(line);
    }
  }

  Profile finish() && {
    if (periodicity_ > 0) {
      if (profile_.repeats) refuse("it has both PERIODICITY and LOOPAFTER");
      profile_.repeats = true;
      profile_.repeat_delay = periodicity_ - last_date_;
      if (profile_.repeat_delay < 0) refuse("its period ends before its last date");
    }
    if (profile_.repeats && last_date_ + profile_.repeat_delay < kShortestPeriod) {
      refuse("its period is shorter than 1 us");
    }
    return std::move(profile_);
  }

 private:
  [[noreturn]] void refuse(std::string_view why) const {
    throw usage_error(fmt::format("cannot use the profile {}", what_),
                      fmt::format("line {}: {}", number_, why),
                      "Lines are DATE VALUE in ascending order; PERIODICITY or LOOPAFTER and a "
                      "number of seconds make it repeat.");
  }

  std::optional<double> number(std::string_view& line) const {
    line = trimmed(line);
    const auto value = take_number<double>(line);
    if (value && !std::isfinite(*value)) refuse("a number is not finite");
    if (value && *value < 0) refuse("a number is negative");
    return value;
  }

  std::optional<double> setting(std::string_view line, std::string_view name) const {
    if (!line.starts_with(name)) return std::nullopt;
    line.remove_prefix(name.size());
    const auto value = number(line);
    if (!value || !line.empty()) refuse("a number of seconds is required");
    return value;
  }

  void read_step(std::string_view line) {
    const auto date = number(line);
    const auto value = number(line);
    if (!date || !value || !line.empty()) {
      refuse("a date and a value are required (stochastic profiles are not supported)");
    }
    if (*date < last_date_) refuse("its date is earlier than the one before");
    profile_.steps.push_back({*date - last_date_, *value});
    last_date_ = *date;
  }

  std::string_view what_;
  double periodicity_;
  Profile profile_;
  double last_date_ = 0;
  std::size_t number_ = 0;
};

}  // namespace

Profile parse_profile(std::string_view text, std::string_view what, double periodicity) {
  ProfileReader reader(what, periodicity);
  while (!text.empty()) reader.read_line(take_line(text));
  return std::move(reader).finish();
}

}  // namespace slackline
