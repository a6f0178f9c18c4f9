#include "sim/simgrid/selective_sharing.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "sim/testing/links.h"

namespace slackline::simgrid {
namespace {

using testing::link;
using testing::links;

FlowId announce(SelectiveSharing& sharing, const std::vector<LinkShare>& shares,
                double penalty = 1) {
  const FlowId flow = sharing.create(shares, penalty, 0);
  sharing.announce(flow, false);
  return flow;
}

FlowId start(SelectiveSharing& sharing, const std::vector<LinkShare>& shares, double penalty = 1,
             double bound = 0) {
  const FlowId flow = sharing.create(shares, penalty, bound);
  sharing.start(flow);
  return flow;
}

TEST(SelectiveSharing, FlowsShareByTheInverseOfTheirPenalties) {
  const Platform p = links({300});
  const LinkView view(p, {});
  SelectiveSharing sharing(view);
  const std::vector<LinkShare> l{{link(p, 0), 1}};
  const FlowId a = start(sharing, l);
  const FlowId b = announce(sharing, l, 2);
  EXPECT_EQ(sharing.solve().flows.size(), 1U);
  EXPECT_DOUBLE_EQ(sharing.rate(a), 300);
  sharing.start(b);
  // The newest comes first.
  const auto solved = sharing.solve().flows;
  EXPECT_EQ(std::vector<FlowId>(solved.begin(), solved.end()), (std::vector<FlowId>{b, a}));
  EXPECT_DOUBLE_EQ(sharing.rate(a), 200);
  EXPECT_DOUBLE_EQ(sharing.rate(b), 100);
  sharing.remove(a);
  sharing.solve();
  EXPECT_DOUBLE_EQ(sharing.rate(b), 300);
}

// When two flows start at one simulated time over one first link, the second one's other link
// learns of it only when something else marks it (doc/decisions/0005).
TEST(SelectiveSharing, ASecondFlowIsUnknownToItsOtherLinkUntilThatIsMarked) {
  const Platform p = links({100, 100, 100});
  const LinkView view(p, {});
  SelectiveSharing sharing(view);
  const std::vector<LinkShare> first{{link(p, 0), 1}, {link(p, 1), 1}};
  const std::vector<LinkShare> second{{link(p, 0), 1}, {link(p, 2), 1}};
  const std::vector<LinkShare> other{{link(p, 2), 1}};
  const FlowId c = announce(sharing, other);
  const FlowId a = announce(sharing, first);
  const FlowId b = announce(sharing, second);
  sharing.start(c);
  sharing.solve();
  sharing.start(a);
  sharing.start(b);
  sharing.solve();
  EXPECT_DOUBLE_EQ(sharing.rate(b), 50);
  EXPECT_DOUBLE_EQ(sharing.rate(c), 100) << "its link does not know of the flow that started";
  const FlowId d = announce(sharing, other);
  sharing.solve();
  EXPECT_DOUBLE_EQ(sharing.rate(c), 50);
  sharing.remove(d);
}

// All links know of flows that come one at a time: then the rates are the max-min point, as the
// incremental solution finds it in quite another way.
TEST(SelectiveSharing, AgreesWithTheIncrementalSolution) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> capacities;
    for (int i = 0; i < 6; ++i) capacities.push_back(50.0 + static_cast<double>(random() % 500));
    const Platform p = links(capacities);
    const LinkView view(p, {});
    SelectiveSharing selective(view);
    MaxMinSharing incremental(view, {});
    std::vector<std::pair<FlowId, FlowId>> flows;
    for (int step = 0; step < 40; ++step) {
      if (!flows.empty() && random() % 3 == 0) {
        const std::size_t at = random() % flows.size();
        selective.remove(flows[at].first);
        incremental.remove(flows[at].second);
        flows.erase(flows.begin() + static_cast<std::ptrdiff_t>(at));
      } else {
        std::vector<LinkShare> shares;
        for (std::size_t i = 0; i < capacities.size(); ++i) {
          if (random() % 3 == 0) shares.push_back({link(p, i), random() % 4 == 0 ? 0.05 : 1.0});
        }
        if (shares.empty()) shares.push_back({link(p, 0), 1});
        const double penalty = 1.0 + static_cast<double>(random() % 9);
        const double bound = 10.0 + static_cast<double>(random() % 300);
        flows.emplace_back(start(selective, shares, penalty, bound),
                           incremental.add(shares, penalty, bound));
      }
      selective.solve();
      incremental.solve();
      for (const auto& [a, b] : flows) {
        // SimGrid takes a link with 1e-5 of its capacity left for full.
        EXPECT_NEAR(selective.rate(a), incremental.rate(b), 1e-4 * incremental.rate(b) + 1e-2);
      }
    }
  }
}

}  // namespace
}  // namespace slackline::simgrid
