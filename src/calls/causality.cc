#include "calls/causality.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "base/parallel.h"
#include "trace/one_clock.h"

namespace slackline {
namespace {

constexpr std::size_t kMessagesAtOnce = std::size_t{1} << 16;

/// What is known of some messages; the words come last, for the worst of all only.
struct Part {
  std::uint64_t messages = 0;
  std::uint64_t violations = 0;
  std::uint64_t on_one_clock = 0;
  std::int64_t worst_ns = 0;
  std::uint32_t worst = 0;  // which message
};

class Check {
 public:
  Check(const Trace& trace, const CallMatching& matching) : trace_(trace), matching_(matching) {}

  Part run() const {
    const std::size_t count = matching_.messages().size();
    std::vector<Part> parts((count + kMessagesAtOnce - 1) / kMessagesAtOnce);
    parallel_for(parts.size(), [&](std::size_t i) {
      const std::size_t end = std::min(count, (i + 1) * kMessagesAtOnce);
      for (std::size_t id = i * kMessagesAtOnce; id < end; ++id) {
        add(static_cast<std::uint32_t>(id), parts[i]);
      }
    });
    Part all;
    for (const Part& part : parts) {
      all.messages += part.messages;
      all.violations += part.violations;
      all.on_one_clock += part.on_one_clock;
      keep_worse(part.worst, part.worst_ns, all);
    }
    return all;
  }

 private:
  void add(std::uint32_t id, Part& part) const {
    const MessageCalls& m = matching_.message(id);
    if (m.receive_done == kNoCall) return;
    ++part.messages;
    const std::int64_t early = trace_.calls(m.source).begin_ns(m.send) -
                               trace_.calls(m.destination).end_ns(m.receive_done);
    if (early <= 0) return;
    ++part.violations;
    if (have_one_clock(trace_, m.source, m.destination)) ++part.on_one_clock;
    keep_worse(id, early, part);
  }
  /// Among equally large violations, the one whose receive comes first is kept.
  void keep_worse(std::uint32_t id, std::int64_t early, Part& part) const {
    if (early < part.worst_ns || early == 0) return;
    const auto place = [this](std::uint32_t of) {
      const MessageCalls& m = matching_.message(of);
      return std::tuple(m.destination, m.receive);
    };
    if (early == part.worst_ns && place(id) >= place(part.worst)) return;
    part.worst_ns = early;
    part.worst = id;
  }

  const Trace& trace_;
  const CallMatching& matching_;
};

}  // namespace

CausalityCheck count_causality_violations(Trace& trace, const CallMatching& matching) {
  if (!trace.timed()) return {};
  const Part found = Check(trace, matching).run();
  CausalityCheck check{found.messages, found.violations, found.worst_ns, {}};
  if (found.violations == 0) return check;
  const MessageCalls& worst = matching.message(found.worst);
  check.worst = fmt::format("rank {} received from rank {} (tag {}) {} ns before it was sent",
                            worst.destination, worst.source,
                            sent_message(trace, matching, found.worst).tag, found.worst_ns);
  const std::uint64_t on_one_clock = found.on_one_clock;
  if (on_one_clock > 0) trace.findings().add(kReceivedBeforeSent, check.worst, on_one_clock);
  if (found.violations > on_one_clock) {
    trace.findings().add(kCausalityViolated, check.worst, found.violations - on_one_clock);
  }
  return check;
}

}  // namespace slackline
