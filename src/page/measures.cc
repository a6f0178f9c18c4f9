#include "page/timeline_parts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "base/parallel.h"
#include "calls/run_span.h"

namespace slackline {
namespace {

constexpr std::uint64_t kFewestWindows = 32;
constexpr std::uint64_t kMostWindows = 512;
constexpr int kBitsKept = 10;  // of an amount: three digits
constexpr std::uint8_t kMostIpc = 255;

/// One rank's amounts by window.
class RankWindows {
 public:
  RankWindows(TimeInterval run, std::size_t windows)
      : begin_(static_cast<double>(run.begin_ns)),
        width_(std::max(1.0, static_cast<double>(run.length_ns())) / static_cast<double>(windows)),
        sums_(windows) {}

  /// Evenly over [from, to].
  void add(std::int64_t from_ns, std::int64_t to_ns, double amount) {
    if (amount <= 0) return;
    const double from = place(from_ns);
    const double to = std::max(from, place(to_ns));
    const std::size_t last = window(to);
    for (std::size_t w = window(from); w <= last; ++w) {
      const double inside =
          std::min(to, static_cast<double>(w + 1)) - std::max(from, static_cast<double>(w));
      sums_[w] += to > from ? amount * std::max(0.0, inside) / (to - from) : amount;
    }
  }
  const std::vector<double>& sums() const { return sums_; }

 private:
  double place(std::int64_t ns) const { return (static_cast<double>(ns) - begin_) / width_; }
  std::size_t window(double place) const {
    return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(sums_.size() - 1)));
  }

  double begin_;
  double width_;
  std::vector<double> sums_;
};

using Fill = std::function<void(std::int32_t rank, RankWindows& to)>;

struct Kind {
  std::string name;
  Unit unit;
  std::string explanation;
  Fill fill;
};

std::uint64_t to_three_digits(double amount) {
  const auto whole = static_cast<std::uint64_t>(std::llround(amount));
  const int shift = std::max(0, static_cast<int>(std::bit_width(whole)) - kBitsKept);
  const std::uint64_t half = shift == 0 ? 0 : std::uint64_t{1} << (shift - 1);
  return ((whole + half) >> shift) << shift;
}

/// Calls visit(i, begin, end) for every stretch between calls, as long as the rank lives.
template <class Visit>
void for_gaps(const RankCalls& calls, Visit visit) {
  for (std::size_t i = 0; i <= calls.size(); ++i) {
    const std::int64_t begin = i == 0 ? calls.start_ns() : calls.end_ns(i - 1);
    const std::int64_t end = i == calls.size() ? calls.stop_ns() : calls.begin_ns(i);
    visit(i, begin, std::max(begin, end));
  }
}

Fill computation_of(const Trace& trace) {
  return [&trace](std::int32_t rank, RankWindows& to) {
    const RankCalls& calls = trace.calls(rank);
    for_gaps(calls, [&](std::size_t i, std::int64_t begin, std::int64_t end) {
      to.add(begin, end, static_cast<double>(calls.useful_ns(i)));
    });
  };
}

Fill pauses_of(const Trace& trace, PauseKind kind) {
  return [&trace, kind](std::int32_t rank, RankWindows& to) {
    for (const Pause& pause : trace.calls(rank).pauses()) {
      if (pause.kind != kind) continue;
      to.add(pause.begin_ns, pause.end_ns, static_cast<double>(pause.end_ns - pause.begin_ns));
    }
  };
}

Fill samples_of(const Samples& samples) {
  return [&samples](std::int32_t rank, RankWindows& to) {
    for (const Sample& sample : samples.of(rank)) {
      if (!sample.blocked) to.add(sample.time_ns, sample.time_ns, 1);
    }
  };
}

Fill counter_of(const Trace& trace, std::size_t which) {
  return [&trace, which](std::int32_t rank, RankWindows& to) {
    const RankCalls& calls = trace.calls(rank);
    for_gaps(calls, [&](std::size_t i, std::int64_t begin, std::int64_t end) {
      to.add(begin, end, static_cast<double>(calls.counter(which, i)));
    });
  };
}

