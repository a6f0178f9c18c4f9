#include "sim/platform/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/error.h"
#include "base/testing/scratch_folder.h"
#include "sim/platform/read_platform.h"

namespace slackline {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Profile, HasTheDelaysBetweenItsDates) {
  const Profile profile = parse_profile("# dates\n\n0.5 2\r\n % another\n 1.25 0.5\n", "'p'");
  ASSERT_EQ(profile.steps.size(), 2U);
  EXPECT_EQ(profile.steps[0].delay, 0.5);
  EXPECT_EQ(profile.steps[0].value, 2);
  EXPECT_EQ(profile.steps[1].delay, 0.75);
  EXPECT_FALSE(profile.repeats);
}

// The period is from first step to first step, the pause from the last step to the first.
TEST(Profile, RepeatsAfterAPeriodOrAPause) {
  EXPECT_EQ(parse_profile("PERIODICITY 5\n1 0\n3 1\n", "'p'").repeat_delay, 2);
  EXPECT_EQ(parse_profile("1 0\n3 1\n", "'p'", 5).repeat_delay, 2);
  const Profile pause = parse_profile("1 0\n3 1\nLOOPAFTER 0.5\n", "'p'");
  EXPECT_TRUE(pause.repeats);
  EXPECT_EQ(pause.repeat_delay, 0.5);
}

TEST(Profile, RefusesWhatIsNone) {
  for (const char* text :
       {"1", "1 x", "1 2 3", "-1 2", "1 -2", "2 1\n1 1\n", "PERIODICITY 1\n2 1\n", "LOOPAFTER\n",
        "0 1\nLOOPAFTER 0\n", "0 1\nLOOPAFTER 1e-9\n", "1 1\nLOOPAFTER 1\nPERIODICITY 3\n",
        "STOCHASTIC\n", "1 nan", "1 inf"}) {
    EXPECT_THAT([&] { parse_profile(text, "'p'"); },
                ThrowsMessage<Error>(HasSubstr("cannot use the profile 'p'")))
        << text;
  }
}

Platform with(const std::string& profiles, Findings&& findings = {}) {
  return parse_platform_xml(
      "<platform version='4.1'><zone id='w' routing='Full'><host id='a' speed='1Gf'/>"
      "<cluster id='c' prefix='n' suffix='' radical='0-1' speed='1Gf' bw='1GBps' lat='5us'/>" +
          profiles + "</zone></platform>",
      "p.xml", findings);
}

TEST(Profile, IsConnectedToAHostOrBothDirectionsOfALink) {
  const Platform platform = with(
      "<trace id='t' periodicity='2'>0 1\n1 0.5</trace>"
      "<trace_connect kind='SPEED' trace='t' element='a'/>"
      "<trace_connect kind='BANDWIDTH' trace='t' element='c_link_1'/>");
  ASSERT_EQ(platform.profiles().size(), 3U);
  EXPECT_EQ(platform.profiles()[0].what, Profiled::speed);
  EXPECT_EQ(platform.host_name(platform.profiles()[0].id), "a");
  EXPECT_EQ(platform.link_name(platform.profiles()[1].id), "c_link_1_UP");
  EXPECT_EQ(platform.link_name(platform.profiles()[2].id), "c_link_1_DOWN");
  EXPECT_EQ(platform.profiles()[2].profile.repeat_delay, 1);
}

/// A file without a profile, and texts in which it is EMPTY.
class EmptyFile {
 public:
  EmptyFile() { std::ofstream{folder_ / "p"}; }
  std::string in(std::string text) const {
    const std::string name = "EMPTY";
    for (std::size_t at = 0; (at = text.find(name)) != std::string::npos;) {
      text.replace(at, name.size(), (folder_ / "p").string());
    }
    return text;
  }

 private:
  ScratchFolder folder_;
};

TEST(Profile, IsRefusedWhereItCannotBeConnected) {
  const EmptyFile empty;
  const std::string trace = "<trace id='t' periodicity='0'>0 1</trace>";
  for (const auto& [text, why] :
       {std::pair{"<trace_connect kind='SPEED' trace='u' element='a'/>", "no <trace> of that id"},
        {"<trace_connect kind='POWER' trace='t' element='a'/>", "no such kind"},
        {"<trace_connect kind='SPEED' trace='t' element='b'/>", "unknown host 'b'"},
        {"<trace_connect kind='LATENCY' trace='t' element='a'/>", "unknown link 'a'"},
        {"<trace_connect trace='t' element='a'/><trace_connect trace='t' element='a'/>",
         "profile of the state of host 'a': it has another one"},
        {"<trace id='t' periodicity='0'>0 1</trace>", "another one of that id"},
        {"<trace id='s' periodicity='3600s'>0 1</trace>", "'3600s' as periodicity of trace 's'"},
        {"<trace id='s' periodicity='-3'>0 1</trace>", "not a number of seconds"},
        {"<trace id='s' periodicity='abc'>0 1</trace>", "not a number of seconds"},
        {"<trace id='s' periodicity='inf'>0 1</trace>", "not a number of seconds"},
        {"<host id='d' speed='1Gf' speed_file='EMPTY' availability_file='/nonexistent/p'/>",
         "/nonexistent/p"},
        {"<host id='d' speed='1Gf' speed_file='EMPTY' availability_file='EMPTY'/>",
         "profile of the speed of host 'd': it has another one"},
        {"<host id='d' speed='1Gf' speed_file='/nonexistent/profile'/>", "/nonexistent/profile"}}) {
    EXPECT_THAT([&] { with(trace + empty.in(text)); }, ThrowsMessage<Error>(HasSubstr(why)))
        << text;
  }
}

TEST(Profile, IsAFindingWhereItHasNoEffect) {
  const std::string connected = "<trace_connect kind='SPEED' trace='t' element='a'/>";
  const EmptyFile empty;
  const auto examples = [&empty](const std::string& text) {
    Findings findings;
    with(empty.in(text), std::move(findings));
    return findings.entries().empty() ? std::vector<std::string>{}
                                      : findings.entries().front().examples;
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(examples("<trace id='t' periodicity='0'>0 1</trace>"),
              ElementsAre(HasSubstr("connected to nothing")));
  EXPECT_THAT(examples("<trace id='t' file='EMPTY' periodicity='5'>0 1</trace>" + connected),
              ElementsAre(HasSubstr("its periodicity"), HasSubstr("its lines")));
  EXPECT_THAT(examples("<trace id='t' file='EMPTY' periodicity='0.0'/>" + connected),
              ElementsAre());
}

}  // namespace
}  // namespace slackline
