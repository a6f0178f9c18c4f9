#include "online/sampled_functions.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/error.h"
#include "base/units.h"

namespace slackline::online {
namespace {

using Symbol = raw::SourceLines::Symbol;

constexpr const char* kAuto = "auto";
constexpr std::uint64_t kLeastBytes = 5;

constexpr FindingKind kSkipped{
    "sampled_functions", Severity::notice,
    "Executions of functions were skipped and charged times of those that were executed. What the "
    "program computed and printed is wrong on purpose; times hold where neither its messages nor "
    "its number of iterations depend on what these functions compute."};
constexpr FindingKind kAlwaysExecuted{
    "functions_not_sampled", Severity::notice,
    "Executions of functions that compute for 100 us or more and were not skipped."};
constexpr FindingKind kNoneSampled{
    "no_function_sampled", Severity::notice,
    "No function could be sampled: none that the compiler has not inlined computes for 100 us or "
    "more without calling MPI, and often enough."};
constexpr FindingKind kUnwatched{"functions_not_watched", Severity::notice,
                                 "Ranks whose functions could not be sampled."};

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

using Returns = raw::SourceLines::Returns;

/// A function that returns anything else is not sampled.
slk_online_result result_of(Returns returns) {
  switch (returns) {
    case Returns::integer:
      return SLK_RESULT_integer;
    case Returns::real:
      return SLK_RESULT_real;
    case Returns::address:
      return SLK_RESULT_address;
    default:
      return SLK_RESULT_none;
  }
}

bool can_be_returned(const Symbol& function) {
  return function.returns != Returns::unknown && function.returns != Returns::other;
}

/// Throws usage Error where a function of that name cannot be skipped.
void require_sampled(std::span<const Symbol> functions, const std::string& name,
                     const std::filesystem::path& program) {
  const auto found = std::ranges::find(functions, name, &Symbol::name);
  const std::string problem = fmt::format("cannot sample '{}'", name);
  if (found == functions.end()) {
    throw usage_error(problem, fmt::format("'{}' has no function of that name", program.string()),
                      "Functions that the compiler has inlined, and those of libraries, cannot be "
                      "sampled; those of C++ are named without parameters, as app::solve.");
  }
  if (found->returns == Returns::unknown) {
    throw usage_error(problem, "what it returns is not known", "Compile it with -g.");
  }
  if (found->returns == Returns::other) {
    throw usage_error(problem, "it returns more than a number or an address",
                      "Sample functions that it calls.");
  }
  if (name == "main") {
    throw usage_error(problem, "it is executed once", "Sample functions that it calls.");
  }
}

std::string_view reason(std::uint32_t unsampled) {
  switch (unsampled) {
    case SLK_UNSAMPLED_calls:
      return "calls MPI";
    case SLK_UNSAMPLED_allocates:
      return "allocates or frees memory";
    case SLK_UNSAMPLED_writes:
      return "writes";
    case SLK_UNSAMPLED_varies:
      return "its time varies by more than 5 %";
    case SLK_UNSAMPLED_result:
      return "what it returns differs or is an address: name it if nothing depends on that";
    default:
      return "was not executed often enough";
  }
}

void note_unwatched(SharedMemory& memory, std::int32_t ranks, Findings& findings) {
  for (std::int32_t r = 0; r < ranks; ++r) {
    const std::uint32_t watched = memory.rank(r).watched;
    if (watched == SLK_WATCHED_all) continue;
    findings.add(kUnwatched,
                 fmt::format("rank {}: {}", r,
                             watched == SLK_WATCHED_refused
                                 ? "this system does not let a process change its code"
                                 : "its process runs another program than the command"));
  }
}

}  // namespace

SampledFunctions::SampledFunctions(const std::filesystem::path& program,
                                   std::span<const std::string> wanted)
    : program_(program), names_(wanted.begin(), wanted.end()), lines_(program, {}) {
  if (names_.empty()) return;
  functions_ = lines_.functions();
  for (const std::string& name : names_) {
    if (name != kAuto) require_sampled(functions_, name, program);
  }
  // A jump needs room where it begins.
  std::erase_if(functions_, [](const Symbol& function) {
    return function.bytes < kLeastBytes || !can_be_returned(function);
  });
  if (functions_.empty()) {
    throw usage_error(fmt::format("cannot sample functions of '{}'", program.string()),
                      "it has no debug information, which says what they return",
                      "Compile the program with -g, and name no script.");
  }
  if (!contains(names_, kAuto)) {
    std::erase_if(functions_, [this](const Symbol& function) { return !is_named(function); });
  }
  if (functions_.size() <= SLK_ONLINE_FUNCTIONS) return;
  std::ranges::nth_element(
      functions_, functions_.begin() + SLK_ONLINE_FUNCTIONS, std::ranges::greater{},
      [this](const Symbol& function) { return std::pair(is_named(function), function.bytes); });
  functions_.resize(SLK_ONLINE_FUNCTIONS);
  std::ranges::sort(functions_, {}, &Symbol::begin);
}

bool SampledFunctions::is_named(const raw::SourceLines::Symbol& function) const {
  return contains(names_, function.name);
}

void SampledFunctions::hand_over(slk_online_file& file) const {
  struct stat program {};
  if (names_.empty() || stat(program_.c_str(), &program) != 0) return;
  file.device = program.st_dev;
  file.inode = program.st_ino;
  file.functions = functions_.size();
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    file.function[i] = {functions_[i].begin,
                        static_cast<std::uint32_t>(result_of(functions_[i].returns)),
                        is_named(functions_[i]) ? 1U : 0U};
  }
}

void SampledFunctions::name(std::vector<SampledBlock>& blocks) const {
  for (SampledBlock& block : blocks) {
    if (block.function == 0 || block.function > functions_.size()) continue;
    // The call ends where the address is, which may be on the next line.
    const CodeLocation site = lines_.at(block.site - 1).back();
    const std::string place =
        site.line == 0
            ? ""
            : fmt::format(" ({}:{})", std::filesystem::path(site.file).filename().string(),
                          site.line);
    block.name = fmt::format("{}, called in {}{}", functions_[block.function - 1].name,
                             site.function, place);
  }
}

void SampledFunctions::note(SharedMemory& memory, std::int32_t ranks,
                            const std::vector<SampledBlock>& blocks, Findings& findings) const {
  if (names_.empty()) return;
  note_unwatched(memory, ranks, findings);
  bool any = false;
  for (const SampledBlock& block : blocks) {
    if (block.function == 0) continue;
    any = any || block.skipped > 0;
    if (block.skipped > 0) {
      findings.add(kSkipped, sampling_of(block), block.skipped);
    } else {
      findings.add(kAlwaysExecuted,
                   fmt::format("{}: {} executions, {}; {}", block.name, block.runs,
                               format_time_ns(block.run_ns), reason(block.unsampled)),
                   block.runs);
    }
  }
  if (!any && findings.count(kUnwatched) == 0) findings.add(kNoneSampled);
}

}  // namespace slackline::online
