#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/large_pages.h"
#include "trace/operation.h"

namespace slackline {

/// One column of a rank's calls: an array of its own, or the rank's part of one that several ranks
/// share. How much of it is used, RankColumns knows.
template <class T>
class RankColumn {
 public:
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  const T* data() const { return data_; }

  /// Moves the first `used` values into an array of its own with room for `room` of them.
  void move_to_own(std::size_t used, std::size_t room) {
    take_part(used, room == 0 ? nullptr : shared_array(room), 0);
  }
  /// Moves them into part of an array, from its index `at` on.
  void take_part(std::size_t used, std::shared_ptr<T> array, std::size_t at) {
    T* const to = array == nullptr ? nullptr : array.get() + at;
    if (used > 0) std::copy_n(data_, used, to);
    array_ = std::move(array);
    data_ = to;
  }
  /// Whether this one's values stand in memory right behind `used` values of `before`, in the same
  /// array.
  bool follows(const RankColumn& before, std::size_t used) const {
    return array_ == before.array_ && data_ == before.data_ + used;
  }

  /// Values that are yet to be set. Their memory is only touched when they are.
  static std::shared_ptr<T> shared_array(std::size_t count) {
    HugePageAllocator<T> allocator;
    T* const values = allocator.allocate(count);
    return {values, [count](T* memory) { HugePageAllocator<T>().deallocate(memory, count); }};
  }

 private:
  std::shared_ptr<T> array_;
  T* data_ = nullptr;
};

/// The columns that every call of a rank has, of one length. Those of all ranks may stand one after
/// the other in the same arrays: when their lengths are known in advance (`reserve_joined`), or by
/// moving them there at the end (`join`). A copy has arrays of its own.
struct RankColumns {
  RankColumn<std::int64_t> begin_ns, end_ns;
  RankColumn<std::uint64_t> bytes;
  RankColumn<std::int32_t> peer, tag;
  RankColumn<std::uint32_t> comm, request;
  RankColumn<std::uint32_t> args_at;  ///< index into the rank's arguments of [count, values...]
  RankColumn<Operation> operation;
  RankColumn<std::uint8_t> flags;

  RankColumns() = default;
  RankColumns(const RankColumns& other);
  RankColumns(RankColumns&& other) noexcept;
  RankColumns& operator=(const RankColumns& other);
  RankColumns& operator=(RankColumns&& other) noexcept;
  ~RankColumns() = default;

  std::size_t size() const { return size_; }
  /// Adds a call, whose values the caller sets. Amortised O(1).
  std::size_t add() {
    if (size_ == room_) grow();
    return size_++;
  }
  /// Room for this many calls in all. Does nothing where that is there.
  void reserve(std::size_t calls);
  /// Gives back room that is not used, unless it is part of a shared array.
  void shrink();

  /// Whether every column stands right behind that of `before`.
  bool follows(const RankColumns& before) const;
  /// Room for counts[i] calls of ranks[i], not fewer than it has, so that their columns are joined
  /// when each has as many.
  static void reserve_joined(std::span<RankColumns* const> ranks,
                             std::span<const std::size_t> counts);
  /// Moves the columns of all ranks into joined arrays, unless they are joined. One column after
  /// the other, so that at most one of them is there twice. O(calls).
  static void join(std::span<RankColumns* const> ranks);

 private:
  static constexpr auto kAll = std::tuple{
      &RankColumns::begin_ns,  &RankColumns::end_ns, &RankColumns::bytes,   &RankColumns::peer,
      &RankColumns::tag,       &RankColumns::comm,   &RankColumns::request, &RankColumns::args_at,
      &RankColumns::operation, &RankColumns::flags};
  template <class Do>
  static void for_each_column(const Do& what) {
    std::apply([&](auto... column) { (what(column), ...); }, kAll);
  }
  void grow();
  void move_to_own(std::size_t room);
  static void move_into_shared(std::span<RankColumns* const> ranks,
                               std::span<const std::size_t> counts);

  std::size_t size_ = 0;
  std::size_t room_ = 0;
  bool shared_ = false;  // the arrays are not this rank's alone
};

}  // namespace slackline
