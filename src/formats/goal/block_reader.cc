// A block is parsed front to back. Labels are resolved at once (they must be defined above), so a
// block costs its operations and dependencies and nothing else.
//
// Lines as programs write them are taken as a whole (usual_lines.h); all others, and all errors, go
// the long way here.

#include "formats/goal/text_cursor.h"

#include <fmt/format.h>

#include <limits>
#include <string_view>

#include "formats/goal/labels.h"
#include "formats/goal/usual_lines.h"

namespace slackline {
namespace {

constexpr std::uint64_t kMost8 = std::numeric_limits<std::uint8_t>::max();

class BlockReader {
 public:
  BlockReader(Cursor& cursor, std::uint64_t rank_count, GoalRank& rank)
      : in_(cursor), rank_count_(rank_count), rank_(rank) {}

  void read() {
    for (;;) {
      in_.skip_lines();
      in_.jump(usual_.take(in_.here(), in_.end()));
      in_.skip_lines();
      if (in_.take('}')) break;
      if (in_.at_end()) fail_cut(in_.here());
      statement();
    }
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
               in_.at_end() ? "the file ends here" : "a word was found", {});
    }
    return in_.word();
  }

  void end_of_statement() {
    in_.skip_blanks();
    if (in_.peek() == '\n' || in_.peek() == '}' || in_.at_end()) return;
    in_.fail(in_.here(), "expected the end of the line",
             "options are given in the order tag, cpu, nic, each at most once", {});
  }

  [[noreturn]] void fail_cut(const char* where) const {
    in_.fail(where, "a rank block is not closed", "the file ends inside it",
             "Check that the file is complete.");
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
      if (in_.at_end()) fail_cut(keyword_at);
      in_.fail(keyword_at, fmt::format("unknown operation '{}'", keyword),
               "GOAL has calc, send and recv",
               "Syntax of dependencies: l2 requires l1, l2 irequires l1.");
    }
    if (rank_.size() >= GoalRank::kMostOperations) {
      in_.fail(keyword_at, "too many operations in one rank block", "the maximum is two billion",
               {});
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
    if (op.peer >= rank_count_ && (send || op.peer != kGoalAny)) {
      in_.fail(peer_at, fmt::format("rank {} does not exist", op.peer),
               fmt::format("the file has num_ranks {}", rank_count_), {});
    }
    options(op, true);
  }

  void expect_word(std::string_view expected) {
    const char* at = in_.here();
    const std::string_view found = in_.word();
    if (found == expected) return;
    in_.fail(at, fmt::format("expected '{}'", expected),
             found.empty() ? "something else was found" : fmt::format("'{}' was found", found),
             "Syntax: send SIZE b to RANK, recv SIZE b from RANK.");
  }

  /// A number, or -1 for any where that is possible.
  std::uint32_t or_any(std::string_view what, bool may_be_any) {
    in_.skip_blanks();
    const char* at = in_.here();
    if (!in_.take('-')) return static_cast<std::uint32_t>(in_.number(what, kMost32));
    if (may_be_any && in_.number(what, 1) == 1) return kGoalAny;
    in_.fail(at, fmt::format("{} cannot be negative", what), "only receives accept -1 (any)", {});
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
               fmt::format("'{}' was found", verb), "A label is followed by a colon.");
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
               "labels are valid in their rank block, after their definition",
               "Define it above, or correct the name.");
    }
    return found;
  }

  Cursor& in_;
  std::uint64_t rank_count_;
  GoalRank& rank_;
  GoalLabels labels_;
  GoalUsualLines usual_{rank_, labels_, rank_count_};
};

}  // namespace

void read_goal_block(Cursor& in, std::uint64_t rank_count, GoalRank& rank) {
  BlockReader(in, rank_count, rank).read();
}

}  // namespace slackline
