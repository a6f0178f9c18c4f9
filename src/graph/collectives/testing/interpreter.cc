#include "graph/collectives/testing/interpreter.h"

#include <algorithm>
#include <numeric>

namespace slackline::test {

namespace {

using Kind = CollectiveStep::Kind;

struct Message {
  bool sent = false, posted = false, taken = false;
  std::uint64_t bytes_sent = 0, bytes_expected = 0;
  RankSet carries = 0;
  std::int64_t arrival = 0;
};

/// All messages from one rank to another, in order.
struct Channel {
  std::vector<Message> messages{};
  std::size_t sends = 0, receives = 0;
  Message& at(std::size_t i) {
    if (messages.size() <= i) messages.resize(i + 1);
    return messages[i];
  }
};

struct Request {
  Channel* channel;
  std::size_t index;
  bool send;
};

struct Rank {
  std::size_t next = 0;
  bool started = false;  // the blocking step at `next` has begun
  std::vector<Request> outstanding{};
  std::int64_t now = 0, port_free = 0;
};

class Interpreter {
 public:
  Interpreter(const Programs& programs, Sends sends)
      : programs_(programs),
        sends_(sends),
        ranks_(programs.size()),
        channels_(programs.size() * programs.size()) {
    out_.knows.resize(programs.size());
    for (std::size_t r = 0; r < programs.size(); ++r) {
      out_.knows[r] = only(static_cast<std::int32_t>(r));
    }
    out_.bytes_sent.resize(programs.size());
    out_.bytes_received.resize(programs.size());
    out_.messages_sent.resize(programs.size());
  }

  Performance run() {
    bool moved = true;
    while (moved && out_.defect.empty()) {
      moved = false;
      for (std::size_t r = 0; r < ranks_.size(); ++r) {
        while (out_.defect.empty() && ranks_[r].next < programs_[r].size() && step(r)) moved = true;
      }
    }
    check_the_end();
    for (const Rank& rank : ranks_) out_.rounds = std::max(out_.rounds, rank.now);
    return out_;
  }

 private:
  Channel& channel(std::size_t from, std::size_t to) {
    return channels_[from * ranks_.size() + to];
  }

  void fail(std::size_t rank, const std::string& what) {
    if (!out_.defect.empty()) return;
    out_.defect = "rank " + std::to_string(rank) + " at step " + std::to_string(ranks_[rank].next) +
                  ": " + what;
  }

  Request start_send(std::size_t r, const CollectiveStep& step) {
    Channel& c = channel(r, static_cast<std::size_t>(step.peer));
    Message& m = c.at(c.sends);
    m.sent = true;
    m.bytes_sent = step.bytes;
    m.carries = out_.knows[r];
    ranks_[r].port_free = std::max(ranks_[r].port_free, ranks_[r].now) + 1;
    m.arrival = ranks_[r].port_free;
    out_.bytes_sent[r] += step.bytes;
    ++out_.messages_sent[r];
    return {&c, c.sends++, true};
  }

  Request start_receive(std::size_t r, const CollectiveStep& step) {
    Channel& c = channel(static_cast<std::size_t>(step.peer), r);
    Message& m = c.at(c.receives);
    m.posted = true;
    m.bytes_expected = step.bytes;
    out_.bytes_received[r] += step.bytes;
    return {&c, c.receives++, false};
  }

  bool done(const Request& q) const {
    const Message& m = q.channel->messages[q.index];
    if (q.send) return sends_ == Sends::eager || m.posted;
    return m.sent;
  }

  void finish(std::size_t r, const Request& q) {
    Message& m = q.channel->messages[q.index];
    ranks_[r].now = std::max(ranks_[r].now, m.arrival);
    if (q.send) return;
    if (m.bytes_sent != m.bytes_expected) {
      fail(r, "expected " + std::to_string(m.bytes_expected) + " bytes, got " +
                  std::to_string(m.bytes_sent));
    }
    m.taken = true;
    out_.knows[r] |= m.carries;
  }

