#include "app/load/loaded_reduction.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "app/load/input.h"
#include "app/load/loaded_graph.h"
#include "app/version.h"
#include "base/error.h"
#include "base/file.h"
#include "base/flat_map.h"
#include "formats/goal/text.h"
#include "timing/goal_reduction.h"
#include "timing/reduction/reduction_cache.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

constexpr FindingKind kOtherVersion{
    "cache_other_version", Severity::info,
    "Cache of the reduced graph from another version: not used, written again."};
constexpr FindingKind kDamaged{"cache_damaged", Severity::info,
                               "Damaged cache of the reduced graph: not used, written again."};

/// Smaller inputs are reduced as fast as a file is written.
constexpr std::uint64_t kWorthCaching = 4 * 1024 * 1024;

/// Where the cache of a request lies and what it must be of.
struct CachePlace {
  fs::path path;  // empty: nowhere
  std::string key;
};

/// What of the model decides which graph it is. (Collectives and computation as they were asked
/// for: what an automatic choice takes follows from the content.)
std::string choices(const ModelChoice& model, const ModelOptions& options) {
  // Without an option, the eager threshold may follow from the trace.
  const bool open = options.network_is_open() && !options.eager_threshold;
  return fmt::format("S={}{} rendezvous={} collectives={} computation={}",
                     model.graph.eager_threshold_bytes, open ? " or as the trace says" : "",
                     to_string(model.graph.rendezvous), model.graph.collectives.to_string(),
                     options.computation);
}

std::uint32_t short_hash(std::string_view text) {
  std::uint64_t h = text.size();
  for (const char c : text) h = mix_bits(h ^ static_cast<unsigned char>(c));
  return static_cast<std::uint32_t>(h);
}

CachePlace cache_place(const CacheOptions& options, const InputIdentity& input,
                       const ModelChoice& model, const ModelOptions& asked) {
  if (options.where == "off") return {};
  if (options.where == "auto" && input.bytes < kWorthCaching) return {};
  const std::string chosen = choices(model, asked);
  const fs::path folder =
      options.where == "auto" ? input.file.parent_path() : fs::path(options.where);
  return {folder /
              fmt::format("{}.{:08x}.slkcache", input.file.filename().string(), short_hash(chosen)),
          fmt::format("slackline {} input={} bytes={} {}", version(), input.checksum, input.bytes,
                      chosen)};
}

Json findings_to_json(const Findings& findings) {
  Json all = Json::array();
  for (const Findings::Entry& e : findings.entries()) {
    all.push_back({{"name", e.name},
                   {"severity", static_cast<int>(e.severity)},
                   {"sentence", e.sentence},
                   {"count", e.count},
                   {"examples", e.examples}});
  }
  return all;
}

Findings findings_from_json(const Json& all) {
  Findings findings;
  for (const Json& e : all.elements()) {
    const auto name = e["name"].as_string();
    const auto sentence = e["sentence"].as_string();
    const FindingKind kind{name, static_cast<Severity>(e["severity"].as_int()), sentence};
    const auto count = e["count"].as_unsigned();
    const Json& examples = e["examples"];
    for (const Json& example : examples.elements()) findings.add(kind, example.as_string(), 1);
    findings.add(kind, {}, count - examples.size());
  }
  return findings;
}

/// Everything of a request but the reduction itself.
std::string about(const LoadedReduction& q) {
  return json_text({{"subject", q.subject},
                    {"input", q.input},
                    {"collectives", q.model.graph.collectives.to_string()},
                    {"computation", q.model.computation},
                    {"network", q.model.network},
                    {"findings", findings_to_json(q.findings)}});
}

LoadedReduction from_cache(CachedReduction cached, const ModelOptions& options,
                           const std::string& path) {
  const Json stored = parse_json(cached.about);
  ModelOptions as_stored = options;
  if (options.network_is_open()) as_stored.network = stored["network"].as_string();
  const ModelChoice model = resolve_model(as_stored);
  LoadedReduction q{std::move(cached.reduced), model, stored["subject"].as_string(),
                    stored["input"], findings_from_json(stored["findings"])};
  // The file may have been moved, and the automatic choice has been made.
  q.input["path"] = path;
  q.model.graph.collectives = {};
  q.model.graph.collectives.add(stored["collectives"].as_string());
  q.model.computation = stored["computation"].as_string();
  return q;
}

