// Matching, stream by stream (trace/stream_matching.h). What is left goes to the receives with
// wildcards.

#include "trace/goal/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "base/units.h"
#include "trace/stream_matching.h"

namespace slackline {
namespace {

constexpr FindingKind kWildcards{
    "goal_wildcards", Severity::notice,
    "Receives from any source or with any tag; matched to the remaining messages, in file order."};

constexpr std::uint32_t kNone = GoalMatches::kNone;
constexpr std::size_t kShownUnmatched = 3;

class Matcher {
 public:
  Matcher(const GoalProgram& program, const std::vector<std::uint32_t>& base,
          std::vector<std::uint32_t>& partner)
      : program_(program),
        base_(base),
        partner_(partner),
        streams_(program.ranks.size()),
        wildcards_(program.ranks.size()) {}

  /// Returns the number of receives with wildcards.
  std::uint64_t match(unsigned threads) {
    const std::size_t ranks = program_.ranks.size();
    parallel_for(
        ranks, [&](std::size_t r) { sort_messages(r); }, threads);
    parallel_for(
        ranks, [&](std::size_t r) { join_streams(r); }, threads);
    std::uint64_t wildcards = 0;
    for (std::size_t r = 0; r < ranks; ++r) wildcards += wildcards_[r].size();
    if (wildcards == 0) return 0;
    std::vector<std::vector<Left>> left(ranks);  // by destination
    for (std::size_t r = 0; r < ranks; ++r) collect_left(r, left);
    for (std::size_t r = 0; r < ranks; ++r) match_wildcards(r, left[r]);
    return wildcards;
  }

 private:
  void sort_messages(std::size_t r) {
    const GoalRank& rank = program_.ranks[r];
    for (std::uint32_t i = 0; i < rank.size(); ++i) {
      const GoalKind kind = rank.kind(i);
      if (kind == GoalKind::calc) continue;
      const MessageStream stream{rank.peer(i), rank.tag(i), 0};
      if (kind == GoalKind::send) {
        streams_.add_send(r, stream, i);
      } else if (stream.peer == kGoalAny || stream.tag == kGoalAny) {
        wildcards_[r].push_back(i);
      } else {
        streams_.add_receive(r, stream, i);
      }
    }
    streams_.sort(r);
  }

  void join_streams(std::size_t r) {
    streams_.join(r, [&](std::uint32_t source, std::uint32_t send, std::uint32_t receive) {
      const std::uint32_t receive_number = base_[r] + receive;
      const std::uint32_t send_number = base_[source] + send;
      partner_[receive_number] = send_number;
      partner_[send_number] = receive_number;
    });
  }

  struct Left {
    std::uint32_t position;  // in its sender's block
    std::uint32_t source;
    std::uint32_t tag;
  };

  void collect_left(std::size_t r, std::vector<std::vector<Left>>& left) {
    streams_.for_each_left(r, [&](const MessageStream& stream, std::uint32_t send) {
      left[stream.peer].push_back({send, static_cast<std::uint32_t>(r), stream.tag});
    });
  }

  void match_wildcards(std::size_t r, std::vector<Left>& left) {
    const GoalRank& mine = program_.ranks[r];
    std::ranges::sort(left, [](const Left& a, const Left& b) {
      return std::pair(a.position, a.source) < std::pair(b.position, b.source);
    });
    std::vector<char> taken(left.size(), 0);
    std::size_t begin = 0;  // everything before is taken
    for (const std::uint32_t receive : wildcards_[r]) {
      while (begin < left.size() && taken[begin] != 0) ++begin;
      for (std::size_t i = begin; i < left.size(); ++i) {
        const bool source_fits =
            mine.peer(receive) == kGoalAny || mine.peer(receive) == left[i].source;
        const bool tag_fits = mine.tag(receive) == kGoalAny || mine.tag(receive) == left[i].tag;
        if (taken[i] != 0 || !source_fits || !tag_fits) continue;
        taken[i] = 1;
        const std::uint32_t send = base_[left[i].source] + left[i].position;
        partner_[base_[r] + receive] = send;
        partner_[send] = base_[r] + receive;
        break;
      }
    }
  }

  const GoalProgram& program_;
  const std::vector<std::uint32_t>& base_;
  std::vector<std::uint32_t>& partner_;
  StreamMatching streams_;
  std::vector<std::vector<std::uint32_t>> wildcards_;  // receives, by index in the block
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
              fmt::format("{} and {} without partner: {}{}", count_of(sends, "send"),
                          count_of(receives, "receive"), shown,
                          sends + receives > kShownUnmatched ? "; ..." : ""),
              "Check ranks and tags, and that the file is complete.");
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
  const std::uint64_t wildcards = Matcher(program, first_, partner_).match(threads);
  require_partners(program, partner_, name);
  if (wildcards > 0) findings_.add(kWildcards, {}, wildcards);
}

std::uint32_t GoalMatches::rank_of(std::uint32_t operation) const {
  const auto after = std::ranges::upper_bound(first_, operation);
  return static_cast<std::uint32_t>(after - first_.begin()) - 1;
}

}  // namespace slackline
