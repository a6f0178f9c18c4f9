#include "sim/platform/read_platform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "sim/platform/testing/route_names.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Platform xml(const std::string& body) {
  Findings findings;
  return parse_platform_xml(
      "<?xml version='1.0'?>\n<platform version='4.1'>\n" + body + "</platform>\n", "p.xml",
      findings);
}

TEST(PlatformXml, ReadsHostsLinksAndSymmetricalRoutes) {
  const Platform platform = xml(R"(<zone id="z" routing="Full">
    <host id="a" speed="1Gf,2Gf" core="4" pstate="1"><prop id="smpi/os" value="0:1:2"/></host>
    <host id="b" speed="500Mf"/>
    <link id="l" bandwidth="125MBps" latency="50us"/>
    <link id="d" bandwidth="1Gbps" latency="1ms" sharing_policy="SPLITDUPLEX"/>
    <route src="a" dst="b"><link_ctn id="l"/><link_ctn id="d" direction="UP"/></route>
    </zone>)");
  EXPECT_EQ(platform.host(0).speed(), 2e9);
  EXPECT_EQ(platform.host(0).cores, 4u);
  ASSERT_NE(platform.host(0).property("smpi/os"), nullptr);
  EXPECT_EQ(*platform.host(0).property("smpi/os"), "0:1:2");
  EXPECT_EQ(platform.host(1).speed(), 5e8);
  EXPECT_THAT(testing::route_names(platform, "a", "b"), ElementsAre("l", "d_UP"));
  EXPECT_THAT(testing::route_names(platform, "b", "a"), ElementsAre("d_DOWN", "l"));
  EXPECT_THAT(testing::route_names(platform, "a", "a"), ElementsAre("__loopback__"));
  std::vector<LinkId> links;
  EXPECT_DOUBLE_EQ(platform.route(0, 1, links), 1.05e-3);
  EXPECT_EQ(platform.link(links[1]).bandwidth, 125e6);
}

TEST(PlatformXml, GoesThroughGatewaysOfClusters) {
  const Platform platform = xml(R"(<zone id="g" routing="Full">
    <cluster id="c0" prefix="x" suffix="" radical="0-1" speed="1Gf" bw="1GBps" lat="1us" router_id="r0" limiter_link="1.5GBps"/>
    <cluster id="c1" prefix="y" suffix="" radical="0-1" speed="1Gf" bw="1GBps" lat="1us" bb_bw="2GBps"/>
    <link id="m" bandwidth="10GBps" latency="5us"/>
    <zoneRoute src="c0" dst="c1" gw_src="r0" gw_dst="yc1_router"><link_ctn id="m"/></zoneRoute>
    </zone>)");
  EXPECT_THAT(testing::route_names(platform, "x1", "y0"),
              ElementsAre("c0_1_limiter", "c0_link_1_UP", "m", "c1_backbone", "c1_link_0_DOWN"));
  EXPECT_THAT(testing::route_names(platform, "y1", "x0"),
              ElementsAre("c1_link_1_UP", "c1_backbone", "m", "c0_link_0_DOWN", "c0_0_limiter"));
}

// a - r - b in a line, and a long way a - c - b: the fewest links win over the lowest latency.
constexpr const char* kLine = R"(
    <host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><host id="c" speed="1Gf"/><router id="r"/>
    <link id="ar" bandwidth="1GBps" latency="9ms"/><link id="rb" bandwidth="1GBps" latency="9ms"/>
    <link id="ac1" bandwidth="1GBps"/><link id="ac2" bandwidth="1GBps"/><link id="cb" bandwidth="1GBps"/>
    <route src="a" dst="r"><link_ctn id="ar"/></route>
    <route src="r" dst="b"><link_ctn id="rb"/></route>
    <route src="a" dst="c"><link_ctn id="ac1"/><link_ctn id="ac2"/></route>
    <route src="c" dst="b"><link_ctn id="cb"/></route></zone>)";

TEST(PlatformXml, FindsTheRouteWithTheFewestLinks) {
  for (const std::string routing : {"Floyd", "Dijkstra", "DijkstraCache"}) {
    const Platform platform = xml("<zone id='z' routing='" + routing + "'>" + kLine);
    EXPECT_THAT(testing::route_names(platform, "a", "b"), ElementsAre("ar", "rb")) << routing;
    EXPECT_THAT(testing::route_names(platform, "b", "a"), ElementsAre("rb", "ar")) << routing;
    EXPECT_THAT(testing::route_names(platform, "c", "c"), ElementsAre("__loopback__")) << routing;
  }
}

