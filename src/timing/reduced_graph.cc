// Reduction: a longest path needs only the points where something is decided.
//
// Every vertex is the maximum of (source + cost) over its in-edges. Walking the vertices in
// topological order, each is first written as such a list of terms over what was kept before it:
//
//   - a vertex with one term is no decision: its consumers take the term, the cost added (affine
//     contraction);
//   - a vertex with few terms and few consumers is taken apart into them, when that makes no more
//     edges than it saves (its maximum is taken with theirs, because max and + distribute);
//   - of terms with one source, those that another one dominates can never win and go.
//
// What remains becomes a node. Each kept node lives in a slot from its evaluation to its last use;
// free slots are used again, last freed first. As the graph's order follows one rank for as long as
// it can, few slots are in use at a time.
//
// Why it is right: max-plus algebra; none of the rules changes the function that T is of the
// parameters. Cost: every term is touched a bounded number of times per consumer.
// Source: the idea of contracting LogGPS graphs is LLAMP's (section II-C, presolve); the rules are
// those of any max-plus elimination.

#include "timing/reduced_graph.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"

namespace slackline {
namespace {

constexpr std::int64_t kSafe64 = std::int64_t{1} << 61;
/// A vertex with more terms is not taken apart: its terms would be copied on and on.
constexpr std::size_t kMostInlined = 16;

template <class Form>
struct Term {
  std::uint32_t slot;
  Form form;
};

/// Keeps, of terms with one source, those that no other one dominates.
template <class Form>
void drop_dominated(std::vector<Term<Form>>& terms) {
  constexpr std::size_t kFew = 12;
  if (terms.size() > kFew) {
    std::ranges::stable_sort(terms, {}, &Term<Form>::slot);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    bool dominated = false;
    // Of a sorted list only the end can have the same source.
    for (std::size_t k = kept; k-- > 0 && !dominated;) {
      if (terms[k].slot != terms[i].slot) {
        if (terms.size() > kFew) break;
        continue;
      }
      if (terms[k].form.dominates(terms[i].form)) {
        dominated = true;
      } else if (terms[i].form.dominates(terms[k].form)) {
        std::copy(terms.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                  terms.begin() + static_cast<std::ptrdiff_t>(kept),
                  terms.begin() + static_cast<std::ptrdiff_t>(k));
        --kept;
      }
    }
    if (!dominated) terms[kept++] = terms[i];
  }
  terms.resize(kept);
}

/// Values that are still needed share slots; each term holds one reference.
class Slots {
 public:
  /// A free slot, with no references yet.
  std::uint32_t take() {
    if (free_.empty()) {
      references_.push_back(0);
      return static_cast<std::uint32_t>(references_.size() - 1);
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void hold(std::uint32_t slot) { ++references_[slot]; }
  void release(std::uint32_t slot) {
    if (--references_[slot] == 0) free_.push_back(slot);
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(references_.size()); }

 private:
  std::vector<std::uint32_t> references_{1};  // slot 0 is held for ever
  std::vector<std::uint32_t> free_;
};

/// What the vertices still to come may ask for: the terms of each vertex that has consumers left.
/// Most have one term; it lies in the entry itself.
template <class Form>
class Pending {
 public:
  std::uint32_t put(const std::vector<Term<Form>>& terms) {
    std::uint32_t id = 0;
    if (free_.empty()) {
      id = static_cast<std::uint32_t>(entries_.size());
      entries_.emplace_back();
    } else {
      id = free_.back();
      free_.pop_back();
    }
    Entry& entry = entries_[id];
    entry.first = terms.front();
    entry.rest.assign(terms.begin() + 1, terms.end());
    return id;
  }
  template <class Visit>
  void for_terms(std::uint32_t id, Visit visit) const {
    visit(entries_[id].first);
    for (const Term<Form>& t : entries_[id].rest) visit(t);
  }
  void drop(std::uint32_t id) { free_.push_back(id); }

 private:
  struct Entry {
    Term<Form> first;
    std::vector<Term<Form>> rest;
  };
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
};

template <class Form, class FormOf>
class Reducer {
 public:
  Reducer(const ExecutionGraph& graph, const FormOf& form_of)
      : graph_(graph), form_of_(form_of), uses_(graph.vertex_count(), 0) {
    const auto vertices = static_cast<VertexId>(graph.vertex_count());
    for (VertexId v = 0; v < vertices; ++v) {
      graph.for_in_edges(v, [&](const Edge& e) { ++uses_[e.from]; });
    }
    for (std::int32_t r = 0; r < graph.ranks(); ++r) ++uses_[graph.last_vertex(r)];
    entry_.resize(graph.vertex_count());
  }

  std::optional<ReducedGraph<Form>> run() {
    const auto vertices = static_cast<VertexId>(graph_.vertex_count());
    for (VertexId v = 0; v < vertices && fits_; ++v) add_vertex(v);
    if (!fits_) return std::nullopt;
    add_end();
    if (!fits_) return std::nullopt;
    result_.slots = slots_.count();
    result_.nodes.shrink_to_fit();
    return std::move(result_);
  }

 private:
  void add_vertex(VertexId v) {
    terms_.clear();
    if (graph_.in_degree(v) == 0) {
      terms_.push_back({0, Form{}});
    } else {
      graph_.for_in_edges(v, [&](const Edge& e) { gather(e.from, form_of_(e, v)); });
      drop_dominated(terms_);
    }
    if (uses_[v] == 0) {
      graph_.for_in_edges(v, [&](const Edge& e) { used(e.from); });
      return;
    }
    const std::size_t consumers = uses_[v];
    const bool take_apart =
        terms_.size() == 1 ||
        (terms_.size() <= kMostInlined && terms_.size() * consumers <= terms_.size() + consumers);
    if (!take_apart) emit_edges();
    if (take_apart) hold_terms();
    graph_.for_in_edges(v, [&](const Edge& e) { used(e.from); });
    if (!take_apart) {
      // Only now: the new value may take the place of one that was needed for the last time.
      emit_node();
      hold_terms();
    }
    entry_[v] = pending_.put(terms_);
  }

  void add_end() {
    terms_.clear();
    for (std::int32_t r = 0; r < graph_.ranks(); ++r) {
      Form tail = form_of_(Edge{.from = graph_.last_vertex(r),
                                .kind = EdgeKind::compute,
                                .latencies = 0,
                                .overheads = 0,
                                .nanoseconds = graph_.tail_ns(r),
                                .bytes = 0},
                           graph_.last_vertex(r));
      gather(graph_.last_vertex(r), tail);
    }
    drop_dominated(terms_);
    emit_edges();
    emit_node();
  }

  /// Adds what `from` stands for, `cost` later, to the terms.
  void gather(VertexId from, const Form& cost) {
    pending_.for_terms(entry_[from], [&](Term<Form> t) {
      t.form += cost;
      fits_ = fits_ && t.form.fits();
      terms_.push_back(t);
    });
  }

  void hold_terms() {
    for (const Term<Form>& t : terms_) slots_.hold(t.slot);
  }

  void used(VertexId v) {
    if (--uses_[v] > 0) return;
    pending_.for_terms(entry_[v], [&](const Term<Form>& t) { slots_.release(t.slot); });
    pending_.drop(entry_[v]);
  }

  void emit_edges() {
    for (const Term<Form>& t : terms_) {
      result_.sources.push_back(t.slot);
      result_.forms.push_back(t.form);
    }
  }

  /// The terms become a node and then the one term that means it.
  void emit_node() {
    const std::uint32_t slot = slots_.take();
    result_.nodes.push_back({slot, static_cast<std::uint32_t>(terms_.size())});
    terms_.assign(1, {slot, Form{}});
  }

  const ExecutionGraph& graph_;
  const FormOf& form_of_;
  std::vector<std::uint32_t> uses_;   // consumers of each vertex that are still to come
  std::vector<std::uint32_t> entry_;  // in pending_
  Pending<Form> pending_;
  Slots slots_;
  std::vector<Term<Form>> terms_;
  ReducedGraph<Form> result_;
  bool fits_ = true;
};

}  // namespace

bool LogGPSForm::fits() const {
  constexpr std::uint32_t kMost32 = std::numeric_limits<std::uint32_t>::max() / 2;
  return nanoseconds < kSafe64 && bytes < kSafe64 && latencies < kMost32 && overheads < kMost32;
}

LogGPSForm largest_counts(const ReducedGraph<LogGPSForm>& reduced) {
  LogGPSForm most;
  for (const LogGPSForm& f : reduced.forms) {
    most.nanoseconds = std::max(most.nanoseconds, f.nanoseconds);
    most.bytes = std::max(most.bytes, f.bytes);
    most.latencies = std::max(most.latencies, f.latencies);
    most.overheads = std::max(most.overheads, f.overheads);
  }
  return most;
}

std::optional<ReducedGraph<LogGPSForm>> reduce(const ExecutionGraph& graph) {
  if (graph.max_nanoseconds() >= kSafe64 ||
      graph.max_bytes() >= static_cast<std::uint64_t>(kSafe64)) {
    return std::nullopt;
  }
  const auto form_of = [](const Edge& e, VertexId) {
    return LogGPSForm{.nanoseconds = e.nanoseconds,
                      .bytes = multiples(e, Parameter::gap_per_byte),
                      .latencies = e.latencies,
                      .overheads = e.overheads};
  };
  return Reducer<LogGPSForm, decltype(form_of)>(graph, form_of).run();
}

ReducedGraph<LinearForm> reduce(const ExecutionGraph& graph, const LinearCost& cost) {
  std::vector<std::int32_t> rank_of;
  if (cost.depends_on_ranks()) rank_of = vertex_ranks(graph);
  const auto form_of = [&](const Edge& e, VertexId to) {
    const LinearTerm term =
        rank_of.empty() ? cost.term(e, 0, 0) : cost.term(e, rank_of[e.from], rank_of[to]);
    return LinearForm{term.fixed_ticks, term.multiples};
  };
  return *Reducer<LinearForm, decltype(form_of)>(graph, form_of).run();
}

}  // namespace slackline
