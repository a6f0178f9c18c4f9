#include "app/load/loaded_reduction.h"

#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <utility>

#include "app/load/cache_folder.h"
#include "app/load/input.h"
#include "app/load/loaded_graph.h"
#include "app/load/stretched_model.h"
#include "app/version.h"
#include "base/error.h"
#include "base/file.h"
#include "base/flat_map.h"
#include "formats/goal/goal.h"
#include "parallel/process_group.h"
#include "report/command_names.h"
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
/// A larger cache takes longer to read than what it replaces.
constexpr std::uint64_t kMostOfTrace = 2;

/// Where the cache of a request lies and what it must be of.
struct CachePlace {
  fs::path path;  // empty: nowhere
  std::string key;
};

std::string text_of(const TransferCosts& costs) {
  std::string text;
  for (const TransferCosts::Piece& piece : costs.pieces()) {
    text += fmt::format(" {}:{}+{}", piece.from_bytes, piece.offset_bytes, piece.slope);
  }
  return text;
}

/// What of the model decides which graph it is. (Collectives and computation as they were asked
/// for: what an automatic choice takes follows from the content.)
std::string choices(const ModelChoice& model, const ModelOptions& options) {
  // Without an option, the eager threshold may follow from the trace.
  const bool open = options.network_is_open() && !options.eager_threshold;
  return fmt::format("S={}{} rendezvous={} occupancy={} collectives={} computation={}",
                     model.graph.eager_threshold_bytes, open ? " or as the trace says" : "",
                     to_string(model.graph.rendezvous),
                     model.graph.serial_links ? kLinksOccupied : kNoOccupancy,
                     model.graph.collectives.to_string(), options.computation) +
         text_of(model.graph.transfer) + text_of(model.graph.link);
}

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t h = text.size();
  for (const char c : text) h = mix_bits(h ^ static_cast<unsigned char>(c));
  return h;
}

CachePlace cache_place(const CacheOptions& options, const InputIdentity& input,
                       const ModelChoice& model, const ModelOptions& asked) {
  if (options.none) return {};
  const bool automatic = options.where == "auto";
  if (automatic && input.bytes < kWorthCaching) return {};
  const fs::path folder = automatic ? user_cache_folder() : fs::path(options.where);
  if (folder.empty()) return {};
  const std::string of =
      fmt::format("input={} bytes={} {}", input.checksum, input.bytes, choices(model, asked));
  return {folder / fmt::format("{:016x}.slkcache", hash_of(of)),
          fmt::format("slackline {} {}", version(), of)};
}

/// Not where it would be much larger than the trace, or too large for the user's folder.
void keep(const CachePlace& place, const CacheOptions& options, const InputIdentity& input,
          const ReducedLogGPS& reduced, const std::string& about) {
  if (options.where == "auto") {
    const std::uint64_t bytes = reduction_cache_bytes(place.key, reduced, about);
    if (bytes > kMostOfTrace * input.bytes) return;
    if (!make_cache_room(place.path.parent_path(), bytes)) return;
  }
  write_reduction_cache(place.path, place.key, reduced, about);
}

auto findings_object(const Findings& findings) {
  return list_of(findings.entries(), [](const Findings::Entry& e) {
    return Object{"name"_key = e.name, "severity"_key = static_cast<int>(e.severity),
                  "sentence"_key = e.sentence, "count"_key = e.count, "examples"_key = e.examples};
  });
}

Findings findings_from_json(const Json& all) {
  Findings findings;
  for (const Json& e : all.elements()) {
    const auto name = e["name"].as_string();
    const auto sentence = e["sentence"].as_string();
    const auto severity = e["severity"].as_unsigned();
    const FindingKind kind{name, static_cast<Severity>(severity), sentence};
    const auto count = e["count"].as_unsigned();
    const Json& examples = e["examples"];
    if (severity > static_cast<unsigned>(Severity::data_loss) || count < examples.size()) {
      throw Error("cannot read a cache", "its findings are none");
    }
    for (const Json& example : examples.elements()) findings.add(kind, example.as_string(), 1);
    findings.add(kind, {}, count - examples.size());
  }
  return findings;
}

/// Everything of a request but the reduction itself.
std::string about(const LoadedReduction& q) {
  return json_text(Object{"subject"_key = q.subject, "input"_key = to_json(q.input),
                          "collectives"_key = q.model.graph.collectives.to_string(),
                          "computation"_key = q.model.computation, "network"_key = q.model.network,
                          "findings"_key = findings_object(q.findings)});
}

InputDescription input_from_json(const Json& input, const std::string& path) {
  // The file may have been moved.
  return {path,
          input["format"].as_string(),
          input["bytes"].as_unsigned(),
          input["checksum"].as_string(),
          static_cast<std::int32_t>(input["ranks"].as_int()),
          input["calls"].as_unsigned(),
          input["timed"].as_bool(),
          input["program"].as_string(),
          input["mpi"].as_string()};
}

