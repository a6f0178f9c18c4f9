// A job's summary: what is left of a run when its trace is gone. It is small enough to be kept for
// every commit of a repository and every job of a centre, and holds one value a run of everything
// that is tested, so that runs recorded at different times can be compared as repeats.

#include "analysis/regression/job_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <stdexcept>

#include "analysis/model/interval.h"
#include "analysis/paths/hotspots.h"
#include "analysis/paths/run_code.h"
#include "base/error.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr std::size_t kMostFunctions = 5;
constexpr std::size_t kMostCauses = 4;
constexpr std::size_t kMostWaits = 3;
constexpr std::size_t kMostCausingRanks = 4;

/// Six digits: more than runs repeat, and few bytes.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double scale = std::pow(10, 5 - std::floor(std::log10(std::abs(value))));
  return std::isfinite(scale) ? std::round(value * scale) / scale : value;
}

std::int64_t rounded_ns(double ns) {
  return std::llround(rounded(ns));
}

std::vector<double> rounded_all(const std::vector<double>& values) {
  return list_of(values, rounded);
}

std::vector<std::int64_t> rounded_times(const std::vector<double>& values) {
  return list_of(values, rounded_ns);
}

void add_functions(const Trace& trace, const Samples* samples, const TimeInterval& analysed,
                   JobSummary& summary) {
  const RunCode code(trace, samples);
  if (!code.known()) return;
  std::vector<Hotspot> spots =
      hotspots(trace, code, CriticalPath(), CodeUnit::function, analysed).spots;
  std::ranges::stable_sort(spots, std::greater(), &Hotspot::mean_ns);
  for (const Hotspot& spot : spots) {
    if (summary.functions.size() == kMostFunctions || spot.mean_ns <= 0) break;
    if (spot.frame == 0) continue;
    const std::string& function = code.tree().location(spot.frame).function;
    if (function.empty()) continue;
    summary.functions.push_back(
        {function, {spot.mean_ns}, {static_cast<double>(spot.busiest_ns)}, {spot.busiest}});
  }
}

void add_waits(const Diagnosis& diagnosis, JobSummary& summary) {
  summary.waiting = {diagnosis.shares.share(diagnosis.waits.total_ns)};
  std::vector<PatternSummary> patterns = diagnosis.waits.patterns;
  std::ranges::stable_sort(patterns, std::greater(), &PatternSummary::sum_ns);
  for (const PatternSummary& pattern : patterns) {
    if (summary.waits.size() == kMostWaits || pattern.sum_ns <= 0) break;
    summary.waits.push_back(
        {std::string(identifier(pattern.pattern)), {diagnosis.shares.share(pattern.sum_ns)}});
  }
}

void add_causes(const Trace& trace, const Diagnosis& diagnosis, JobSummary& summary) {
  for (const LimitingCause& cause : diagnosis.limits) {
    if (summary.causes.size() == kMostCauses) break;
    JobSummary::Cause added{.limit = std::string(to_string(cause.limit)), .share = cause.share};
    added.ranks = cause.ranks;
    added.ranks.resize(std::min(added.ranks.size(), kMostCausingRanks));
    if (cause.frame != 0) added.function = trace.call_tree().location(cause.frame).function;
    summary.causes.push_back(std::move(added));
  }
}

void add_metrics(const Diagnosis& diagnosis, JobSummary& summary) {
  const EfficiencyInputs& inputs = diagnosis.efficiency.analysed;
  const EfficiencyFactors f = factors(inputs, EfficiencyVariant::multiplicative);
  const std::array<double, kRunMetrics.size()> values{
      inputs.observed_ns, f.parallel, f.load_balance, f.communication, f.serialisation, f.transfer};
  for (std::size_t m = 0; m < values.size(); ++m) summary.metrics[m] = {values[m]};
}

/// The element of `list` whose `member` is `name`; nothing if there is none.
template <class Element>
const Element* find_named(const std::vector<Element>& list, std::string Element::*member,
                          const std::string& name) {
  const auto found = std::ranges::find(list, name, member);
  return found == list.end() ? nullptr : &*found;
}

void append(std::vector<double>& to, const std::vector<double>& values) {
  to.insert(to.end(), values.begin(), values.end());
}

