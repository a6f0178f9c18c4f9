#include "formats/kineto/rank_builder.h"
#include "trace/symbol_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <numeric>

namespace slackline {
namespace {

constexpr std::string_view kStepPrefix = "ProfilerStep#";
constexpr std::string_view kModulePrefix = "nn.Module: ";

bool is_any_of(std::string_view text, std::initializer_list<std::string_view> all) {
  return std::ranges::find(all, text) != all.end();
}

bool is_communication(std::string_view kernel) {
  for (const std::string_view part :
       {"ncclKernel", "ncclDevKernel", "rcclGenericKernel", "ncclGenericKernel", "rcclKernel"}) {
    if (kernel.find(part) != std::string_view::npos) return true;
  }
  return false;
}

bool synchronises(std::string_view call) {
  return call.find("Synchronize") != std::string_view::npos ||
         is_any_of(call, {"cudaMemcpy", "hipMemcpy"});
}

// The elements of `values` in the order that `order` gives.
template <class T>
void reorder(std::vector<T>& values, const std::vector<std::uint32_t>& order) {
  std::vector<T> sorted;
  sorted.reserve(values.size());
  for (const std::uint32_t i : order) sorted.push_back(std::move(values[i]));
  values = std::move(sorted);
}

template <class T>
std::vector<std::uint32_t> order_of_begins(const std::vector<T>& values) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return values[i].time.begin_ns; });
  return order;
}

template <class T>
void shift(std::vector<T>& values, std::int64_t by_ns) {
  for (T& value : values) {
    value.time.begin_ns += by_ns;
    value.time.end_ns += by_ns;
  }
}

}  // namespace

std::uint32_t KinetoRankBuilder::name(std::string_view text) {
  const auto next = static_cast<std::uint32_t>(profile_.names.size());
  const auto [at, added] = name_ids_.try_emplace(std::string(text), next);
  if (added) profile_.names.push_back(readable_symbol(text));
  return at->second;
}

std::uint32_t KinetoRankBuilder::location(bool stream, std::int64_t id) {
  const auto next = static_cast<std::uint32_t>(profile_.locations.size());
  const auto [at, added] = (stream ? streams_ : threads_).try_emplace(id, next);
  if (added) profile_.locations.push_back({stream, id});
  return at->second;
}

void KinetoRankBuilder::add_gpu(const KinetoEvent& event, GpuWork work) {
  GpuActivity activity{event.time, work, location(true, event.stream.value_or(event.thread)),
                       name(event.name)};
  if (work == GpuWork::communication && event.collective) {
    activity.collective = static_cast<std::uint32_t>(profile_.collectives.size());
    profile_.collectives.push_back(*event.collective);
  }
  profile_.gpu.push_back(activity);
  gpu_correlations_.push_back(event.correlation);
}

void KinetoRankBuilder::add_range(const KinetoEvent& event, CpuRangeKind kind) {
  profile_.cpu.push_back({event.time, kind, location(false, event.thread), name(event.name)});
}

// Categories are those of PyTorch since 1.12; before, they began with a capital letter.
void KinetoRankBuilder::add(const KinetoEvent& event) {
  if (event.phase != "X") return;
  const std::string_view category = event.category;
  if (is_any_of(category, {"kernel", "Kernel"})) {
    add_gpu(event, is_communication(event.name) ? GpuWork::communication : GpuWork::computation);
  } else if (is_any_of(category, {"gpu_memcpy", "gpu_memset", "Memcpy", "Memset"})) {
    add_gpu(event, GpuWork::copy);
  } else if (is_any_of(category, {"cuda_runtime", "cuda_driver", "Runtime"})) {
    profile_.runtime_calls.push_back(
        {event.time, location(false, event.thread), name(event.name), synchronises(event.name)});
    call_correlations_.push_back(event.correlation);
  } else if (event.name.starts_with(kStepPrefix) &&
             is_any_of(category, {"user_annotation", "cpu_op", "Operator"})) {
    const std::string_view digits = event.name.substr(kStepPrefix.size());
    ProfiledStep step{0, event.time};
    std::from_chars(digits.data(), digits.data() + digits.size(), step.number);
    profile_.steps.push_back(step);
  } else if (is_any_of(category, {"cpu_op", "Operator"})) {
    add_range(event, CpuRangeKind::operation);
  } else if (category == "user_annotation") {
    add_range(event, CpuRangeKind::annotation);
  } else if (category == "python_function" && event.name.starts_with(kModulePrefix)) {
    add_range(event, CpuRangeKind::module);
  }
}

void KinetoRankBuilder::link_launches() {
  std::vector<RuntimeCall>& calls = profile_.runtime_calls;
  std::unordered_map<std::int64_t, std::uint32_t> by_correlation;
  by_correlation.reserve(calls.size());
  for (std::uint32_t i = 0; i < calls.size(); ++i) {
    if (call_correlations_[i] != 0) by_correlation.try_emplace(call_correlations_[i], i);
  }
  std::vector<bool> used(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) used[i] = calls[i].synchronises;
  for (std::size_t i = 0; i < profile_.gpu.size(); ++i) {
    const auto found = by_correlation.find(gpu_correlations_[i]);
    if (found == by_correlation.end()) continue;
    profile_.gpu[i].launch = found->second;
    used[found->second] = true;
  }
  std::vector<std::uint32_t> new_index(calls.size(), kNotRecorded);
  std::vector<RuntimeCall> kept;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (!used[i]) continue;
    new_index[i] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(calls[i]);
  }
  calls = std::move(kept);
  for (GpuActivity& activity : profile_.gpu) {
    if (activity.launch != kNotRecorded) activity.launch = new_index[activity.launch];
  }
}

ProfiledRank KinetoRankBuilder::build(std::int64_t base_time_ns) {
  const std::vector<std::uint32_t> gpu_order = order_of_begins(profile_.gpu);
  reorder(profile_.gpu, gpu_order);
  reorder(gpu_correlations_, gpu_order);
  const std::vector<std::uint32_t> call_order = order_of_begins(profile_.runtime_calls);
  reorder(profile_.runtime_calls, call_order);
  reorder(call_correlations_, call_order);
  std::ranges::stable_sort(profile_.cpu, [](const CpuRange& a, const CpuRange& b) {
    return a.time.begin_ns != b.time.begin_ns ? a.time.begin_ns < b.time.begin_ns
                                              : a.time.end_ns > b.time.end_ns;
  });
  std::ranges::stable_sort(profile_.steps, {},
                           [](const ProfiledStep& step) { return step.time.begin_ns; });
  link_launches();
  shift(profile_.gpu, base_time_ns);
  shift(profile_.runtime_calls, base_time_ns);
  shift(profile_.cpu, base_time_ns);
  shift(profile_.steps, base_time_ns);
  return std::move(profile_);
}

}  // namespace slackline
