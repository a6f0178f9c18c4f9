#include "replay/wildcards.h"

#include <gtest/gtest.h>

#include "formats/testing/text_trace.h"

namespace slackline {
namespace {

constexpr std::uint8_t kAnySource = SLK_FLAG_ANY_SOURCE;
constexpr std::uint8_t kAnyTag = SLK_FLAG_ANY_TAG;

const std::string kOthers = "rank 1 absent\nrank 2 absent\n";

bool is_free(const std::string& receives, std::int32_t tag, std::uint8_t flags) {
  const Trace trace = testing::untimed_trace(3, "rank 0\n" + receives + kOthers);
  return FreeWildcards(trace.calls(0)).is_free(0, tag, flags);
}

const std::string kFromAny = " recv from=1 tag=5 bytes=8 any_source\n";

TEST(FreeWildcards, AreThoseThatAllReceivesOfTheirMessagesArePostedLike) {
  EXPECT_TRUE(is_free(kFromAny + kFromAny, 5, kAnySource));
  EXPECT_FALSE(is_free(kFromAny, 5, 0));
  EXPECT_FALSE(is_free(kFromAny, 5, kAnyTag));
}

// The message that a receive from rank 2 needs could go to the wildcard.
TEST(FreeWildcards, AreNotThoseThatTakeTheMessageOfAnotherReceive) {
  EXPECT_FALSE(is_free(kFromAny + " recv from=2 tag=5 bytes=8\n", 5, kAnySource));
  EXPECT_FALSE(
      is_free(kFromAny + " irecv from=2 tag=5 bytes=8 req=1\n wait req=1\n", 5, kAnySource));
  EXPECT_FALSE(
      is_free(kFromAny + " sendrecv to=1 tag=1 bytes=8 from=2 rtag=5 rbytes=8\n", 5, kAnySource));
  EXPECT_FALSE(is_free(kFromAny + " recv from=2 tag=9 bytes=8 any_tag\n", 5, kAnySource));
  // What a probe has found must be there until it is received, by a wildcard, too.
  EXPECT_FALSE(is_free(" probe from=1 tag=5 bytes=8 any_source\n" + kFromAny, 5, kAnySource));
  EXPECT_TRUE(is_free(kFromAny + " recv from=2 tag=6 bytes=8\n", 5, kAnySource));
  EXPECT_TRUE(is_free(kFromAny + " recv from=null tag=5 bytes=8\n", 5, kAnySource));
}

TEST(FreeWildcards, OfSourceAndTagAreFreeOnlyAmongThemselves) {
  const std::string both = " recv from=1 tag=5 bytes=8 any_source any_tag\n";
  const std::uint8_t flags = kAnySource | kAnyTag;
  EXPECT_TRUE(is_free(both + both, 5, flags));
  EXPECT_FALSE(is_free(both + kFromAny, 5, flags));
  EXPECT_FALSE(is_free(both + kFromAny, 5, kAnySource));
  EXPECT_FALSE(is_free(both + " recv from=2 tag=6 bytes=8\n", 5, flags));
}

TEST(FreeWildcards, DependOnTheirCommunicatorOnly) {
  const Trace trace =
      testing::untimed_trace(3, "comm 2 members=0,1,2\nrank 0\n" + kFromAny +
                                    " recv from=2 tag=5 bytes=8 comm=2\n" + kOthers);
  const FreeWildcards wildcards(trace.calls(0));
  EXPECT_TRUE(wildcards.is_free(0, 5, kAnySource));
  EXPECT_FALSE(wildcards.is_free(2, 5, kAnySource));
  EXPECT_FALSE(wildcards.is_free(7, 5, kAnySource));
}

}  // namespace
}  // namespace slackline
