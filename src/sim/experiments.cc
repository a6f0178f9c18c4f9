#include "sim/experiments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

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

std::uint64_t seed(std::string_view text) {
  if (const auto value = number_in<std::uint64_t>(text)) return *value;
  throw usage_error(fmt::format("cannot use '{}' for seed in --sweep", text),
                    "it is not an integer", "Example: seed=1,2,3.");
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
  } else if (kind == "seed") {
    if (options.compute_noise.none() && options.message_noise.none()) {
      throw usage_error("cannot sweep over 'seed'", "there is no noise",
                        "Example: --noise 'amplitude=5% messages=1us'.");
    }
    options.compute_noise.seed = options.message_noise.seed = seed(value);
  } else if (kind == "collectives") {
    smpi.set(fmt::format("smpi/coll-selector:{}", value), "in --sweep");
  } else if (kind == "model") {
    smpi.set(fmt::format("network/model:{}", value), "in --sweep");
  } else {
    smpi.set(fmt::format("{}:{}", name, value), "in --sweep");
  }
}

std::size_t combinations(const std::vector<SweepAxis>& axes) {
  std::size_t count = 1;
  for (const SweepAxis& axis : axes) count *= axis.values.size();
  return count;
}

SweepSetting sweep_setting(const std::vector<SweepAxis>& axes, std::size_t i, SmpiOptions smpi,
                           const SimulationOptions& base) {
  SweepSetting setting{{}, base};
  for (const SweepAxis& axis : axes) {
    setting.values.push_back(axis.values[i % axis.values.size()]);
    i /= axis.values.size();
    apply_axis(axis.name, setting.values.back(), smpi, setting.options);
  }
  setting.options.model = smpi.model();
  setting.options.choose = smpi.collectives();
  return setting;
}

std::vector<SweepCase> sweep(const Trace& trace, const Platform& platform, const RankMap& hosts,
                             const SmpiOptions& smpi, const SimulationOptions& base,
                             const std::vector<SweepAxis>& axes) {
  std::vector<SweepCase> cases(combinations(axes));
  parallel_for(cases.size(), [&](std::size_t i) {
    SweepSetting setting = sweep_setting(axes, i, smpi, base);
    cases[i] = {std::move(setting.values), simulate(trace, platform, hosts, setting.options)};
  });
  return cases;
}

namespace {

// The first steps are short, where tolerances of well coupled programs lie.
constexpr double kFirstStep = 1.05;

class Search {
 public:
  explicit Search(const std::function<double(double)>& makespan) : makespan_(makespan) {}

  double at(double factor) {
    const auto known = tried_.find(factor);
    if (known != tried_.end()) return known->second;
    return tried_[factor] = makespan_(factor);
  }

  SimulatedTolerance find(double degradation, double largest, double precision) {
    const double limit = at(1) * (1 + degradation);
    SimulatedTolerance found{.degradation = degradation};
    for (double excess = kFirstStep - 1;; excess *= 2) {
      const double factor = std::min(1 + excess, largest);
      if (at(factor) > limit) {
        found.beyond = factor;
        break;
      }
      found.factor = factor;
      if (factor >= largest) {
        found.unlimited = true;
        return found;
      }
    }
    while (found.beyond - found.factor > precision * (found.beyond - 1) + 1e-6) {
      const double middle = (found.factor + found.beyond) / 2;
      (at(middle) > limit ? found.beyond : found.factor) = middle;
    }
    return found;
  }

  const std::map<double, double>& tried() const { return tried_; }

 private:
  const std::function<double(double)>& makespan_;
  std::map<double, double> tried_;
};

}  // namespace

ToleranceSearch search_tolerances(const std::function<double(double)>& makespan,
                                  const std::vector<double>& degradations, double largest,
                                  double precision) {
  Search search(makespan);
  ToleranceSearch result;
  result.base = search.at(1);
  for (const double d : degradations) {
    result.tolerances.push_back(search.find(d, largest, precision));
  }
  result.tried.assign(search.tried().begin(), search.tried().end());
  for (std::size_t i = 1; i < result.tried.size(); ++i) {
    if (result.tried[i].second < result.tried[i - 1].second * (1 - 1e-9)) result.monotone = false;
  }
  return result;
}

}  // namespace slackline
