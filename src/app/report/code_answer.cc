#include "app/report/code_answer.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/sentences.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr double kLittleWaiting = 0.005;  // of the ranks' time: waiting is not worth a sentence
constexpr double kShownShare = 0.01;      // of the critical path
constexpr double kKnown = 0.05;           // of a wait: smaller causes are none
constexpr std::size_t kMostShown = 3;

/// The largest wait with a place, outside of MPI_Init and MPI_Finalize; one with a cause if any.
const WaitInCode* largest_wait(std::span<const WaitInCode> waits) {
  const WaitInCode* largest = nullptr;
  for (const WaitInCode& w : waits) {
    if (w.frame == 0 || is_init(w.operation) || w.operation == Operation::finalize) continue;
    if (w.cause.rank >= 0 && w.cause.share >= kKnown) return &w;
    if (largest == nullptr) largest = &w;
  }
  return largest;
}

std::string wait_sentence(const WaitInCode& w, const CallTree& tree) {
  std::string text = fmt::format(
      "Largest wait state: {} in {} of {} on rank {} ({})", name(w.pattern), mpi_name(w.operation),
      describe_frame(tree, w.frame), w.rank, format_time_ns(static_cast<double>(w.sum_ns)));
  if (w.cause.rank < 0 || w.cause.share < kKnown) return text + ".";
  const std::string where = describe_frame(tree, w.cause.frame);
  return text + fmt::format("; cause: {} on rank {} ({} of it).",
                            where.empty() ? "computation" : where, w.cause.rank,
                            format_percent(w.cause.share, 0));
}

std::string path_sentence(std::span<const PathFunction> functions, const CallTree& tree) {
  std::int64_t sum = 0;
  for (const PathFunction& f : functions) sum += f.time_ns;
  std::vector<std::string> parts;
  for (const PathFunction& f : functions) {
    const double share = static_cast<double>(f.time_ns) / static_cast<double>(sum);
    if (share < kShownShare || parts.size() == kMostShown) break;
    const std::string where = describe_frame(tree, f.frame);
    parts.push_back(format_percent(share) + " " + (where.empty() ? "code not known" : where));
  }
  return parts.empty() ? "" : "Critical path: " + enumeration(parts) + ".";
}

}  // namespace

std::optional<Answer> code_answer(const RunInCode& run, const CallTree& tree) {
  if (tree.empty()) return std::nullopt;
  Answer a{"code", "Where in the code?", "", {"wait_code", "path_functions"}};
  const WaitInCode* wait = largest_wait(run.waits);
  if (wait != nullptr && run.waiting >= kLittleWaiting) a.text = wait_sentence(*wait, tree);
  const std::string path = path_sentence(run.functions, tree);
  if (!path.empty()) a.text += (a.text.empty() ? "" : " ") + path;
  if (a.text.empty()) return std::nullopt;
  return a;
}

}  // namespace slackline
