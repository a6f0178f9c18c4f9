// GOAL text, fast: one cursor over the mapped file, no copies, no tokens.
//
// Lines as programs write them are taken as a whole (usual_lines.h); all others, and all errors, go
// the long way here.
//
// A block is parsed front to back. Labels are resolved at once (they must be defined above), so a
// block costs its operations and dependencies and nothing else. Blocks know nothing of each other;
// in files without comments their ends are the closing braces, which makes them parallel work.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/parallel.h"
#include "trace/goal/labels.h"
#include "trace/goal/text.h"
#include "trace/goal/text_cursor.h"
#include "trace/goal/usual_lines.h"

namespace slackline {
namespace {

constexpr std::uint64_t kMost8 = std::numeric_limits<std::uint8_t>::max();
constexpr std::uint64_t kMostRanks = std::uint64_t{1} << 31;
/// Bytes of text for an operation and a dependency.
constexpr std::size_t kUsualBytes = 48;

class BlockReader {
 public:
  BlockReader(Cursor& cursor, std::uint64_t rank_count) : in_(cursor), rank_count_(rank_count) {}

  /// After the opening brace, up to and with the closing one.
  GoalRank read() {
    const auto bytes = static_cast<std::size_t>(in_.end() - in_.here());
    rank_.reserve(bytes / kUsualBytes, bytes / kUsualBytes);
    for (;;) {
      in_.skip_lines();
      in_.jump(usual_.take(in_.here(), in_.end()));
      in_.skip_lines();
      if (in_.take('}')) break;
      if (in_.at_end()) {
        in_.fail(in_.here(), "a rank block is not closed", "the file ends inside of it",
                 "Is the file whole?");
      }
      statement();
    }
    rank_.shrink();
    return std::move(rank_);
  }

 private:
  void statement() {
    const char* begin = in_.here();
    const std::string_view first = label_or_keyword("an operation, a label or '}'");
    in_.skip_blanks();
    if (in_.take(':')) {
      in_.skip_blanks();
      const char* keyword_at = in_.here();
      labels_.define(first, operation(keyword_at, label_or_keyword("calc, send or recv")));
    } else if (is_letter(in_.peek())) {
      dependency(begin, first);
    } else {
      operation(begin, first);
    }
    end_of_statement();
  }

  std::string_view label_or_keyword(std::string_view expected) {
    if (!is_letter(in_.peek())) {
      in_.fail(in_.here(), fmt::format("expected {}", expected),
               in_.at_end() ? "the file ends here" : "a word stands there", {});
    }
    return in_.word();
  }

  void end_of_statement() {
    in_.skip_blanks();
    if (in_.peek() == '\n' || in_.peek() == '}' || in_.at_end()) return;
    in_.fail(in_.here(), "expected the end of the line",
             "options come in the order tag, cpu, nic, and only once", {});
  }

  std::uint32_t operation(const char* keyword_at, std::string_view keyword) {
    GoalOperation op;
    if (keyword == "calc") {
      op.kind = GoalKind::calc;
      op.size = in_.number("the length of a calc", std::numeric_limits<std::int64_t>::max());
      options(op, false);
    } else if (keyword == "send" || keyword == "recv") {
      op.kind = keyword == "send" ? GoalKind::send : GoalKind::recv;
      transfer(op);
    } else {
      in_.fail(keyword_at, fmt::format("unknown operation '{}'", keyword),
               "GOAL has calc, send and recv",
               "Dependencies are written: l2 requires l1, l2 irequires l1.");
    }
    if (rank_.size() >= GoalRank::kMostOperations) {
      in_.fail(keyword_at, "too many operations in one rank block", "two billion are possible", {});
    }
    return rank_.add(op);
  }