LoadedReduction unpack_cached(CachedReduction cached, const ModelOptions& options,
                              const std::string& path) {
  const Json stored = parse_json(cached.about);
  ModelOptions as_stored = options;
  if (options.network_is_open()) as_stored.network = stored["network"].as_string();
  const ModelChoice model = resolve_model(as_stored);
  LoadedReduction q{std::move(cached.reduced), model, stored["subject"].as_string(),
                    input_from_json(stored["input"], path), findings_from_json(stored["findings"])};
  // The automatic choice has been made.
  q.model.graph.collectives = {};
  q.model.graph.collectives.add(stored["collectives"].as_string());
  q.model.computation = stored["computation"].as_string();
  return q;
}

/// Empty where what it says of the input cannot be read, as then no version has written it.
std::optional<LoadedReduction> from_cache(CacheAnswer& found, const ModelOptions& options,
                                          const std::string& path) {
  if (found.state != CacheState::usable) return std::nullopt;
  try {
    return unpack_cached(std::move(*found.cached), options, path);
  } catch (const std::exception&) {
    found.state = CacheState::damaged;
    return std::nullopt;
  }
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
  return {std::move(*reduction.reduced), model, subject(opened), description_of(opened),
          std::move(reduction.findings)};
}

LoadedReduction reduced_graph_of(const LoadedGraph& loaded, ReducedLogGPS reduced) {
  LoadedReduction q{std::move(reduced), loaded.model, subject(loaded.opened),
                    description_of(loaded.opened), loaded.opened.trace.findings()};
  q.findings.merge(loaded.findings);
  q.findings.merge(loaded.graph.findings());
  return q;
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
  const LoadedGraph opened = load_graph(request, CallDetail::none);
  std::optional<ReducedLogGPS> reduced = reduce(opened.graph);
  if (!reduced) return std::nullopt;
  return reduced_graph_of(opened, std::move(*reduced));
}

/// Nothing where the trace is to be read whole. In all processes but the first the reduction is
/// empty.
std::optional<LoadedReduction> reduce_stretches(const ModelRequest& request, ProcessGroup& group) {
  std::optional<StretchedModel> model = StretchedModel::load(request, group);
  if (!model) return std::nullopt;
  std::optional<ReducedLogGPS> reduced = reduce(*model, request.reading);
  if (!reduced) return std::nullopt;
  return reduced_graph_of(model->loaded(), std::move(*reduced));
}

/// The input and its cache, as the first process finds them.
struct InputAndCache {
  InputIdentity input;
  CachePlace cache;
  CacheAnswer answer{};
};

std::optional<InputAndCache> find_input(const ModelRequest& request, const CacheOptions& cache,
                                        const ModelChoice& model, const std::string& path) {
  std::optional<InputIdentity> input = identify_input(path);
  if (!input) return std::nullopt;
  CachePlace place = cache_place(cache, *input, model, request.model);
  InputAndCache result{std::move(*input), std::move(place)};
  if (!result.cache.path.empty()) {
    result.answer = read_reduction_cache(result.cache.path, result.cache.key);
  }
  return result;
}

/// The first process's `value`, in all processes.
bool as_in_first(ProcessGroup& group, bool value) {
  return group.broadcast({std::byte{value}}).front() != std::byte{0};
}

}  // namespace

std::optional<LoadedReduction> load_reduction(const ModelRequest& request,
                                              const CacheOptions& cache,
                                              const VariedParameter& parameter,
                                              ProcessGroup& group) {
  group.set_unshared(
      "parameters of some messages or pairs of ranks, and corrected clocks, are not shared");
  const NetworkOptions& network = request.network;
  if (network.given() || !network.hosts.empty() || !network.intra_node.empty() ||
      !parameter.qualifier.empty() || request.reading.fix_clocks) {
    return std::nullopt;
  }
  const ModelChoice model = resolve_model(request.model);
  const std::string path = input_path(request.trace);
  std::optional<InputAndCache> found;
  std::optional<LoadedReduction> q;
  if (group.is_first()) {
    found = find_input(request, cache, model, path);
    if (found) q = from_cache(found->answer, request.model, path);
  }
  group.set_unshared(q ? "the reduced graph is in the cache"
                       : "only a measured run of a native trace is shared");
  if (!as_in_first(group, found && !q)) return q;
  q = reduce_stretches(request, group);
  if (!group.is_first()) return std::nullopt;
  const auto& [input, place, answer] = *found;
  if (!q && place.path.empty() && input.bytes < kWorthCaching) return std::nullopt;
  if (!q) q = reduce_whole(request, model, path, input);
  if (!q || place.path.empty()) return q;
  keep(place, cache, input, q->reduced, about(*q));
  if (answer.state == CacheState::other_version) {
    q->findings.add(kOtherVersion, place.path.string());
  }
  if (answer.state == CacheState::damaged) q->findings.add(kDamaged, place.path.string());
  return q;
}

std::string report_title(std::string_view command, const LoadedReduction& loaded) {
  return fmt::format("{}: {}", present_command_name(command), loaded.subject);
}

}  // namespace slackline
