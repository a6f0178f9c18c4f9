#include "sim/sharing/max_min_sharing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "sim/testing/links.h"

namespace slackline {
namespace {

using testing::link;
using testing::links;

TEST(MaxMinSharing, FlowsShareByTheInverseOfTheirPenalties) {
  const Platform p = links({300});
  const LinkView view(p, {});
  MaxMinSharing sharing(view, {});
  const std::vector<LinkShare> l{{link(p, 0), 1}};
  const FlowId a = sharing.add(l, 1, 1000);
  const FlowId b = sharing.add(l, 2, 1000);
  sharing.solve();
  EXPECT_DOUBLE_EQ(sharing.rate(a), 200);
  EXPECT_DOUBLE_EQ(sharing.rate(b), 100);
  sharing.remove(a);
  sharing.solve();
  EXPECT_DOUBLE_EQ(sharing.rate(b), 300);
}

TEST(MaxMinSharing, ABoundLeavesTheRestToOthers) {
  const Platform p = links({300});
  const LinkView view(p, {});
  MaxMinSharing sharing(view, {});
  const std::vector<LinkShare> l{{link(p, 0), 1}};
  const FlowId a = sharing.add(l, 1, 50);
  const FlowId b = sharing.add(l, 1, 1000);
  sharing.solve();
  EXPECT_DOUBLE_EQ(sharing.rate(a), 50);
  EXPECT_DOUBLE_EQ(sharing.rate(b), 250);
  EXPECT_EQ(sharing.bottleneck(a), kNoLink);
  EXPECT_EQ(sharing.bottleneck(b), link(p, 0));
}

// The textbook's line: one long flow, a short one on each of two links.
TEST(MaxMinSharing, TheLongFlowGetsItsShareOfTheNarrowLink) {
  const Platform p = links({100, 300});
  const LinkView view(p, {});
  MaxMinSharing sharing(view, {});
  const FlowId both =
      sharing.add(std::vector<LinkShare>{{link(p, 0), 1}, {link(p, 1), 1}}, 1, 1000);
  const FlowId first = sharing.add(std::vector<LinkShare>{{link(p, 0), 1}}, 1, 1000);
  const FlowId second = sharing.add(std::vector<LinkShare>{{link(p, 1), 1}}, 1, 1000);
  sharing.solve();
  EXPECT_DOUBLE_EQ(sharing.rate(both), 50);
  EXPECT_DOUBLE_EQ(sharing.rate(first), 50);
  EXPECT_DOUBLE_EQ(sharing.rate(second), 250);
}

TEST(MaxMinSharing, AFatpipeBoundsEachFlowByItself) {
  const Platform p = links({100}, {true});
  const LinkView view(p, {});
  MaxMinSharing sharing(view, {});
  const std::vector<LinkShare> l{{link(p, 0), 1}};
  const FlowId a = sharing.add(l, 1, 100);
  const FlowId b = sharing.add(l, 1, 100);
  sharing.solve();
  EXPECT_DOUBLE_EQ(sharing.rate(a), 100);
  EXPECT_DOUBLE_EQ(sharing.rate(b), 100);
}

// SimGrid's rule, for a flow that was there before and for two that start together: one that fills
// a pipe stops the others at his level, so that twice the penalty has half the rate.
TEST(MaxMinSharing, WhoFillsAFatpipeStopsTheOthersAtItsLevel) {
  const Platform p = links({100, 100}, {true, false});
  const LinkView view(p, {});
  const std::vector<LinkShare> both{{link(p, 0), 1}, {link(p, 1), 1}}, pipe{{link(p, 0), 1}};
  for (const bool together : {false, true}) {
    MaxMinSharing sharing(view, {});
    const FlowId a = sharing.add(both, 1, 400);
    if (!together) sharing.solve();
    const FlowId b = sharing.add(pipe, 2, 400);
    sharing.solve();
    EXPECT_DOUBLE_EQ(sharing.rate(a), 100);
    EXPECT_DOUBLE_EQ(sharing.rate(b), 50);
    sharing.remove(a);
    sharing.solve();
    EXPECT_DOUBLE_EQ(sharing.rate(b), 100);
  }
}

// a shares its own link with c at first, and b has all of the pipe by its own link. When c leaves,
// a fills both its link and the pipe at level 100, which b is above: it keeps half of its rate.
TEST(MaxMinSharing, WhoComesToFillAFatpipeByItsOwnLinkStopsThoseAboveIt) {
  const Platform p = links({100, 100, 100}, {false, false, true});
  MaxMinSharing sharing(LinkView(p, {}), {});
  const std::vector<LinkShare> first{{link(p, 0), 1}, {link(p, 2), 1}}, only_first{{link(p, 0), 1}},
      second{{link(p, 1), 1}, {link(p, 2), 1}};
  const FlowId a = sharing.add(first, 1, 400);
  const FlowId b = sharing.add(second, 2, 400);
  const FlowId c = sharing.add(only_first, 1, 400);
  sharing.solve();
  EXPECT_DOUBLE_EQ(sharing.rate(a), 50);
  EXPECT_DOUBLE_EQ(sharing.rate(b), 100);
  sharing.remove(c);
  sharing.solve();
  EXPECT_DOUBLE_EQ(sharing.rate(a), 100);
  EXPECT_DOUBLE_EQ(sharing.rate(b), 50);
}

struct RandomFlow {
  std::vector<LinkShare> shares;
  double penalty, bound;
};

/// Progressive filling as it is written in books: every round over every link and flow.
std::vector<double> filled(const std::vector<double>& capacity,
                           const std::vector<RandomFlow>& flows) {
  std::vector<double> rate(flows.size(), -1), left = capacity;
  for (;;) {
    std::vector<double> usage(capacity.size(), 0);
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (rate[f] >= 0) continue;
      for (const auto& s : flows[f].shares) usage[s.link] += s.weight / flows[f].penalty;
    }
    double level = std::numeric_limits<double>::infinity();
    for (std::size_t l = 0; l < capacity.size(); ++l) {
      if (usage[l] > 1e-12) level = std::min(level, left[l] / usage[l]);
    }
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (rate[f] < 0) level = std::min(level, flows[f].bound * flows[f].penalty);
    }
    if (level == std::numeric_limits<double>::infinity()) return rate;
    std::vector<std::size_t> fixed;
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (rate[f] >= 0) continue;
      bool stop = flows[f].bound * flows[f].penalty <= level * (1 + 1e-12);
      for (const auto& s : flows[f].shares) {
        stop = stop || left[s.link] <= level * usage[s.link] * (1 + 1e-12);
      }
      if (stop) fixed.push_back(f);
    }
    for (const std::size_t f : fixed) {
      rate[f] = level / flows[f].penalty;
      for (const auto& s : flows[f].shares) left[s.link] -= s.weight * rate[f];
    }
  }
}

