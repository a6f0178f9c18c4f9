#include "analysis/regression/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "base/statistics.h"
#include "report/unicode.h"

namespace slackline {
namespace {

constexpr double kNanosPerSecondOfMetrics = 1e9;

std::string escaped_label(std::string_view value) {
  std::string escaped;
  for (const char c : printable(value)) {
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

void add_label(std::string_view name, std::string_view value, std::string& labels) {
  if (value.empty()) return;  // the same as no label
  labels += fmt::format("{}{}=\"{}\"", labels.empty() ? "" : ",", name, escaped_label(value));
}

/// Names have letters, digits and underscores only, and occur once.
class LabelNames {
 public:
  std::string of(std::string_view label) {
    std::string name = "label_";
    for (const char c : label) {
      name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    }
    std::string unique = name;
    for (int n = 2; !used_.insert(unique).second; ++n) unique = fmt::format("{}_{}", name, n);
    return unique;
  }

 private:
  std::set<std::string> used_{};
};

/// What tells the samples of one run from those of the others.
std::string labels_of(const JobSummary& summary, std::string_view run) {
  std::string labels;
  add_label("run", run, labels);
  add_label("program", compared_command(summary), labels);
  add_label("job", summary.identity.job, labels);
  add_label("commit", summary.identity.commit, labels);
  add_label("started", summary.started, labels);
  LabelNames names;
  for (const auto& [name, value] : summary.identity.labels) {
    add_label(names.of(name), value, labels);
  }
  return labels;
}

/// No two runs have the same: a name that is taken gets a number.
std::vector<std::string> unique_labels(const std::vector<HistoryEntry>& entries) {
  std::set<std::string> used;
  std::vector<std::string> all;
  for (const HistoryEntry& entry : entries) {
    std::string labels = labels_of(entry.summary, entry.name);
    for (int n = 2; !used.insert(labels).second; ++n) {
      labels = labels_of(entry.summary, fmt::format("{}-{}", entry.name, n));
    }
    all.push_back(std::move(labels));
  }
  return all;
}

struct MetricSample {
  double value = 0;
  std::string labels{};  ///< beyond those of the run
};

class MetricsText {
 public:
  explicit MetricsText(const std::vector<HistoryEntry>& entries)
      : entries_(entries), labels_(unique_labels(entries)) {}

  /// `unit`: the end of the name, which OpenMetrics also has in a line of its own.
  template <class SamplesOf>
  MetricsText& add(std::string_view name, std::string_view unit, std::string_view help,
                   SamplesOf samples_of) {
    const std::string metric = fmt::format("slackline_{}{}{}", name, unit.empty() ? "" : "_", unit);
    text_ += fmt::format("# TYPE {} gauge\n", metric);
    if (!unit.empty()) text_ += fmt::format("# UNIT {} {}\n", metric, unit);
    text_ += fmt::format("# HELP {} {}\n", metric, help);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      std::set<std::string> used;  // a sample that is there twice makes the file invalid
      for (const MetricSample& sample : samples_of(entries_[i].summary)) {
        if (!std::isfinite(sample.value) || !used.insert(sample.labels).second) continue;
        add_sample(metric, labels_[i], sample);
      }
    }
    return *this;
  }
  std::string take() { return std::move(text_) + "# EOF\n"; }

 private:
  void add_sample(const std::string& metric, const std::string& run, const MetricSample& sample) {
    const std::string labels =
        run + (run.empty() || sample.labels.empty() ? "" : ",") + sample.labels;
    text_ +=
        metric + (labels.empty() ? "" : "{" + labels + "}") + fmt::format(" {}\n", sample.value);
  }

  const std::vector<HistoryEntry>& entries_;
  std::vector<std::string> labels_;
  std::string text_{};
};

using MetricSamples = std::vector<MetricSample>;

MetricSamples samples_of_causes(const JobSummary& summary) {
  MetricSamples samples;
  for (const JobSummary::Cause& cause : summary.causes) {
    MetricSample sample{cause.share};
    add_label("cause", cause.limit, sample.labels);
    add_label("function", cause.function, sample.labels);
    samples.push_back(std::move(sample));
  }
  return samples;
}

MetricSamples samples_of_waits(const JobSummary& summary) {
  MetricSamples samples;
  for (const JobSummary::Wait& wait : summary.waits) {
    MetricSample sample{median_of(wait.share)};
    add_label("pattern", wait.pattern, sample.labels);
    samples.push_back(std::move(sample));
  }
  return samples;
}

}  // namespace

std::string openmetrics(const std::vector<HistoryEntry>& entries) {
  const auto one = [](double value) { return MetricSamples{{value}}; };
  MetricsText text(entries);
  text.add("ranks", "", "Number of ranks.", [&](const JobSummary& s) { return one(s.ranks); });
  text.add("run_time", "seconds", "Length of the analysed interval.", [&](const JobSummary& s) {
    return one(median_of(s.metrics[0]) / kNanosPerSecondOfMetrics);
  });
  text.add(
      "lost_rank_time", "seconds", "Rank time that is not computation, of all repeats.",
      [&](const JobSummary& s) { return one(rank_time(s).lost_ns / kNanosPerSecondOfMetrics); });
  for (std::size_t m = 1; m < kRunMetrics.size(); ++m) {
    text.add(kRunMetrics[m], "ratio", fmt::format("POP's {}.", spaced(kRunMetrics[m])),
             [&](const JobSummary& s) { return one(median_of(s.metrics[m])); });
  }
  text.add("waiting", "ratio", "Wait time as a share of the rank time.",
           [&](const JobSummary& s) { return one(median_of(s.waiting)); });
  text.add("wait", "ratio", "Wait time of a pattern as a share of the rank time.",
           samples_of_waits);
  text.add("cause", "ratio", "Share of the rank time that is lost to a cause.", samples_of_causes);
  return text.take();
}

}  // namespace slackline
