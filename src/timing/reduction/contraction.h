#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"

// Contraction: a longest path needs only the points where something is decided.
//
// Every vertex is the maximum of (source + cost) over its in-edges. In topological order each is
// first written as such a list of terms over what was kept before it:
//
//   - a vertex with one term is no decision: its consumers take the term, the cost added (affine
//     contraction);
//   - a vertex with few terms and few consumers is taken apart into them, when that makes no more
//     edges than it saves (its maximum is taken with theirs, because max and + distribute);
//   - of terms with one source, those that another one dominates can never win and go.
//
// What remains becomes a node. Each kept node lives in a slot from its evaluation to its last use;
// free slots are used again, last freed first. When the vertices come in an order that follows one
// rank for as long as it can, few slots are in use at a time.
//
// Why it is right: max-plus algebra; none of the rules changes the function that T is of the
// parameters. Cost: every term is touched a bounded number of times per consumer; dominated terms
// are found by a table of the last term of each slot. Source: the idea of contracting LogGPS graphs
// is LLAMP's (section II-C, presolve); the rules are those of any max-plus elimination.

namespace slackline {

/// Contracts vertices that come one after the other. `Form` is the cost of a chain (operator+=,
/// dominates()); `Sink` gets edge(slot, form) for each edge of a node and then node(slot, edges).
template <class Form, class Sink>
class Contraction {
 public:
  /// What a vertex stands for, until its last consumer has been closed.
  using Value = std::uint32_t;

  explicit Contraction(Sink& sink) : sink_(sink) {}
  /// Reserves the slots 1 to `reserved` for from_slot() and close_in().
  Contraction(Sink& sink, std::uint32_t reserved) : sink_(sink), references_(reserved + 1, 1) {}

  /// A vertex: open(), then what it waits for, then close() with the number of its consumers to
  /// come, of which there is one.
  void open() {
    terms_.clear();
    consumed_.clear();
  }
  void from_start(const Form& cost) { terms_.push_back({cost, 0}); }
  void from(Value value, const Form& cost) {
    add_terms(value, cost);
    consumed_.push_back(value);
  }
  Value close(std::uint32_t uses) {
    drop_dominated();
    const std::size_t count = terms_.size();
    const bool take_apart =
        count == 1 || (count <= kMostInlined && count * uses <= count + std::size_t{uses});
    if (take_apart) {
      hold_terms();
      release_consumed();
    } else {
      emit_edges();
      release_consumed();
      // Only now: the new value may take the place of one that was needed for the last time.
      emit_node();
      hold_terms();
    }
    return put(uses);
  }

  /// The value that another contraction has left in a reserved slot. The slot is free after the
  /// last use; at once if `uses` is 0. To be called once for each such slot.
  Value from_slot(std::uint32_t slot, std::uint32_t uses) {
    if (uses == 0) release_slot(slot);
    return uses == 0 ? Value{} : put(Entry{Form{}, slot, uses & kMostUses, 0});
  }
  /// close() with a node in a reserved slot, which stays there for another contraction.
  void close_in(std::uint32_t slot) {
    drop_dominated();
    emit_edges();
    sink_.node(slot, static_cast<std::uint32_t>(terms_.size()));
  }

  /// open(), from(value, cost), close(uses), for the many vertices that wait for one thing only.
  Value shift(Value value, const Form& cost, std::uint32_t uses) {
    Entry& entry = entries_[value];
    if (entry.more == 0 && entry.uses == 1) {
      entry.form += cost;
      entry.uses = uses & kMostUses;
      return value;
    }
    if (entry.more == 0) {
      --entry.uses;
      Entry shifted{entry.form, entry.slot, uses & kMostUses, 0};
      shifted.form += cost;
      ++references_[entry.slot];
      return put(shifted);
    }
    open();
    from(value, cost);
    return close(uses);
  }

  /// The last node, the maximum of what was opened. Nothing comes after it.
  void close_last() {
    drop_dominated();
    emit_edges();
    emit_node();
  }

  std::uint32_t slots() const { return static_cast<std::uint32_t>(references_.size()); }

 private:
  /// A vertex with more terms is not taken apart: its terms would be copied on and on.
  static constexpr std::size_t kMostInlined = 16;
  static constexpr std::uint32_t kMostCompared = 16;
  static constexpr std::uint32_t kNone = 0xffffffffu;
  static constexpr std::uint32_t kMostUses = 0x7fffffffu;

