#include <gtest/gtest.h>

#include "report/writers.h"

namespace slackline {
namespace {

TEST(WriteJunit, HasATestCaseForEachCheck) {
  using Outcome = CheckedCondition::Outcome;
  Report report;
  report.command = "check";
  report.checks = {{"run_time on 4 ranks", Outcome::failed, "5 % > 2 %, \"slow\" & <late>"},
                   {"load_balance on 4 ranks", Outcome::undecided, "one run"},
                   {"transfer on 4 ranks", Outcome::passed, "as before"}};
  EXPECT_EQ(write_junit(report),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
            "<testsuite name=\"slackline check\" tests=\"3\" failures=\"1\" errors=\"0\" "
            "skipped=\"1\">\n"
            "<testcase classname=\"slackline.check\" name=\"run_time on 4 ranks\"><failure "
            "message=\"5 % &gt; 2 %, &quot;slow&quot; &amp; &lt;late&gt;\"/></testcase>\n"
            "<testcase classname=\"slackline.check\" name=\"load_balance on 4 ranks\"><skipped "
            "message=\"one run\"/></testcase>\n"
            "<testcase classname=\"slackline.check\" name=\"transfer on 4 ranks\">"
            "<system-out>as before</system-out></testcase>\n"
            "</testsuite>\n</testsuites>\n");
}

}  // namespace
}  // namespace slackline
