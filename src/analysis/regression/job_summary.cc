// A job's summary: what is left of a run when its trace is gone. It is small enough to be kept for
// every commit of a repository and every job of a centre, and holds one value a run of everything
// that is tested, so that runs recorded at different times can be compared as repeats.

#include "analysis/regression/job_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <sstream>
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
  const RunMetrics values = run_metrics(diagnosis.efficiency.analysed);
  for (std::size_t m = 0; m < values.size(); ++m) summary.metrics[m] = {values[m]};
}

template <class Value>
void append(std::vector<Value>& to, const std::vector<Value>& values) {
  to.insert(to.end(), values.begin(), values.end());
}

/// The elements of each of `summaries` that all of them name, in the order of the first.
template <class Element>
std::vector<std::vector<Element>> named_by_all(const std::vector<JobSummary>& summaries,
                                               std::vector<Element> JobSummary::*list,
                                               std::string Element::*name) {
  std::vector<std::vector<Element>> result;
  for (const Element& first : summaries.front().*list) {
    std::vector<Element> named;
    for (const JobSummary& summary : summaries) {
      const Element* own = find_named(summary.*list, name, first.*name);
      if (own != nullptr) named.push_back(*own);
    }
    if (named.size() == summaries.size()) result.push_back(std::move(named));
  }
  return result;
}

void merge_functions(const std::vector<JobSummary>& summaries, JobSummary& all) {
  using Function = JobSummary::Function;
  for (const auto& runs : named_by_all(summaries, &JobSummary::functions, &Function::name)) {
    Function merged{.name = runs.front().name};
    for (const Function& own : runs) {
      append(merged.mean_ns, own.mean_ns);
      append(merged.slowest_ns, own.slowest_ns);
      append(merged.slowest_rank, own.slowest_rank);
    }
    all.functions.push_back(std::move(merged));
  }
}

void merge_waits(const std::vector<JobSummary>& summaries, JobSummary& all) {
  using Wait = JobSummary::Wait;
  for (const auto& runs : named_by_all(summaries, &JobSummary::waits, &Wait::pattern)) {
    Wait merged{.pattern = runs.front().pattern};
    for (const Wait& own : runs) append(merged.share, own.share);
    all.waits.push_back(std::move(merged));
  }
}

/// A summary of several runs has the mean of their shares only: it counts for each of them, and
/// nothing is known of how they vary.
void merge_causes(const std::vector<JobSummary>& summaries, JobSummary& all) {
  using Cause = JobSummary::Cause;
  const bool single = std::ranges::all_of(summaries, [](const auto& s) { return s.runs() == 1; });
  for (const auto& runs : named_by_all(summaries, &JobSummary::causes, &Cause::limit)) {
    Cause merged = runs.front();
    std::vector<double> shares;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      shares.resize(shares.size() + summaries[i].runs(), runs[i].share);
    }
    merged.share = mean_of(shares);
    merged.interval.reset();
    if (single) {
      const Interval interval = interval_of_mean(shares);
      merged.interval.emplace(interval.low, interval.high);
    }
    all.causes.push_back(std::move(merged));
  }
  std::ranges::stable_sort(all.causes, std::greater(), &Cause::share);
}

const Rows<JobSummary::Wait> kSummaryWaits{
    {"pattern", &JobSummary::Wait::pattern},
    {"shares", [](auto& wait) { return rounded_all(wait.share); }}};

const Rows<JobSummary::Cause> kSummaryCauses{
    {"limit", &JobSummary::Cause::limit},
    {"share", [](auto& c) { return rounded(c.share); }},
    {"low",
     [](auto& c) { return optional_of(c.interval, [](auto& i) { return rounded(i.first); }); }},
    {"high",
     [](auto& c) { return optional_of(c.interval, [](auto& i) { return rounded(i.second); }); }},
    {"ranks", &JobSummary::Cause::ranks},
    {"function", [](auto& c) { return known_text(c.function); }}};

const Rows<JobSummary::Function> kSummaryFunctions{
    {"function", &JobSummary::Function::name},
    {"means_ns", [](auto& f) { return rounded_times(f.mean_ns); }},
    {"slowest_ns", [](auto& f) { return rounded_times(f.slowest_ns); }},
    {"slowest_ranks", &JobSummary::Function::slowest_rank}};

JsonMap<std::string> labels_object(const JobSummary& s) {
  JsonMap<std::string> labels;
  for (const auto& [name, value] : s.identity.labels) labels.add(name, value);
  return labels;
}

constexpr std::array<const char*, kRunMetrics.size()> kMetricKeys{
    "run_times_ns",   "parallel_efficiencies",
    "load_balances",  "communication_efficiencies",
    "serialisations", "transfers"};

