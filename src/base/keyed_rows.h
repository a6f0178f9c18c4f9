#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>
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

/// Appends the rows of each table to the one in the same place. Tables are vectors of rows, as
/// std::tie() has them.
template <class... Rows>
void append_tables(std::tuple<std::vector<Rows>&...> to, std::tuple<std::vector<Rows>&...> from) {
  const auto append = []<class Row>(std::vector<Row>& rows, const std::vector<Row>& more) {
    rows.insert(rows.end(), more.begin(), more.end());
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (append(std::get<I>(to), std::get<I>(from)), ...);
  }(std::index_sequence_for<Rows...>());
}

template <class... Rows>
void add_up_tables(std::tuple<std::vector<Rows>&...> tables) {
  std::apply([](auto&... rows) { (add_up_rows(rows), ...); }, tables);
}

/// The sum of many objects with tables(), as std::tie() makes them, and add_up(), which puts rows
/// of equal keys together. That is done each time that there are twice as many rows, so at most
/// twice as many are kept.
template <class Tables>
class TableSum {
 public:
  void append(Tables more) {
    append_tables(sum_.tables(), more.tables());
    if (rows() > 2 * added_up_ + kFew) add_up();
  }
  /// All so far; nothing is left.
  Tables take() {
    add_up();
    added_up_ = 0;
    return std::exchange(sum_, Tables());
  }

 private:
  static constexpr std::size_t kFew = 4096;

  std::size_t rows() {
    return std::apply([](const auto&... rows) { return (rows.size() + ... + 0); }, sum_.tables());
  }
  void add_up() {
    sum_.add_up();
    added_up_ = rows();
  }

  Tables sum_{};
  std::size_t added_up_ = 0;
};

}  // namespace slackline
