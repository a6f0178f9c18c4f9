#include "parallel/process_group.h"

#include <utility>

#include "base/error.h"
#include "base/packed.h"

namespace slackline {

std::vector<Bytes> ProcessGroup::exchange(std::vector<Bytes> to_each) {
  expects(to_each.size() == static_cast<std::size_t>(size()),
          "there is something for each process");
  ++traffic_.exchanges;
  for (std::size_t p = 0; p < to_each.size(); ++p) {
    if (p != static_cast<std::size_t>(rank())) traffic_.bytes_sent += to_each[p].size();
  }
  std::optional<std::vector<Bytes>> from_each = attempt(&to_each);
  if (!from_each) throw PeerFailed();
  return std::move(*from_each);
}

std::vector<Bytes> ProcessGroup::exchange_with_all(const Bytes& mine) {
  return exchange(std::vector<Bytes>(static_cast<std::size_t>(size()), mine));
}

Bytes ProcessGroup::broadcast(Bytes of_first) {
  std::vector<Bytes> to_each(static_cast<std::size_t>(size()));
  if (is_first()) to_each.assign(to_each.size(), of_first);
  return std::move(exchange(std::move(to_each)).front());
}

std::vector<Bytes> gather_all(ProcessGroup& group, const std::vector<Bytes>& mine) {
  Bytes packed;
  for (Bytes value : mine) pack(packed, value);
  std::vector<Bytes> all;
  for (const Bytes& of : group.exchange_with_all(packed)) {
    for (std::span<const std::byte> rest(of); !rest.empty();) unpack(rest, all.emplace_back());
  }
  return all;
}

void ProcessGroup::fail() {
  attempt(nullptr);
}

std::optional<std::vector<Bytes>> SingleProcess::attempt(std::vector<Bytes>* to_each) {
  if (to_each == nullptr) return std::nullopt;
  return std::move(*to_each);
}

}  // namespace slackline
