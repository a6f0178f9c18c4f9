// A loop of the program with another number of iterations.
//
// The loop is found by the calls of all ranks (calls/iterations.h). An iteration is what a rank
// does from the end of the last call of the one before to the end of its own last call. With fewer
// iterations the program leaves out the last ones, and with more it repeats those that it has, in
// their order and as often as needed, without the first ones, which may have a start-up in them.
//
// What is repeated or left out has to be complete in itself: requests are completed in the
// iteration that starts them, and regions that are entered are left. Messages that are sent in one
// iteration and received in the next stay matched, as the k-th send still meets the k-th receive.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "calls/iterations.h"
#include "calls/program_steps.h"
#include "calls/run_span.h"
#include "trace/trace_builder.h"
#include "whatif/actions.h"
#include "whatif/program_writer.h"
#include "whatif/request_numbers.h"
#include "whatif/selection.h"

namespace slackline {
namespace {

/// What a rank does in order, kept so that parts of it can be written again.
struct Step {
  enum class Kind : std::uint8_t { compute, pause, region, call } kind;
  Computation computation{};
  std::int64_t pause_ns = 0;
  PauseKind pause_kind = PauseKind::other;
  RegionEvent event{};
  std::uint32_t call = 0;
};

struct StepRecorder {
  std::vector<Step> steps{};
  std::vector<std::size_t> behind{};  ///< of each call: the step after it
  std::int64_t start_ns = 0;

  void start(std::int64_t ns) { start_ns = ns; }
  void compute(const Computation& c) {
    steps.push_back({.kind = Step::Kind::compute, .computation = c});
  }
  void pause(std::int64_t ns, PauseKind kind) {
    steps.push_back({.kind = Step::Kind::pause, .pause_ns = ns, .pause_kind = kind});
  }
  void region(const RegionEvent& event, PathId) {
    steps.push_back({.kind = Step::Kind::region, .event = event});
  }
  void call(std::size_t i, PathId) {
    steps.push_back({.kind = Step::Kind::call, .call = static_cast<std::uint32_t>(i)});
    behind.push_back(steps.size());
  }
};

/// Which iterations are made, by their numbers in the run.
struct Plan {
  std::size_t present = 0;
  std::size_t wanted = 0;
  std::size_t first_repeated = 1;

  std::size_t recorded(std::size_t i) const {
    if (i < present) return i;
    return first_repeated + (i - first_repeated) % (present - first_repeated);
  }
};

/// Writes one rank with the planned iterations.
class RankIterations {
 public:
  /// `first`: the first call of each iteration, as in IterationLoop; empty: the rank makes none,
  /// and stays as it is.
  RankIterations(const Trace& trace, const CallPaths& paths, std::int32_t rank,
                 std::vector<std::uint32_t> first, const Plan& plan)
      : calls_(trace.calls(rank)), paths_(paths), rank_(rank), first_(std::move(first)) {
    if (first_.empty()) {
      first_.push_back(0);
    } else {
      plan_ = plan;
    }
  }

  /// Why the iterations cannot be repeated or left out; empty: they can.
  std::string obstacle() const {
    const std::size_t first = std::min(plan_.wanted, plan_.first_repeated);
    for (std::size_t i = first; i < plan_.present; ++i) {
      if (std::string why = open_request(i); !why.empty()) return why;
    }
    PathId nest = 0;
    for (std::size_t i = 0; i <= plan_.wanted; ++i) {
      const PathId expected = path_before(i == plan_.wanted ? plan_.present : plan_.recorded(i));
      if (i > 0 && nest != expected) {
        return fmt::format("iterations of rank {} begin inside of different regions", rank_);
      }
      if (i < plan_.wanted) nest = path_before(plan_.recorded(i) + 1);
    }
    return {};
  }

  void write(const Trace& trace, std::int64_t zero_ns, RankCallsBuilder& into, Samples& samples) {
    StepRecorder recorder;
    walk_program(trace, paths_, rank_, zero_ns, recorder);
    RankWriter to(into);
    to.start(recorder.start_ns);
    index_.assign(calls_.size() + 1, kDropped);
    const auto behind_call_before = [&](std::uint32_t call) {
      return call == 0 ? 0 : recorder.behind[call - 1];
    };
    write_steps(recorder, 0, behind_call_before(first_[0]), to);
    for (std::size_t i = 0; i < plan_.wanted; ++i) {
      const std::size_t k = plan_.recorded(i);
      write_steps(recorder, behind_call_before(first_[k]), behind_call_before(first_[k + 1]), to);
    }
    write_steps(recorder, behind_call_before(first_[plan_.present]), recorder.steps.size(), to);
    index_.back() = to.next_call();
    to.finish();
    renumber(samples);
  }

 private:
  static constexpr std::uint32_t kDropped = 0xffffffff;

  PathId path_before(std::size_t iteration) const {
    const std::uint32_t call = first_[iteration];
    return call == 0 ? PathId{0} : paths_.at_call(rank_, call - 1);
  }

  std::string open_request(std::size_t iteration) const {
    std::unordered_set<std::uint32_t> open;
    std::string why;
    for (std::uint32_t i = first_[iteration]; i < first_[iteration + 1] && why.empty(); ++i) {
      visit_requests(
          calls_, i, [&](std::uint32_t serial) { open.insert(serial); },
          [&](std::uint32_t serial) {
            if (operation_class(calls_.operation(i)) == OperationClass::start) return;
            if (!open.contains(serial)) {
              why = fmt::format("rank {}, call {} ({}) refers to a request of an earlier iteration",
                                rank_, i, identifier(calls_.operation(i)));
            } else if (completes(i)) {
              open.erase(serial);
            }
          });
    }
    if (why.empty() && !open.empty()) {
      why = fmt::format("rank {} ends an iteration before a request of it is completed", rank_);
    }
    return why;
  }
  bool completes(std::uint32_t i) const {
    const Operation operation = calls_.operation(i);
    return operation == Operation::request_free ||
           (operation_class(operation) == OperationClass::completion &&
            !calls_.has(i, SLK_FLAG_FAILED));
  }