// However flows come and go, the rates are those of filling from nothing.
TEST(MaxMinSharing, ChangesGiveWhatFillingFromNothingGives) {
  std::mt19937 random(7);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int round = 0; round < 60; ++round) {
    const std::size_t count = 2 + random() % 12;
    std::vector<double> capacity;
    for (std::size_t i = 0; i < count; ++i) capacity.push_back(std::floor(uniform(50, 150)));
    const Platform p = links(capacity);
    std::vector<double> by_id(p.link_count(), 1e30);
    for (std::size_t i = 0; i < count; ++i) by_id[link(p, i)] = capacity[i];
    const LinkView view(p, {});
    MaxMinSharing sharing(view, {});
    std::vector<std::pair<FlowId, RandomFlow>> live;
    for (int step = 0; step < 80; ++step) {
      const std::size_t changes = 1 + random() % 3;
      for (std::size_t c = 0; c < changes; ++c) {
        if (!live.empty() && random() % 5 < 2) {
          const std::size_t gone = random() % live.size();
          sharing.remove(live[gone].first);
          live.erase(live.begin() + static_cast<std::ptrdiff_t>(gone));
          continue;
        }
        RandomFlow flow{{}, uniform(0.5, 2), uniform(0, 1) < 0.3 ? uniform(1, 40) : 150};
        for (std::size_t i = 0; i < count; ++i) {
          if (random() % 3 == 0) {
            flow.shares.push_back({link(p, i), random() % 4 == 0 ? 0.05 : 1.0});
          }
        }
        if (flow.shares.empty()) flow.shares.push_back({link(p, 0), 1});
        live.emplace_back(sharing.add(flow.shares, flow.penalty, flow.bound), flow);
      }
      sharing.solve();
      std::vector<RandomFlow> flows;
      for (const auto& [id, flow] : live) flows.push_back(flow);
      const std::vector<double> expected = filled(by_id, flows);
      for (std::size_t f = 0; f < live.size(); ++f) {
        EXPECT_NEAR(sharing.rate(live[f].first), expected[f], 1e-6 * expected[f])
            << "round " << round << ", step " << step;
      }
    }
  }
}

