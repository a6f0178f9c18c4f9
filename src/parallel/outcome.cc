#include "parallel/outcome.h"

#include <cstring>
#include <vector>

namespace slackline {
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

}  // namespace slackline
