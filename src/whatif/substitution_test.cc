#include "whatif/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "formats/testing/text_trace.h"
#include "whatif/testing/edited_programs.h"

namespace slackline {
namespace {

using testing::edited;
using ::testing::ElementsAre;
using testing::expect_edited;
using testing::operations;
using testing::untimed_trace;

TEST(Substitution, SubstitutesWaysToSend) {
  const Trace trace = untimed_trace(2, R"(
rank 0
  send to=1 tag=1 bytes=8
  sendrecv to=1 tag=2 bytes=8 from=1 rtag=2 rbytes=16
rank 1
  recv from=0 tag=1 bytes=8
  sendrecv to=0 tag=2 bytes=16 from=0 rtag=2 rbytes=8
)");
  const EditedProgram program = edited(trace, {"substitute operation=send with=ssend",
                                               "substitute operation=sendrecv with=isend-irecv"});
  EXPECT_THAT(operations(program.trace, 0), ElementsAre("ssend", "irecv", "isend", "waitall"));
  EXPECT_EQ(program.trace.calls(0).bytes(1), 16u);
  EXPECT_EQ(program.trace.calls(0).bytes(2), 8u);
  EXPECT_EQ(program.log[1].changed, 2u);
  EXPECT_THROW(edited(trace, {"substitute operation=send with=issend"}), Error);
  EXPECT_THROW(edited(trace, {"substitute operation=sendrecv with=isend"}), Error);
  EXPECT_THROW(edited(trace, {"substitute operation=send with=ssend wait-before=call"}), Error);
}

TEST(Substitution, SendsWithoutWaitingForTheReceiver) {
  const Trace trace = untimed_trace(2, R"(
rank 0
  init
  send to=1 tag=1 bytes=8
  compute 10
  isend to=1 tag=2 bytes=9 req=5
  send to=1 tag=3 bytes=10
  compute 20
  recv from=1 tag=4 bytes=1
  wait req=5
  finalize
rank 1
  init
  recv from=0 tag=1 bytes=8
  recv from=0 tag=2 bytes=9
  recv from=0 tag=3 bytes=10
  send to=0 tag=4 bytes=1
)");
  expect_edited(trace, {"substitute operation=send with=isend ranks=0"}, R"(
rank 0
  init
  isend to=1 tag=1 bytes=8 req=6
  compute 10
  wait req=6
  isend to=1 tag=2 bytes=9 req=5
  isend to=1 tag=3 bytes=10 req=7
  compute 20
  wait req=7
  recv from=1 tag=4 bytes=1
  wait req=5
  finalize
rank 1
  init
  recv from=0 tag=1 bytes=8
  recv from=0 tag=2 bytes=9
  recv from=0 tag=3 bytes=10
  send to=0 tag=4 bytes=1
)");
  // Rank 1's send is its last call.
  expect_edited(trace, {"substitute operation=send with=isend wait-before=wait"}, R"(
rank 0
  init
  isend to=1 tag=1 bytes=8 req=6
  compute 10
  isend to=1 tag=2 bytes=9 req=5
  isend to=1 tag=3 bytes=10 req=7
  compute 20
  recv from=1 tag=4 bytes=1
  waitall reqs=6,7
  wait req=5
  finalize
rank 1
  init
  recv from=0 tag=1 bytes=8
  recv from=0 tag=2 bytes=9
  recv from=0 tag=3 bytes=10
  isend to=0 tag=4 bytes=1 req=1
  wait req=1
)");
}

TEST(Substitution, ReducesBesideTheProgram) {
  const Trace trace = untimed_trace(2, R"(
rank 0
  init
  allreduce bytes=8 elem=8
  enter check
  compute 10
  leave check
  barrier
  enter use
  compute 20
  leave use
  allreduce bytes=8 elem=8
  finalize
rank 1
  init
  allreduce bytes=8 elem=8
  compute 30
  barrier
  enter use
  leave use
  allreduce bytes=8 elem=8
  finalize
)");
  expect_edited(trace, {"substitute operation=allreduce with=iallreduce wait-in=use"}, R"(
rank 0
  init
  iallreduce bytes=8 elem=8 req=1
  enter check
  compute 10
  leave check
  barrier
  wait req=1
  enter use
  compute 20
  leave use
  iallreduce bytes=8 elem=8 req=2
  wait req=2
  finalize
rank 1
  init
  iallreduce bytes=8 elem=8 req=1
  compute 30
  barrier
  wait req=1
  enter use
  leave use
  iallreduce bytes=8 elem=8 req=2
  wait req=2
  finalize
)");
  EXPECT_THAT(
      operations(edited(trace, {"substitute operation=allreduce with=iallreduce"}).trace, 1),
      ElementsAre("init", "iallreduce", "wait", "barrier", "iallreduce", "wait", "finalize"));
  EXPECT_THROW(edited(trace, {"substitute operation=allreduce with=ibarrier"}), Error);
  EXPECT_THROW(edited(trace, {"substitute operation=allreduce with=iallreduce wait-in=nowhere"}),
               Error);
  // On one rank only it would be another collective than the others'.
  EXPECT_THROW(edited(trace, {"substitute operation=allreduce with=iallreduce ranks=0"}), Error);
}

TEST(Substitution, ExchangesWithNeighboursOnly) {
  const Trace trace = untimed_trace(3, R"(
comm 2 members=2,0
rank 0
  alltoallv send=0,5,0 recv=0,0,7 bytes=5
  alltoallv comm=2 send=4,0 recv=3,0 bytes=4
  alltoallv bytes=0
rank 1
  alltoallv send=0,0,6 recv=5,0,0 bytes=6
  alltoallv bytes=0
rank 2
  alltoallv send=7,0,0 recv=0,6,0 bytes=7
  alltoallv comm=2 send=0,3 recv=0,4 bytes=3
  alltoallv bytes=0
)");
  const EditedProgram program =
      edited(trace, {"substitute operation=alltoallv with=neighbor_alltoallv"});
  EXPECT_EQ(program.log[0].changed, 5u);
  EXPECT_EQ(program.log[0].selected, 8u);  // of the last ones no bytes are known
  // On communicator 2, rank 2 is the first member and rank 0 the second one.
  expect_edited(trace, {"substitute operation=alltoallv with=neighbor_alltoallv"}, R"(
comm 2 members=2,0
rank 0
  neighbor_alltoallv out=1:5 in=2:7 bytes=5
  neighbor_alltoallv comm=2 out=2:4 in=2:3 bytes=4
  alltoallv bytes=0
rank 1
  neighbor_alltoallv out=2:6 in=0:5 bytes=6
  alltoallv bytes=0
rank 2
  neighbor_alltoallv out=0:7 in=1:6 bytes=7
  neighbor_alltoallv comm=2 out=0:3 in=0:4 bytes=3
  alltoallv bytes=0
)");
}

}  // namespace
}  // namespace slackline