TEST(PlatformXml, ReadsStarsOfCabinetsAndHostLinks) {
  const Platform platform = xml(R"(<zone id="z" routing="Cluster">
    <cabinet id="k" prefix="n" suffix=".s" radical="1-2" speed="1Gf" bw="1GBps" lat="1us"/>
    <host id="h" speed="1Gf"/>
    <link id="u" bandwidth="1GBps"/><link id="d" bandwidth="1GBps"/>
    <host_link id="h" up="u" down="d"/>
    <backbone id="bb" bandwidth="2GBps" latency="1us"/>
    </zone>)");
  EXPECT_THAT(testing::route_names(platform, "n1.s", "h"), ElementsAre("link_n1.s_UP", "bb", "d"));
  EXPECT_THAT(testing::route_names(platform, "h", "n2.s"),
              ElementsAre("u", "bb", "link_n2.s_DOWN"));
}

TEST(PlatformXml, TakesBypassesFirst) {
  const Platform platform = xml(R"(<zone id="g" routing="Full">
    <cluster id="c0" prefix="x" suffix="" radical="0-1" speed="1Gf" bw="1GBps" lat="1us" router_id="r0"/>
    <cluster id="c1" prefix="y" suffix="" radical="0-1" speed="1Gf" bw="1GBps" lat="1us" router_id="r1"/>
    <link id="m" bandwidth="10GBps"/><link id="s" bandwidth="10GBps"/>
    <zoneRoute src="c0" dst="c1" gw_src="r0" gw_dst="r1"><link_ctn id="m"/></zoneRoute>
    <bypassZoneRoute src="c0" dst="c1" gw_src="r0" gw_dst="r1"><link_ctn id="s"/></bypassZoneRoute>
    </zone>)");
  EXPECT_THAT(testing::route_names(platform, "x0", "y1"),
              ElementsAre("c0_link_0_UP", "s", "c1_link_1_DOWN"));
  EXPECT_THAT(testing::route_names(platform, "y1", "x0"),
              ElementsAre("c1_link_1_UP", "m", "c0_link_0_DOWN"));
}

TEST(PlatformXml, SaysWhereItCannotBeUsed) {
  const auto says = [](const std::string& body, const std::string& message) {
    EXPECT_THAT([&] { xml(body); }, ThrowsMessage<Error>(HasSubstr(message))) << body;
  };
  says("<zone id='z' routing='Full'>\n  <hots id='a'/>\n</zone>",
       "p.xml:4:4: unknown element <hots>");
  says("<zone id='z' routing='Full'>\n  <host id='a'/>\n</zone>",
       "p.xml:4:4: <host> has no 'speed'");
  says("<zone id='z' routing='Full'><host id='a' speed='-1Gf'/></zone>", "it is negative");
  says("<zone id='z' routing='Full'><host id='a' speed='1e9'/></zone>", "its unit is missing");
  says("<zone id='z' routing='Full'><host id='a' speed='1Gf' color='red'/></zone>",
       "unknown attribute 'color'");
  says("<zone id='z' routing='Full'><host id='a' speed='1Gf'/><host id='a' speed='1Gf'/></zone>",
       "the name is already used");
  says("<zone id='z' routing='Vivaldi'/>", "cannot use routing 'Vivaldi'");
  says(
      "<zone id='z' routing='Full'><host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>"
      "<route src='a' dst='b'><link_ctn id='l'/></route></zone>",
      "unknown link 'l'");
  says("<zone id='z' routing='Full'/>", "it has no host");
  says("<zone id='z'", "cannot read p.xml:");
  EXPECT_EQ(
      [] {
        try {
          xml("<zone id='z' routing='Full'><host id='a' speed='1e9'/></zone>");
        } catch (const Error& error) {
          return error.exit_status();
        }
        return 0;
      }(),
      1);
}

TEST(PlatformXml, SaysWhichRouteIsMissing) {
  const Platform platform = xml(
      "<zone id='z' routing='Full'><host id='a' speed='1Gf'/><host id='b' speed='1Gf'/></zone>");
  std::vector<LinkId> links;
  EXPECT_THAT(
      [&] { platform.route(0, 1, links); },
      ThrowsMessage<Error>(HasSubstr("no route from 'a' to 'b': zone 'z' has no such route.")));
}

