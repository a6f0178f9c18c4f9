#include "formats/kineto/rank_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <numeric>

#include "trace/symbol_names.h"

namespace slackline {
namespace {

constexpr std::string_view kStepPrefix = "ProfilerStep#";
constexpr std::string_view kModulePrefix = "nn.Module: ";

// Runtimes and drivers: CUDA's and HIP's, those of Intel's GPUs, and of devices that others add.
constexpr std::array<std::string_view, 9> kRuntimes{
    "cuda_runtime", "cuda_driver", "hip_runtime",         "hip_driver",        "xpu_runtime",
    "xpu_driver",   "Runtime",     "privateuse1_runtime", "privateuse1_driver"};

bool is_any_of(std::string_view text, std::initializer_list<std::string_view> all) {
  return std::ranges::find(all, text) != all.end();
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

template <class T>
void end_by(std::vector<T>& values, std::int64_t time_ns) {
  for (T& value : values) {
    value.time.end_ns = std::max(value.time.begin_ns, std::min(value.time.end_ns, time_ns));
  }
}

}  // namespace

std::uint32_t KinetoRankBuilder::name(std::string_view text) {
  const auto next = static_cast<std::uint32_t>(profile_.names.size());
  const auto [at, added] = name_ids_.try_emplace(std::string(text), next);
  if (added) profile_.names.push_back(readable_symbol(text));
  return at->second;
}

std::uint32_t KinetoRankBuilder::location(const TrainingLocation& where) {
  const auto next = static_cast<std::uint32_t>(profile_.locations.size());
  const auto [at, added] = locations_.try_emplace(where, next);
  if (added) profile_.locations.push_back(where);
  return at->second;
}

std::uint32_t KinetoRankBuilder::thread_of(const KinetoEvent& event) {
  return location({.stream = false, .id = event.thread});
}

std::uint32_t KinetoRankBuilder::collective(const KinetoEvent& event) {
  if (!event.collective) return kNotRecorded;
  if (event.collective->operation.empty() && event.collective->group.empty()) return kNotRecorded;
  profile_.collectives.push_back(*event.collective);
  return static_cast<std::uint32_t>(profile_.collectives.size() - 1);
}

void KinetoRankBuilder::add_gpu(const KinetoEvent& event, GpuWork work) {
  last_read_ns_ = event.time.begin_ns;
  const TrainingLocation stream{true, event.stream.value_or(event.thread), event.device};
  profile_.gpu.push_back({event.time, work, location(stream), name(event.name)});
  if (work != GpuWork::copy) profile_.gpu.back().collective = collective(event);
  gpu_correlations_.push_back(event.correlation);
  gpu_externals_.push_back(event.external);
}

void KinetoRankBuilder::add_range(const KinetoEvent& event, CpuRangeKind kind) {
  const CpuRange range{event.time, kind, thread_of(event), name(event.name)};
  std::uint32_t detail = kNotRecorded;
  if (launched_by(range) == LaunchedBy::communication) {
    detail = collective(event);
    if (event.external != 0) {
      externals_.insert_or_assign(event.external, Launcher{LaunchedBy::communication, detail});
    }
  }
  profile_.cpu.push_back(range);
  range_collectives_.push_back(detail);
}

// Categories are those of PyTorch since 1.12; before, they began with a capital letter.
void KinetoRankBuilder::add(const KinetoEvent& event) {
  if (event.phase != "X") return;
  if (profile_.gpu.empty()) last_read_ns_ = event.time.begin_ns;
  const std::string_view category = event.category;
  if (is_any_of(category, {"kernel", "Kernel"})) {
    add_gpu(event, GpuWork::computation);
  } else if (is_any_of(category, {"gpu_memcpy", "gpu_memset", "Memcpy", "Memset"})) {
    add_gpu(event, GpuWork::copy);
  } else if (std::ranges::find(kRuntimes, category) != kRuntimes.end()) {
    profile_.runtime_calls.push_back(
        {event.time, thread_of(event), name(event.name), synchronises(event.name)});
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

// What an enclosing operator says; nothing if it is the profile's own of a module.
LaunchedBy KinetoRankBuilder::launched_by(const CpuRange& range) {
  if (range.kind == CpuRangeKind::module) return LaunchedBy::other;
  if (range.kind == CpuRangeKind::annotation) {
    return launched_by_annotation(profile_.name(range.name));
  }
  if (name_kinds_.size() < profile_.names.size()) name_kinds_.resize(profile_.names.size());
  std::optional<LaunchedBy>& kind = name_kinds_[range.name];
  if (!kind) kind = launched_by_operator(profile_.name(range.name));
  return *kind;
}

// By the innermost operator around each call, or an annotation within that.
std::vector<KinetoRankBuilder::Launcher> KinetoRankBuilder::launchers_of_calls() {
  std::vector<Launcher> launchers(profile_.runtime_calls.size());
  std::vector<std::vector<std::uint32_t>> open(profile_.locations.size());  // ranges, by thread
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < launchers.size(); ++i) {
    const RuntimeCall& call = profile_.runtime_calls[i];
    const std::int64_t now = call.time.begin_ns;
    for (; next < profile_.cpu.size() && profile_.cpu[next].time.begin_ns <= now; ++next) {
      auto& thread = open[profile_.cpu[next].location];
      std::erase_if(thread, [&](std::uint32_t range) {
        return profile_.cpu[range].time.end_ns <= profile_.cpu[next].time.begin_ns;
      });
      thread.push_back(next);
    }
    const auto& thread = open[call.location];
    for (auto at = thread.rbegin(); at != thread.rend(); ++at) {
      const CpuRange& range = profile_.cpu[*at];
      if (range.time.end_ns <= now) continue;
      launchers[i] = {launched_by(range), range_collectives_[*at]};
      const bool says = launchers[i].kind != LaunchedBy::other;
      if (says || range.kind == CpuRangeKind::operation) break;
    }
  }
  return launchers;
}

// A kernel communicates if its name says so, if the profile describes a collective beside it, or
// if an operator launched it that communicates. Such an operator may also launch kernels that
// belong to libraries of computation.
void KinetoRankBuilder::find_communication(std::string_view rank_name, Findings& findings) {
  std::vector<std::optional<KernelName>> names(profile_.names.size());
  const std::vector<Launcher> launchers = launchers_of_calls();
  for (std::size_t i = 0; i < profile_.gpu.size(); ++i) {
    GpuActivity& kernel = profile_.gpu[i];
    if (kernel.work == GpuWork::copy) continue;
    std::optional<KernelName>& named = names[kernel.name];
    if (!named) named = kernel_name(profile_.name(kernel.name));
    Launcher launcher;
    if (kernel.launch != kNotRecorded) {
      launcher = launchers[kernel.launch];
    } else if (const auto at = externals_.find(gpu_externals_[i]); at != externals_.end()) {
      launcher = at->second;
    }
    const bool described = kernel.collective != kNotRecorded;
    const bool launched = launcher.kind == LaunchedBy::communication && named != KernelName::local;
    const bool only_named = named == KernelName::operation && !described && !launched;
    const bool communicates = named == KernelName::library || described || launched ||
                              (only_named && launcher.kind != LaunchedBy::local);
    if (only_named) {
      findings.add(kOnlyNamedLikeCommunication,
                   fmt::format("{}: {}", rank_name, profile_.name(kernel.name)));
    }
    if (!communicates) continue;
    kernel.work = GpuWork::communication;
    if (!described) kernel.collective = launcher.collective;
  }
}

void KinetoRankBuilder::sort_events() {
  const std::vector<std::uint32_t> gpu_order = order_of_begins(profile_.gpu);
  reorder(profile_.gpu, gpu_order);
  reorder(gpu_correlations_, gpu_order);
  reorder(gpu_externals_, gpu_order);
  const std::vector<std::uint32_t> call_order = order_of_begins(profile_.runtime_calls);
  reorder(profile_.runtime_calls, call_order);
  reorder(call_correlations_, call_order);
  std::vector<std::uint32_t> range_order(profile_.cpu.size());
  std::iota(range_order.begin(), range_order.end(), 0U);
  std::ranges::stable_sort(range_order, [&](std::uint32_t left, std::uint32_t right) {
    const TimeSpan& a = profile_.cpu[left].time;
    const TimeSpan& b = profile_.cpu[right].time;
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  });
  reorder(profile_.cpu, range_order);
  reorder(range_collectives_, range_order);
  std::ranges::stable_sort(profile_.steps, {},
                           [](const ProfiledStep& step) { return step.time.begin_ns; });
}

// Profilers write the activities of GPUs in about the order of their times, some behind all of the
// CPU's, some among them. So everything is known up to the activity that was read last, and a step
// is whole if it ends before that, and before it was launched: the GPU is then past the step's
// work. Without any whole step, the first one counts as far as it is known.
void KinetoRankBuilder::leave_out_cut_steps() {
  const std::int64_t known_ns = last_read_ns_;
  const auto last = std::ranges::upper_bound(profile_.gpu, last_read_ns_, {},
                                             [](const GpuActivity& a) { return a.time.begin_ns; });
  std::int64_t done_ns = known_ns;
  if (last != profile_.gpu.begin() && std::prev(last)->launch != kNotRecorded) {
    done_ns = profile_.runtime_calls[std::prev(last)->launch].time.begin_ns;
  }
  end_by(profile_.cpu, known_ns);
  end_by(profile_.runtime_calls, known_ns);
  std::vector<ProfiledStep> whole = profile_.steps;
  std::erase_if(whole, [&](const ProfiledStep& step) {
    return step.time.end_ns > std::min(known_ns, done_ns);
  });
  cut_steps_ = profile_.steps.size() - whole.size();
  if (whole.empty() && !profile_.steps.empty() && profile_.steps.front().time.begin_ns < known_ns) {
    whole.push_back(profile_.steps.front());
    whole.back().time.end_ns = std::min(whole.back().time.end_ns, known_ns);
  }
  profile_.steps = std::move(whole);
}

ProfiledRank KinetoRankBuilder::build(std::int64_t base_time_ns, bool cut,
                                      std::string_view rank_name, Findings& findings) {
  sort_events();
  link_launches();
  find_communication(rank_name, findings);
  if (cut) leave_out_cut_steps();
  shift(profile_.gpu, base_time_ns);
  shift(profile_.runtime_calls, base_time_ns);
  shift(profile_.cpu, base_time_ns);
  shift(profile_.steps, base_time_ns);
  return std::move(profile_);
}

}  // namespace slackline