  struct Term {
    Form form;
    std::uint32_t slot;
  };
  /// The first term; all others, which are rare, lie in rest_.
  struct Entry {
    Form form;
    std::uint32_t slot;
    std::uint32_t uses : 31;
    std::uint32_t more : 1;
  };
  struct LastOfSlot {
    std::uint32_t round;
    std::uint32_t term;
  };

  void add_terms(Value value, const Form& cost) {
    const Entry& entry = entries_[value];
    terms_.push_back({entry.form, entry.slot});
    terms_.back().form += cost;
    if (entry.more == 0) return;
    for (const Term& t : rest_[value]) {
      terms_.push_back(t);
      terms_.back().form += cost;
    }
  }

  /// Keeps, of terms with one source, those that none of the last few kept before them dominates.
  /// A term too many costs an edge; comparing all with all would be quadratic in the ranks.
  void drop_dominated() {
    if (terms_.size() == 1) return;
    if (last_of_slot_.size() < references_.size()) {
      last_of_slot_.resize(references_.size() + references_.size() / 2, {0, 0});
    }
    ++round_;
    before_.resize(terms_.size());
    bool some_dropped = false;
    for (std::uint32_t i = 0; i < terms_.size(); ++i) {
      Term& term = terms_[i];
      LastOfSlot& last = last_of_slot_[term.slot];
      std::uint32_t newest = last.round == round_ ? last.term : kNone;
      std::uint32_t* link = &newest;
      bool dominated = false;
      for (std::uint32_t compared = 0; *link != kNone && !dominated && compared < kMostCompared;
           ++compared) {
        Term& before = terms_[*link];
        dominated = before.form.dominates(term.form);
        if (!dominated && term.form.dominates(before.form)) {
          before.slot = kNone;
          some_dropped = true;
          *link = before_[*link];
        } else {
          link = &before_[*link];
        }
      }
      if (dominated) {
        term.slot = kNone;
        some_dropped = true;
        last = {round_, newest};
      } else {
        before_[i] = newest;
        last = {round_, i};
      }
    }
    if (some_dropped) std::erase_if(terms_, [](const Term& t) { return t.slot == kNone; });
  }

  void hold_terms() {
    for (const Term& t : terms_) ++references_[t.slot];
  }
  void release_slot(std::uint32_t slot) {
    if (--references_[slot] == 0) free_slots_.push_back(slot);
  }
  void release_consumed() {
    for (const Value value : consumed_) {
      Entry& entry = entries_[value];
      if (--entry.uses > 0) continue;
      release_slot(entry.slot);
      if (entry.more != 0) {
        for (const Term& t : rest_[value]) release_slot(t.slot);
      }
      free_entries_.push_back(value);
    }
  }

  void emit_edges() {
    for (const Term& t : terms_) sink_.edge(t.slot, t.form);
  }
  /// The terms become a node and then the one term that means it.
  void emit_node() {
    std::uint32_t slot = 0;
    if (free_slots_.empty()) {
      slot = slots();
      references_.push_back(0);
    } else {
      slot = free_slots_.back();
      free_slots_.pop_back();
    }
    sink_.node(slot, static_cast<std::uint32_t>(terms_.size()));
    terms_.assign(1, {Form{}, slot});
  }

  Value put(std::uint32_t uses) {
    const bool more = terms_.size() > 1;
    const Value value =
        put(Entry{terms_.front().form, terms_.front().slot, uses & kMostUses, more});
    if (more) {
      if (rest_.size() < entries_.size()) rest_.resize(entries_.size() + entries_.size() / 2);
      rest_[value].assign(terms_.begin() + 1, terms_.end());
    }
    return value;
  }
  Value put(const Entry& entry) {
    if (free_entries_.empty()) {
      entries_.push_back(entry);
      return static_cast<Value>(entries_.size() - 1);
    }
    const Value value = free_entries_.back();
    free_entries_.pop_back();
    entries_[value] = entry;
    return value;
  }

  Sink& sink_;
  std::vector<Entry> entries_;
  std::vector<std::vector<Term>> rest_;  // by value
  std::vector<Value> free_entries_;
  std::vector<std::uint32_t> references_{1};  // terms on each slot; slot 0 is never free
  std::vector<std::uint32_t> free_slots_;
  std::vector<Term> terms_;      // of the vertex that is open
  std::vector<Value> consumed_;  // by it
  std::vector<LastOfSlot> last_of_slot_;
  std::vector<std::uint32_t> before_;  // of each term the one before on its slot
  std::uint32_t round_ = 0;
};

}  // namespace slackline
