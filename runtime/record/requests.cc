#include "requests.h"

#include <cstdlib>

namespace slackline::record {

namespace {

constexpr std::size_t kFirstCapacity = 256;

std::uint64_t mix(std::uint64_t x) {
  x *= 0x9e3779b97f4a7c15u;
  return x ^ (x >> 32);
}

}  // namespace

std::size_t RequestTable::home(std::uint64_t handle, std::uint64_t address) const {
  return static_cast<std::size_t>(mix(handle ^ mix(address))) & (capacity_ - 1);
}

std::size_t RequestTable::home(const Request& r) const {
  return home(r.handle, r.by_address ? r.address : 0);
}

bool RequestTable::is_shared(std::uint64_t handle) const {
  for (const std::uint64_t shared : shared_) {
    if (shared == handle) return true;
  }
  return false;
}

bool RequestTable::mark_shared(std::uint64_t handle) {
  for (std::uint64_t& shared : shared_) {
    if (shared == 0) shared = handle;
    if (shared == handle) return true;
  }
  return false;
}

Request* RequestTable::probe(std::uint64_t handle, std::uint64_t address, bool by_address) {
  if (capacity_ == 0) return nullptr;
  std::size_t i = home(handle, by_address ? address : 0);
  for (; slots_[i].handle != 0; i = (i + 1) & (capacity_ - 1)) {
    Request& r = slots_[i];
    if (r.handle != handle || r.by_address != by_address) continue;
    if (!by_address || r.address == address) return &r;
  }
  return nullptr;
}

bool RequestTable::insert(const Request& request) {
  if (2 * (used_ + 1) > capacity_ && !grow()) return false;
  Request added = request;
  if (Request* same = probe(request.handle, 0, false)) {
    if (!mark_shared(request.handle)) {
      // More shared handles than we keep: the older one was freed where we could not see it.
      *same = added;
      return true;
    }
    added.by_address = true;
    if (Request* stale = probe(added.handle, added.address, true)) {
      *stale = added;
      return true;
    }
  }
  place(added);
  ++used_;
  return true;
}

void RequestTable::place(const Request& request) {
  std::size_t i = home(request);
  while (slots_[i].handle != 0) i = (i + 1) & (capacity_ - 1);
  slots_[i] = request;
}

Request* RequestTable::find(std::uint64_t handle, std::uint64_t address) {
  Request* const first = probe(handle, 0, false);
  if (!is_shared(handle)) return first;
  if (first != nullptr && first->address == address) return first;
  if (Request* exact = probe(handle, address, true)) return exact;
  if (first != nullptr) return first;
  for (std::size_t tried = 0; tried < capacity_; ++tried) {
    scan_ = (scan_ + 1) & (capacity_ - 1);
    if (slots_[scan_].handle == handle) return &slots_[scan_];
  }
  return nullptr;
}

void RequestTable::remove(Request* request) {
  auto hole = static_cast<std::size_t>(request - slots_);
  std::size_t i = hole;
  for (;;) {
    i = (i + 1) & (capacity_ - 1);
    if (slots_[i].handle == 0) break;
    // An entry may fill the hole unless its home lies cyclically behind the hole.
    const std::size_t distance_home = (i - home(slots_[i])) & (capacity_ - 1);
    const std::size_t distance_hole = (i - hole) & (capacity_ - 1);
    if (distance_home < distance_hole) continue;
    slots_[hole] = slots_[i];
    hole = i;
  }
  slots_[hole].handle = 0;
  --used_;
}

bool RequestTable::grow() {
  const std::size_t capacity = capacity_ == 0 ? kFirstCapacity : 2 * capacity_;
  auto* slots = static_cast<Request*>(std::calloc(capacity, sizeof(Request)));
  if (slots == nullptr) return false;
  Request* const old = slots_;
  const std::size_t old_capacity = capacity_;
  slots_ = slots;
  capacity_ = capacity;
  scan_ = 0;
  for (std::size_t i = 0; i < old_capacity; ++i) {
    if (old[i].handle != 0) place(old[i]);
  }
  std::free(old);
  return true;
}

}  // namespace slackline::record