// Many flows on one link, each with a link of its own and sometimes others' too: they become share
// groups and leave them again, and have the rates of filling from nothing all the while.
TEST(MaxMinSharing, ShareGroupsHaveTheRatesOfFillingFromNothing) {
  std::mt19937 random(11);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  std::size_t grouped = 0, moved = 0;
  for (int round = 0; round < 10; ++round) {
    std::vector<double> capacity{1000, 1000};
    for (int i = 0; i < 40; ++i) capacity.push_back(std::floor(uniform(60, 150)));
    const Platform p = links(capacity);
    std::vector<double> by_id(p.link_count(), 1e30);
    for (std::size_t i = 0; i < capacity.size(); ++i) by_id[link(p, i)] = capacity[i];
    const LinkView view(p, {});
    MaxMinSharing sharing(view, {.groups = true});
    std::vector<std::pair<FlowId, RandomFlow>> live;
    for (int step = 0; step < 500; ++step) {
      const std::size_t wanted = step / 100 % 2 == 0 ? 120 : 20;
      const bool leaves = !live.empty() && uniform(0, 2.0 * static_cast<double>(wanted)) <
                                               static_cast<double>(live.size());
      if (leaves) {
        const std::size_t gone = random() % live.size();
        sharing.remove(live[gone].first);
        live.erase(live.begin() + static_cast<std::ptrdiff_t>(gone));
      } else {
        RandomFlow flow{{}, uniform(0.5, 2), random() % 60 == 0 ? uniform(1, 10) : 150};
        const std::size_t own = 2 + random() % 40;
        flow.shares.push_back({link(p, own), 1});
        if (random() % 120 != 0) flow.shares.push_back({link(p, 0), 1.05});
        if (random() % 15 == 0) flow.shares.push_back({link(p, 1), 1});
        if (random() % 3 == 0) flow.shares.push_back({link(p, own == 41 ? 2 : own + 1), 0.05});
        live.emplace_back(sharing.add(flow.shares, flow.penalty, flow.bound), flow);
      }
      moved += sharing.solve().moved_groups.size();
      std::vector<RandomFlow> flows;
      for (const auto& [id, flow] : live) flows.push_back(flow);
      const std::vector<double> expected = filled(by_id, flows);
      for (std::size_t f = 0; f < live.size(); ++f) {
        EXPECT_NEAR(sharing.rate(live[f].first), expected[f], 1e-6 * expected[f])
            << "round " << round << ", step " << step;
        if (sharing.group(live[f].first) != kNoLink) ++grouped;
      }
    }
  }
  EXPECT_GT(grouped, 10000U);  // or nothing has been tested
  EXPECT_GT(moved, 300U);
}

}  // namespace
}  // namespace slackline