  void write_steps(const StepRecorder& recorder, std::size_t from, std::size_t until,
                   RankWriter& to) {
    for (std::size_t at = from; at < until; ++at) {
      const Step& step = recorder.steps[at];
      switch (step.kind) {
        case Step::Kind::compute:
          to.compute_as(step.computation, step.computation.ns);
          break;
        case Step::Kind::pause:
          to.pause(step.pause_ns, step.pause_kind);
          break;
        case Step::Kind::region:
          to.region(step.event.region, step.event.enter);
          break;
        case Step::Kind::call:
          if (index_[step.call] == kDropped) index_[step.call] = to.next_call();
          to.call(calls_[step.call]);
      }
    }
  }

  /// Samples stay with the first of several copies of where they were taken; how computation is
  /// shared among functions is the same in the others, as it lies between the same calls.
  void renumber(Samples& samples) {
    const auto r = static_cast<std::size_t>(rank_);
    if (r >= samples.by_rank.size()) return;
    std::erase_if(samples.by_rank[r], [&](const Sample& sample) {
      return index_[std::min<std::size_t>(sample.before_call, calls_.size())] == kDropped;
    });
    samples.renumber(rank_, index_);
  }

  const RankCalls& calls_;
  const CallPaths& paths_;
  std::int32_t rank_;
  std::vector<std::uint32_t> first_;
  Plan plan_{};
  std::vector<std::uint32_t> index_{};  // of each call, and one past the last: in the new program
};

const IterationLoop& loop_of(const Edit& edit, const std::vector<IterationLoop>& loops) {
  if (loops.empty()) {
    throw Error(fmt::format("cannot apply '{}'", to_string(edit)),
                "no loop of calls was found that most ranks make equally often",
                "'slackline phases' shows the iterations that it finds.");
  }
  const std::optional<std::int64_t> number = edit.integer("loop");
  if (!number) return *std::ranges::max_element(loops, {}, &IterationLoop::length_ns);
  if (*number < 1 || *number > std::ssize(loops)) {
    refuse(edit, "loop", fmt::format("the program has loops 1 to {}", loops.size()));
  }
  return loops[static_cast<std::size_t>(*number - 1)];
}

Plan plan_of(const Edit& edit, const IterationLoop& loop) {
  edit.required("count");
  const std::int64_t wanted = *edit.integer("count");
  if (wanted < 1) refuse(edit, "count", "a loop has at least one iteration");
  const std::int64_t from = edit.integer("from").value_or(1);
  if (from < 1 || from >= static_cast<std::int64_t>(loop.count)) {
    refuse(edit, "from",
           fmt::format("iterations 1 to {} can be repeated; 0 is the first", loop.count - 1));
  }
  return {loop.count, static_cast<std::size_t>(wanted), static_cast<std::size_t>(from)};
}

/// Throws Error where the program would have too many calls.
void require_room(const Edit& edit, const IterationLoop& loop, const Plan& plan) {
  std::uint64_t calls = 0;
  for (const std::vector<std::uint32_t>& first : loop.first_call) {
    if (!first.empty()) calls += first.back() - first.front();
  }
  const std::uint64_t most =
      plan.present * (kMostAddedCalls / std::max<std::uint64_t>(calls, 1) + 1);
  if (plan.wanted <= most) return;
  refuse(edit, "count", fmt::format("the program would have over {} calls", kMostAddedCalls),
         fmt::format("{} iterations at most.", most));
}

}  // namespace

Program change_iterations(const Edit& edit, const ProgramView& program, Change& change) {
  for (const auto& [key, value] : edit.arguments) {
    if (Selection::knows(key))
      refuse(edit, key, "a loop is one of all ranks", "Choose it by loop=.");
  }
  const Trace& trace = program.trace;
  const CallPaths paths(trace);
  const std::vector<IterationLoop> loops = find_iterations(trace, paths);
  const IterationLoop& loop = loop_of(edit, loops);
  const Plan plan = plan_of(edit, loop);
  require_room(edit, loop, plan);
  std::vector<RankIterations> ranks;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    ranks.emplace_back(trace, paths, rank, loop.first_call[static_cast<std::size_t>(rank)], plan);
    if (const std::string why = ranks.back().obstacle(); !why.empty()) {
      throw Error(fmt::format("cannot apply '{}'", to_string(edit)), why);
    }
  }
  TraceBuilder edited = TraceBuilder::without_calls(trace, false);
  Samples samples = program.samples;
  const std::int64_t zero_ns = run_span(trace).analysed.begin_ns;
  parallel_for(ranks.size(), [&](std::size_t r) {
    ranks[r].write(trace, zero_ns, edited.calls(static_cast<std::int32_t>(r)), samples);
  });
  change = {plan.wanted > plan.present ? plan.wanted - plan.present : plan.present - plan.wanted,
            plan.present, "iterations"};
  Program result{std::move(edited).build(), std::move(samples)};
  if (std::optional<Trace> numbered = with_distinct_requests(result.trace)) {
    result.trace = std::move(*numbered);
  }
  return result;
}

}  // namespace slackline
