#include "sim/simgrid/lazy_sharing.h"

#include <gtest/gtest.h>

#include <vector>

#include "sim/testing/links.h"

namespace slackline::simgrid {
namespace {

using testing::link;
using testing::links;

// Three flows of bound 1000, the first links of b and c are the same. By SimGrid's rules b's start
// marks that link and its connected component; c finds it marked, so that the narrow link, where a
// is, does not know of c until a message is announced there.
TEST(LazySharing, FlowsThatStartTogetherStayPendingAtUnmarkedLinks) {
  const Platform p = links({300, 100});
  const LinkView view(p, {});
  const std::vector<LinkShare> wide{{link(p, 0), 1}}, narrow{{link(p, 1), 1}},
      both{{link(p, 0), 1}, {link(p, 1), 1}};
  LazySharing sharing(view, {});
  const FlowId a = sharing.add(narrow, 1, 1000);
  sharing.solve();
  const FlowId b = sharing.add(wide, 1, 1000);
  const FlowId c = sharing.add(both, 1, 1000);
  sharing.solve();
  EXPECT_DOUBLE_EQ(sharing.rate(a), 100);
  EXPECT_DOUBLE_EQ(sharing.rate(b), 150);
  EXPECT_DOUBLE_EQ(sharing.rate(c), 150);
  sharing.announce(sharing.create(narrow, 1, 1000), false);
  sharing.solve();
  EXPECT_DOUBLE_EQ(sharing.rate(a), 50);
  EXPECT_DOUBLE_EQ(sharing.rate(b), 250);
  EXPECT_DOUBLE_EQ(sharing.rate(c), 50);
  sharing.remove(c);
  sharing.remove(b);
  sharing.solve();
  EXPECT_DOUBLE_EQ(sharing.rate(a), 100);
}

// When they start the other way round, all of c's links are marked.
TEST(LazySharing, AllLinksOfTheFirstFlowAreMarked) {
  const Platform p = links({300, 100});
  const LinkView view(p, {});
  LazySharing sharing(view, {});
  const FlowId c = sharing.add(std::vector<LinkShare>{{link(p, 0), 1}, {link(p, 1), 1}}, 1, 1000);
  const FlowId b = sharing.add(std::vector<LinkShare>{{link(p, 0), 1}}, 1, 1000);
  sharing.solve();
  EXPECT_DOUBLE_EQ(sharing.rate(c), 100);
  EXPECT_DOUBLE_EQ(sharing.rate(b), 200);
}

// b starts on a fatpipe at the simulated time at which a, the only other flow there, ends. b still
// counts for what could fill the fatpipe, so that it gets no more than its capacity.
TEST(LazySharing, AFlowThatStartsAsTheLastOneEndsIsLimited) {
  const Platform p = links({100}, {true});
  const LinkView view(p, {});
  LazySharing sharing(view, {});
  const std::vector<LinkShare> pipe{{link(p, 0), 1}};
  const FlowId a = sharing.add(pipe, 1, 50);
  sharing.solve();
  const FlowId b = sharing.add(pipe, 1, 400);
  sharing.remove(a);
  sharing.solve();
  EXPECT_DOUBLE_EQ(sharing.rate(b), 100);
}

}  // namespace
}  // namespace slackline::simgrid