/// `own`: the values of a summary of so many runs, or null: none has any.
template <class Value>
void append_runs(std::vector<Value>& to, const std::vector<Value>* own, std::size_t runs,
                 Value otherwise) {
  if (own == nullptr) {
    to.resize(to.size() + runs, otherwise);
  } else {
    to.insert(to.end(), own->begin(), own->end());
  }
}

/// Names of all summaries, in the order in which they are first met.
template <class Element>
std::vector<std::string> all_names(const std::vector<JobSummary>& summaries,
                                   std::vector<Element> JobSummary::*list,
                                   std::string Element::*member) {
  std::vector<std::string> names;
  for (const JobSummary& summary : summaries) {
    for (const Element& element : summary.*list) {
      if (std::ranges::find(names, element.*member) == names.end()) {
        names.push_back(element.*member);
      }
    }
  }
  return names;
}

void merge_functions(const std::vector<JobSummary>& summaries, JobSummary& all) {
  using Function = JobSummary::Function;
  for (const std::string& name : all_names(summaries, &JobSummary::functions, &Function::name)) {
    Function merged{.name = name};
    for (const JobSummary& summary : summaries) {
      const Function* own = find_named(summary.functions, &Function::name, name);
      const std::size_t runs = summary.runs();
      append_runs(merged.mean_ns, own ? &own->mean_ns : nullptr, runs, 0.0);
      append_runs(merged.slowest_ns, own ? &own->slowest_ns : nullptr, runs, 0.0);
      append_runs(merged.slowest_rank, own ? &own->slowest_rank : nullptr, runs, -1);
    }
    all.functions.push_back(std::move(merged));
  }
}

void merge_waits(const std::vector<JobSummary>& summaries, JobSummary& all) {
  using Wait = JobSummary::Wait;
  for (const std::string& pattern : all_names(summaries, &JobSummary::waits, &Wait::pattern)) {
    Wait merged{.pattern = pattern};
    for (const JobSummary& summary : summaries) {
      const Wait* own = find_named(summary.waits, &Wait::pattern, pattern);
      append_runs(merged.share, own ? &own->share : nullptr, summary.runs(), 0.0);
    }
    all.waits.push_back(std::move(merged));
  }
}

/// A summary of several runs has the mean of their shares only: it counts for each of them, and
/// nothing is known of how they vary.
void merge_causes(const std::vector<JobSummary>& summaries, JobSummary& all) {
  using Cause = JobSummary::Cause;
  const bool single = std::ranges::all_of(summaries, [](const auto& s) { return s.runs() == 1; });
  for (const std::string& limit : all_names(summaries, &JobSummary::causes, &Cause::limit)) {
    std::optional<Cause> merged;
    std::vector<double> shares;
    for (const JobSummary& summary : summaries) {
      const Cause* own = find_named(summary.causes, &Cause::limit, limit);
      if (own != nullptr && !merged) merged = *own;
      shares.resize(shares.size() + summary.runs(), own != nullptr ? own->share : 0);
    }
    merged->share = mean_of(shares);
    merged->interval.reset();
    if (single) {
      const Interval interval = interval_of_mean(shares);
      merged->interval.emplace(interval.low, interval.high);
    }
    all.causes.push_back(std::move(*merged));
  }
  std::ranges::stable_sort(all.causes, std::greater(), &Cause::share);
}

auto wait_object(const JobSummary::Wait& wait) {
  return Object{"pattern"_key = wait.pattern, "shares"_key = rounded_all(wait.share)};
}

auto cause_object(const JobSummary::Cause& cause) {
  const auto bound = [&](double value) { return known_if(cause.interval.has_value(), value); };
  const std::pair<double, double> interval = cause.interval.value_or(std::pair(0.0, 0.0));
  return Object{"limit"_key = cause.limit,
                "share"_key = rounded(cause.share),
                "low"_key = bound(rounded(interval.first)),
                "high"_key = bound(rounded(interval.second)),
                "ranks"_key = cause.ranks,
                "function"_key = known_text(cause.function)};
}

