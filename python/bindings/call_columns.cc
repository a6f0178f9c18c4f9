// The columns of tables of calls. A trace has them rank by rank, so those of several ranks are put
// one after the other, each on its own and only when it is asked for.

#include "bindings/call_columns.h"

#include <array>
#include <functional>
#include <limits>

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

template <class T>
using WholeColumn = std::span<const T> (RankCalls::*)() const;

/// A column that every rank has as an array.
template <class T>
Buffer stored(const OpenedPtr& opened, const CallSelection& selection, WholeColumn<T> column) {
  const Trace& trace = opened->trace();
  if (selection.of_ranks.size() == 1 && !selection.of_ranks.front().scattered) {
    const SelectedCalls& only = selection.of_ranks.front();
    return view_of((trace.calls(only.rank).*column)().subspan(only.first, only.count), opened);
  }
  NewBuffer<T> made = new_buffer<T>(selection.rows());
  parallel_for(selection.of_ranks.size(), [&](std::size_t r) {
    const SelectedCalls& selected = selection.of_ranks[r];
    const std::span<const T> all = (trace.calls(selected.rank).*column)();
    T* const out = made.values.data() + selection.first_row[r];
    if (!selected.scattered) {
      std::ranges::copy(all.subspan(selected.first, selected.count), out);
      return;
    }
    for (std::size_t i = 0; i < selected.count; ++i) out[i] = all[(*selected.scattered)[i]];
  });
  return std::move(made.buffer);
}

/// The operations of the whole trace, so that all its tables of calls share their categories.
Column operation_column(const Opened& opened, const CallSelection& selection) {
  const Trace& trace = opened.trace();
  std::array<bool, kOperationCount> occurs{};
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    for (const Operation o : trace.calls(rank).operations()) {
      occurs[static_cast<std::size_t>(o)] = true;
    }
  }
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
/// without a copy.
template <class CodeOf>
Column text_column(const Trace& trace, const CallSelection& selection,
                   std::vector<std::string> texts, const CodeOf& code_of) {
  const auto codes = [&]<class Code>(Code) {
    return gathered<Code>(trace, selection,
                          [&](const RankCalls&, const SelectedCalls& selected, std::size_t i) {
                            return static_cast<Code>(code_of(selected.rank, selected[i]));
                          });
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

Column region_column(const Opened& opened, const CallSelection& selection) {
  const CallPaths& paths = opened.paths();
  return text_column(
      opened.trace(), selection, path_names(paths),
      [&](std::int32_t rank, std::uint32_t call) { return paths.at_call(rank, call); });
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
      opened.trace(), selection, functions.take(),
      [&](std::int32_t rank, std::uint32_t call) { return code[paths.at_call(rank, call)]; });
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

struct NamedColumn {
  std::string name;
  MakeColumn make;
};

const std::vector<NamedColumn>& columns() {
  static const std::vector<NamedColumn> kColumns{
      {"rank", gathered_column<std::int32_t>(
                   [](const RankCalls&, const SelectedCalls& s, std::size_t) { return s.rank; })},
      {"call", gathered_column<std::uint32_t>(
                   [](const RankCalls&, const SelectedCalls& s, std::size_t i) { return s[i]; })},
      {"thread", gathered_column<std::uint16_t>([](const RankCalls& calls, const SelectedCalls& s,
                                                   std::size_t i) { return calls.thread(s[i]); })},
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
