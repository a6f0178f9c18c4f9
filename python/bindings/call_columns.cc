// The columns of tables of calls. The trace's own ones are views of it where the selected calls
// stand one after the other in memory; else, and where a column is derived, values are gathered
// rank by rank, each column on its own and only when it is asked for.

#include "bindings/call_columns.h"

#include <array>
#include <functional>
#include <limits>
#include <optional>

#include "base/error.h"
#include "base/parallel.h"

namespace slackline::python {
namespace {

/// value(calls, call) of every selected call.
template <class T, class ValueOf>
Buffer gathered(const Trace& trace, const CallSelection& selection, const ValueOf& value) {
  NewBuffer<T> made = new_buffer<T>(selection.rows());
  parallel_for(selection.of_ranks.size(), [&](std::size_t r) {
    const SelectedCalls& selected = selection.of_ranks[r];
    const RankCalls& calls = trace.calls(selected.rank);
    T* const out = made.values.data() + selection.first_row[r];
    for (std::size_t i = 0; i < selected.count; ++i) out[i] = value(calls, selected, i);
  });
  return std::move(made.buffer);
}

/// A column of which all values are the same costs one.
template <class T>
Buffer constant(const CallSelection& selection, T value) {
  NewBuffer<T> made = new_buffer<T>(1);
  made.values[0] = value;
  made.buffer.size = selection.rows();
  made.buffer.repeats_first = true;
  made.buffer.writable = false;
  return std::move(made.buffer);
}

template <class T>
using WholeColumn = std::span<const T> (RankCalls::*)() const;

/// The selected calls of a rank in a column.
template <class T>
std::span<const T> part_of(const Trace& trace, const SelectedCalls& selected,
                           WholeColumn<T> column) {
  return (trace.calls(selected.rank).*column)().subspan(selected.first, selected.count);
}

/// The selected calls in a column, if they stand one after the other in memory. The columns of an
/// Opened are joined, so that this is so of all or of none.
template <class T>
std::optional<std::span<const T>> in_one_piece(const Trace& trace, const CallSelection& selection,
                                               WholeColumn<T> column) {
  std::span<const T> all;
  for (const SelectedCalls& selected : selection.of_ranks) {
    if (selected.count == 0) continue;
    if (selected.scattered) return std::nullopt;
    const std::span<const T> part = part_of(trace, selected, column);
    if (all.empty()) {
      all = part;
    } else if (all.data() + all.size() == part.data()) {
      all = {all.data(), all.size() + part.size()};
    } else {
      return std::nullopt;
    }
  }
  return all;
}

/// A column that the trace has as an array.
template <class T>
Buffer stored(const OpenedPtr& opened, const CallSelection& selection, WholeColumn<T> column) {
  const Trace& trace = opened->trace();
  if (const auto all = in_one_piece(trace, selection, column)) return view_of(*all, opened);
  NewBuffer<T> made = new_buffer<T>(selection.rows());
  parallel_for(selection.of_ranks.size(), [&](std::size_t r) {
    const SelectedCalls& selected = selection.of_ranks[r];
    T* const out = made.values.data() + selection.first_row[r];
    if (!selected.scattered) {
      std::ranges::copy(part_of(trace, selected, column), out);
      return;
    }
    const std::span<const T> all = (trace.calls(selected.rank).*column)();
    for (std::size_t i = 0; i < selected.count; ++i) out[i] = all[(*selected.scattered)[i]];
  });
  return std::move(made.buffer);
}

Buffer rank_values(const OpenedPtr& opened, const CallSelection& selection) {
  if (selection.of_ranks.size() == 1) return constant(selection, selection.of_ranks.front().rank);
  return gathered<std::int32_t>(
      opened->trace(), selection,
      [](const RankCalls&, const SelectedCalls& s, std::size_t) { return s.rank; });
}

Buffer thread_values(const OpenedPtr& opened, const CallSelection& selection) {
  const Trace& trace = opened->trace();
  const bool has_threads = std::ranges::any_of(selection.of_ranks, [&](const SelectedCalls& s) {
    return trace.calls(s.rank).has_threads();
  });
  if (!has_threads) return constant(selection, std::uint16_t{0});
  return gathered<std::uint16_t>(trace, selection,
                                 [](const RankCalls& calls, const SelectedCalls& s, std::size_t i) {
                                   return calls.thread(s[i]);
                                 });
}

std::array<bool, kOperationCount> occurring_operations(const Trace& trace) {
  std::vector<std::array<bool, kOperationCount>> of_rank(static_cast<std::size_t>(trace.ranks()));
  parallel_for(of_rank.size(), [&](std::size_t r) {
    for (const Operation o : trace.calls(static_cast<std::int32_t>(r)).operations()) {
      of_rank[r][static_cast<std::size_t>(o)] = true;
    }
  });
  std::array<bool, kOperationCount> occurs{};
  for (const auto& rank : of_rank) {
    for (std::size_t i = 0; i < kOperationCount; ++i) occurs[i] = occurs[i] || rank[i];
  }
  return occurs;
}

/// The operations of the whole trace, so that all its tables of calls share their categories.
Column operation_column(const Opened& opened, const CallSelection& selection) {
  const Trace& trace = opened.trace();
  const std::array<bool, kOperationCount> occurs = occurring_operations(trace);
  static_assert(kOperationCount <= 256);
  std::array<std::uint8_t, kOperationCount> code{};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kOperationCount; ++i) {
    if (!occurs[i]) continue;
    code[i] = static_cast<std::uint8_t>(names.size());
    names.emplace_back(mpi_name(static_cast<Operation>(i)));
  }
  const auto code_of = [&](const RankCalls& calls, const SelectedCalls& selected, std::size_t i) {
    return code[static_cast<std::size_t>(calls.operation(selected[i]))];
  };
  return {.name = "operation",
          .values = gathered<std::uint8_t>(trace, selection, code_of),
          .categories = std::move(names)};
}

/// A column of text, with codes as narrow as the number of texts permits: pandas takes those
/// without a copy. `codes_of(selected, out)` sets those of one rank's selected calls.
template <class CodesOf>
Column text_column(const CallSelection& selection, std::vector<std::string> texts,
                   const CodesOf& codes_of) {
  if (texts.size() == 1) {
    return {.values = constant(selection, std::int8_t{0}), .categories = std::move(texts)};
  }
  const auto codes = [&]<class Code>(Code) {
    NewBuffer<Code> made = new_buffer<Code>(selection.rows());
    parallel_for(selection.of_ranks.size(), [&](std::size_t r) {
      codes_of(selection.of_ranks[r], made.values.data() + selection.first_row[r]);
    });
    return std::move(made.buffer);
  };
  const auto fits = [&]<class Code>(Code) {
    return texts.size() <= static_cast<std::size_t>(std::numeric_limits<Code>::max());
  };
  Column column;
  column.values = fits(std::int8_t{})    ? codes(std::int8_t{})
                  : fits(std::int16_t{}) ? codes(std::int16_t{})
                                         : codes(std::int32_t{});
  column.categories = std::move(texts);
  return column;
}

/// Calls use(i, path) for each selected call, which are in the order of their numbers. Paths of
/// regions change at few calls, so each is looked up once.
template <class Use>
void for_each_path(const Trace& trace, const CallPaths& paths, const SelectedCalls& selected,
                   const Use& use) {
  if (paths.has_functions()) {
    for (std::size_t i = 0; i < selected.count; ++i) {
      use(i, paths.at_call(selected.rank, selected[i]));
    }
    return;
  }
  const std::span<const RegionEvent> events = trace.calls(selected.rank).regions();
  std::size_t next = 0;
  PathId path = 0;
  for (std::size_t i = 0; i < selected.count; ++i) {
    const std::uint32_t call = selected[i];
    while (next < events.size() && events[next].before_call <= call) {
      path = paths.after_event(selected.rank, next++);
    }
    use(i, path);
  }
}

Column region_column(const Opened& opened, const CallSelection& selection) {
  const CallPaths& paths = opened.paths();
  return text_column(
      selection, path_names(paths), [&]<class Code>(const SelectedCalls& selected, Code* out) {
        for_each_path(opened.trace(), paths, selected,
                      [&](std::size_t i, PathId path) { out[i] = static_cast<Code>(path); });
      });
}

/// The innermost function on the path of each call.
Column function_column(const Opened& opened, const CallSelection& selection) {
  const CallPaths& paths = opened.function_paths();
  Categories functions;
  std::vector<std::int32_t> code;
  for (PathId path = 0; path < paths.size(); ++path) {
    code.push_back(functions.code(paths.innermost(path)));
  }
  return text_column(
      selection, functions.take(), [&]<class Code>(const SelectedCalls& selected, Code* out) {
        for_each_path(opened.trace(), paths, selected,
                      [&](std::size_t i, PathId path) { out[i] = static_cast<Code>(code[path]); });
      });
}

using MakeColumn = std::function<Column(const OpenedPtr&, const CallSelection&)>;

template <class T>
MakeColumn stored_column(WholeColumn<T> column) {
  return [column](const OpenedPtr& opened, const CallSelection& selection) {
    return Column{.values = stored(opened, selection, column)};
  };
}

template <class T, class ValueOf>
MakeColumn gathered_column(ValueOf value) {
  return [value](const OpenedPtr& opened, const CallSelection& selection) {
    return Column{.values = gathered<T>(opened->trace(), selection, value)};
  };
}

MakeColumn values_column(Buffer (*make)(const OpenedPtr&, const CallSelection&)) {
  return [make](const OpenedPtr& opened, const CallSelection& selection) {
    return Column{.values = make(opened, selection)};
  };
}

struct NamedColumn {
  std::string name;
  MakeColumn make;
};

const std::vector<NamedColumn>& columns() {
  static const std::vector<NamedColumn> kColumns{
      {"rank", values_column(rank_values)},
      {"call", gathered_column<std::uint32_t>(
                   [](const RankCalls&, const SelectedCalls& s, std::size_t i) { return s[i]; })},
      {"thread", values_column(thread_values)},
      {"operation",
       [](const OpenedPtr& o, const CallSelection& s) { return operation_column(*o, s); }},
      {"begin_ns", stored_column<std::int64_t>(&RankCalls::begins_ns)},
      {"end_ns", stored_column<std::int64_t>(&RankCalls::ends_ns)},
      {"bytes", stored_column<std::uint64_t>(&RankCalls::byte_counts)},
      {"peer", stored_column<std::int32_t>(&RankCalls::peers)},
      {"tag", stored_column<std::int32_t>(&RankCalls::tags)},
      {"comm", stored_column<std::uint32_t>(&RankCalls::comms)},
      {"request", stored_column<std::uint32_t>(&RankCalls::requests)},
      {"flags", stored_column<std::uint8_t>(&RankCalls::flags)},
      {"region", [](const OpenedPtr& o, const CallSelection& s) { return region_column(*o, s); }},
      {"function",
       [](const OpenedPtr& o, const CallSelection& s) { return function_column(*o, s); }},
  };
  return kColumns;
}

}  // namespace

std::vector<std::string> call_column_names() {
  std::vector<std::string> names;
  for (const NamedColumn& column : columns()) names.push_back(column.name);
  return names;
}

Column call_column(const OpenedPtr& opened, const CallSelection& selection,
                   const std::string& name) {
  const auto found = std::ranges::find(columns(), name, &NamedColumn::name);
  expects(found != columns().end(), "calls have the column");
  Column column = found->make(opened, selection);
  column.name = name;
  return column;
}

}  // namespace slackline::python