auto function_object(const JobSummary::Function& function) {
  return Object{"function"_key = function.name, "means_ns"_key = rounded_times(function.mean_ns),
                "slowest_ns"_key = rounded_times(function.slowest_ns),
                "slowest_ranks"_key = function.slowest_rank};
}

JsonMap<std::string> labels_object(const JobIdentity& identity) {
  JsonMap<std::string> labels;
  for (const auto& [name, value] : identity.labels) labels.add(name, value);
  return labels;
}

auto summary_object(const JobSummary& s) {
  return Object{"schema"_key = kSummarySchema,
                "program"_key = known_text(s.program),
                "started"_key = known_text(s.started),
                "job"_key = known_text(s.identity.job),
                "commit"_key = known_text(s.identity.commit),
                "labels"_key = labels_object(s.identity),
                "host_names"_key = s.hosts,
                "host_count"_key = s.host_count,
                "ranks"_key = s.ranks,
                "run_count"_key = s.runs(),
                "run_times_ns"_key = rounded_times(s.metrics[0]),
                "parallel_efficiencies"_key = rounded_all(s.metrics[1]),
                "load_balances"_key = rounded_all(s.metrics[2]),
                "communication_efficiencies"_key = rounded_all(s.metrics[3]),
                "serialisations"_key = rounded_all(s.metrics[4]),
                "transfers"_key = rounded_all(s.metrics[5]),
                "waiting_shares"_key = rounded_all(s.waiting),
                "wait_patterns"_key = list_of(s.waits, wait_object),
                "causes"_key = list_of(s.causes, cause_object),
                "functions"_key = list_of(s.functions, function_object)};
}
constexpr std::array<const char*, kRunMetrics.size()> kMetricKeys{
    "run_times_ns",   "parallel_efficiencies",
    "load_balances",  "communication_efficiencies",
    "serialisations", "transfers"};

struct DamagedSummary : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What is not there stays empty; what is there must be of its type. Throws DamagedSummary.
class SummaryReader {
 public:
  explicit SummaryReader(const Json& json) : json_(json) {}

  JobSummary read() {
    JobSummary s;
    s.program = text(json_, "program");
    s.started = text(json_, "started");
    s.identity = {text(json_, "job"), text(json_, "commit"), {}};
    if (json_.contains("labels")) {
      for (const auto& [name, value] : members(json_["labels"])) {
        s.identity.labels.emplace_back(name, string(value));
      }
    }
    for (const Json& host : list(json_, "host_names")) s.hosts.push_back(string(host));
    s.host_count = static_cast<std::size_t>(number(json_, "host_count"));
    s.ranks = rank(require(json_, "ranks"));
    runs_ = list(json_, kMetricKeys.front()).size();
    require(runs_ > 0, "it has no runs");
    for (std::size_t m = 0; m < kMetricKeys.size(); ++m)
      s.metrics[m] = values(json_, kMetricKeys[m]);
    s.waiting = values(json_, "waiting_shares");
    for (const Json& wait : list(json_, "wait_patterns")) {
      s.waits.push_back({text(wait, "pattern"), values(wait, "shares")});
    }
    for (const Json& cause : list(json_, "causes")) s.causes.push_back(read_cause(cause));
    for (const Json& function : list(json_, "functions")) {
      s.functions.push_back({text(function, "function"), values(function, "means_ns"),
                             values(function, "slowest_ns"), ranks(function, "slowest_ranks")});
      require(s.functions.back().slowest_rank.size() == runs_,
              "a list has not a value for each run");
    }
    return s;
  }