  bool wait_all(std::size_t r) {
    Rank& rank = ranks_[r];
    if (!std::ranges::all_of(rank.outstanding, [&](const Request& q) { return done(q); })) {
      return false;
    }
    for (const Request& q : rank.outstanding) finish(r, q);
    rank.outstanding.clear();
    return true;
  }

  bool wait_one(std::size_t r, std::int32_t position) {
    Rank& rank = ranks_[r];
    if (position < 0 || static_cast<std::size_t>(position) >= rank.outstanding.size()) {
      fail(r, "waits for a request that is not there");
      return false;
    }
    const auto q = rank.outstanding.begin() + position;
    if (!done(*q)) return false;
    finish(r, *q);
    rank.outstanding.erase(q);
    return true;
  }

  bool blocking(std::size_t r, const CollectiveStep& step) {
    Rank& rank = ranks_[r];
    if (!rank.started) {
      current_.resize(ranks_.size());
      current_[r] = step.kind == Kind::send ? start_send(r, step) : start_receive(r, step);
      rank.started = true;
    }
    if (!done(current_[r])) return false;
    finish(r, current_[r]);
    rank.started = false;
    return true;
  }

  bool valid_peer(std::size_t r, const CollectiveStep& step) {
    if (step.kind == Kind::wait_all || step.kind == Kind::wait) return true;
    const bool inside = step.peer >= 0 && static_cast<std::size_t>(step.peer) < ranks_.size();
    if (inside && static_cast<std::size_t>(step.peer) != r) return true;
    fail(r, "has no peer " + std::to_string(step.peer));
    return false;
  }

  /// Performs the rank's next step; false when it has to wait.
  bool step(std::size_t r) {
    Rank& rank = ranks_[r];
    const CollectiveStep& s = programs_[r][rank.next];
    if (!valid_peer(r, s)) return false;
    bool over = true;
    switch (s.kind) {
      case Kind::send:
      case Kind::recv:
        over = blocking(r, s);
        break;
      case Kind::isend:
        rank.outstanding.push_back(start_send(r, s));
        break;
      case Kind::irecv:
        rank.outstanding.push_back(start_receive(r, s));
        break;
      case Kind::wait_all:
        over = wait_all(r);
        break;
      case Kind::wait:
        over = wait_one(r, s.peer);
        break;
      case Kind::look:
      case Kind::poll:
      case Kind::clock:
      case Kind::pause:
      case Kind::more:
        fail(r, "finds its steps while it goes");
        return false;
    }
    if (over) ++rank.next;
    return over;
  }

  void check_the_end() {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      if (ranks_[r].next < programs_[r].size()) fail(r, "deadlock");
      if (!ranks_[r].outstanding.empty()) fail(r, "a request was never waited for");
    }
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      for (const Message& m : channels_[i].messages) {
        if (!m.taken) fail(i % ranks_.size(), "a message was never received");
      }
    }
  }

  const Programs& programs_;
  Sends sends_;
  std::vector<Rank> ranks_;
  std::vector<Channel> channels_;
  std::vector<Request> current_{};
  Performance out_{};
};

}  // namespace

std::uint64_t Performance::total_bytes() const {
  return std::accumulate(bytes_sent.begin(), bytes_sent.end(), std::uint64_t{0});
}

std::int64_t Performance::total_messages() const {
  return std::accumulate(messages_sent.begin(), messages_sent.end(), std::int64_t{0});
}

Programs programs(const CollectiveAlgorithm& algorithm, const CollectiveCall& call,
                  const std::vector<std::vector<std::int64_t>>& own) {
  Programs all(static_cast<std::size_t>(call.size));
  for (std::int32_t r = 0; r < call.size; ++r) {
    const auto index = static_cast<std::size_t>(r);
    const OwnCounts counts{own.empty() ? std::span<const std::int64_t>{} : own[index]};
    algorithm.expand(call, r, counts, all[index]);
  }
  return all;
}

Performance perform(const Programs& programs, Sends sends) {
  return Interpreter(programs, sends).run();
}

}  // namespace slackline::test
