// Matching, one destination after the other.
//
// All sends are sorted by destination (a counting sort, so each list is by source and order of the
// file); what one destination then needs is small and stays in the cache, and destinations are
// parallel work. Within one, sends queue by source and tag, and receives take from the queues.

#include "trace/goal/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <string>

#include "base/error.h"
#include "base/flat_map.h"
#include "base/parallel.h"

namespace slackline {
namespace {

constexpr FindingKind kWildcards{
    "goal_wildcards", Severity::notice,
    "receives accept any source or any tag; they got what was left, in the order of the file"};

constexpr std::uint32_t kNone = GoalMatches::kNone;
constexpr std::size_t kShownUnmatched = 3;

struct Channel {
  std::uint32_t source = 0;
  std::uint32_t tag = 0;

  bool operator==(const Channel&) const = default;
};
struct ChannelHash {
  std::uint64_t operator()(const Channel& c) const {
    return mix_bits(std::uint64_t{c.source} << 32 | c.tag);
  }
};
struct Queue {
  std::uint32_t head = kNone;
  std::uint32_t tail = kNone;
};

/// All sends of a program, sorted by destination.
struct SendsByDestination {
  std::vector<std::uint64_t> first;      // per destination, and one past the end
  std::vector<std::uint32_t> operation;  // numbered over all ranks
};

SendsByDestination sort_sends(const GoalProgram& program, const std::vector<std::uint32_t>& base) {
  SendsByDestination sends;
  std::vector<std::uint64_t>& first = sends.first;
  first.assign(program.ranks.size() + 2, 0);
  const auto for_sends = [&](auto visit) {
    for (std::size_t r = 0; r < program.ranks.size(); ++r) {
      const GoalRank& rank = program.ranks[r];
      for (std::uint32_t i = 0; i < rank.size(); ++i) {
        if (rank.kind(i) == GoalKind::send) visit(rank.peer(i), base[r] + i);
      }
    }
  };
  for_sends([&](std::uint32_t to, std::uint32_t) { ++first[to + std::size_t{2}]; });
  for (std::size_t i = 2; i < first.size(); ++i) first[i] += first[i - 1];
  sends.operation.resize(first.back());
  for_sends([&](std::uint32_t to, std::uint32_t operation) {
    sends.operation[first[to + std::size_t{1}]++] = operation;
  });
  first.pop_back();
  return sends;
}

/// The matching of what one rank receives.
class Destination {
 public:
  Destination(const GoalProgram& program, const std::vector<std::uint32_t>& base,
              const SendsByDestination& sends, std::uint32_t rank,
              std::vector<std::uint32_t>& partner)
      : program_(program),
        base_(base),
        sends_(sends),
        rank_(rank),
        first_(sends.first[rank]),
        count_(static_cast<std::uint32_t>(sends.first[rank + std::size_t{1}] - first_)),
        partner_(partner) {}

  /// Returns the number of receives with wildcards.
  std::uint64_t match() {
    enqueue_sends();
    const GoalRank& mine = program_.ranks[rank_];
    std::vector<std::uint32_t> wildcards;
    for (std::uint32_t i = 0; i < mine.size(); ++i) {
      if (mine.kind(i) != GoalKind::recv) continue;
      const Channel channel{mine.peer(i), mine.tag(i)};
      if (channel.source == kGoalAny || channel.tag == kGoalAny) {
        wildcards.push_back(i);
        continue;
      }
      Queue* queue = queues_.find(channel);
      if (queue == nullptr || queue->head == kNone) continue;
      join(i, queue->head);
      queue->head = next_[queue->head];
    }
    if (!wildcards.empty()) match_wildcards(mine, wildcards);
    return wildcards.size();
  }

 private:
  std::uint32_t send(std::uint32_t k) const { return sends_.operation[first_ + k]; }

  void enqueue_sends() {
    next_.assign(count_, kNone);
    std::uint32_t source = 0;
    for (std::uint32_t k = 0; k < count_; ++k) {
      while (send(k) >= base_[source + std::size_t{1}]) ++source;
      const Channel channel{source, program_.ranks[source].tag(send(k) - base_[source])};
      Queue& queue = queues_[channel];
      if (queue.head == kNone) {
        queue.head = k;
      } else {
        next_[queue.tail] = k;
      }
      queue.tail = k;
    }
  }

  void join(std::uint32_t receive, std::uint32_t k) {
    const std::uint32_t receive_number = base_[rank_] + receive;
    partner_[receive_number] = send(k);
    partner_[send(k)] = receive_number;
  }

  struct Left {
    std::uint32_t position;  // in its sender's block
    std::uint32_t source;
    std::uint32_t k;
    std::uint32_t tag;
  };

