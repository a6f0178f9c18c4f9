#include "page/pictures.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "base/units.h"
#include "calls/run_span.h"
#include "page/timeline.h"
#include "page/timeline_parts.h"

namespace slackline {
namespace {

std::string explanation(const FocusInterval& region) {
  std::string text = "parallel efficiency " + format_percent(region.efficiency.useful);
  if (region.main_pattern) {
    text += "; largest wait state: " + std::string(name(*region.main_pattern));
  }
  if (region.path_rank >= 0) {
    text += "; critical path on rank " + std::to_string(region.path_rank) + " for " +
            format_percent(region.path_share) + " of it";
  }
  return text;
}

std::vector<Timeline::Phase> phases_of(const Monitor& monitor) {
  std::vector<Timeline::Phase> phases;
  for (const FocusInterval& r : monitor.intervals) {
    phases.push_back({static_cast<double>(r.begin_ns), static_cast<double>(r.end_ns),
                      "phase " + std::to_string(r.phase + 1), std::string(to_string(r.kind)),
                      static_cast<std::int64_t>(r.phase), explanation(r)});
  }
  return phases;
}

std::vector<Timeline::Strip> strips_of(const Monitor& m) {
  if (m.border_ns.size() < 2) return {};
  const auto from = static_cast<double>(m.border_ns.front());
  const double width = (static_cast<double>(m.border_ns.back()) - from) /
                       static_cast<double>(m.border_ns.size() - 1);
  const auto strip = [&](std::string name, auto part, std::string text) {
    Timeline::Strip s{std::move(name), from, width, {}, std::move(text), "measured"};
    for (const WindowEfficiency& w : m.windows) s.values.push_back(part(w));
    s.known.push_back({from, static_cast<double>(m.border_ns.back()), part(m.whole)});
    for (const FocusInterval& i : m.intervals) {
      if (i.kind == IntervalKind::startup || i.kind == IntervalKind::shutdown) continue;
      s.known.push_back(
          {static_cast<double>(i.begin_ns), static_cast<double>(i.end_ns), part(i.efficiency)});
    }
    return s;
  };
  const auto of = [](double WindowEfficiency::*part) {
    return [part](const WindowEfficiency& e) { return e.*part; };
  };
  std::vector<Timeline::Strip> strips{
      strip("parallel efficiency", of(&WindowEfficiency::useful),
            "mean share of rank time in computation"),
      strip("load balance", of(&WindowEfficiency::load_balance),
            "mean over maximum computation of the ranks"),
      strip("serialisation", of(&WindowEfficiency::serialisation),
            "maximum computation over ideal-network time: loss through dependences between ranks"),
      strip("transfer", of(&WindowEfficiency::transfer),
            "ideal-network time over measured time: loss through data transfer")};
  if (m.whole.openmp) {
    strips.push_back(strip(
        "OpenMP", [](const WindowEfficiency& e) { return e.openmp.value_or(1); },
        "work over thread time outside MPI"));
  }
  return strips;
}

TimelineRun predicted_run(const PictureInput& input, std::int64_t offset_ns) {
  return {"predicted", "predicted (model)",
          scheduled_times(input.trace, input.graph, input.predicted.schedule, offset_ns),
          path_pieces(input.predicted.path, offset_ns)};
}

/// One side, whose run begins `later_ns` after the time line.
Timeline compared_timeline(const ComparedPicture& side, const TimelineCodes& codes,
                           std::int64_t later_ns) {
  std::vector<PathPiece> pieces = path_pieces(side.measured.path);
  for (PathPiece& piece : pieces) {
    piece.begin_ns += later_ns;
    piece.end_ns += later_ns;
  }
  std::vector<TimelineRun> runs;
  runs.push_back({"measured", side.name,
                  timed_run(side.trace, later_ns - run_span(side.trace).whole.begin_ns),
                  std::move(pieces), &side.measured.waits});
  Timeline drawn = timeline({side.trace, side.paths, side.matching, &codes}, runs);
  drawn.title = side.name;
  drawn.phases = phases_of(side.measured.monitor);
  for (Timeline::Phase& phase : drawn.phases) {
    phase.from_ns += static_cast<double>(later_ns);
    phase.to_ns += static_cast<double>(later_ns);
  }
  return drawn;
}

}  // namespace

Section timeline_section(const PictureInput& input) {
  const Trace& trace = input.trace;
  const bool measured = input.measured && trace.call_count() > 0;
  std::vector<TimelineRun> runs;
  if (measured) {
    runs.push_back({"measured", "measured", measured_times(trace),
                    path_pieces(input.measured->path), &input.measured->waits});
  }
  const std::int64_t offset_ns = measured ? run_span(trace).lead_ns() : 0;
  runs.push_back(predicted_run(input, offset_ns));
  std::optional<SimulatedRow> simulated;
  if (input.simulated != nullptr) {
    simulated.emplace(trace, input.matching, *input.simulated);
    runs.push_back(simulated->drawn(offset_ns));
  }
  Timeline drawn = timeline({trace, input.paths, input.matching}, runs,
                            input.every_call ? kEveryCall : kTimelineCalls);
  if (measured) {
    drawn.phases = phases_of(input.measured->monitor);
    drawn.strips = strips_of(input.measured->monitor);
    std::ranges::move(thread_strips(trace), std::back_inserter(drawn.strips));
    drawn.measures = rank_measures(trace, input.samples);
  }
  if (input.simulated != nullptr) {
    std::ranges::move(link_strips(*input.simulated, offset_ns), std::back_inserter(drawn.strips));
  }
  Section section{.id = "timeline", .title = "Timeline"};
  section.items.emplace_back(std::make_shared<const Timeline>(std::move(drawn)));
  return section;
}

Section compared_timelines(const ComparedPicture& a, const ComparedPicture& b) {
  const std::array traces{&a.trace, &b.trace};
  const std::array waits{&a.measured.waits, &b.measured.waits};
  const TimelineCodes codes(traces, waits);
  // MPI_Init takes any time: both analysed intervals begin at the same place.
  const std::int64_t start_a_ns = run_span(a.trace).lead_ns();
  const std::int64_t start_b_ns = run_span(b.trace).lead_ns();
  const std::int64_t start_ns = std::max(start_a_ns, start_b_ns);
  Timeline first = compared_timeline(a, codes, start_ns - start_a_ns);
  Timeline second = compared_timeline(b, codes, start_ns - start_b_ns);
  second.id += "-b";
  second.beside = first.id;
  const std::uint64_t longest_ns =
      std::max(first.span * first.tick_ns, second.span * second.tick_ns);
  for (Timeline* t : {&first, &second}) t->span = (longest_ns + t->tick_ns - 1) / t->tick_ns;
  Section section{.id = "timeline", .title = "Timelines"};
  section.items.emplace_back(std::make_shared<const Timeline>(std::move(first)));
  section.items.emplace_back(std::make_shared<const Timeline>(std::move(second)));
  return section;
}

}  // namespace slackline