struct DamagedSummary : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a number in a summary may be.
struct PlausibleNumbers {
  double least;
  double most;
  bool whole;
  const char* words;
};
constexpr PlausibleNumbers kPlausibleCount{0, 1e9, true, "a whole number up to 1,000,000,000"};
constexpr PlausibleNumbers kPlausibleRanks{1, 1e9, true, "a whole number from 1 to 1,000,000,000"};
constexpr double kMostNs = 0x1p62;
constexpr PlausibleNumbers kPlausibleRunTime{1, kMostNs, false, "a time from 1 to 2^62 ns"};
constexpr PlausibleNumbers kPlausibleTime{0, kMostNs, false, "a time from 0 to 2^62 ns"};
constexpr PlausibleNumbers kPlausibleShare{0, 1e6, false, "a share from 0 to 1,000,000"};
constexpr PlausibleNumbers kPlausibleBound{-1e6, 1e6, false, "a share up to 1,000,000"};

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
      require(json_["labels"].is_object(), "'labels' is not an object");
      for (const auto& [name, value] : json_["labels"].members()) {
        s.identity.labels.emplace_back(name, string(value, "labels"));
      }
    }
    for (const Json& host : list(json_, "host_names")) {
      s.hosts.push_back(string(host, "host_names"));
    }
    s.host_count = static_cast<std::size_t>(number(json_, "host_count", kPlausibleCount));
    s.ranks = static_cast<std::int32_t>(number(json_, "ranks", kPlausibleRanks));
    ranks_ = {0, s.ranks - 1.0, true, "one of the ranks"};
    runs_ = list(json_, kMetricKeys.front()).size();
    require(runs_ > 0, "it has no runs");
    require(!json_.contains("run_count") ||
                number(json_, "run_count", kPlausibleCount) == static_cast<double>(runs_),
            "'run_times_ns' does not have 'run_count' values");
    s.metrics[0] = values(json_, kMetricKeys[0], kPlausibleRunTime);
    for (std::size_t m = 1; m < kMetricKeys.size(); ++m) {
      s.metrics[m] = values(json_, kMetricKeys[m], kPlausibleShare);
    }
    s.waiting = values(json_, "waiting_shares", kPlausibleShare);
    for (const Json& wait : list(json_, "wait_patterns")) {
      s.waits.push_back({text(wait, "pattern"), values(wait, "shares", kPlausibleShare)});
    }
    for (const Json& cause : list(json_, "causes")) s.causes.push_back(read_cause(cause));
    for (const Json& function : list(json_, "functions")) {
      s.functions.push_back({text(function, "function"),
                             values(function, "means_ns", kPlausibleTime),
                             values(function, "slowest_ns", kPlausibleTime),
                             values<std::int32_t>(function, "slowest_ranks", ranks_)});
    }
    return s;
  }

 private:
  static void require(bool condition, const std::string& otherwise) {
    if (!condition) throw DamagedSummary(otherwise);
  }
  static const Json& member(const Json& of, const char* key) {
    require(of.is_object() && of.contains(key), fmt::format("it has no '{}'", key));
    return of[key];
  }
  static double checked(const Json& value, const char* key, const PlausibleNumbers& plausible) {
    const bool is_number = std::holds_alternative<double>(value.held()) ||
                           std::holds_alternative<std::int64_t>(value.held()) ||
                           std::holds_alternative<std::uint64_t>(value.held());
    const double n = is_number ? value.as_double() : std::nan("");
    require(n >= plausible.least && n <= plausible.most && (!plausible.whole || n == std::floor(n)),
            fmt::format("'{}' has {}, which is not {}", key, json_text(value), plausible.words));
    return n;
  }
  static double number(const Json& of, const char* key, const PlausibleNumbers& plausible) {
    return checked(member(of, key), key, plausible);
  }
  static std::string string(const Json& value, const char* key) {
    require(value.is_string(), fmt::format("'{}' has something that is not text", key));
    return value.as_string();
  }
  static std::string text(const Json& of, const char* key) {
    require(of.is_object(), fmt::format("what should have '{}' is not an object", key));
    return of.contains(key) && !of[key].is_null() ? string(of[key], key) : std::string();
  }
  static const Json::Elements& list(const Json& of, const char* key) {
    static const Json::Elements none;
    if (!of.contains(key)) return none;
    require(of[key].is_array(), fmt::format("'{}' is not a list", key));
    return of[key].elements();
  }
  template <class Value = double>
  std::vector<Value> numbers(const Json& of, const char* key, const PlausibleNumbers& plausible) {
    return list_of(list(of, key), [&](const Json& value) {
      return static_cast<Value>(checked(value, key, plausible));
    });
  }
  /// One for each run.
  template <class Value = double>
  std::vector<Value> values(const Json& of, const char* key, const PlausibleNumbers& plausible) {
    std::vector<Value> result = numbers<Value>(of, key, plausible);
    require(result.size() == runs_, fmt::format("'{}' does not have a value for each run", key));
    return result;
  }
  JobSummary::Cause read_cause(const Json& json) {
    JobSummary::Cause cause{.limit = text(json, "limit"),
                            .share = number(json, "share", kPlausibleShare)};
    if (!member(json, "low").is_null()) {
      cause.interval.emplace(number(json, "low", kPlausibleBound),
                             number(json, "high", kPlausibleBound));
    }
    cause.ranks = numbers<std::int32_t>(json, "ranks", ranks_);
    cause.function = text(json, "function");
    return cause;
  }

  const Json& json_;
  std::size_t runs_ = 0;
  PlausibleNumbers ranks_ = kPlausibleRanks;
};