  void match_wildcards(const GoalRank& mine, const std::vector<std::uint32_t>& wildcards) {
    std::vector<Left> left;
    std::uint32_t source = 0;
    for (std::uint32_t k = 0; k < count_; ++k) {
      while (send(k) >= base_[source + std::size_t{1}]) ++source;
      if (partner_[send(k)] != kNone) continue;
      const std::uint32_t position = send(k) - base_[source];
      left.push_back({position, source, k, program_.ranks[source].tag(position)});
    }
    std::ranges::sort(left, [](const Left& a, const Left& b) {
      return std::pair(a.position, a.source) < std::pair(b.position, b.source);
    });
    std::vector<char> taken(left.size(), 0);
    std::size_t begin = 0;  // everything before is taken
    for (const std::uint32_t receive : wildcards) {
      while (begin < left.size() && taken[begin] != 0) ++begin;
      for (std::size_t i = begin; i < left.size(); ++i) {
        const bool source_fits =
            mine.peer(receive) == kGoalAny || mine.peer(receive) == left[i].source;
        const bool tag_fits = mine.tag(receive) == kGoalAny || mine.tag(receive) == left[i].tag;
        if (taken[i] != 0 || !source_fits || !tag_fits) continue;
        taken[i] = 1;
        join(receive, left[i].k);
        break;
      }
    }
  }

  const GoalProgram& program_;
  const std::vector<std::uint32_t>& base_;
  const SendsByDestination& sends_;
  std::uint32_t rank_;
  std::uint64_t first_;
  std::uint32_t count_;
  std::vector<std::uint32_t>& partner_;
  std::vector<std::uint32_t> next_;
  FlatMap<Channel, Queue, ChannelHash> queues_;
};

std::string in_words(std::uint32_t rank, const GoalOperation& op) {
  const auto or_any = [](std::uint32_t value) {
    return value == kGoalAny ? std::string("any") : std::to_string(value);
  };
  const bool send = op.kind == GoalKind::send;
  return fmt::format("rank {} {} {} bytes {} rank {} with tag {}", rank,
                     send ? "sends" : "receives", op.size, send ? "to" : "from", or_any(op.peer),
                     or_any(op.tag));
}

/// Throws when an operation has no partner.
void require_partners(const GoalProgram& program, const std::vector<std::uint32_t>& partner,
                      std::string_view name) {
  std::uint64_t sends = 0;
  std::uint64_t receives = 0;
  std::string shown;
  std::size_t number = 0;
  for (std::uint32_t r = 0; r < program.ranks.size(); ++r) {
    for (std::uint32_t i = 0; i < program.ranks[r].size(); ++i, ++number) {
      const GoalKind kind = program.ranks[r].kind(i);
      if (kind == GoalKind::calc || partner[number] != kNone) continue;
      ++(kind == GoalKind::send ? sends : receives);
      if (sends + receives > kShownUnmatched) continue;
      shown += (shown.empty() ? "" : "; ") + in_words(r, program.ranks[r][i]);
    }
  }
  if (sends + receives == 0) return;
  throw Error(fmt::format("the messages of '{}' do not match", name),
              fmt::format("{} sends and {} receives have no partner: {}{}", sends, receives, shown,
                          sends + receives > kShownUnmatched ? "; ..." : ""),
              "Check ranks and tags; is the file whole?");
}

}  // namespace

GoalMatches::GoalMatches(const GoalProgram& program, std::string_view name, unsigned threads) {
  if (program.operation_count() >= kNone) {
    throw Error(fmt::format("cannot match the messages of '{}'", name),
                "it has more than 4 billion operations", "Split the program.");
  }
  first_.reserve(program.ranks.size() + 1);
  first_.push_back(0);
  for (const GoalRank& rank : program.ranks) first_.push_back(first_.back() + rank.size());
  partner_.assign(first_.back(), kNone);
  const SendsByDestination sends = sort_sends(program, first_);
  std::atomic<std::uint64_t> wildcards = 0;
  parallel_for(
      program.ranks.size(),
      [&](std::size_t r) {
        wildcards +=
            Destination(program, first_, sends, static_cast<std::uint32_t>(r), partner_).match();
      },
      threads);
  require_partners(program, partner_, name);
  if (wildcards > 0) findings_.add(kWildcards, {}, wildcards);
}

std::uint32_t GoalMatches::rank_of(std::uint32_t operation) const {
  const auto after = std::ranges::upper_bound(first_, operation);
  return static_cast<std::uint32_t>(after - first_.begin()) - 1;
}

}  // namespace slackline
