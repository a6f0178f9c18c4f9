#include "formats/paraver/mpi_values.h"

#include <array>

namespace slackline::paraver {
namespace {

using enum Operation;

// Extrae's numbering (up to 172) and its continuation by Dimemas, which later Extraes use too.
constexpr std::array kValues{
    MpiValue{kPointToPoint, 1, send},
    MpiValue{kPointToPoint, 2, recv},
    MpiValue{kPointToPoint, 3, isend},
    MpiValue{kPointToPoint, 4, irecv},
    MpiValue{kPointToPoint, 5, wait},
    MpiValue{kPointToPoint, 6, waitall},
    MpiValue{kCollective, 7, bcast},
    MpiValue{kCollective, 8, barrier},
    MpiValue{kCollective, 9, reduce},
    MpiValue{kCollective, 10, allreduce},
    MpiValue{kCollective, 11, alltoall},
    MpiValue{kCollective, 12, alltoallv},
    MpiValue{kCollective, 13, gather},
    MpiValue{kCollective, 14, gatherv},
    MpiValue{kCollective, 15, scatter},
    MpiValue{kCollective, 16, scatterv},
    MpiValue{kCollective, 17, allgather},
    MpiValue{kCollective, 18, allgatherv},
    MpiValue{kOther, 21, comm_create},
    MpiValue{kOther, 22, comm_dup},
    MpiValue{kOther, 23, comm_split},
    MpiValue{kOther, 25, comm_free},
    MpiValue{kCollective, 30, scan},
    MpiValue{kOther, 31, init},
    MpiValue{kOther, 32, finalize},
    MpiValue{kPointToPoint, 33, bsend},
    MpiValue{kPointToPoint, 34, ssend},
    MpiValue{kPointToPoint, 35, rsend},
    MpiValue{kPointToPoint, 36, ibsend},
    MpiValue{kPointToPoint, 37, issend},
    MpiValue{kPointToPoint, 38, irsend},
    MpiValue{kPointToPoint, 39, test},
    MpiValue{kPointToPoint, 40, cancel},
    MpiValue{kPointToPoint, 41, sendrecv},
    MpiValue{kPointToPoint, 42, sendrecv_replace},
    MpiValue{kOther, 43, cart_create},
    MpiValue{kOther, 49, cart_sub},
    MpiValue{kOther, 54, graph_create},
    MpiValue{kPointToPoint, 59, waitany},
    MpiValue{kPointToPoint, 60, waitsome},
    MpiValue{kPointToPoint, 61, probe},
    MpiValue{kPointToPoint, 62, iprobe},
    MpiValue{kOneSided, 63, win_create},
    MpiValue{kOneSided, 64, win_free},
    MpiValue{kOneSided, 65, put},
    MpiValue{kOneSided, 66, get},
    MpiValue{kOneSided, 67, accumulate},
    MpiValue{kOneSided, 68, win_fence},
    MpiValue{kOneSided, 69, win_start},
    MpiValue{kOneSided, 70, win_complete},
    MpiValue{kOneSided, 71, win_post},
    MpiValue{kOneSided, 72, win_wait},
    MpiValue{kOneSided, 73, win_test},
    MpiValue{kOneSided, 74, win_lock},
    MpiValue{kOneSided, 75, win_unlock},
    MpiValue{kOther, 76, pack},
    MpiValue{kOther, 77, unpack},
    MpiValue{kCollective, 80, reduce_scatter},
    MpiValue{kOther, 96, intercomm_create},
    MpiValue{kOther, 97, intercomm_merge},
    MpiValue{kOther, 100, abort},
    MpiValue{kPointToPoint, 112, bsend_init},
    MpiValue{kPointToPoint, 115, request_free},
    MpiValue{kPointToPoint, 116, recv_init},
    MpiValue{kPointToPoint, 117, send_init},
    MpiValue{kPointToPoint, 121, rsend_init},
    MpiValue{kPointToPoint, 122, ssend_init},
    MpiValue{kPointToPoint, 123, start},
    MpiValue{kPointToPoint, 124, startall},
    MpiValue{kPointToPoint, 125, testall},
    MpiValue{kPointToPoint, 126, testany},
    MpiValue{kPointToPoint, 128, testsome},
    MpiValue{kIo, 141, file_open},
    MpiValue{kIo, 142, file_close},
    MpiValue{kIo, 143, file_read},
    MpiValue{kIo, 144, file_read_all},
    MpiValue{kIo, 145, file_write},
    MpiValue{kIo, 146, file_write_all},
    MpiValue{kIo, 147, file_read_at},
    MpiValue{kIo, 148, file_read_at_all},
    MpiValue{kIo, 149, file_write_at},
    MpiValue{kIo, 150, file_write_at_all},
    MpiValue{kOther, 151, comm_spawn},
    MpiValue{kOther, 152, comm_spawn_multiple},
    MpiValue{kPointToPoint, 153, request_get_status},
    MpiValue{kCollective, 154, ireduce},
    MpiValue{kCollective, 155, iallreduce},
    MpiValue{kCollective, 156, ibarrier},
    MpiValue{kCollective, 157, ibcast},
    MpiValue{kCollective, 158, ialltoall},
    MpiValue{kCollective, 159, ialltoallv},
    MpiValue{kCollective, 160, iallgather},
    MpiValue{kCollective, 161, iallgatherv},
    MpiValue{kCollective, 162, igather},
    MpiValue{kCollective, 163, igatherv},
    MpiValue{kCollective, 164, iscatter},
    MpiValue{kCollective, 165, iscatterv},
    MpiValue{kCollective, 166, ireduce_scatter},
    MpiValue{kCollective, 167, iscan},
    MpiValue{kCollective, 168, reduce_scatter_block},
    MpiValue{kCollective, 169, ireduce_scatter_block},
    MpiValue{kCollective, 170, alltoallw},
    MpiValue{kCollective, 171, ialltoallw},
    MpiValue{kOneSided, 172, get_accumulate},
    MpiValue{kOther, 173, dist_graph_create},
    MpiValue{kCollective, 174, neighbor_allgather},
    MpiValue{kCollective, 175, ineighbor_allgather},
    MpiValue{kCollective, 176, neighbor_allgatherv},
    MpiValue{kCollective, 177, ineighbor_allgatherv},
    MpiValue{kCollective, 178, neighbor_alltoall},
    MpiValue{kCollective, 179, ineighbor_alltoall},
    MpiValue{kCollective, 180, neighbor_alltoallv},
    MpiValue{kCollective, 181, ineighbor_alltoallv},
    MpiValue{kCollective, 182, neighbor_alltoallw},
    MpiValue{kCollective, 183, ineighbor_alltoallw},
    MpiValue{kOneSided, 184, fetch_and_op},
    MpiValue{kOneSided, 185, compare_and_swap},
    MpiValue{kOneSided, 186, win_flush},
    MpiValue{kOneSided, 187, win_flush_all},
    MpiValue{kOneSided, 188, win_flush_local},
    MpiValue{kOneSided, 189, win_flush_local_all},
    MpiValue{kPointToPoint, 190, mprobe},
    MpiValue{kPointToPoint, 191, improbe},
    MpiValue{kPointToPoint, 192, mrecv},
    MpiValue{kPointToPoint, 193, imrecv},
    MpiValue{kOther, 194, init_thread},
};

constexpr std::size_t kTableSize = 195;

constexpr std::array<Operation, kTableSize> by_value() {
  std::array<Operation, kTableSize> table{};
  for (const MpiValue& v : kValues) table[static_cast<std::size_t>(v.value)] = v.operation;
  return table;
}

}  // namespace

std::span<const MpiValue> mpi_values() {
  return kValues;
}

Operation operation_of_value(std::int64_t value) {
  static constexpr std::array kTable = by_value();
  return value >= 0 && value < static_cast<std::int64_t>(kTableSize)
             ? kTable[static_cast<std::size_t>(value)]
             : none;
}

}  // namespace slackline::paraver