/// GOAL text, which need not be held as a program; empty when `input` is something else.
std::optional<GoalReduction> reduce_text(const InputIdentity& input, const ModelChoice& model,
                                         const std::string& path) {
  constexpr std::size_t kHeadBytes = 4096;
  const MappedFile file(input.file);
  if (!looks_like_goal_text(file.text().substr(0, kHeadBytes))) return std::nullopt;
  return reduce_goal_text(file.text(), path, model.graph);
}

LoadedReduction reduced_goal(GoalReduction reduction, const InputIdentity& input,
                             const ModelChoice& model, const std::string& path) {
  const auto ranks = static_cast<std::int32_t>(reduction.ranks);
  const OpenedTrace opened{Trace(ranks, false), "goal",         path,
                           input.bytes,         input.checksum, reduction.operations};
  return {std::move(*reduction.reduced), model, subject(opened), input_to_json(opened),
          std::move(reduction.findings)};
}

std::optional<LoadedReduction> reduce_whole(const ModelRequest& request, const ModelChoice& model,
                                            const std::string& path, const InputIdentity& input) {
  if (std::optional<GoalReduction> r = reduce_text(input, model, path)) {
    if (!r->reduced) return std::nullopt;
    return reduced_goal(std::move(*r), input, model, path);
  }
  if (std::optional<OpenedGoal> goal = open_goal(path)) {
    GoalReduction r = reduce_goal(std::move(goal->program), goal->path, model.graph);
    if (!r.reduced) return std::nullopt;
    return reduced_goal(std::move(r), input, model, goal->path);
  }
  LoadedGraph opened = load_graph(request, CallDetail::none);
  std::optional<ReducedLogGPS> reduced = reduce(opened.graph);
  if (!reduced) return std::nullopt;
  LoadedReduction q{std::move(*reduced), std::move(opened.model), subject(opened.opened),
                    input_to_json(opened.opened), opened.opened.trace.findings()};
  q.findings.merge(opened.findings);
  q.findings.merge(opened.graph.findings());
  return q;
}

}  // namespace

std::optional<LoadedReduction> load_reduction(const ModelRequest& request,
                                              const CacheOptions& cache,
                                              const VariedParameter& parameter) {
  const NetworkOptions& network = request.network;
  if (network.given() || !network.hosts.empty() || !network.intra_node.empty() ||
      !parameter.qualifier.empty() || request.clocks.fix) {
    return std::nullopt;
  }
  const ModelChoice model = resolve_model(request.model);
  const std::string path = input_path(request.trace);
  const std::optional<InputIdentity> input = identify_input(path);
  if (!input) return std::nullopt;
  const CachePlace place = cache_place(cache, *input, model, request.model);
  if (place.path.empty() && input->bytes < kWorthCaching) return std::nullopt;
  CacheAnswer found;
  if (!place.path.empty()) found = read_reduction_cache(place.path, place.key);
  if (found.state == CacheState::usable) {
    return from_cache(std::move(*found.cached), request.model, path);
  }
  std::optional<LoadedReduction> q = reduce_whole(request, model, path, *input);
  if (!q || place.path.empty()) return q;
  write_reduction_cache(place.path, place.key, q->reduced, about(*q));
  if (found.state == CacheState::other_version) q->findings.add(kOtherVersion, place.path.string());
  if (found.state == CacheState::damaged) q->findings.add(kDamaged, place.path.string());
  return q;
}

Report with_context(Report report, std::string_view command, const LoadedReduction& loaded,
                    const Json& own_options) {
  report.command = command;
  report.title = fmt::format("{}: {}", command, loaded.subject);
  report.options = to_json(loaded.model);
  report.options.update(own_options);
  report.input = loaded.input;
  report.findings.merge(loaded.findings);
  return report;
}

}  // namespace slackline
