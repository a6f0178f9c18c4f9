#include "cli/browser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(BrowserCommands, AreThoseOfTheVariableThenXdgOpen) {
  EXPECT_THAT(browser_commands({"firefox:w3m -T text/html %s", true}, "/tmp/a b.html"),
              ElementsAre(ElementsAre("firefox", "/tmp/a b.html"),
                          ElementsAre("w3m", "-T", "text/html", "/tmp/a b.html"),
                          ElementsAre("xdg-open", "/tmp/a b.html")));
}

TEST(BrowserCommands, AreNoneWithoutBrowserAndDisplay) {
  EXPECT_THAT(browser_commands({"", false}, "/tmp/a.html"), IsEmpty());
  EXPECT_THAT(browser_commands({" : ", false}, "/tmp/a.html"), IsEmpty());
}

}  // namespace
}  // namespace slackline
