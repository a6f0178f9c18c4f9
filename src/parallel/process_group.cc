#include "parallel/process_group.h"

#include <cstring>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

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

ProcessGroup& this_process() {
  thread_local SingleProcess alone;
  return alone;
}

std::optional<std::vector<Bytes>> SingleProcess::attempt(std::vector<Bytes>* to_each) {
  if (to_each == nullptr) return std::nullopt;
  return std::move(*to_each);
}

namespace {

constexpr std::size_t kHead = 2;  // kind and exit status

Bytes encoded(const Outcome& outcome) {
  Bytes bytes(kHead + outcome.message.size());
  bytes[0] = static_cast<std::byte>(outcome.kind);
  bytes[1] = static_cast<std::byte>(outcome.exit_status);
  std::memcpy(bytes.data() + kHead, outcome.message.data(), outcome.message.size());
  return bytes;
}

Outcome decoded(const Bytes& bytes) {
  Outcome outcome{static_cast<Outcome::Kind>(bytes[0]), static_cast<int>(bytes[1])};
  outcome.message.resize(bytes.size() - kHead);
  std::memcpy(outcome.message.data(), bytes.data() + kHead, outcome.message.size());
  return outcome;
}

/// Whether no process has failed; else all leave what they are in, and come to the next exchange.
bool all_finished(ProcessGroup& group, const Outcome& mine, std::vector<Bytes>& outcomes) {
  if (mine.kind == Outcome::Kind::peer_failed) return false;
  if (mine.kind == Outcome::Kind::failed) {
    group.fail();
    return false;
  }
  try {
    outcomes = group.exchange_with_all(encoded(mine));
    return true;
  } catch (const PeerFailed&) {
    return false;
  }
}

}  // namespace

Outcome agree_on_outcome(ProcessGroup& group, const Outcome& mine) {
  std::vector<Bytes> outcomes;
  if (all_finished(group, mine, outcomes)) return decoded(outcomes.front());
  for (const Bytes& bytes : group.exchange_with_all(encoded(mine))) {
    Outcome outcome = decoded(bytes);
    if (outcome.kind == Outcome::Kind::failed) return outcome;
  }
  return mine;
}

namespace {

auto parts_of(Findings::Entry& entry) {
  return std::tie(entry.name, entry.severity, entry.sentence, entry.count, entry.examples);
}

}  // namespace

Findings findings_of_all(ProcessGroup& group, const Findings& mine) {
  Bytes bytes;
  for (Findings::Entry entry : mine.entries()) {
    std::apply([&](auto&... part) { (pack(bytes, part), ...); }, parts_of(entry));
  }
  Findings all;
  for (const Bytes& of : group.exchange_with_all(bytes)) {
    std::span<const std::byte> rest(of);
    while (!rest.empty()) {
      Findings::Entry entry{};
      std::apply([&](auto&... part) { (unpack(rest, part), ...); }, parts_of(entry));
      const FindingKind kind{entry.name, entry.severity, entry.sentence};
      all.add(kind, {}, entry.count);
      for (const std::string& example : entry.examples) all.add(kind, example, 0);
    }
  }
  return all;
}

}  // namespace slackline
