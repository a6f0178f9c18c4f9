#include "formats/arrow/call_columns.h"

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "calls/call_paths.h"

namespace slackline {
namespace {

/// value(calls, rank, call) of every call.
template <class T, class ValueOf>
CallColumn computed_column(std::string name, const Trace& trace, ValueOf value) {
  CallColumn column{.name = std::move(name), .bytes = sizeof(T), .is_signed = std::is_signed_v<T>};
  column.fill = [&trace, value](std::int32_t rank, std::size_t first, std::size_t count, char* to) {
    const RankCalls& calls = trace.calls(rank);
    for (std::size_t call = first; call < first + count; ++call, to += sizeof(T)) {
      const T next = value(calls, rank, static_cast<std::uint32_t>(call));
      std::memcpy(to, &next, sizeof(T));
    }
  };
  return column;
}

template <class T>
using WholeColumn = std::span<const T> (RankCalls::*)() const;

/// A column that every rank has as an array.
template <class T>
CallColumn stored_column(std::string name, const Trace& trace, WholeColumn<T> whole) {
  CallColumn column{.name = std::move(name), .bytes = sizeof(T), .is_signed = std::is_signed_v<T>};
  column.fill = [&trace, whole](std::int32_t rank, std::size_t first, std::size_t count, char* to) {
    std::memcpy(to, (trace.calls(rank).*whole)().data() + first, count * sizeof(T));
  };
  return column;
}

CallColumn with_texts(CallColumn column, std::vector<std::string> texts) {
  column.is_text = true;
  column.texts = std::move(texts);
  return column;
}

/// Only the operations that occur, in the order of their numbers.
CallColumn operation_column(const Trace& trace) {
  std::array<bool, kOperationCount> occurs{};
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    for (const Operation o : trace.calls(rank).operations()) {
      occurs[static_cast<std::size_t>(o)] = true;
    }
  }
  std::array<std::int16_t, kOperationCount> code{};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kOperationCount; ++i) {
    if (!occurs[i]) continue;
    code[i] = static_cast<std::int16_t>(names.size());
    names.emplace_back(mpi_name(static_cast<Operation>(i)));
  }
  const auto code_of = [code](const RankCalls& calls, std::int32_t, std::uint32_t call) {
    return code[static_cast<std::size_t>(calls.operation(call))];
  };
  return with_texts(computed_column<std::int16_t>("operation", trace, code_of), std::move(names));
}

/// The innermost function on the path of each call.
CallColumn function_column(const Trace& trace) {
  const CallTree& tree = trace.call_tree();
  std::vector<std::string> names{""};
  std::map<std::string, std::int32_t, std::less<>> numbers{{"", 0}};
  std::vector<std::int32_t> code(tree.size() + 1, 0);
  for (FrameId frame = 1; frame <= tree.size(); ++frame) {
    const std::string& function = tree.location(frame).function;
    const auto [number, fresh] =
        numbers.try_emplace(function, static_cast<std::int32_t>(names.size()));
    if (fresh) names.push_back(function);
    code[frame] = number->second;
  }
  const auto code_of = [code = std::move(code)](const RankCalls& calls, std::int32_t,
                                                std::uint32_t call) {
    return code[calls.frame(call)];
  };
  return with_texts(computed_column<std::int32_t>("function", trace, code_of), std::move(names));
}

CallColumn region_column(const Trace& trace) {
  const auto paths = std::make_shared<const CallPaths>(CallPaths::of_regions_or_functions(trace));
  std::vector<std::string> names;
  for (PathId path = 0; path < paths->size(); ++path) names.push_back(paths->name(path));
  const auto path_of = [paths](const RankCalls&, std::int32_t rank, std::uint32_t call) {
    return static_cast<std::int32_t>(paths->at_call(rank, call));
  };
  return with_texts(computed_column<std::int32_t>("region", trace, path_of), std::move(names));
}

}  // namespace

std::vector<CallColumn> call_columns(const Trace& trace) {
  const auto rank_of = [](const RankCalls&, std::int32_t rank, std::uint32_t) { return rank; };
  const auto call_of = [](const RankCalls&, std::int32_t, std::uint32_t call) { return call; };
  const auto thread_of = [](const RankCalls& calls, std::int32_t, std::uint32_t call) {
    return calls.thread(call);
  };
  return {computed_column<std::int32_t>("rank", trace, rank_of),
          computed_column<std::uint32_t>("call", trace, call_of),
          computed_column<std::uint16_t>("thread", trace, thread_of),
          operation_column(trace),
          stored_column<std::int64_t>("begin_ns", trace, &RankCalls::begins_ns),
          stored_column<std::int64_t>("end_ns", trace, &RankCalls::ends_ns),
          stored_column<std::uint64_t>("bytes", trace, &RankCalls::byte_counts),
          stored_column<std::int32_t>("peer", trace, &RankCalls::peers),
          stored_column<std::int32_t>("tag", trace, &RankCalls::tags),
          stored_column<std::uint32_t>("comm", trace, &RankCalls::comms),
          stored_column<std::uint32_t>("request", trace, &RankCalls::requests),
          stored_column<std::uint8_t>("flags", trace, &RankCalls::flags),
          region_column(trace),
          function_column(trace)};
}

}  // namespace slackline
