#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/keyed_rows.h"
#include "parallel/process_group.h"

namespace slackline {

// Rows by key (base/keyed_rows.h) of several processes, added up. Each process adds up those of a
// range of keys and gives all others the sums: where all have the same keys, what a process sends
// does not grow with their number.

namespace shared_rows {

template <class Row>
void append(const std::vector<Row>& rows, std::size_t first, std::size_t end, Bytes& to) {
  static_assert(std::is_trivially_copyable_v<Row>);
  const std::uint64_t count = end - first;
  const std::size_t at = to.size();
  to.resize(at + sizeof count + count * sizeof(Row));
  std::memcpy(to.data() + at, &count, sizeof count);
  if (count > 0) std::memcpy(to.data() + at + sizeof count, &rows[first], count * sizeof(Row));
}

/// Takes off, from `at` on, what append() has appended.
template <class Row>
void take(const Bytes& from, std::size_t& at, std::vector<Row>& to) {
  std::uint64_t count = 0;
  std::memcpy(&count, from.data() + at, sizeof count);
  at += sizeof count;
  const std::size_t before = to.size();
  to.resize(before + static_cast<std::size_t>(count));
  if (count > 0) std::memcpy(&to[before], from.data() + at, count * sizeof(Row));
  at += static_cast<std::size_t>(count) * sizeof(Row);
}

/// A few of many rows, evenly spread, and others than other processes choose where these have the
/// same. The keys of few rows are all one process's.
template <class Row>
std::vector<Row> sample(const std::vector<Row>& rows, const ProcessGroup& group) {
  constexpr std::size_t kFew = 64;
  constexpr std::size_t kSamples = 4;
  std::vector<Row> some;
  if (rows.size() < kFew) return some;
  const auto processes = static_cast<std::size_t>(group.size());
  for (std::size_t i = 0; i < kSamples; ++i) {
    const std::size_t place = i * processes + static_cast<std::size_t>(group.rank());
    some.push_back(rows[place * rows.size() / (kSamples * processes)]);
  }
  return some;
}

/// Appends to to_each[p] those rows, which ascend by key, whose keys are process p's, by rows that
/// all processes have given.
template <class Row>
void append_ranges(const std::vector<Row>& rows, std::vector<Row> samples,
                   std::vector<Bytes>& to_each) {
  const auto by_key = [](const Row& a, const Row& b) { return a.key() < b.key(); };
  std::ranges::sort(samples, by_key);
  std::size_t first = 0;
  for (std::size_t p = 0; p < to_each.size(); ++p) {
    std::size_t end = rows.size();
    if (p + 1 < to_each.size()) {
      const std::size_t next = (p + 1) * samples.size() / to_each.size();
      const auto at =
          samples.empty() ? rows.end() : std::ranges::lower_bound(rows, samples[next], by_key);
      end = static_cast<std::size_t>(at - rows.begin());
    }
    append(rows, first, end, to_each[p]);
    first = end;
  }
}

/// The tables of what each process has sent.
template <class... Rows>
void take_all(const std::vector<Bytes>& from_each, std::tuple<std::vector<Rows>&...> tables) {
  std::apply([](auto&... rows) { (rows.clear(), ...); }, tables);
  for (const Bytes& from : from_each) {
    std::size_t at = 0;
    std::apply([&](auto&... rows) { (take(from, at, rows), ...); }, tables);
  }
}

}  // namespace shared_rows

/// Adds up the tables of all processes: after that each has the rows of a range of keys, those of
/// lower keys the processes before it. All processes call it together.
template <class... Rows>
void spread_tables(ProcessGroup& group, std::tuple<std::vector<Rows>&...> tables) {
  add_up_tables(tables);
  const auto count = static_cast<std::size_t>(group.size());
  Bytes mine;
  std::apply(
      [&](auto&... rows) {
        const auto give = [&](const auto& some) {
          shared_rows::append(some, 0, some.size(), mine);
        };
        (give(shared_rows::sample(rows, group)), ...);
      },
      tables);
  std::tuple<std::vector<Rows>...> samples;
  shared_rows::take_all(group.exchange_with_all(mine),
                        std::apply([](auto&... rows) { return std::tie(rows...); }, samples));
  std::vector<Bytes> to_each(count);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (shared_rows::append_ranges(std::get<I>(tables), std::move(std::get<I>(samples)), to_each),
     ...);
  }(std::index_sequence_for<Rows...>());
  shared_rows::take_all(group.exchange(std::move(to_each)), tables);
  add_up_tables(tables);
}

enum class Receiver : std::uint8_t { all, first };

/// Gives all processes, or the first one only, the rows of each, those of the first one first. The
/// others have none then.
template <class... Rows>
void gather_tables(ProcessGroup& group, std::tuple<std::vector<Rows>&...> tables,
                   Receiver receiver) {
  Bytes mine;
  std::apply([&](auto&... rows) { (shared_rows::append(rows, 0, rows.size(), mine), ...); },
             tables);
  if (receiver == Receiver::all) {
    return shared_rows::take_all(group.exchange_with_all(mine), tables);
  }
  std::vector<Bytes> to_each(static_cast<std::size_t>(group.size()));
  to_each.front() = std::move(mine);
  std::vector<Bytes> received = group.exchange(std::move(to_each));
  if (!group.is_first()) received.clear();
  shared_rows::take_all(received, tables);
}

/// Adds up the tables that each process has added up of its own. All processes call it together.
template <class... Rows>
void add_up_over_processes(ProcessGroup& group, std::tuple<std::vector<Rows>&...> tables,
                           Receiver receiver) {
  if (group.size() == 1) return;
  spread_tables(group, tables);
  gather_tables(group, tables, receiver);
}

/// The same of an object with tables (TableSum).
template <class Tables>
void add_up_over_processes(ProcessGroup& group, Tables& tables, Receiver receiver) {
  if (group.size() == 1) return;
  add_up_over_processes(group, tables.tables(), receiver);
  tables.add_up();
}

}  // namespace slackline