bool has_pauses(const Trace& trace, PauseKind kind) {
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    if (std::ranges::find(trace.calls(r).pauses(), kind, &Pause::kind) !=
        trace.calls(r).pauses().end()) {
      return true;
    }
  }
  return false;
}

/// What a counter of the system's is to people; "" of the processor's, whose names are PAPI's.
std::string_view explanation_of(std::string_view counter) {
  if (counter == "ru_nivcsw") return "involuntary context switches: the processor went to others";
  if (counter == "ru_nvcsw") return "voluntary context switches: the rank slept or waited";
  if (counter == "cpu_migrations") return "moves to another processor";
  if (counter == "ru_minflt") return "page faults without I/O";
  if (counter == "ru_majflt") return "page faults with I/O";
  return "";
}

std::vector<Kind> kinds_of(const Trace& trace, const Samples* samples) {
  std::vector<Kind> kinds;
  kinds.push_back({"computation", Unit::ns, "useful computation", computation_of(trace)});
  if (has_pauses(trace, PauseKind::no_processor)) {
    kinds.push_back({"without a processor", Unit::ns,
                     "ready to compute, while the processor was given to others",
                     pauses_of(trace, PauseKind::no_processor)});
  }
  if (has_pauses(trace, PauseKind::blocked)) {
    kinds.push_back({"blocked", Unit::ns, "off the processor of its own accord: sleep, I/O",
                     pauses_of(trace, PauseKind::blocked)});
  }
  if (samples != nullptr && !samples->empty()) {
    kinds.push_back(
        {"samples", Unit::count, "where the rank was found computing", samples_of(*samples)});
  }
  for (std::size_t c = 0; c < trace.counters().size(); ++c) {
    const std::string& name = trace.counters()[c];
    kinds.push_back({name, Unit::count, std::string(explanation_of(name)), counter_of(trace, c)});
  }
  return kinds;
}

}  // namespace

std::vector<Timeline::Measure> rank_measures(const Trace& trace, const Samples* samples) {
  const TimeInterval run = run_span(trace).whole;
  if (!trace.timed() || run.length_ns() <= 0) return {};
  const std::vector<Kind> kinds = kinds_of(trace, samples);
  const auto ranks = static_cast<std::size_t>(trace.ranks());
  const std::uint64_t cells =
      std::bit_floor(std::max<std::uint64_t>(1, trace.call_count() / (ranks * kinds.size())));
  const auto windows = static_cast<std::size_t>(std::clamp(cells, kFewestWindows, kMostWindows));
  std::vector<Timeline::Measure> measures(kinds.size());
  parallel_for(kinds.size(), [&](std::size_t k) {
    ByteColumn column;
    for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
      RankWindows own(run, windows);
      kinds[k].fill(rank, own);
      for (const double amount : own.sums()) column.varint(to_three_digits(amount));
    }
    measures[k] = {kinds[k].name,
                   kinds[k].unit,
                   kinds[k].explanation,
                   0,
                   static_cast<double>(run.length_ns()) / static_cast<double>(windows),
                   windows,
                   compress(column.bytes())};
  });
  return measures;
}

IpcCodes::IpcCodes(const Trace& trace) {
  const std::vector<std::string>& names = trace.counters();
  const auto instructions = std::ranges::find(names, "PAPI_TOT_INS");
  const auto cycles = std::ranges::find(names, "PAPI_TOT_CYC");
  known_ = instructions != names.end() && cycles != names.end();
  if (!known_) return;
  instructions_ = static_cast<std::size_t>(instructions - names.begin());
  cycles_ = static_cast<std::size_t>(cycles - names.begin());
}

std::uint8_t IpcCodes::at(const RankCalls& calls, std::size_t i) const {
  if (!known_) return 0;
  const std::uint64_t cycles = calls.counter(cycles_, i);
  if (cycles == 0) return 0;
  const double ipc =
      static_cast<double>(calls.counter(instructions_, i)) / static_cast<double>(cycles);
  return static_cast<std::uint8_t>(std::min<double>(kMostIpc, 1 + std::round(kIpcSteps * ipc)));
}

}  // namespace slackline
