#include "sim/network/network_model.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <string>

#include "base/error.h"
#include "base/text_parsing.h"

namespace slackline {
namespace {

struct Preset {
  std::string_view name;
  std::string_view bandwidth_factor, latency_factor;
  double weight_s;
  double tcp_gamma;
  bool cross_traffic;
  bool contention;
  bool constant;
};

constexpr double kGamma = 4194304;

// The values of SimGrid 4.1's network models (src/kernel/resource/models/network_cm02.cpp).
constexpr std::array kPresets{
    Preset{"smpi",
           "65472:0.940694;15424:0.697866;9376:0.58729;5776:1.08739;3484:0.77493;1426:0.608902;"
           "732:0.341987;257:0.338112;0:0.812084",
           "65472:11.6436;15424:3.48845;9376:2.59299;5776:2.18796;3484:1.88101;1426:1.61075;"
           "732:1.9503;257:1.95341;0:2.01467",
           8775, kGamma, true, true, false},
    Preset{"lv08", "0.97", "13.01", 20537, kGamma, true, true, false},
    Preset{"cm02", "1", "1", 0, kGamma, true, true, false},
    Preset{"raw", "1", "1", 0, 0, false, true, false},
    Preset{"contention-free", "1", "1", 0, 0, false, false, false},
    Preset{"loggps", "1", "1", 0, 0, false, false, false},
    Preset{"constant", "1", "1", 0, 0, false, false, true},
};

bool same_word(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(a[i])) != b[i]) return false;
  }
  return true;
}

}  // namespace

std::string_view network_model_names() {
  return "smpi, lv08, cm02, raw, loggps (contention-free), constant";
}

NetworkModel network_model(std::string_view name) {
  for (const Preset& preset : kPresets) {
    if (!same_word(name, preset.name)) continue;
    NetworkModel model;
    model.bandwidth_factor = Piecewise(preset.bandwidth_factor, "a bandwidth factor");
    model.latency_factor = Piecewise(preset.latency_factor, "a latency factor");
    model.weight_s = preset.weight_s;
    model.tcp_gamma = preset.tcp_gamma;
    model.cross_traffic = preset.cross_traffic;
    model.contention = preset.contention;
    model.constant = preset.constant;
    return model;
  }
  throw usage_error("cannot use '" + std::string(name) + "' for network/model", "no such model",
                    "Known models: " + std::string(network_model_names()) + ".");
}

namespace {

constexpr std::size_t kMostNumbers = 3;

double number(std::string_view text, std::string_view whole, std::string_view what) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  const auto value = number_in<double>(text);
  if (value && *value >= 0 && std::isfinite(*value)) return *value;
  throw usage_error("cannot read " + std::string(what) + " '" + std::string(whole) + "'",
                    "'" + std::string(text) + "' is not a non-negative number",
                    "Example: 0:1e-6:2e-10;65536:3e-6:0.");
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

Piecewise::Piecewise(std::string_view text, std::string_view what) {
  if (text.find(':') == std::string_view::npos) {
    segments_.push_back({-std::numeric_limits<double>::infinity(), number(text, text, what), 0});
    return;
  }
  for (const std::string_view item : split(text, ';')) {
    if (item.empty()) continue;
    const auto numbers = split(item, ':');
    if (numbers.size() < 2 || numbers.size() > kMostNumbers) {
      throw usage_error("cannot read " + std::string(what) + " '" + std::string(text) + "'",
                        "'" + std::string(item) + "' is not threshold:value[:slope]",
                        "Example: 0:1e-6:2e-10;65536:3e-6:0.");
    }
    segments_.push_back({number(numbers[0], text, what), number(numbers[1], text, what),
                         numbers.size() == kMostNumbers ? number(numbers[2], text, what) : 0});
  }
  std::ranges::sort(segments_, {}, &Segment::above);
}

const Piecewise::Segment* Piecewise::segment(double x) const {
  const auto after = std::ranges::lower_bound(segments_, x, {}, &Segment::above);
  return after == segments_.begin() ? nullptr : &*(after - 1);
}

double Piecewise::factor(double x) const {
  const Segment* s = segment(x);
  return s == nullptr ? 1 : s->constant;
}

double Piecewise::least_factor() const {
  const auto least = std::ranges::min_element(segments_, {}, &Segment::constant);
  return least == segments_.end() ? 1 : least->constant;
}

double Piecewise::seconds(double x) const {
  const Segment* s = segment(x);
  return s == nullptr ? 0 : s->constant + s->slope * x;
}

}  // namespace slackline

namespace slackline::sim {
namespace {

constexpr std::string_view kSend = "smpi/os";
constexpr std::string_view kIsend = "smpi/ois";
constexpr std::string_view kReceive = "smpi/or";

}  // namespace

Overheads::Overheads(const Platform& platform, const NetworkModel& model)
    : platform_(platform),
      common_{model.send_overhead, model.isend_overhead, model.receive_overhead} {
  for (HostId host = 0; host < platform.host_count(); ++host) {
    const HostSpec& spec = platform.host(host);
    if (by_spec_.contains(&spec)) continue;
    Set set = common_;
    const auto own = [&](std::string_view name, Piecewise& piecewise) {
      const std::string* text = spec.property(name);
      if (text == nullptr) return;
      piecewise = Piecewise(*text, name);
      uniform_ = false;
    };
    own(kSend, set.send);
    own(kIsend, set.isend);
    own(kReceive, set.receive);
    by_spec_.emplace(&spec, std::move(set));
  }
}

const Overheads::Set& Overheads::of(HostId host) {
  return uniform_ ? common_ : by_spec_.find(&platform_.host(host))->second;
}

}  // namespace slackline::sim
