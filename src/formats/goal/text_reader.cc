// GOAL text, fast: cursors over the mapped file, no copies, no tokens.
//
// Blocks know nothing of each other, which makes them parallel work: in a file without comments
// each closing brace ends a block, and braces are found faster than lines are read. Whoever is free
// looks for the next one. A brace in a comment would cut that comment in two, and no block reads
// well up to there; so if all blocks that were cut can be read, they were cut in the right places.
// If not, or when there is one thread only, the file is read front to back, which also finds the
// first error.

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "formats/goal/goal.h"
#include "formats/goal/text_cursor.h"
#include "trace/goal/linearise.h"

namespace slackline {
namespace {

constexpr std::uint64_t kMostRanks = std::uint64_t{1} << 31;
/// Bytes of text for an operation and a dependency.
constexpr std::size_t kUsualBytes = 48;

std::uint64_t read_header(Cursor& in) {
  in.skip_lines();
  const char* at = in.here();
  if (in.word() != "num_ranks") {
    in.fail(at, "expected num_ranks", "a GOAL file begins with it", {});
  }
  in.skip_blanks();
  const char* number_at = in.here();
  const std::uint64_t ranks = in.number("the number of ranks", kMostRanks);
  if (ranks == 0) in.fail(number_at, "a program needs at least one rank", "num_ranks is 0", {});
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
    in.fail(rank_at, fmt::format("rank {} does not exist", rank),
            fmt::format("the file has num_ranks {}", rank_count), {});
  }
  in.skip_lines();
  if (!in.take('{')) in.fail(in.here(), "expected '{'", "blocks begin with rank R {", {});
  return rank;
}

/// Which ranks have had their block.
class BlocksSeen {
 public:
  explicit BlocksSeen(std::uint64_t ranks) : ranks_(ranks) {}

  /// Throws Error for the second one of a rank.
  void add(const Cursor& in, const char* where, std::uint64_t rank) {
    if (!seen_.insert(rank).second) {
      in.fail(where, fmt::format("rank {} has two blocks", rank), "one per rank is allowed", {});
    }
  }
  void require_all(const Cursor& in) const {
    if (seen_.size() == ranks_) return;
    std::uint64_t missing = 0;
    while (seen_.contains(missing)) ++missing;
    in.fail(in.end(), fmt::format("rank {} has no block", missing),
            fmt::format("num_ranks is {}, and the file has {} blocks", ranks_, seen_.size()),
            "Check that the file is complete.");
  }

 private:
  std::uint64_t ranks_;
  std::unordered_set<std::uint64_t> seen_;
};

/// Room for a block of this many bytes.
void reserve(GoalRank& rank, std::size_t bytes) {
  rank.reserve(bytes / kUsualBytes, bytes / kUsualBytes);
}

void read_front_to_back(Cursor in, std::uint64_t rank_count, GoalBlockSink& sink) {
  sink.begin(static_cast<std::uint32_t>(rank_count));
  BlocksSeen seen(rank_count);
  const auto share = static_cast<std::size_t>(in.end() - in.here()) / rank_count;
  GoalRank scratch;
  for (in.skip_lines(); !in.at_end(); in.skip_lines()) {
    const char* begin = in.here();
    const std::uint64_t rank = read_block_header(in, rank_count);
    seen.add(in, begin, rank);
    scratch.clear();
    reserve(scratch, share);
    read_goal_block(in, rank_count, scratch);
    sink.block(static_cast<std::uint32_t>(rank), scratch);
  }
  seen.require_all(in);
}

/// The blocks of a text in which every '}' closes one.
class BlockCutter {
 public:
  BlockCutter(std::string_view text, std::string_view name, const Cursor& begin,
              std::uint64_t rank_count)
      : text_(text), name_(name), at_(begin), rank_count_(rank_count), seen_(rank_count) {}

