#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace slackline {

/// A row that has one sum.
template <class Key, class Sum>
struct KeyedSum {
  Key of;
  Sum sum;

  const Key& key() const { return of; }
  void add(const KeyedSum& other) { sum += other.sum; }
};

/// Sums by key as rows: a Row has key(), which can be compared, and add(), which adds what another
/// row of the same key has. Puts rows of equal keys together; then they ascend by key.
template <class Row>
void add_up_rows(std::vector<Row>& rows) {
  std::ranges::sort(rows, [](const Row& a, const Row& b) { return a.key() < b.key(); });
  std::size_t last = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[last].key() == rows[i].key()) {
      rows[last].add(rows[i]);
    } else if (++last != i) {
      rows[last] = rows[i];
    }
  }
  if (!rows.empty()) rows.resize(last + 1);
}

/// When to put rows together that are appended again and again: each time that there are twice as
/// many, which costs as much as to do so once, but for a logarithm.
class RowGrowth {
 public:
  bool is_due(std::size_t rows) const { return rows > 2 * settled_ + kFew; }
  void settle(std::size_t rows) { settled_ = rows; }

 private:
  static constexpr std::size_t kFew = 4096;
  std::size_t settled_ = 0;
};

/// One table of such rows.
template <class Row>
class RowTable {
 public:
  /// To be followed by add_up() in the end.
  void append(const std::vector<Row>& more) {
    rows_.insert(rows_.end(), more.begin(), more.end());
    if (growth_.is_due(rows_.size())) add_up();
  }
  template <class Visit>
  void for_each_table(Visit visit) {
    visit(rows_);
  }
  void add_up() {
    add_up_rows(rows_);
    growth_.settle(rows_.size());
  }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row> rows_{};
  RowGrowth growth_{};
};

}  // namespace slackline
