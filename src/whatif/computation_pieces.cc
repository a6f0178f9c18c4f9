#include "whatif/computation_pieces.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <utility>

#include "base/arithmetic.h"
#include "base/parallel.h"
#include "calls/program_steps.h"
#include "calls/run_span.h"
#include "trace/trace_builder.h"
#include "whatif/program_writer.h"

namespace slackline {
namespace {

/// Follows a rank's visits to the selected region, and cuts computation at the selected interval.
class PieceWalk {
 public:
  PieceWalk(const Selection& selection, const Trace& trace, std::int32_t rank, std::int64_t zero_ns,
            VisitScope scope)
      : selection_(selection),
        trace_(trace),
        rank_(rank),
        zero_ns_(zero_ns),
        scope_(scope),
        selected_rank_(selection.has_rank(rank)),
        inside_(selection.has_path(0)) {}

  /// Calls visit(ns, piece) for the parts of a stretch; `piece` is null for what is not selected.
  template <class Visit>
  void cut(const Computation& c, Visit visit) {
    const std::int64_t end = c.begin_ns + c.ns;
    const std::int64_t from = std::clamp(selection_.after_ns(), c.begin_ns, end);
    const std::int64_t to = std::clamp(selection_.before_ns(), from, end);
    if (!selected_rank_ || !selection_.has_path(c.path) || from == to) {
      visit(c.ns, nullptr);
      return;
    }
    if (from > c.begin_ns) visit(from - c.begin_ns, nullptr);
    const std::int64_t selected = selection_.selected_ns(rank_, c, to - from);
    if (selected > 0) {
      const SelectedPiece piece{rank_, visit_, number_++, selected, before_ns_};
      before_ns_ += selected;
      visit(piece.ns, &piece);
      if (selection_.by_function()) end_visit();
    }
    if (selected < to - from) visit(to - from - selected, nullptr);
    if (to < end) visit(end - to, nullptr);
  }

  /// The rank enters or leaves a region. The number of the selected visit that ends with that: of
  /// one that begins in the selected interval.
  std::optional<std::uint32_t> pass(const RegionEvent& event, PathId path) {
    const bool was_inside = inside_;
    inside_ = selection_.has_path(path);
    if (!was_inside && inside_) begin_ns_ = event.time_ns - zero_ns_;
    if (scope_ != VisitScope::region || !was_inside || inside_) return std::nullopt;
    const std::uint32_t visit = end_visit();
    const bool selected =
        selected_rank_ && begin_ns_ >= selection_.after_ns() && begin_ns_ < selection_.before_ns();
    return selected ? std::optional(visit) : std::nullopt;
  }
  /// The number of the selected visit that ends with the rank's program: where no region is
  /// selected, all of it is one visit.
  std::optional<std::uint32_t> end() const {
    const bool all = scope_ == VisitScope::region && !selection_.by_region();
    return all && selected_rank_ ? std::optional(visit_) : std::nullopt;
  }
  /// The rank makes its call `i`.
  void pass_call(std::size_t i) {
    if (scope_ == VisitScope::collective && is_collective_of_all(i)) end_visit();
  }
  std::int32_t rank() const { return rank_; }

 private:
  std::uint32_t end_visit() {
    before_ns_ = 0;
    return visit_++;
  }
  bool is_collective_of_all(std::size_t i) const {
    const RankCalls& calls = trace_.calls(rank_);
    if (operation_class(calls.operation(i)) != OperationClass::collective) return false;
    const std::uint32_t comm = calls.comm(i);
    return comm < trace_.communicators().size() &&
           std::ssize(trace_.communicators()[comm].members) == trace_.ranks();
  }

  const Selection& selection_;
  const Trace& trace_;
  std::int32_t rank_;
  std::int64_t zero_ns_;
  VisitScope scope_;
  bool selected_rank_;
  bool inside_;
  std::int64_t begin_ns_ = 0;   // of the visit
  std::int64_t before_ns_ = 0;  // selected of the visit
  std::uint32_t visit_ = 0;
  std::uint64_t number_ = 0;
};

/// Keeps a rank's selected computation.
template <class Add>
struct Keep {
  PieceWalk walk;
  Add add;

  void start(std::int64_t) {}
  void compute(const Computation& c) {
    walk.cut(c, [&](std::int64_t, const SelectedPiece* piece) {
      if (piece != nullptr) add(c.before_call, *piece);
    });
  }
  void pause(std::int64_t, PauseKind) {}
  void region(const RegionEvent& event, PathId path) { walk.pass(event, path); }
  void call(std::size_t i, PathId) { walk.pass_call(i); }
};

void add_to_visit(const SelectedPiece& piece, std::vector<std::int64_t>& visits) {
  if (visits.size() <= piece.visit) visits.resize(piece.visit + std::size_t{1});
  visits[piece.visit] += piece.ns;
}

/// Writes a rank with other lengths.
struct Rewrite {
  PieceWalk walk;
  const PieceLengths& lengths;
  const RankCalls& from;
  RankWriter to;
  std::uint64_t changed = 0;
  std::uint64_t selected = 0;

