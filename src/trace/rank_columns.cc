#include "trace/rank_columns.h"

#include "base/error.h"

namespace slackline {

RankColumns::RankColumns(const RankColumns& other) : size_(other.size_), room_(other.size_) {
  for_each_column([&](auto column) {
    auto& own = this->*column;
    own = other.*column;
    own.move_to_own(size_, size_);
  });
}

RankColumns::RankColumns(RankColumns&& other) noexcept {
  *this = std::move(other);
}

RankColumns& RankColumns::operator=(RankColumns&& other) noexcept {
  for_each_column([&](auto column) { this->*column = std::exchange(other.*column, {}); });
  size_ = std::exchange(other.size_, 0);
  room_ = std::exchange(other.room_, 0);
  shared_ = std::exchange(other.shared_, false);
  return *this;
}

RankColumns& RankColumns::operator=(const RankColumns& other) {
  return *this = RankColumns(other);
}

void RankColumns::move_to_own(std::size_t room) {
  for_each_column([&](auto column) { (this->*column).move_to_own(size_, room); });
  room_ = room;
  shared_ = false;
}

void RankColumns::grow() {
  constexpr std::size_t kFirstRoom = 16;
  move_to_own(std::max(kFirstRoom, 2 * room_));
}

void RankColumns::reserve(std::size_t calls) {
  if (calls > room_) move_to_own(calls);
}

void RankColumns::shrink() {
  if (!shared_ && size_ < room_) move_to_own(size_);
}

bool RankColumns::follows(const RankColumns& before) const {
  bool all = true;
  for_each_column(
      [&](auto column) { all = all && (this->*column).follows(before.*column, before.size_); });
  return all;
}

namespace {

/// Where each rank's part begins, and at the end the number of all calls.
std::vector<std::size_t> begins_of(std::span<const std::size_t> counts) {
  std::vector<std::size_t> begins{0};
  for (const std::size_t count : counts) begins.push_back(begins.back() + count);
  return begins;
}

}  // namespace

void RankColumns::reserve_joined(std::span<RankColumns* const> ranks,
                                 std::span<const std::size_t> counts) {
  expects(ranks.size() == counts.size(), "every rank has a count");
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    expects(ranks[r]->size_ <= counts[r], "there is room for what a rank has");
  }
  move_into_shared(ranks, counts);
}

void RankColumns::join(std::span<RankColumns* const> ranks) {
  bool joined = true;
  for (std::size_t r = 1; r < ranks.size(); ++r)
    joined = joined && ranks[r]->follows(*ranks[r - 1]);
  if (joined) return;
  std::vector<std::size_t> counts;
  for (const RankColumns* rank : ranks) counts.push_back(rank->size_);
  move_into_shared(ranks, counts);
}

void RankColumns::move_into_shared(std::span<RankColumns* const> ranks,
                                   std::span<const std::size_t> counts) {
  const std::vector<std::size_t> begins = begins_of(counts);
  if (begins.back() == 0) return;
  for_each_column([&](auto column) {
    const auto array = (ranks.front()->*column).shared_array(begins.back());
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      (ranks[r]->*column).take_part(ranks[r]->size_, array, begins[r]);
    }
  });
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    ranks[r]->room_ = counts[r];
    ranks[r]->shared_ = true;
  }
}

}  // namespace slackline