  /// SIZE b to|from R [tag T] [cpu C] [nic N]
  void transfer(GoalOperation& op) {
    const bool send = op.kind == GoalKind::send;
    op.size = in_.number("a size in bytes", std::numeric_limits<std::int64_t>::max());
    in_.skip_blanks();
    expect_word("b");
    in_.skip_blanks();
    expect_word(send ? "to" : "from");
    in_.skip_blanks();
    const char* peer_at = in_.here();
    op.peer = or_any("a rank", !send);
    if (op.peer != kGoalAny && op.peer >= rank_count_) {
      in_.fail(peer_at, fmt::format("there is no rank {}", op.peer),
               fmt::format("the file has num_ranks {}", rank_count_), {});
    }
    options(op, true);
  }

  void expect_word(std::string_view expected) {
    const char* at = in_.here();
    const std::string_view found = in_.word();
    if (found == expected) return;
    in_.fail(
        at, fmt::format("expected '{}'", expected),
        found.empty() ? "something else stands there" : fmt::format("'{}' stands there", found),
        "Written: send SIZE b to RANK, recv SIZE b from RANK.");
  }

  /// A number, or -1 for any where that is possible.
  std::uint32_t or_any(std::string_view what, bool may_be_any) {
    in_.skip_blanks();
    const char* at = in_.here();
    if (!in_.take('-')) return static_cast<std::uint32_t>(in_.number(what, kMost32));
    if (may_be_any && in_.number(what, 1) == 1) return kGoalAny;
    in_.fail(at, fmt::format("{} cannot be negative", what), "only receives take -1, for any", {});
  }

  void options(GoalOperation& op, bool transfer) {
    if (transfer && option("tag")) op.tag = or_any("a tag", op.kind == GoalKind::recv);
    if (option("cpu")) op.cpu = static_cast<std::uint8_t>(in_.number("a cpu", kMost8));
    if (transfer && option("nic")) op.nic = static_cast<std::uint8_t>(in_.number("a nic", kMost8));
  }

  bool option(std::string_view keyword) {
    in_.skip_blanks();
    if (in_.peek() != keyword.front()) return false;
    const char* at = in_.here();
    const std::string_view found = in_.word();
    if (found == keyword) return true;
    in_.fail(at, fmt::format("unknown option '{}'", found), "options are tag, cpu and nic", {});
  }

  void dependency(const char* dependent_at, std::string_view dependent) {
    const char* verb_at = in_.here();
    const std::string_view verb = in_.word();
    const bool on_start = verb == "irequires";
    if (!on_start && verb != "requires") {
      in_.fail(verb_at, fmt::format("expected 'requires' or 'irequires' after '{}'", dependent),
               fmt::format("'{}' stands there", verb), "A label is followed by a colon.");
    }
    const std::uint32_t later = resolve(dependent_at, dependent);
    in_.skip_blanks();
    const char* on_at = in_.here();
    const std::uint32_t earlier = resolve(on_at, label_or_keyword("a label"));
    if (later == earlier) {
      in_.fail(dependent_at, fmt::format("'{}' depends on itself", dependent), {}, {});
    }
    rank_.add_dependency(later, earlier, on_start);
  }

  std::uint32_t resolve(const char* at, std::string_view label) {
    const std::uint32_t found = labels_.find(label);
    if (found == GoalLabels::kUnknown) {
      in_.fail(at, fmt::format("no operation has the label '{}'", label),
               "labels hold in their rank block, from their definition on",
               "Define it above, or mend the name.");
    }
    return found;
  }