  /// A thread's work: blocks, until there are no more.
  void read(GoalBlockSink& sink) {
    GoalRank scratch;
    for (;;) {
      const std::string_view block = next();
      if (block.empty()) return;
      const auto begin = static_cast<std::size_t>(block.data() - text_.data());
      Cursor in(text_, name_, begin, begin + block.size());
      const std::uint64_t rank = read_block_header(in, rank_count_);
      {
        const std::lock_guard lock(mutex_);
        seen_.add(in, block.data(), rank);
      }
      scratch.clear();
      reserve(scratch, block.size());
      read_goal_block(in, rank_count_, scratch);
      sink.block(static_cast<std::uint32_t>(rank), scratch);
    }
  }
  void require_all() const { seen_.require_all(at_); }

 private:
  /// Empty: there are no more.
  std::string_view next() {
    const std::lock_guard lock(mutex_);
    at_.skip_lines();
    const std::string_view rest(at_.here(), static_cast<std::size_t>(at_.end() - at_.here()));
    const std::size_t close = rest.find('}');
    const std::string_view block =
        close == std::string_view::npos ? rest : rest.substr(0, close + 1);
    at_.jump(block.data() + block.size());
    return block;
  }

  std::string_view text_;
  std::string_view name_;
  std::mutex mutex_;
  Cursor at_;
  std::uint64_t rank_count_;
  BlocksSeen seen_;
};

bool read_by_cuts(std::string_view text, std::string_view name, const Cursor& begin,
                  std::uint64_t rank_count, GoalBlockSink& sink, unsigned threads) {
  sink.begin(static_cast<std::uint32_t>(rank_count));
  BlockCutter cutter(text, name, begin, rank_count);
  try {
    parallel_for(
        threads, [&](std::size_t) { cutter.read(sink); }, threads);
    cutter.require_all();
  } catch (const Error&) {
    return false;  // which error it is, and whether it is one, is seen front to back
  }
  return true;
}

struct NoSink : GoalBlockSink {
  void begin(std::uint32_t) override {}
  void block(std::uint32_t, GoalRank&) override {}
};

struct ProgramSink : GoalBlockSink {
  void begin(std::uint32_t ranks) override {
    program.ranks.clear();
    program.ranks.resize(ranks);
  }
  void block(std::uint32_t rank, GoalRank& block) override {
    program.ranks[rank] = std::move(block);
    block = {};
  }

  GoalProgram program;
};

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

void read_goal_blocks(std::string_view text, std::string_view name, GoalBlockSink& sink,
                      unsigned threads) {
  Cursor in(text, name, 0, text.size());
  const std::uint64_t rank_count = read_header(in);
  if (rank_count > text.size()) {
    // There cannot be so many blocks; nobody needs room for them to learn which one is missing.
    NoSink nobody;
    read_front_to_back(in, rank_count, nobody);
  }
  const auto workers = static_cast<unsigned>(
      std::min<std::uint64_t>(threads == 0 ? hardware_threads() : threads, rank_count));
  if (workers > 1 && read_by_cuts(text, name, in, rank_count, sink, workers)) return;
  read_front_to_back(in, rank_count, sink);
}

GoalProgram read_goal_text(std::string_view text, std::string_view name, unsigned threads) {
  ProgramSink sink;
  read_goal_blocks(text, name, sink, threads);
  return std::move(sink.program);
}

namespace {

constexpr std::size_t kHeadBytes = 4096;

std::string_view head_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kHeadBytes)};
}

}  // namespace

bool looks_like_goal(std::span<const std::byte> bytes) {
  return looks_like_goal_binary(bytes) || looks_like_goal_text(head_of(bytes));
}

GoalProgram read_goal(std::span<const std::byte> bytes, std::string_view name) {
  if (looks_like_goal_binary(bytes)) return read_goal_binary(bytes, name);
  return read_goal_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name);
}

Trace read_goal_as_trace(std::span<const std::byte> bytes, std::string_view name) {
  return linearise(read_goal(bytes, name), name);
}

}  // namespace slackline
