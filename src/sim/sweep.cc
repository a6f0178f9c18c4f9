#include "sim/sweep.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "base/parallel.h"
#include "base/text_parsing.h"

namespace slackline {
namespace {

double factor(std::string_view name, std::string_view text) {
  std::string_view digits = text;
  if (digits.ends_with('x')) digits.remove_suffix(1);
  const auto value = number_in<double>(digits);
  if (value && *value > 0 && std::isfinite(*value)) return *value;
  throw usage_error(fmt::format("cannot use '{}' for {} in --sweep", text, name),
                    "it is not a positive factor", fmt::format("Example: {}=0.5,1,2.", name));
}

/// "bandwidth@c.up" -> "c.up"; nothing after '@' means all links.
std::string_view group_of_axis(std::string_view name) {
  const std::size_t at = name.find('@');
  return at == std::string_view::npos ? std::string_view{} : name.substr(at + 1);
}

}  // namespace

std::vector<SweepAxis> parse_sweep(std::string_view text) {
  std::vector<SweepAxis> axes;
  for (;;) {
    const std::size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    const std::size_t equals = item.find('=');
    if (equals != std::string_view::npos) {
      axes.push_back({std::string(item.substr(0, equals)), {std::string(item.substr(equals + 1))}});
    } else if (!axes.empty()) {
      axes.back().values.emplace_back(item);
    } else {
      throw usage_error(fmt::format("cannot sweep over '{}'", item),
                        "it is not a quantity that can be varied",
                        "Example: bandwidth=0.5,1,2,collectives=ompi,mpich.");
    }
    if (comma == std::string_view::npos) return axes;
    text.remove_prefix(comma + 1);
  }
}

void apply_axis(std::string_view name, std::string_view value, SmpiOptions& smpi,
                SimulationOptions& options) {
  const std::string_view kind = name.substr(0, name.find('@'));
  if (kind == "bandwidth") {
    options.link_scales.push_back(
        {.group = std::string(group_of_axis(name)), .bandwidth = factor(name, value)});
  } else if (kind == "latency") {
    options.link_scales.push_back(
        {.group = std::string(group_of_axis(name)), .latency = factor(name, value)});
  } else if (kind == "compute") {
    options.compute_scale *= factor(name, value);
  } else if (kind == "collectives") {
    smpi.set(fmt::format("smpi/coll-selector:{}", value), "in --sweep");
  } else if (kind == "model") {
    smpi.set(fmt::format("network/model:{}", value), "in --sweep");
  } else {
    smpi.set(fmt::format("{}:{}", name, value), "in --sweep");
  }
}

std::vector<SweepCase> sweep(const Trace& trace, const Platform& platform, const RankMap& hosts,
                             const SmpiOptions& smpi, const SimulationOptions& base,
                             const std::vector<SweepAxis>& axes) {
  std::size_t count = 1;
  for (const SweepAxis& axis : axes) count *= axis.values.size();
  std::vector<SweepCase> cases(count);
  parallel_for(count, [&](std::size_t i) {
    SmpiOptions own = smpi;
    SimulationOptions options = base;
    std::size_t rest = i;
    for (const SweepAxis& axis : axes) {
      cases[i].values.push_back(axis.values[rest % axis.values.size()]);
      rest /= axis.values.size();
      apply_axis(axis.name, cases[i].values.back(), own, options);
    }
    options.model = own.model();
    options.choose = own.collectives();
    cases[i].simulation = simulate(trace, platform, hosts, options);
  });
  return cases;
}

}  // namespace slackline