  void start(std::int64_t ns) { to.start(ns); }
  void compute(const Computation& c) {
    walk.cut(c, [&](std::int64_t ns, const SelectedPiece* piece) {
      const std::int64_t length = piece == nullptr ? ns : lengths.of_piece(*piece);
      changed += length != ns;
      selected += piece != nullptr;
      to.compute_as(c, length);
    });
  }
  void pause(std::int64_t ns, PauseKind kind) { to.pause(ns, kind); }
  void region(const RegionEvent& event, PathId path) {
    add_at_end(walk.pass(event, path));
    to.region(event.region, event.enter);
  }
  void call(std::size_t i, PathId) {
    walk.pass_call(i);
    if (i + 1 == from.size()) add_at_end(walk.end());
    to.call(from[i]);
  }

 private:
  void add_at_end(std::optional<std::uint32_t> visit) {
    if (!visit || !lengths.at_visit_end) return;
    const std::int64_t added = lengths.at_visit_end(walk.rank(), *visit);
    changed += added != 0;
    selected += added != 0;
    to.compute(added);
  }
};

}  // namespace

VisitTimes visit_times(const Trace& trace, const CallPaths& paths, const Selection& selection,
                       VisitScope scope) {
  VisitTimes times(static_cast<std::size_t>(trace.ranks()));
  const std::int64_t zero_ns = run_span(trace).analysed.begin_ns;
  parallel_for(times.size(), [&](std::size_t r) {
    const auto rank = static_cast<std::int32_t>(r);
    const auto add = [&](std::uint32_t, const SelectedPiece& p) { add_to_visit(p, times[r]); };
    Keep<decltype(add)> measure{PieceWalk(selection, trace, rank, zero_ns, scope), add};
    walk_program(trace, paths, rank, zero_ns, measure);
  });
  return times;
}

SelectedPieces::SelectedPieces(const Edit& edit, const ProgramView& program, VisitScope scope)
    : trace_(program.trace),
      pieces_(static_cast<std::size_t>(trace_.ranks())),
      times_(pieces_.size()) {
  const CallPaths paths(trace_);
  const Selection selection(edit, program, paths);
  const std::int64_t zero_ns = run_span(trace_).analysed.begin_ns;
  parallel_for(pieces_.size(), [&](std::size_t r) {
    const auto rank = static_cast<std::int32_t>(r);
    const auto add = [&](std::uint32_t before_call, const SelectedPiece& p) {
      pieces_[r].push_back({before_call, p.visit, p.ns});
      add_to_visit(p, times_[r]);
    };
    Keep<decltype(add)> keep{PieceWalk(selection, trace_, rank, zero_ns, scope), add};
    walk_program(trace_, paths, rank, zero_ns, keep);
  });
}

std::vector<std::vector<std::int64_t>> SelectedPieces::changes(const PieceLengths& lengths) const {
  std::vector<std::vector<std::int64_t>> changes(pieces_.size());
  parallel_for(changes.size(), [&](std::size_t r) {
    const auto rank = static_cast<std::int32_t>(r);
    changes[r].resize(trace_.calls(rank).size() + 1);
    SelectedPiece piece{.rank = rank};
    for (const Piece& p : pieces_[r]) {
      piece.before_ns = p.visit == piece.visit ? piece.before_ns : 0;
      piece.visit = p.visit;
      piece.ns = p.ns;
      changes[r][p.before_call] += lengths.of_piece(piece) - p.ns;
      piece.before_ns += p.ns;
      ++piece.number;
    }
  });
  return changes;
}

Program with_lengths(const ProgramView& program, const CallPaths& paths, const Selection& selection,
                     const PieceLengths& lengths, Change& change, VisitScope scope) {
  const Trace& trace = program.trace;
  TraceBuilder edited = TraceBuilder::without_calls(trace, false);
  const std::int64_t zero_ns = run_span(trace).analysed.begin_ns;
  std::atomic<std::uint64_t> changed = 0;
  std::atomic<std::uint64_t> selected = 0;
  parallel_for(static_cast<std::size_t>(trace.ranks()), [&](std::size_t r) {
    const auto rank = static_cast<std::int32_t>(r);
    Rewrite rewrite{PieceWalk(selection, trace, rank, zero_ns, scope), lengths, trace.calls(rank),
                    RankWriter(edited.calls(rank))};
    walk_program(trace, paths, rank, zero_ns, rewrite);
    rewrite.to.finish();
    changed += rewrite.changed;
    selected += rewrite.selected;
  });
  change = {changed, selected, "stretches of computation"};
  return {std::move(edited).build(), program.samples};
}

std::int64_t scaled(std::int64_t ns, double factor) {
  return nearest_whole(static_cast<double>(ns) * factor);
}

std::int64_t scaled(const SelectedPiece& piece, double factor) {
  return scaled(piece.before_ns + piece.ns, factor) - scaled(piece.before_ns, factor);
}

}  // namespace slackline
