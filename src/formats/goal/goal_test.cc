#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/testing/error_text.h"
#include "formats/goal/goal.h"
#include "trace/goal/linearise.h"
#include "trace/goal/order.h"
#include "trace/goal/program.h"

namespace slackline {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

GoalProgram read(std::string_view text) {
  return read_goal_text(text, "x.goal", 1);
}

std::string error_of(std::string_view text) {
  return error_text([&] { linearise(read(text), "x.goal"); });
}

std::string text_of(const GoalProgram& program) {
  std::string text;
  write_goal_text(program, [&](std::string_view part) { text += part; });
  return text;
}

bool same_rank(const GoalRank& a, const GoalRank& b) {
  if (a.size() != b.size()) return false;
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return false;
  }
  return std::ranges::equal(a.dependencies(), b.dependencies());
}

bool same_program(const GoalProgram& a, const GoalProgram& b) {
  return std::ranges::equal(a.ranks, b.ranks, same_rank);
}

/// The same text in a shape that only the general reader takes: two blanks for one.
std::string widened(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == ' ' ? std::string("  ") : std::string(1, c);
  return result;
}

TEST(GoalTextTest, UsualLinesMeanWhatTheGeneralReaderSays) {
  // Numbers of every length up to where they leave 63 bits, all verbs, labels in a row and not.
  std::string text = "num_ranks 12\nrank 0 {\n";
  std::uint64_t size = 0;
  int label = 3;
  for (int digits = 1; digits <= 18; ++digits) {
    size = 10 * size + static_cast<std::uint64_t>(digits % 10);
    const std::string number = std::to_string(size);
    const std::string l = "op" + std::to_string(label++);
    text += l + ": calc " + number + "\n";
    text += "op" + std::to_string(label++) + ": send " + number + "b to " +
            std::to_string(digits % 12) + " tag " + std::to_string(size % 4'000'000'000) + "\n";
    text += "op" + std::to_string(label++) + ": recv " + number + "b from 11\n";
    text += "op" + std::to_string(label - 1) + " requires " + l + "\n";
    text += "op" + std::to_string(label - 2) + " irequires " + l + "\n";
    if (digits == 10) text += "calc 7\n";
    if (digits == 12) text += "other: send 5b to 1 tag 2 cpu 1 nic 3\n";
    if (digits == 14) text += "op1: recv 5b from -1 tag -1\nop4 requires op1\n";
  }
  text += "}\n";
  for (int r = 1; r < 12; ++r) text += "rank " + std::to_string(r) + " {\n}\n";
  EXPECT_TRUE(same_program(read(text), read(widened(text))));
  const GoalProgram program = read(text);
  EXPECT_EQ(program.ranks[0].size(), 3u * 18 + 3);
  EXPECT_EQ(program.ranks[0][3 * 7].size, 12'345'678u);
  EXPECT_EQ(program.ranks[0][3 * 8].size, 123'456'789u);
}

TEST(GoalTextTest, ErrorsBehindUsualLinesKnowTheirPlace) {
  std::string text = "num_ranks 1\nrank 0 {\n";
  for (int i = 0; i < 40; ++i) text += "l" + std::to_string(i) + ": calc 1\n";
  EXPECT_THAT(error_of(text + "l39 requires l40\n}\n"),
              AllOf(HasSubstr("x.goal:43:14"), HasSubstr("no operation has the label 'l40'")));
  EXPECT_THAT(error_of(text + "l3 requires l3\n}\n"), HasSubstr("depends on itself"));
  EXPECT_THAT(error_of(text + "l40: calc 12x\n}\n"), HasSubstr("x.goal:43:"));
}

TEST(GoalText, ReadsEveryForm) {
  const GoalProgram p = read(
      "// a comment\n num_ranks 2\n"
      "rank 1 {\n recv 7 b from -1 tag -1 cpu 3 nic 2\n}\n"
      "/* blocks in any order */\n"
      "rank 0 {\n"
      "first_one: send 4294967296b to 1\n"
      "l2: calc 10 cpu 1 // ten\n"
      "l2 irequires first_one\n"
      "l007:calc 0\nl7: calc 3\n"
      "l7 requires l007\r\n"
      "}\n");
  ASSERT_EQ(p.ranks.size(), 2u);
  EXPECT_EQ(p.ranks[1][0], (GoalOperation{.kind = GoalKind::recv,
                                          .cpu = 3,
                                          .nic = 2,
                                          .peer = kGoalAny,
                                          .tag = kGoalAny,
                                          .size = 7}));
  ASSERT_EQ(p.ranks[0].size(), 4u);
  EXPECT_EQ(p.ranks[0][0],
            (GoalOperation{.kind = GoalKind::send, .peer = 1, .size = std::uint64_t{1} << 32}));
  EXPECT_EQ(p.ranks[0][1], (GoalOperation{.kind = GoalKind::calc, .cpu = 1, .size = 10}));
  EXPECT_THAT(p.ranks[0].dependencies(),
              ElementsAre(GoalDependency{1, 0, true}, GoalDependency{3, 2, false}));
}

TEST(GoalText, TheFirstOfTwoDefinitionsHolds) {
  const GoalProgram p =
      read("num_ranks 1\nrank 0 {\na: calc 1\na: calc 2\nb: calc 3\nb requires a\n}");
  EXPECT_THAT(p.ranks[0].dependencies(), ElementsAre(GoalDependency{2, 0, false}));
}

TEST(GoalText, LabelsThatLookLikeNumbersButJumpFar) {
  const GoalProgram p = read(
      "num_ranks 1\nrank 0 {\nl900000000: calc 1\nl1: calc 2\nm1: calc 3\n"
      "l1 requires l900000000\nm1 requires l1\n}");
  EXPECT_THAT(p.ranks[0].dependencies(),
              ElementsAre(GoalDependency{1, 0, false}, GoalDependency{2, 1, false}));
}

TEST(GoalText, ErrorsSayWhereAndWhat) {
  EXPECT_THAT(error_of("num_ranks 1\nrank 0 {\nl1: calc 5\nl1 requires l9\n}"),
              AllOf(HasSubstr("x.goal:4:13"), HasSubstr("label 'l9'")));
  EXPECT_THAT(error_of("num_ranks 1\nrank 0 {\ncalc 99999999999999999999\n}"),
              AllOf(HasSubstr("x.goal:3:6"), HasSubstr("too large")));
  EXPECT_THAT(error_of("num_ranks 1\nrank 0 {\ncalc 5\n"),
              AllOf(HasSubstr("x.goal:4:1"), HasSubstr("not closed")));
  EXPECT_THAT(error_of("num_ranks 2\nrank 0 {\n}\n"), HasSubstr("rank 1 has no block"));
  EXPECT_THAT(error_of("num_ranks 4000000000\nrank 0 {\n}\n"), HasSubstr("too large"));
  EXPECT_THAT(error_of("num_ranks 2000000000\nrank 0 {\n}\n"), HasSubstr("rank 1 has no block"));
  EXPECT_THAT(error_of("num_ranks 1\nrank 0 {\n}\nrank 0 {\n}\n"), HasSubstr("two blocks"));
  EXPECT_THAT(error_of("num_ranks 1\nrank 0 {\nsend 5b to 3\n}"),
              AllOf(HasSubstr("x.goal:3:12"), HasSubstr("rank 3 does not exist")));
  EXPECT_THAT(error_of("num_ranks 1\nrank 0 {\nsend 5b to -1\n}"), HasSubstr("negative"));
  // What -1, any rank, is as a number of 32 bits.
  EXPECT_THAT(error_of("num_ranks 2\nrank 0 {\nsend 1b to 4294967295 tag 9\n}\nrank 1 {\n"
                       "recv 1b from -1 tag 9\n}"),
              AllOf(HasSubstr("x.goal:3:12"), HasSubstr("rank 4294967295 does not exist")));
  EXPECT_THAT(error_of("num_ranks 1\nrank 0 {\ncalc 1.5\n}"), HasSubstr("end of the line"));
  EXPECT_THAT(error_of("num_ranks 1\nrank 0 {\ncalc 1 cpu 256\n}"), HasSubstr("too large"));
  EXPECT_THAT(error_of("num_ranks 1\nrank 0 {\nfoo 1\n}"), HasSubstr("unknown operation"));
  EXPECT_THAT(error_of("num_ranks 1 /* open"), HasSubstr("not closed"));
  EXPECT_THAT(error_of("num_ranks 1\nrank 0 {\na: calc 1\na requires a\n}"),
              HasSubstr("depends on itself"));
}

TEST(GoalMatching, NamesWhatHasNoPartner) {
  EXPECT_THAT(error_of("num_ranks 2\nrank 0 {\nsend 8b to 1 tag 7\n}\nrank 1 {\n"
                       "recv 8b from 0 tag 6\n}"),
              AllOf(HasSubstr("1 send and 1 receive without"),
                    HasSubstr("rank 0 sends 8 bytes to rank 1 with tag 7"),
                    HasSubstr("rank 1 receives 8 bytes from rank 0 with tag 6")));
}

TEST(GoalMatching, WildcardsTakeWhatIsLeft) {
  const GoalProgram p = read(
      "num_ranks 3\nrank 0 {\nsend 1b to 2 tag 5\n}\nrank 1 {\nsend 2b to 2 tag 6\n}\n"
      "rank 2 {\nrecv 1b from -1 tag -1\nrecv 1b from 0 tag 5\n}");
  const GoalMatches m(p, "x.goal", 1);
  EXPECT_EQ(m.partner(2), 1u);  // rank 1's send: rank 0's is asked for by name
  EXPECT_EQ(m.partner(3), 0u);
  EXPECT_EQ(m.findings().entries().front().count, 1u);
}

TEST(GoalOrdering, PrintsTheCycle) {
  EXPECT_THAT(error_of("num_ranks 2\n"
                       "rank 0 {\na: recv 1b from 1\nb: send 1b to 1\nb requires a\n}\n"
                       "rank 1 {\na: recv 1b from 0\nb: send 1b to 0\nb requires a\n}"),
              AllOf(HasSubstr("cycle of 4"),
                    HasSubstr("recv 1 of rank 0 needs send 2 of rank 1 needs recv 1 of rank 1")));
}

TEST(GoalLinearisation, IsAnOrderOfTheProgram) {
  const Trace t =
      linearise(read("num_ranks 2\n"
                     "rank 0 {\nl1: send 4b to 1 tag 1\nl2: calc 1000\nl1 requires l2\n"
                     "l3: calc 2000\nl3 irequires l1\n}\n"
                     "rank 1 {\nl1: recv 4b from 0 tag 1\nl2: calc 3000\nl1 requires l2\n}"),
                "x.goal");
  const RankCalls& sender = t.calls(0);
  ASSERT_EQ(sender.size(), 3u);
  EXPECT_EQ(sender.operation(0), Operation::isend);
  EXPECT_EQ(sender.begin_ns(0), 1000);
  EXPECT_EQ(sender.operation(1), Operation::waitall);
  EXPECT_EQ(sender.begin_ns(1), 3000);
  EXPECT_EQ(sender.operation(2), Operation::finalize);
  EXPECT_EQ(t.calls(1).operation(0), Operation::recv);
  EXPECT_EQ(t.calls(1).begin_ns(0), 3000);
  EXPECT_EQ(t.calls(1)[0].peer, 0);
}

/// What txt2bin of LogGOPSim made of the text below.
TEST(GoalBinary, WritesWhatTheConverterWrites) {
  const std::string_view text =
      "num_ranks 2\nrank 0 {\na: calc 10\nb: send 100b to 1 tag 5 cpu 2 nic 1\nc: calc 7\n"
      "b irequires a\nc requires b\nc irequires a\n}\n"
      "rank 1 {\nx: recv 100b from 0 tag 5\ncalc 3\n}\n";
  const std::string_view hex =
      "7f100000000000000200000002012600000000000000b300000000000000b300000000000000110100000000"
      "00000300000001000000000000000000000003000000000a0000000000000000000000000000000000000000"
      "0002000000000000000100000001010000006400000000000000050000000201010000000200000000000000"
      "0300000002000000030000000007000000000000000000000000000000000003000000000000000300000001"
      "0000000200000002000000020000000200000000000000010000000000000002000000006400000000000000"
      "0500000000000000000000000000000000000000000000000000030000000003000000000000000000000000"
      "0000000000000000000000000000000000";
  std::string expected;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    expected += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  const std::string written = goal_binary(read(text));
  EXPECT_EQ(written.size(), 0x119u);
  EXPECT_EQ(written, expected);
}

TEST(GoalBinary, RefusesWhatContradictsItself) {
  std::string bytes =
      goal_binary(read("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 2\nb requires a\n}"));
  const auto error = [](std::string_view damaged) {
    return error_text([&] { read_goal_binary(as_bytes(damaged), "x.bin"); });
  };
  EXPECT_EQ(error(bytes), "no error");
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_THAT(error(std::string_view(bytes).substr(0, n)), HasSubstr("x.bin")) << n;
  }
  std::string used_up = bytes;
  used_up[0] = static_cast<char>(0x26);
  used_up[1] = static_cast<char>(0x09);
  EXPECT_THAT(error(used_up), HasSubstr("--save-mem"));
  std::string wrong_successor = bytes;
  wrong_successor[bytes.size() - 4] = 7;
  EXPECT_THAT(error(wrong_successor), HasSubstr("cannot depend"));
}

