#include "report/rows.h"

#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <vector>

namespace slackline {
namespace {

using testing::ElementsAre;

struct Peer {
  int rank;
  double share;
};
struct Wait {
  std::string kind;
  std::int64_t ns;
  std::vector<Peer> peers{};
  std::optional<Peer> worst{};
  std::optional<double> part{};

  std::int64_t twice() const { return 2 * ns; }
};
struct Ranks {
  std::string prefix;
};

const Rows<Peer> kPeers{{"rank", &Peer::rank}, {"share", &Peer::share}};

NameOf kind_of(const Wait& wait) {
  return {wait.kind, "a wait"};
}

const Rows<Wait, Ranks> kWaits{
    "waits",
    "Waits",
    {{"kind", "what", Unit::none, kind_of, "explained"},
     {"ns", Unit::ns, &Wait::ns},
     {"twice_ns", &Wait::twice},
     {kShown, "part", Unit::ratio, &Wait::part},
     {"name", [](auto& wait, auto& ranks) { return ranks.prefix + wait.kind; }},
     {"peers", &Wait::peers, kPeers},
     {kSpliced, [](auto& wait) { return wait.peers.front(); }, kPeers},
     {kIfKnown, "worst", &Wait::worst, kPeers},
     {"first", [](auto& wait) { return wait.peers.empty() ? nullptr : &wait.peers.front(); },
      kPeers}}};

const Ranks kNames{"rank of "};

TEST(Rows, MakeObjectsWithTheirFieldsInOrder) {
  const Wait wait{"late", 7, {{3, 0.5}}};
  EXPECT_EQ(json_text(kWaits.object(wait, kNames)),
            R"({"kind":"late","ns":7,"twice_ns":14,"name":"rank of late",)"
            R"("peers":[{"rank":3,"share":0.5}],"rank":3,"share":0.5,)"
            R"("first":{"rank":3,"share":0.5}})");
  const Wait worst{"late", 7, {{3, 0.5}}, Peer{4, 1}};
  EXPECT_EQ(kWaits.object(worst, kNames)["worst"]["rank"].as_int(), 4);
}

TEST(Rows, ShowFieldsWithUnitsInTables) {
  const std::vector<Wait> waits{{"late", 7}, {"early", 9, {}, {}, 0.25}, {"left out", 1}};
  const Table table = kWaits.table(waits, kNames, 2);
  EXPECT_EQ(table.id, "waits");
  ASSERT_EQ(table.columns.size(), 3u);
  EXPECT_EQ(table.columns[0].name, "what");
  EXPECT_EQ(table.columns[0].explanation, "explained");
  EXPECT_EQ(table.columns[1].name, "ns");
  EXPECT_EQ(table.columns[1].unit, Unit::ns);
  EXPECT_THAT(table.rows,
              ElementsAre(ElementsAre(Value("a wait"), Value(std::int64_t{7}), Value()),
                          ElementsAre(Value("a wait"), Value(std::int64_t{9}), Value(0.25))));
}

// What is optional or empty in every row has its schema, too.
TEST(Rows, HaveSchemasWithoutRows) {
  const Schema schema = kWaits.schema();
  std::vector<std::string> keys;
  for (const Schema& member : schema.inner) keys.push_back(member.key);
  EXPECT_THAT(keys, ElementsAre("kind", "ns", "twice_ns", "name", "peers", "rank", "share", "worst",
                                "first"));
  const Schema& peers = schema.inner[4];
  EXPECT_EQ(peers.kind, Schema::Kind::array);
  EXPECT_EQ(peers.inner, std::vector{kPeers.schema()});
  EXPECT_FALSE(schema.inner[7].required);
  EXPECT_FALSE(schema.inner[7].nullable);
  EXPECT_TRUE(schema.inner[8].required);
  EXPECT_TRUE(schema.inner[8].nullable);
}

struct Group {
  std::string name;
  std::vector<Peer> members;
};
// A member's number is its place in the group, and its label the group's name and a prefix.
const Rows<Peer, Group> kMembers{
    {"number", [](auto& peer, auto& group) { return &peer - group.members.data(); }},
    {"of", [](auto&, auto& group) { return group.name; }}};
const Rows<Peer, Ranks> kLabels{
    {"label", [](auto& peer, auto& names) { return names.prefix + std::to_string(peer.rank); }}};
const Rows<Group, Ranks> kGroups{
    {"members", &Group::members, kMembers},
    {"labels", &Group::members, kLabels},
    {kSpliced, [](auto& group) { return JsonBy<kPeers>(group.members[0]); }}};

TEST(Rows, WithinRowsGetTheirNamesOrTheOuterRow) {
  const Group group{"even", {{4, 0.5}, {6, 0.25}}};
  EXPECT_EQ(json_text(kGroups.object(group, kNames)),
            R"({"members":[{"number":0,"of":"even"},{"number":1,"of":"even"}],)"
            R"("labels":[{"label":"rank of 4"},{"label":"rank of 6"}],"rank":4,"share":0.5})");
}

TEST(Rows, HaveColumnsThatTablesRenameAndRemove) {
  Table table = kWaits.table(std::vector<Wait>{{"late", 7}}, kNames);
  column_named(table, "what").name = "kind of wait";
  remove_column(table, "ns");
  ASSERT_EQ(table.columns.size(), 2u);
  EXPECT_EQ(table.columns[0].name, "kind of wait");
  EXPECT_EQ(table.columns[1].name, "part");
  EXPECT_THAT(table.rows, ElementsAre(ElementsAre(Value("a wait"), Value())));
  EXPECT_THROW(column_named(table, "ns"), std::exception);
}

TEST(Rows, GiveTheTypeOfTheirJson) {
  const JsonBy<kPeers> json(Peer{1, 0.5});
  EXPECT_EQ(schema_of<JsonBy<kPeers>>(), kPeers.schema());
  EXPECT_EQ(json_text(json), R"({"rank":1,"share":0.5})");
}

}  // namespace
}  // namespace slackline