TEST(PlatformToml, SaysTheSameAsTheXml) {
  Findings findings;
  const Platform toml = parse_platform_toml(R"(
[[cluster]]
name = "c0"
hosts = "x[0-1]"
speed = "1Gf"
bandwidth = "1GB/s"
latency = "1us"
limiter = "1.5GB/s"

[[cluster]]
name = "c1"
hosts = "y[0-3]"
speed = "1Gf"
bandwidth = "8Gb/s"
latency = "1us"
topology = "torus"
sides = [2, 2]

[[link]]
name = "m"
bandwidth = "10GB/s"
latency = "5us"

[[route]]
from = "c0"
to = "c1"
enter = "y0"
links = ["m:up"]
)",
                                            "p.toml", findings);
  EXPECT_THAT(
      testing::route_names(toml, "x1", "y3"),
      ElementsAre("c0_1_limiter", "c0_link_1_UP", "m_UP", "c1_0_dim_0_UP", "c1_1_dim_1_UP"));
  EXPECT_THAT(testing::route_names(toml, "y0", "x0"),
              ElementsAre("m_DOWN", "c0_link_0_DOWN", "c0_0_limiter"));
  std::vector<LinkId> links;
  toml.route(0, 1, links);
  EXPECT_EQ(toml.link(links[1]).bandwidth, 1e9);
}

TEST(PlatformToml, SaysWhereItCannotBeUsed) {
  const auto says = [](const std::string& text, const std::string& message) {
    Findings findings;
    EXPECT_THAT([&] { parse_platform_toml(text, "p.toml", findings); },
                ThrowsMessage<Error>(HasSubstr(message)))
        << text;
  };
  const std::string cluster =
      "[[cluster]]\nname='c'\nhosts='n[0-3]'\nspeed='1Gf'\nbandwidth='1GB/s'\n";
  says(cluster + "colour='red'\n", "p.toml:6:8: unknown key 'colour' of cluster 'c'");
  says(cluster + "latency='1'\n", "its unit is missing");
  says(cluster + "topology='torus'\nsides=[3,3]\n", "has 9 hosts and the radical names 4");
  says("[[cluster]]\nname='c'\n", "has no 'hosts'");
  says("[[cluster]\n", "cannot read p.toml:1:");
  says("", "it has no host");
}

void refused(const std::string& body, const std::string& message) {
  EXPECT_THAT([&] { xml(body); }, ThrowsMessage<Error>(HasSubstr(message))) << body;
}

std::string cluster(const std::string& radical, const std::string& shape) {
  return "<cluster id='c' prefix='n' suffix='' radical='" + radical +
         "' speed='1Gf' bw='1GBps' lat='1us' " + shape + "/>\n";
}

// A line of text must not take gigabytes, nor a product of its numbers wrap round to a few hosts.
TEST(PlatformXml, RefusesClustersThatNoMachineCouldHave) {
  refused(cluster("0-20000000", ""), "at most 1,048,576 hosts");
  refused(
      "<zone id='z' routing='Cluster'><cabinet id='k' prefix='n' suffix='' "
      "radical='0-20000000' speed='1Gf' bw='1GBps' lat='1us'/></zone>",
      "at most 1,048,576 hosts");
  refused("<zone id='z' routing='Full'>" + cluster("0-700000", "") +
              "<cluster id='d' prefix='m' suffix='' radical='0-700000' speed='1Gf' bw='1GBps' "
              "lat='1us'/></zone>",
          "more than 1,048,576 hosts");
  for (const char* parameters :
       {"2;4,4;1,2;1,2147483648", "2;4,4;1,2147483648;1,1", "2;4,4;1,4294967295;1,2",
        "2;65536,65536;1,1;1,1", "3;2,2,4;65536,65536,2;1,1,1"}) {
    refused(
        cluster("0-15", std::string("topology='FAT_TREE' topo_parameters='") + parameters + "'"),
        "8,388,608 links");
  }
  refused(cluster("0-15", "topology='TORUS' topo_parameters='65536,65536,16'"), "8,388,608 links");
  refused(cluster("0-65535", "topology='DRAGONFLY' topo_parameters='1,1;1,1;65536,1;1'"),
          "8,388,608 links");
  EXPECT_EQ(
      xml(cluster("0-15", "topology='FAT_TREE' topo_parameters='2;4,4;1,2;1,2'")).host_count(),
      16u);
}

TEST(PlatformXml, RefusesZonesThatAreNestedTooDeeply) {
  const auto nested = [](int zones) {
    std::string body;
    for (int i = 0; i < zones; ++i) {
      body += "<zone id='z" + std::to_string(i) + "' routing='Full'>";
    }
    body += "<host id='a' speed='1Gf'/>";
    for (int i = 0; i < zones; ++i) body += "</zone>";
    return body;
  };
  EXPECT_EQ(xml(nested(200)).host_count(), 1u);
  refused(nested(6000), "it lies in 256 others");
}

}  // namespace
}  // namespace slackline