 private:
  static void require(bool condition, const char* otherwise) {
    if (!condition) throw DamagedSummary(otherwise);
  }
  static const Json& require(const Json& of, const char* key) {
    if (!of.is_object() || !of.contains(key)) {
      throw DamagedSummary(fmt::format("it has no '{}'", key));
    }
    return of[key];
  }
  static bool is_number(const Json& value) {
    return std::holds_alternative<double>(value.held()) ||
           std::holds_alternative<std::int64_t>(value.held()) ||
           std::holds_alternative<std::uint64_t>(value.held());
  }
  static double number(const Json& value) {
    require(is_number(value), "something is no number");
    return value.as_double();
  }
  static double number(const Json& of, const char* key) { return number(require(of, key)); }
  static std::int32_t rank(const Json& value) {
    constexpr double kMost = 1'000'000'000;
    const double n = number(value);
    require(n >= -1 && n <= kMost, "something is no number of a rank");
    return static_cast<std::int32_t>(n);
  }
  static std::string string(const Json& value) {
    require(value.is_string(), "something is no text");
    return value.as_string();
  }
  static std::string text(const Json& of, const char* key) {
    require(of.is_object(), "something is no object");
    return of.contains(key) && !of[key].is_null() ? string(of[key]) : std::string();
  }
  static const Json::Members& members(const Json& value) {
    require(value.is_object(), "something is no object");
    return value.members();
  }
  static const Json::Elements& list(const Json& of, const char* key) {
    static const Json::Elements none;
    if (!of.contains(key)) return none;
    require(of[key].is_array(), "something is no list");
    return of[key].elements();
  }
  static std::vector<std::int32_t> ranks(const Json& of, const char* key) {
    return list_of(list(of, key), [](const Json& value) { return rank(value); });
  }
  std::vector<double> values(const Json& of, const char* key) const {
    std::vector<double> result;
    for (const Json& value : list(of, key)) result.push_back(number(value));
    require(result.size() == runs_, "a list has not a value for each run");
    return result;
  }
  static JobSummary::Cause read_cause(const Json& json) {
    JobSummary::Cause cause{.limit = text(json, "limit"), .share = number(json, "share")};
    if (is_number(require(json, "low"))) {
      cause.interval.emplace(number(json, "low"), number(json, "high"));
    }
    cause.ranks = ranks(json, "ranks");
    cause.function = text(json, "function");
    return cause;
  }

  const Json& json_;
  std::size_t runs_ = 0;
};

/// Leaves out what can be spared most. False: there is nothing left.
bool shorten(JobSummary& s) {
  if (s.functions.size() > 3) return s.functions.pop_back(), true;
  if (s.hosts.size() > 4) return s.hosts.resize(4), true;
  if (s.causes.size() > 2) return s.causes.pop_back(), true;
  if (s.waits.size() > 1) return s.waits.pop_back(), true;
  if (s.functions.size() > 1) return s.functions.pop_back(), true;
  constexpr std::size_t kProgram = 80;
  if (s.program.size() > kProgram) return s.program.resize(kProgram), true;
  if (!s.hosts.empty()) return s.hosts.clear(), true;
  if (!s.waits.empty()) return s.waits.clear(), true;
  if (!s.causes.empty()) return s.causes.pop_back(), true;
  if (!s.functions.empty()) return s.functions.clear(), true;
  return false;
}

/// "node017" as "node" and "017".
std::pair<std::string, std::string> split_number(const std::string& host) {
  std::size_t digits = host.size();
  while (digits > 0 && std::isdigit(static_cast<unsigned char>(host[digits - 1])) != 0) --digits;
  return {host.substr(0, digits), host.substr(digits)};
}

bool follows(const std::string& next, const std::string& number) {
  constexpr std::size_t kMostDigits = 9;
  if (number.empty() || next.size() != number.size() || number.size() > kMostDigits) return false;
  return std::stol(next) == std::stol(number) + 1;
}

}  // namespace

std::string spaced(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

std::vector<std::string> host_ranges(std::vector<std::string> hosts) {
  std::ranges::sort(hosts);
  hosts.erase(std::ranges::unique(hosts).begin(), hosts.end());
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < hosts.size();) {
    const auto [name, first] = split_number(hosts[i]);
    std::string last = first;
    std::size_t end = i + 1;
    for (; end < hosts.size(); ++end) {
      const auto [next_name, next] = split_number(hosts[end]);
      if (next_name != name || !follows(next, last)) break;
      last = next;
    }
    ranges.push_back(end == i + 1 ? hosts[i] : fmt::format("{}[{}-{}]", name, first, last));
    i = end;
  }
  return ranges;
}

