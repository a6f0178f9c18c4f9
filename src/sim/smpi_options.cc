// SimGrid's options. One table says what each name does; what SimGrid has and we do not need is in
// a list of its own, so that its option files are taken as they are.

#include "sim/smpi_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/error.h"
#include "base/text_parsing.h"
#include "graph/collectives/choice.h"

namespace slackline {
namespace {

constexpr FindingKind kIgnored{"smpi_option_ignored", Severity::info,
                               "SimGrid options without effect on this simulation."};
constexpr std::string_view kSelector = "smpi/coll-selector";
constexpr std::string_view kModel = "network/model";

using Values = std::map<std::string, std::string, std::less<>>;
using Apply = void (*)(NetworkModel& model, std::string_view value, std::string_view name);

[[noreturn]] void bad_value(std::string_view name, std::string_view value, std::string_view why) {
  throw usage_error(fmt::format("cannot use '{}' for {}", value, name), why,
                    "The values are those of SimGrid's options.");
}

double number(std::string_view name, std::string_view value) {
  const auto result = number_in<double>(value);
  if (!result) bad_value(name, value, "it is not a number");
  if (!(*result >= 0)) bad_value(name, value, "it is negative or not a number");
  return *result;
}

bool truth(std::string_view name, std::string_view value) {
  for (const std::string_view yes : {"1", "yes", "true", "on"}) {
    if (value == yes) return true;
  }
  for (const std::string_view no : {"0", "no", "false", "off"}) {
    if (value == no) return false;
  }
  bad_value(name, value, "it is neither yes nor no");
}

template <auto Member>
void set_number(NetworkModel& model, std::string_view value, std::string_view name) {
  model.*Member = number(name, value);
}
void set_loopback_bandwidth(NetworkModel& model, std::string_view value, std::string_view name) {
  model.loopback_bandwidth = number(name, value);
  if (model.loopback_bandwidth == 0) bad_value(name, value, "no message would ever arrive");
}
template <auto Member>
void set_truth(NetworkModel& model, std::string_view value, std::string_view name) {
  model.*Member = truth(name, value);
}
void set_optim(NetworkModel& model, std::string_view value, std::string_view name) {
  if (value != "Lazy" && value != "Full") bad_value(name, value, "it is neither Lazy nor Full");
  model.lazy = value == "Lazy";
}
template <auto Member>
void set_piecewise(NetworkModel& model, std::string_view value, std::string_view name) {
  model.*Member = Piecewise(value, name);
}

void set_bandwidth_factor(NetworkModel& model, std::string_view value, std::string_view name) {
  model.bandwidth_factor = Piecewise(value, name);
  if (model.bandwidth_factor.least_factor() == 0) {
    bad_value(name, value, "no message would ever arrive");
  }
}

struct Option {
  std::string_view name;
  Apply apply;
};

using M = NetworkModel;
constexpr std::array kOptions{
    Option{"smpi/os", set_piecewise<&M::send_overhead>},
    Option{"smpi/ois", set_piecewise<&M::isend_overhead>},
    Option{"smpi/or", set_piecewise<&M::receive_overhead>},
    Option{"smpi/async-small-thresh", set_number<&M::eager_below>},
    Option{"smpi/send-is-detached-thresh", set_number<&M::detached_below>},
    Option{"smpi/bw-factor", set_bandwidth_factor},
    Option{"smpi/lat-factor", set_piecewise<&M::latency_factor>},
    Option{"network/bandwidth-factor", set_bandwidth_factor},
    Option{"network/latency-factor", set_piecewise<&M::latency_factor>},
    Option{"network/weight-S", set_number<&M::weight_s>},
    Option{"network/TCP-gamma", set_number<&M::tcp_gamma>},
    Option{"network/crosstraffic", set_truth<&M::cross_traffic>},
    Option{"network/loopback-bw", set_loopback_bandwidth},
    Option{"network/loopback-lat", set_number<&M::loopback_latency>},
    Option{"network/optim", set_optim},
    Option{"smpi/test", set_number<&M::test_sleep>},
    Option{"smpi/iprobe", set_number<&M::probe_sleep>},
    Option{"smpi/wtime", set_number<&M::clock_sleep>},
    Option{"smpi/grow-injected-times", set_truth<&M::grow_injected_times>},
    Option{"smpi/barrier-finalization", set_truth<&M::barrier_at_finalize>},
    Option{"precision/timing", set_number<&M::timing_precision>},
    Option{"surf/precision", set_number<&M::timing_precision>},
};

// These choose among ways to the same answer, or concern what is not simulated here.
constexpr std::array<std::string_view, 32> kIgnoredOptions{"network/maxmin-selective-update",
                                                           "network/solver",
                                                           "cpu/optim",
                                                           "cpu/model",
                                                           "cpu/maxmin-selective-update",
                                                           "cpu/solver",
                                                           "host/model",
                                                           "precision/work-amount",
                                                           "maxmin/precision",
                                                           "maxmin/concurrency-limit",
                                                           "contexts/factory",
                                                           "contexts/stack-size",
                                                           "contexts/nthreads",
                                                           "contexts/guard-size",
                                                           "smpi/host-speed",
                                                           "smpi/cpu-threshold",
                                                           "smpi/simulate-computation",
                                                           "smpi/display-timing",
                                                           "smpi/display-allocs",
                                                           "smpi/keep-temps",
                                                           "smpi/privatization",
                                                           "smpi/shared-malloc",
                                                           "smpi/buffering",
                                                           "smpi/init",
                                                           "smpi/iprobe-cpu-usage",
                                                           "smpi/papi-events",
                                                           "smpi/list-leaks",
                                                           "smpi/pedantic",
                                                           "smpi/errors-are-fatal",
                                                           "tracing",
                                                           "storage/max_file_descriptors"};

const Option* find_option(std::string_view name) {
  const auto found = std::ranges::find(kOptions, name, &Option::name);
  return found == kOptions.end() ? nullptr : &*found;
}

/// The operation of "smpi/allreduce"; SimGrid writes reduce_scatter in one of two ways.
std::optional<Operation> collective_named(std::string_view name) {
  constexpr std::string_view kPrefix = "smpi/";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  if (name == "reduce-scatter") name = "reduce_scatter";
  const auto operation = operation_from_identifier(name);
  if (!operation || operation_class(*operation) != OperationClass::collective) return std::nullopt;
  return operation;
}

bool is_known(std::string_view name) {
  return name == kSelector || name == kModel || find_option(name) != nullptr ||
         std::ranges::find(kIgnoredOptions, name) != kIgnoredOptions.end() ||
         name.starts_with("tracing/") || name.starts_with("debug/") || collective_named(name);
}

CollectiveCall any_call(Operation operation) {
  CollectiveCall call;
  call.operation = operation;
  call.size = 2;
  return call;
}

}  // namespace

void SmpiOptions::set(std::string_view line, std::string_view where) {
  std::string_view text = trimmed(line);
  if (text.starts_with("--cfg=")) text.remove_prefix(6);
  const std::size_t end = text.find_first_of(":=");
  if (end == std::string_view::npos) {
    throw usage_error(fmt::format("'{}' is not a simulation option", text),
                      fmt::format("{}: it has no value", where),
                      "Use name:value, for example network/model:LV08.");
  }
  const std::string_view name = trimmed(text.substr(0, end));
  if (!is_known(name)) {
    throw usage_error(
        fmt::format("cannot use '{}' {}", name, where), "no such simulation option",
        "Use SimGrid's names: smpi/os, network/model, smpi/coll-selector and others.");
  }
  values_[std::string(name)] = trimmed(text.substr(end + 1));
}

void SmpiOptions::read(std::string_view text, std::string_view name) {
  std::size_t number = 0;
  while (!text.empty()) {
    const std::string_view line = trimmed(take_line(text));
    ++number;
    if (!line.empty() && line.front() != '#') set(line, fmt::format("{}:{}", name, number));
  }
}

NetworkModel SmpiOptions::model() const {
  const auto chosen = values_.find(kModel);
  NetworkModel model = network_model(chosen == values_.end() ? "smpi" : chosen->second);
  for (const auto& [name, value] : values_) {
    if (const Option* option = find_option(name)) option->apply(model, value, name);
  }
  return model;
}

ChooseAlgorithm SmpiOptions::collectives() const {
  std::map<Operation, std::string> by_operation;
  const auto selector = values_.find(kSelector);
  const std::string common = selector == values_.end() ? "default" : selector->second;
  if (smpi_decision(common, any_call(Operation::bcast)).algorithm == nullptr) {
    bad_value(kSelector, common, "no such selector");
  }
  for (const auto& [name, value] : values_) {
    const auto operation = collective_named(name);
    if (!operation) continue;
    if (smpi_decision(value, any_call(*operation)).algorithm == nullptr) {
      bad_value(name, value, "no such algorithm");
    }
    by_operation[*operation] = value;
  }
  return [by_operation, common](const CollectiveCall& call) {
    auto own = by_operation.find(call.operation);
    if (own == by_operation.end() && call.operation == Operation::reduce_scatter_block) {
      own = by_operation.find(Operation::reduce_scatter);
    }
    const SmpiDecision found =
        smpi_decision(own == by_operation.end() ? common : own->second, call);
    ensures(found.algorithm != nullptr, "every operation has an algorithm under every selector");
    return found;
  };
}

Findings SmpiOptions::ignored() const {
  Findings findings;
  for (const auto& [name, value] : values_) {
    const bool used = name == kSelector || name == kModel || find_option(name) != nullptr ||
                      collective_named(name);
    if (!used) findings.add(kIgnored, name + ":" + value);
  }
  return findings;
}

}  // namespace slackline