  Cursor& in_;
  std::uint64_t rank_count_;
  GoalRank rank_;
  GoalLabels labels_;
  GoalUsualLines usual_{rank_, labels_, rank_count_};
};

std::uint64_t read_header(Cursor& in) {
  in.skip_lines();
  const char* at = in.here();
  if (in.word() != "num_ranks") {
    in.fail(at, "expected num_ranks", "a GOAL file begins with it", {});
  }
  in.skip_blanks();
  const char* number_at = in.here();
  const std::uint64_t ranks = in.number("the number of ranks", kMostRanks);
  if (ranks == 0) in.fail(number_at, "a program needs a rank", "num_ranks is 0", {});
  return ranks;
}

/// "rank R {". Returns the rank.
std::uint64_t read_block_header(Cursor& in, std::uint64_t rank_count) {
  const char* at = in.here();
  if (in.word() != "rank") in.fail(at, "expected 'rank'", "blocks begin with rank R {", {});
  in.skip_blanks();
  const char* rank_at = in.here();
  const std::uint64_t rank = in.number("a rank", kMost32);
  if (rank >= rank_count) {
    in.fail(rank_at, fmt::format("there is no rank {}", rank),
            fmt::format("the file has num_ranks {}", rank_count), {});
  }
  in.skip_lines();
  if (!in.take('{')) in.fail(in.here(), "expected '{'", "blocks begin with rank R {", {});
  return rank;
}

struct Block {
  std::size_t begin = 0;  // of "rank"
  std::size_t end = 0;    // after '}'
  std::uint64_t rank = 0;
  GoalRank content{};
};

/// The blocks of a text in which every '}' closes one.
std::vector<Block> cut_blocks(std::string_view text, std::size_t begin) {
  std::vector<Block> blocks;
  for (;;) {
    const std::size_t close = text.find('}', begin);
    const std::size_t end = close == std::string_view::npos ? text.size() : close + 1;
    const std::size_t first = text.find_first_not_of(" \t\r\n", begin);
    if (first == std::string_view::npos) return blocks;
    blocks.push_back({.begin = first, .end = end});
    begin = end;
  }
}

void read_block(Cursor& in, std::uint64_t rank_count, Block& block) {
  block.rank = read_block_header(in, rank_count);
  block.content = BlockReader(in, rank_count).read();
}

/// Blocks by rank. Every rank must have one.
GoalProgram assemble(const Cursor& in, std::string_view text, std::vector<Block>& blocks,
                     std::uint64_t rank_count) {
  std::ranges::stable_sort(blocks, {}, &Block::rank);
  GoalProgram program;
  for (Block& block : blocks) {
    const std::size_t expected = program.ranks.size();
    if (block.rank < expected) {
      in.fail(text.data() + block.begin, fmt::format("rank {} has a second block", block.rank),
              "a rank has one", {});
    }
    if (block.rank > expected) break;
    program.ranks.push_back(std::move(block.content));
  }
  if (program.ranks.size() < rank_count) {
    in.fail(text.data() + text.size(), fmt::format("rank {} has no block", program.ranks.size()),
            fmt::format("num_ranks is {}, and the file has {} blocks", rank_count, blocks.size()),
            "Is the file whole?");
  }
  return program;
}

}  // namespace

bool looks_like_goal_text(std::string_view head) {
  try {
    Cursor in(head, "", 0, head.size());
    in.skip_lines();
    return in.word() == "num_ranks";
  } catch (const Error&) {
    return false;
  }
}

GoalProgram read_goal_text(std::string_view text, std::string_view name, unsigned threads) {
  Cursor in(text, name, 0, text.size());
  const std::uint64_t rank_count = read_header(in);
  in.skip_lines();
  std::vector<Block> blocks;
  if (text.find('/') == std::string_view::npos) {
    blocks = cut_blocks(text, static_cast<std::size_t>(in.here() - text.data()));
    parallel_for(
        blocks.size(),
        [&](std::size_t i) {
          Cursor block(text, name, blocks[i].begin, blocks[i].end);
          read_block(block, rank_count, blocks[i]);
        },
        threads);
  } else {
    for (; !in.at_end(); in.skip_lines()) {
      blocks.push_back({.begin = static_cast<std::size_t>(in.here() - text.data())});
      read_block(in, rank_count, blocks.back());
    }
  }
  return assemble(in, text, blocks, rank_count);
}

}  // namespace slackline
