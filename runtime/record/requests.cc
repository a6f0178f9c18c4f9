#include "requests.h"

#include <cstdlib>

namespace slackline::record {

namespace {

std::uint32_t hash_of(std::uint64_t handle) {
  return HandleIndex::hash(handle);
}
std::uint32_t hash_of(std::uint64_t handle, std::uint64_t address) {
  return HandleIndex::hash(handle ^ (address << 21 | address >> 43));
}

}  // namespace

/// A request of that handle and address; `newest` is the newest of the handle.
std::uint32_t RequestTable::exact(std::uint32_t newest, std::uint64_t handle,
                                  std::uint64_t address) const {
  // The oldest may be listed by its handle only.
  const std::uint32_t oldest = nodes_[newest].newer;
  if (nodes_[oldest].request.address == address) return oldest;
  if (oldest == newest) return HandleIndex::kNone;
  return by_address_.find(hash_of(handle, address), [&](std::uint32_t i) {
    return nodes_[i].request.handle == handle && nodes_[i].request.address == address;
  });
}

bool RequestTable::insert(const Request& request) {
  if (!by_handle_.reserve() || !by_address_.reserve()) return false;
  const std::uint32_t newest = newest_of(request.handle);
  const bool first = newest == HandleIndex::kNone;
  const bool listed =
      !first && exact(newest, request.handle, request.address) == HandleIndex::kNone;
  if (free_ == HandleIndex::kNone && !grow()) return false;
  const std::uint32_t node = free_;
  free_ = nodes_[node].older;
  __atomic_store_n(&inserted_, inserted_ + 1, __ATOMIC_RELAXED);
  nodes_[node] = {request, inserted_, node, node, listed};
  if (first) {
    by_handle_.add(hash_of(request.handle), node);
  } else {
    link(node, newest);
    by_handle_.replace(hash_of(request.handle), newest, node);
    if (listed) by_address_.add(hash_of(request.handle, request.address), node);
  }
  return true;
}

/// Makes `node` the newest of a ring.
void RequestTable::link(std::uint32_t node, std::uint32_t newest) {
  const std::uint32_t oldest = nodes_[newest].newer;
  nodes_[node].older = newest;
  nodes_[node].newer = oldest;
  nodes_[newest].newer = node;
  nodes_[oldest].older = node;
}

std::uint32_t RequestTable::newest_of(std::uint64_t handle) const {
  return by_handle_.find(hash_of(handle),
                         [&](std::uint32_t i) { return nodes_[i].request.handle == handle; });
}

Request* RequestTable::find(std::uint64_t handle, std::uint64_t address, std::uint64_t until) {
  const std::uint32_t newest = newest_of(handle);
  if (newest == HandleIndex::kNone) return nullptr;
  const Node& last = nodes_[newest];
  if (last.request.address != address || last.number > until) {
    const std::uint32_t same = exact(newest, handle, address);
    if (same != HandleIndex::kNone && nodes_[same].number <= until) return &nodes_[same].request;
  }
  const std::uint32_t oldest = last.newer;
  std::uint32_t node = newest;
  while (nodes_[node].number > until && node != oldest) node = nodes_[node].older;
  return nodes_[node].number <= until ? &nodes_[node].request : nullptr;
}

void RequestTable::remove(Request* request) {
  // A node begins with its request.
  remove(static_cast<std::uint32_t>(reinterpret_cast<Node*>(request) - nodes_));
}

void RequestTable::remove(std::uint32_t node) {
  const Node& n = nodes_[node];
  const std::uint64_t handle = n.request.handle;
  if (n.by_address) by_address_.remove(hash_of(handle, n.request.address), node);
  if (n.older == node) {
    by_handle_.remove(hash_of(handle), node);
  } else {
    by_handle_.replace(hash_of(handle), node, n.older);
    nodes_[n.newer].older = n.older;
    nodes_[n.older].newer = n.newer;
  }
  nodes_[node].older = free_;
  free_ = node;
}

bool RequestTable::grow() {
  constexpr std::uint32_t kFirstCapacity = 64;
  constexpr std::uint32_t kMostRequests = 1u << 22;  // 300 MB: their completions are not seen
  if (capacity_ == kMostRequests) return false;
  const std::uint32_t capacity = capacity_ == 0 ? kFirstCapacity : 2 * capacity_;
  auto* nodes = static_cast<Node*>(std::realloc(nodes_, capacity * sizeof(Node)));
  if (nodes == nullptr) return false;
  nodes_ = nodes;
  // The lowest come first: those used lately stay in the cache.
  for (std::uint32_t i = capacity; i-- > capacity_;) {
    nodes_[i].older = free_;
    free_ = i;
  }
  capacity_ = capacity;
  return true;
}

}  // namespace slackline::record
