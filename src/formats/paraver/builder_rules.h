#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "trace/operation.h"

namespace slackline::paraver {

// What the parts of RankBuilder share: kinds of call, and heaps whose earliest entry comes first.

/// Calls of one time among which an end looks for its own.
inline constexpr std::size_t kLookBack = 64;

inline constexpr auto kLaterWaiting = [](const auto& a, const auto& b) {
  return a.end.logical_ns != b.end.logical_ns ? a.end.logical_ns > b.end.logical_ns
                                              : a.order > b.order;
};
inline constexpr auto kLaterCompletion = [](const auto& a, const auto& b) {
  return a.time != b.time ? a.time > b.time : a.request > b.request;
};

template <class T, class Later>
void push(std::vector<T>& heap, T value, Later later) {
  heap.push_back(std::move(value));
  std::ranges::push_heap(heap, later);
}

template <class T, class Later>
T pop(std::vector<T>& heap, Later later) {
  std::ranges::pop_heap(heap, later);
  T value = std::move(heap.back());
  heap.pop_back();
  return value;
}

inline bool sends(OperationClass c) {
  return c == OperationClass::send || c == OperationClass::isend || c == OperationClass::sendrecv ||
         c == OperationClass::start;
}

inline bool receives(OperationClass c) {
  return c == OperationClass::recv || c == OperationClass::irecv || c == OperationClass::sendrecv ||
         c == OperationClass::start;
}

inline bool completes_one(Operation operation) {
  return operation == Operation::wait || operation == Operation::waitany ||
         operation == Operation::test || operation == Operation::testany;
}

inline bool may_fail(Operation operation) {
  return operation == Operation::test || operation == Operation::testany ||
         operation == Operation::testall || operation == Operation::testsome;
}

/// Do the times of a receive say that it belongs to this call?
inline bool is_exact(Operation operation, std::int64_t begin, std::int64_t end,
                     std::int64_t logical) {
  const OperationClass c = operation_class(operation);
  return (c == OperationClass::irecv || c == OperationClass::start ? end : begin) == logical;
}

}  // namespace slackline::paraver
