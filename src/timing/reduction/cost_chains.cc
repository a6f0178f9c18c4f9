#include "timing/reduction/cost_chains.h"

#include <algorithm>

namespace slackline {
namespace {

bool is_before(const CostOwner& a, const CostOwner& b) {
  return a.kind != b.kind ? a.kind < b.kind : a.index < b.index;
}

std::int64_t sum_of(const std::vector<AttributedCost::Part>& parts) {
  std::int64_t sum = 0;
  for (const AttributedCost::Part& p : parts) sum += p.ticks;
  return sum;
}

}  // namespace

bool ChainCost::dominates(const ChainCost& o) const {
  if (ticks < o.ticks) return false;
  if (o.parts == 0) return o.ticks == 0 || parts == 0;
  if (parts == o.parts) return true;
  if (parts == 0) return false;
  const std::vector<CostChains::Part> mine = chains->read(parts);
  const std::vector<CostChains::Part>& others = chains->read(o.parts);
  if (ticks - sum_of(mine) < o.ticks - sum_of(others)) return false;
  auto own = mine.begin();
  for (const CostChains::Part& part : others) {
    while (own != mine.end() && is_before(own->owner, part.owner)) ++own;
    if (own == mine.end() || own->owner != part.owner || own->ticks < part.ticks) return false;
  }
  return true;
}

ChainCost CostChains::add(const AttributedCost& cost) {
  return {cost.ticks, this, cost.parts.empty() ? 0 : write(cost.parts)};
}

std::uint32_t CostChains::write(const std::vector<Part>& parts) {
  const auto count = static_cast<std::uint32_t>(parts.size());
  chains_.push_back({static_cast<std::uint32_t>(parts_.size()), kWritten, count, count});
  parts_.insert(parts_.end(), parts.begin(), parts.end());
  return static_cast<std::uint32_t>(chains_.size() - 1);
}

std::uint32_t CostChains::sum(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t count = chains_[a].count + chains_[b].count;
  const std::uint32_t written = std::max(chains_[a].written, chains_[b].written);
  chains_.push_back({a, b, count, written});
  const auto chain = static_cast<std::uint32_t>(chains_.size() - 1);
  if (count <= std::max(kMostUnsummed, 2 * written)) return chain;
  const std::vector<Part> parts = read(chain);
  chains_.pop_back();
  return write(parts);
}

const std::vector<CostChains::Part>& CostChains::read(std::uint32_t chain) {
  read_.clear();
  unread_.assign(1, chain);
  while (!unread_.empty()) {
    const Chain c = chains_[unread_.back()];
    unread_.pop_back();
    if (c.second == kWritten) {
      read_.insert(read_.end(), parts_.begin() + c.first, parts_.begin() + c.first + c.count);
    } else {
      unread_.push_back(c.first);
      unread_.push_back(c.second);
    }
  }
  std::ranges::sort(read_,
                    [](const Part& a, const Part& b) { return is_before(a.owner, b.owner); });
  std::size_t kept = 0;
  for (const Part& part : read_) {
    if (kept > 0 && read_[kept - 1].owner == part.owner) {
      read_[kept - 1].ticks += part.ticks;
    } else {
      read_[kept++] = part;
    }
  }
  read_.resize(kept);
  return read_;
}

}  // namespace slackline