GoalProgram arbitrary_program() {
  using rc::gen::inRange;
  const auto ranks = *inRange<std::uint32_t>(1, 5);
  GoalProgram program;
  program.ranks.resize(ranks);
  for (GoalRank& rank : program.ranks) {
    const auto count = *inRange<std::uint32_t>(0, 12);
    for (std::uint32_t i = 0; i < count; ++i) {
      GoalOperation op;
      op.kind = *rc::gen::element(GoalKind::send, GoalKind::recv, GoalKind::calc);
      op.cpu = *inRange<std::uint8_t>(0, 4);
      op.size =
          *rc::gen::element<std::uint64_t>(0, 1, 8, 0xffffffffu, 0x100000000u, 0x7fffffffffffffffu);
      if (op.kind != GoalKind::calc) {
        op.nic = *inRange<std::uint8_t>(0, 3);
        op.peer = *inRange<std::uint32_t>(0, ranks);
        op.tag = *rc::gen::element<std::uint32_t>(0, 5, 0xfffffffeu);
        if (op.kind == GoalKind::recv && *inRange(0, 5) == 0) op.peer = kGoalAny;
      }
      rank.add(op);
    }
    for (std::uint32_t i = 0; count > 1 && i < count; ++i) {
      const auto dependent = *inRange<std::uint32_t>(0, count);
      const auto on = (dependent + *inRange<std::uint32_t>(1, count)) % count;
      rank.add_dependency(dependent, on, *rc::gen::arbitrary<bool>());
    }
  }
  return program;
}

RC_GTEST_PROP(GoalText, ReadsWhatItWrites, ()) {
  const GoalProgram program = arbitrary_program();
  RC_ASSERT(same_program(read(text_of(program)), program));
}

RC_GTEST_PROP(GoalBinary, KeepsEachSourcesOrder, ()) {
  const GoalProgram program = arbitrary_program();
  const std::string bytes = goal_binary(program);
  const GoalProgram again = read_goal_binary(as_bytes(bytes), "x.bin");
  RC_ASSERT(goal_binary(again) == bytes);
  for (std::size_t r = 0; r < program.ranks.size(); ++r) {
    RC_ASSERT(again.ranks[r].size() == program.ranks[r].size());
    for (std::uint32_t i = 0; i < program.ranks[r].size(); ++i) {
      RC_ASSERT(again.ranks[r][i] == program.ranks[r][i]);
    }
  }
}

}  // namespace
}  // namespace slackline