JobSummary job_summary(const Trace& trace, const Diagnosis& diagnosis, const Samples* samples,
                       JobIdentity identity) {
  JobSummary summary;
  summary.program = trace.info().program;
  summary.started = trace.info().started;
  summary.identity = std::move(identity);
  summary.ranks = trace.ranks();
  std::vector<std::string> hosts;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    if (!trace.rank_info(r).host.empty()) hosts.push_back(trace.rank_info(r).host);
  }
  summary.host_count = std::set(hosts.begin(), hosts.end()).size();
  summary.hosts = host_ranges(std::move(hosts));
  add_metrics(diagnosis, summary);
  add_waits(diagnosis, summary);
  add_causes(trace, diagnosis, summary);
  const TimeInterval& interval = diagnosis.efficiency.interval;
  const std::int64_t start = run_span(trace).whole.begin_ns;
  add_functions(trace, samples, {start + interval.begin_ns, start + interval.end_ns}, summary);
  return summary;
}

JobSummary merged(const std::vector<JobSummary>& summaries) {
  if (summaries.size() == 1) return summaries.front();
  JobSummary all = summaries.front();
  all.waits.clear();
  all.causes.clear();
  all.functions.clear();
  for (std::size_t i = 1; i < summaries.size(); ++i) {
    if (summaries[i].ranks != all.ranks) {
      throw Error("cannot take the runs for repeats", "they have different numbers of ranks",
                  "Give runs of one program with equally many ranks.");
    }
    for (std::size_t m = 0; m < all.metrics.size(); ++m) {
      append(all.metrics[m], summaries[i].metrics[m]);
    }
    append(all.waiting, summaries[i].waiting);
  }
  merge_waits(summaries, all);
  merge_causes(summaries, all);
  merge_functions(summaries, all);
  return all;
}

JobSummary within_limit(JobSummary summary) {
  while (json_text(to_json(summary)).size() > kMostSummaryBytes) {
    if (shorten(summary)) continue;
    throw Error("cannot write the summary",
                fmt::format("{} and {} take more than {}", count_of(summary.runs(), "run"),
                            count_of(summary.identity.labels.size(), "label"),
                            format_bytes(kMostSummaryBytes)),
                "Write a summary for fewer runs each, with shorter labels.");
  }
  return summary;
}

const JsonType& declared_type(const JobSummaryJsonTag*) {
  return json_type_by<summary_object>();
}

JobSummaryJson to_json(const JobSummary& summary) {
  return summary_object(summary);
}

std::optional<JobSummary> summary_from_json(const Json& json, const std::string& name) {
  constexpr std::string_view kName = "slackline-summary/";
  if (!json.is_object()) return std::nullopt;
  if (json.contains("result") && json["result"].is_object() && json["result"].contains("summary")) {
    return summary_from_json(json["result"]["summary"], name);
  }
  if (!json.contains("schema") || !json["schema"].is_string()) return std::nullopt;
  const std::string& schema = json["schema"].as_string();
  if (!schema.starts_with(kName)) return std::nullopt;
  if (schema != kSummarySchema) {
    throw Error(fmt::format("cannot read the summary '{}'", name),
                fmt::format("it is of '{}', and this program reads '{}'", schema, kSummarySchema),
                "Use the version of slackline that wrote it, or a later one.");
  }
  try {
    return SummaryReader(json).read();
  } catch (const DamagedSummary& damage) {
    throw Error(fmt::format("cannot read the summary '{}'", name), damage.what(),
                "Write it anew with 'slackline report --summary'.");
  }
}

RunGroup group_of(const JobSummary& summary, std::string name) {
  RunGroup group{std::move(name), {}};
  for (std::size_t run = 0; run < summary.runs(); ++run) {
    RunSeverities severities{.cube = SeverityCube(1), .by_rank = false};
    for (std::size_t m = 0; m < kRunMetrics.size(); ++m) {
      severities.metrics[m] = summary.metrics[m][run];
    }
    const double rank_time = severities.metrics[0] * summary.ranks;
    for (const JobSummary::Function& function : summary.functions) {
      severities.cube.add({"computation", function.name}, 0, function.mean_ns[run] * summary.ranks);
    }
    for (const JobSummary::Wait& wait : summary.waits) {
      severities.cube.add({wait.pattern, ""}, 0, wait.share[run] * rank_time);
    }
    group.runs.push_back(std::move(severities));
  }
  return group;
}

}  // namespace slackline
