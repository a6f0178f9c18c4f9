#include "formats/raw/rank_files.h"

#include <gtest/gtest.h>

#include <vector>

namespace slackline::raw {
namespace {

std::uint64_t sent(std::uint8_t op, const std::vector<std::int64_t>& args = {}) {
  slk_record head{};
  head.op = op;
  head.bytes = 100;
  head.n_args = static_cast<std::uint32_t>(args.size());
  return sent_bytes({head, args});
}

TEST(SentBytes, SendersAndCollectivesCount) {
  EXPECT_EQ(sent(SLK_OP_send), 100u);
  EXPECT_EQ(sent(SLK_OP_isend), 100u);
  EXPECT_EQ(sent(SLK_OP_sendrecv), 100u);
  EXPECT_EQ(sent(SLK_REC_ISENDRECV), 100u);
  EXPECT_EQ(sent(SLK_OP_allreduce), 100u);
  EXPECT_EQ(sent(SLK_OP_iallreduce), 100u);
  EXPECT_EQ(sent(SLK_OP_put), 100u);
  EXPECT_EQ(sent(SLK_OP_recv), 0u);
  EXPECT_EQ(sent(SLK_OP_irecv), 0u);
  EXPECT_EQ(sent(SLK_OP_send_init), 0u);
  EXPECT_EQ(sent(SLK_OP_wait), 0u);
}

TEST(SentBytes, StartsCountTheSendsAmongTheirRequests) {
  EXPECT_EQ(sent(SLK_OP_startall, {1, SLK_OP_send_init, 0, 5, 8, 2, SLK_OP_recv_init, 0, 5, 16, 3,
                                   SLK_OP_ssend_init, 0, 5, 32}),
            40u);
  EXPECT_EQ(sent(SLK_OP_start, {1, SLK_OP_send_init, 0}), 0u);  // damaged
}

}  // namespace
}  // namespace slackline::raw
