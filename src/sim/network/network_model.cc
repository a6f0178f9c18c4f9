#include "sim/network/network_model.h"

#include <array>
#include <cctype>
#include <string>

#include "base/error.h"

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

}  // namespace slackline