/// Leaves out the least important of what is there. False: there is nothing to leave out.
bool shorten(JobSummary& s) {
  if (s.functions.size() > 3) return s.functions.pop_back(), true;
  if (s.hosts.size() > 4) return s.hosts.resize(4), true;
  if (s.causes.size() > 2) return s.causes.pop_back(), true;
  if (s.waits.size() > 1) return s.waits.pop_back(), true;
  if (s.functions.size() > 1) return s.functions.pop_back(), true;
  if (const std::string command = compared_command(s); command.size() < s.program.size()) {
    return s.program = command, true;
  }
  if (!s.hosts.empty()) return s.hosts.clear(), true;
  if (!s.waits.empty()) return s.waits.clear(), true;
  if (!s.causes.empty()) return s.causes.pop_back(), true;
  if (!s.functions.empty()) return s.functions.clear(), true;
  return false;
}

/// Is that a byte of a character of UTF-8 that began before it?
bool is_continued(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
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

std::string compared_command(const JobSummary& summary) {
  constexpr std::size_t kMostBytes = 80;
  std::string command;
  std::istringstream words(summary.program);
  for (std::string word; words >> word;) {
    const std::size_t end = word.find_last_not_of('/');
    const std::size_t slash = end == std::string::npos ? end : word.find_last_of('/', end);
    if (slash != std::string::npos) {
      const std::size_t begin = word.rfind('=', slash) + 1;  // 0 where there is none
      word.erase(begin, slash + 1 - begin);
    }
    command += (command.empty() ? "" : " ") + word;
  }
  if (command.size() <= kMostBytes) return command;
  std::size_t size = kMostBytes;
  while (size > 0 && (is_continued(command[size]) || command[size - 1] == ' ')) --size;
  return command.substr(0, size);
}

void require_same_program(const JobSummary& a, const JobSummary& b) {
  const auto name = [](const JobSummary& s) {
    const std::string command = compared_command(s);
    return command.substr(0, command.find(' '));
  };
  if (a.program.empty() || b.program.empty() || name(a) == name(b)) return;
  throw Error("cannot compare runs of different programs",
              fmt::format("they are of '{}' and of '{}'", a.program, b.program),
              "Give runs of one program.");
}

std::string content_of_runs(const JobSummary& summary) {
  JobSummary content = summary;
  content.program = compared_command(summary);
  if (!content.started.empty()) content.identity = {};
  content.hosts.clear();
  content.waits.clear();
  content.causes.clear();
  content.functions.clear();
  return json_text(JobSummaryJson(content));
}

std::int32_t most_frequent_rank(const std::vector<std::int32_t>& ranks) {
  std::map<std::int32_t, int> counts;
  for (const std::int32_t rank : ranks) ++counts[rank];
  return std::ranges::max_element(counts, {}, [](const auto& c) { return c.second; })->first;
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
    require_same_program(all, summaries[i]);
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
  while (json_text(JobSummaryJson(summary)).size() > kMostSummaryBytes) {
    if (shorten(summary)) continue;
    throw Error("cannot write the summary",
                fmt::format("{} and {} take more than {}", count_of(summary.runs(), "run"),
                            count_of(summary.identity.labels.size(), "label"),
                            format_bytes(kMostSummaryBytes)),
                "Write a summary for fewer runs each, with shorter labels.");
  }
  return summary;
}

const Rows<JobSummary> kJobSummary{
    {"schema", [](auto&) { return kSummarySchema; }},
    {"program", [](auto& s) { return known_text(s.program); }},
    {"started", [](auto& s) { return known_text(s.started); }},
    {"job", [](auto& s) { return known_text(s.identity.job); }},
    {"commit", [](auto& s) { return known_text(s.identity.commit); }},
    {"labels", labels_object},
    {"host_names", &JobSummary::hosts},
    {"host_count", &JobSummary::host_count},
    {"ranks", &JobSummary::ranks},
    {"run_count", &JobSummary::runs},
    {"run_times_ns", [](auto& s) { return rounded_times(s.metrics[0]); }},
    {"parallel_efficiencies", [](auto& s) { return rounded_all(s.metrics[1]); }},
    {"load_balances", [](auto& s) { return rounded_all(s.metrics[2]); }},
    {"communication_efficiencies", [](auto& s) { return rounded_all(s.metrics[3]); }},
    {"serialisations", [](auto& s) { return rounded_all(s.metrics[4]); }},
    {"transfers", [](auto& s) { return rounded_all(s.metrics[5]); }},
    {"waiting_shares", [](auto& s) { return rounded_all(s.waiting); }},
    {"wait_patterns", &JobSummary::waits, kSummaryWaits},
    {"causes", &JobSummary::causes, kSummaryCauses},
    {"functions", &JobSummary::functions, kSummaryFunctions}};

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
