#include "whatif/edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::ThrowsMessage;

TEST(Edit, ReadsActionAndArguments) {
  const Edit edit = parse_edit("  balance region=\"force compute\"  by=50%");
  EXPECT_EQ(edit.action, "balance");
  EXPECT_EQ(edit.required("region"), "force compute");
  EXPECT_THAT(edit.factor("by"), Optional(0.5));
  EXPECT_FALSE(edit.has("to"));
  EXPECT_EQ(to_string(edit), "balance by=50% region=\"force compute\"");
  EXPECT_EQ(to_string(parse_edit(to_string(edit))), to_string(edit));
}

TEST(Edit, ReadsValuesWithUnits) {
  const Edit edit = parse_edit("x time=-1.5us bytes=64KiB seed=7 ranks=0-2,7");
  EXPECT_THAT(edit.time_ns("time"), Optional(std::int64_t{-1500}));
  EXPECT_THAT(edit.bytes("bytes"), Optional(std::uint64_t{65536}));
  EXPECT_THAT(edit.integer("seed"), Optional(std::int64_t{7}));
  EXPECT_THAT(edit.ranks("ranks"), Optional(ElementsAre(0, 1, 2, 7)));
}

TEST(Edit, ReadsTheLargestRank) {
  for (const char* ranks : {"2147483647", "02147483647", "2147483647-2147483647"}) {
    EXPECT_THAT(parse_edit(std::string("scale ranks=") + ranks).ranks("ranks"),
                Optional(ElementsAre(2147483647)));
  }
}

TEST(Edit, RefusesWhatItCannotRead) {
  EXPECT_THROW(parse_edit(""), Error);
  EXPECT_THROW(parse_edit("scale factor"), Error);
  EXPECT_THROW(parse_edit("scale =2"), Error);
  EXPECT_THROW(parse_edit("scale region=\"a"), Error);
  EXPECT_THAT([] { parse_edit("scale factor=1 factor=2"); },
              ThrowsMessage<Error>(HasSubstr("factor is given twice")));
  EXPECT_THAT([] { (void)parse_edit("scale factor=-1").factor("factor"); },
              ThrowsMessage<Error>(HasSubstr("cannot use factor=-1 in 'scale'")));
  EXPECT_THROW((void)parse_edit("scale ranks=3-1").ranks("ranks"), Error);
  for (const char* ranks : {"0-2147483647", "2147483648", "-1", "0-16777215,0-16777215"}) {
    EXPECT_THROW((void)parse_edit(std::string("scale ranks=") + ranks).ranks("ranks"), Error)
        << ranks;
  }
  EXPECT_THROW((void)parse_edit("scale factor=nan").factor("factor"), Error);
  EXPECT_THAT([] { parse_edit("--noise amplitude", "--noise amplitude=5%"); },
              ThrowsMessage<Error>(HasSubstr("cannot read '--noise amplitude': 'amplitude' is not "
                                             "key=value. Example: '--noise amplitude=5%'.")));
  for (const char* text : {"noise seed=-1", "noise distribution=gauss"}) {
    EXPECT_THROW((void)parse_edit(text).noise("amplitude"), Error) << text;
  }
  EXPECT_THROW((void)parse_edit("shift").required("time"), Error);
}

}  // namespace
}  // namespace slackline
