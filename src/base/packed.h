#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"

namespace slackline {

/// Appends a value as bytes, for another process of the same program. Its type may be trivially
/// copyable, a pair or a container with data() of types that can be packed, or have carried(),
/// which returns a tuple of references to members of such types.
template <class T>
void pack(std::vector<std::byte>& bytes, T& value);
/// Reads what pack() has written, and removes it from the front of `bytes`.
template <class T>
void unpack(std::span<const std::byte>& bytes, T& value);

namespace packed {

template <class T>
concept HasCarried = requires(T& value) { value.carried(); };
template <class T>
concept IsPair = requires(T& value) {
  value.first;
  value.second;
};

template <class T>
void pack_bytes(std::vector<std::byte>& bytes, const T* values, std::size_t count) {
  const auto of = std::as_bytes(std::span(values, count));
  bytes.insert(bytes.end(), of.begin(), of.end());
}

inline void expect_room(std::span<const std::byte> bytes, std::size_t count, std::size_t each) {
  expects(bytes.size() / each >= count, "what was packed is unpacked");
}

template <class T>
void unpack_bytes(std::span<const std::byte>& bytes, T* values, std::size_t count) {
  expect_room(bytes, count, sizeof(T));
  if (count > 0) std::memcpy(values, bytes.data(), count * sizeof(T));
  bytes = bytes.subspan(count * sizeof(T));
}

}  // namespace packed

template <class T>
void pack(std::vector<std::byte>& bytes, T& value) {
  if constexpr (packed::HasCarried<T>) {
    std::apply([&bytes](auto&... parts) { (pack(bytes, parts), ...); }, value.carried());
  } else if constexpr (packed::IsPair<T>) {
    pack(bytes, value.first);
    pack(bytes, value.second);
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    packed::pack_bytes(bytes, &value, 1);
  } else {
    const std::size_t count = value.size();
    packed::pack_bytes(bytes, &count, 1);
    if constexpr (std::is_trivially_copyable_v<typename T::value_type>) {
      packed::pack_bytes(bytes, value.data(), count);
    } else {
      for (auto& element : value) pack(bytes, element);
    }
  }
}

template <class T>
void unpack(std::span<const std::byte>& bytes, T& value) {
  if constexpr (packed::HasCarried<T>) {
    std::apply([&bytes](auto&... parts) { (unpack(bytes, parts), ...); }, value.carried());
  } else if constexpr (packed::IsPair<T>) {
    unpack(bytes, value.first);
    unpack(bytes, value.second);
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    packed::unpack_bytes(bytes, &value, 1);
  } else {
    std::size_t count = 0;
    packed::unpack_bytes(bytes, &count, 1);
    // Before memory is taken for it; an element is a byte at least.
    constexpr bool kPlain = std::is_trivially_copyable_v<typename T::value_type>;
    packed::expect_room(bytes, count, kPlain ? sizeof(typename T::value_type) : 1);
    value.resize(count);
    if constexpr (kPlain) {
      packed::unpack_bytes(bytes, value.data(), count);
    } else {
      for (auto& element : value) unpack(bytes, element);
    }
  }
}

}  // namespace slackline
