/* What the recorder inside an MPI job and the reader outside agree on. C11 and C++.
 * The only header of src/ that runtime/ sees. A change of any layout here raises
 * SLK_WIRE_VERSION; doc/formats/raw.md describes the file. */
#ifndef SLACKLINE_TRACE_WIRE_H
#define SLACKLINE_TRACE_WIRE_H

#include <stdint.h>

#define SLK_WIRE_MAGIC 0x31574152304b4c53ull /* "SLK0RAW1", little-endian */
#define SLK_WIRE_VERSION 14u
#define SLK_WIRE_OLDEST 2u /* what is new since then is 0 in its headers, and no record of it */

/* Before version 14 the numbers of records that are no call begin at 200 and those of samples at
 * 240, instead of SLK_REC_COMM and SLK_REC_SAMPLE. */
#define SLK_WIRE_FEWER_OPERATIONS 13u

/* Operations: X(identifier, MPI name, class). The identifier is also the word of the text form.
 * Numbers are given by order and are part of the formats: append only. */
#define SLK_OPERATIONS(X)                                                          \
  X(none, "", none)                                                                \
  X(send, "MPI_Send", send)                                                        \
  X(bsend, "MPI_Bsend", send)                                                      \
  X(ssend, "MPI_Ssend", send)                                                      \
  X(rsend, "MPI_Rsend", send)                                                      \
  X(recv, "MPI_Recv", recv)                                                        \
  X(mrecv, "MPI_Mrecv", recv)                                                      \
  X(sendrecv, "MPI_Sendrecv", sendrecv)                                            \
  X(sendrecv_replace, "MPI_Sendrecv_replace", sendrecv)                            \
  X(isend, "MPI_Isend", isend)                                                     \
  X(ibsend, "MPI_Ibsend", isend)                                                   \
  X(issend, "MPI_Issend", isend)                                                   \
  X(irsend, "MPI_Irsend", isend)                                                   \
  X(irecv, "MPI_Irecv", irecv)                                                     \
  X(imrecv, "MPI_Imrecv", irecv)                                                   \
  X(send_init, "MPI_Send_init", request_init)                                      \
  X(bsend_init, "MPI_Bsend_init", request_init)                                    \
  X(ssend_init, "MPI_Ssend_init", request_init)                                    \
  X(rsend_init, "MPI_Rsend_init", request_init)                                    \
  X(recv_init, "MPI_Recv_init", request_init)                                      \
  X(start, "MPI_Start", start)                                                     \
  X(startall, "MPI_Startall", start)                                               \
  X(wait, "MPI_Wait", completion)                                                  \
  X(waitall, "MPI_Waitall", completion)                                            \
  X(waitany, "MPI_Waitany", completion)                                            \
  X(waitsome, "MPI_Waitsome", completion)                                          \
  X(test, "MPI_Test", completion)                                                  \
  X(testall, "MPI_Testall", completion)                                            \
  X(testany, "MPI_Testany", completion)                                            \
  X(testsome, "MPI_Testsome", completion)                                          \
  X(request_free, "MPI_Request_free", request_other)                               \
  X(cancel, "MPI_Cancel", request_other)                                           \
  X(request_get_status, "MPI_Request_get_status", request_other)                   \
  X(probe, "MPI_Probe", probe)                                                     \
  X(iprobe, "MPI_Iprobe", probe)                                                   \
  X(mprobe, "MPI_Mprobe", probe)                                                   \
  X(improbe, "MPI_Improbe", probe)                                                 \
  X(barrier, "MPI_Barrier", collective)                                            \
  X(bcast, "MPI_Bcast", collective)                                                \
  X(reduce, "MPI_Reduce", collective)                                              \
  X(allreduce, "MPI_Allreduce", collective)                                        \
  X(gather, "MPI_Gather", collective)                                              \
  X(gatherv, "MPI_Gatherv", collective)                                            \
  X(scatter, "MPI_Scatter", collective)                                            \
  X(scatterv, "MPI_Scatterv", collective)                                          \
  X(allgather, "MPI_Allgather", collective)                                        \
  X(allgatherv, "MPI_Allgatherv", collective)                                      \
  X(alltoall, "MPI_Alltoall", collective)                                          \
  X(alltoallv, "MPI_Alltoallv", collective)                                        \
  X(alltoallw, "MPI_Alltoallw", collective)                                        \
  X(reduce_scatter, "MPI_Reduce_scatter", collective)                              \
  X(reduce_scatter_block, "MPI_Reduce_scatter_block", collective)                  \
  X(scan, "MPI_Scan", collective)                                                  \
  X(exscan, "MPI_Exscan", collective)                                              \
  X(neighbor_allgather, "MPI_Neighbor_allgather", collective)                      \
  X(neighbor_allgatherv, "MPI_Neighbor_allgatherv", collective)                    \
  X(neighbor_alltoall, "MPI_Neighbor_alltoall", collective)                        \
  X(neighbor_alltoallv, "MPI_Neighbor_alltoallv", collective)                      \
  X(neighbor_alltoallw, "MPI_Neighbor_alltoallw", collective)                      \
  X(ibarrier, "MPI_Ibarrier", icollective)                                         \
  X(ibcast, "MPI_Ibcast", icollective)                                             \
  X(ireduce, "MPI_Ireduce", icollective)                                           \
  X(iallreduce, "MPI_Iallreduce", icollective)                                     \
  X(igather, "MPI_Igather", icollective)                                           \
  X(igatherv, "MPI_Igatherv", icollective)                                         \
  X(iscatter, "MPI_Iscatter", icollective)                                         \
  X(iscatterv, "MPI_Iscatterv", icollective)                                       \
  X(iallgather, "MPI_Iallgather", icollective)                                     \
  X(iallgatherv, "MPI_Iallgatherv", icollective)                                   \
  X(ialltoall, "MPI_Ialltoall", icollective)                                       \
  X(ialltoallv, "MPI_Ialltoallv", icollective)                                     \
  X(ialltoallw, "MPI_Ialltoallw", icollective)                                     \
  X(ireduce_scatter, "MPI_Ireduce_scatter", icollective)                           \
  X(ireduce_scatter_block, "MPI_Ireduce_scatter_block", icollective)               \
  X(iscan, "MPI_Iscan", icollective)                                               \
  X(iexscan, "MPI_Iexscan", icollective)                                           \
  X(ineighbor_allgather, "MPI_Ineighbor_allgather", icollective)                   \
  X(ineighbor_allgatherv, "MPI_Ineighbor_allgatherv", icollective)                 \
  X(ineighbor_alltoall, "MPI_Ineighbor_alltoall", icollective)                     \
  X(ineighbor_alltoallv, "MPI_Ineighbor_alltoallv", icollective)                   \
  X(ineighbor_alltoallw, "MPI_Ineighbor_alltoallw", icollective)                   \
  X(comm_dup, "MPI_Comm_dup", comm_create)                                         \
  X(comm_dup_with_info, "MPI_Comm_dup_with_info", comm_create)                     \
  X(comm_idup, "MPI_Comm_idup", comm_create)                                       \
  X(comm_split, "MPI_Comm_split", comm_create)                                     \
  X(comm_split_type, "MPI_Comm_split_type", comm_create)                           \
  X(comm_create, "MPI_Comm_create", comm_create)                                   \
  X(comm_create_group, "MPI_Comm_create_group", comm_create)                       \
  X(intercomm_create, "MPI_Intercomm_create", comm_create)                         \
  X(intercomm_merge, "MPI_Intercomm_merge", comm_create)                           \
  X(cart_create, "MPI_Cart_create", comm_create)                                   \
  X(cart_sub, "MPI_Cart_sub", comm_create)                                         \
  X(graph_create, "MPI_Graph_create", comm_create)                                 \
  X(dist_graph_create, "MPI_Dist_graph_create", comm_create)                       \
  X(dist_graph_create_adjacent, "MPI_Dist_graph_create_adjacent", comm_create)     \
  X(comm_spawn, "MPI_Comm_spawn", comm_create)                                     \
  X(comm_spawn_multiple, "MPI_Comm_spawn_multiple", comm_create)                   \
  X(comm_accept, "MPI_Comm_accept", comm_create)                                   \
  X(comm_connect, "MPI_Comm_connect", comm_create)                                 \
  X(comm_free, "MPI_Comm_free", local)                                             \
  X(comm_disconnect, "MPI_Comm_disconnect", local)                                 \
  X(win_create, "MPI_Win_create", one_sided)                                       \
  X(win_allocate, "MPI_Win_allocate", one_sided)                                   \
  X(win_allocate_shared, "MPI_Win_allocate_shared", one_sided)                     \
  X(win_create_dynamic, "MPI_Win_create_dynamic", one_sided)                       \
  X(win_free, "MPI_Win_free", one_sided)                                           \
  X(win_fence, "MPI_Win_fence", one_sided)                                         \
  X(win_lock, "MPI_Win_lock", one_sided)                                           \
  X(win_unlock, "MPI_Win_unlock", one_sided)                                       \
  X(win_lock_all, "MPI_Win_lock_all", one_sided)                                   \
  X(win_unlock_all, "MPI_Win_unlock_all", one_sided)                               \
  X(win_flush, "MPI_Win_flush", one_sided)                                         \
  X(win_flush_all, "MPI_Win_flush_all", one_sided)                                 \
  X(win_flush_local, "MPI_Win_flush_local", one_sided)                             \
  X(win_flush_local_all, "MPI_Win_flush_local_all", one_sided)                     \
  X(win_post, "MPI_Win_post", one_sided)                                           \
  X(win_start, "MPI_Win_start", one_sided)                                         \
  X(win_complete, "MPI_Win_complete", one_sided)                                   \
  X(win_wait, "MPI_Win_wait", one_sided)                                           \
  X(win_test, "MPI_Win_test", one_sided)                                           \
  X(win_sync, "MPI_Win_sync", one_sided)                                           \
  X(put, "MPI_Put", one_sided)                                                     \
  X(get, "MPI_Get", one_sided)                                                     \
  X(accumulate, "MPI_Accumulate", one_sided)                                       \
  X(get_accumulate, "MPI_Get_accumulate", one_sided)                               \
  X(fetch_and_op, "MPI_Fetch_and_op", one_sided)                                   \
  X(compare_and_swap, "MPI_Compare_and_swap", one_sided)                           \
  X(rput, "MPI_Rput", one_sided)                                                   \
  X(rget, "MPI_Rget", one_sided)                                                   \
  X(raccumulate, "MPI_Raccumulate", one_sided)                                     \
  X(rget_accumulate, "MPI_Rget_accumulate", one_sided)                             \
  X(file_open, "MPI_File_open", io)                                                \
  X(file_close, "MPI_File_close", io)                                              \
  X(file_sync, "MPI_File_sync", io)                                                \
  X(file_set_view, "MPI_File_set_view", io)                                        \
  X(file_read, "MPI_File_read", io)                                                \
  X(file_read_all, "MPI_File_read_all", io)                                        \
  X(file_read_at, "MPI_File_read_at", io)                                          \
  X(file_read_at_all, "MPI_File_read_at_all", io)                                  \
  X(file_write, "MPI_File_write", io)                                              \
  X(file_write_all, "MPI_File_write_all", io)                                      \
  X(file_write_at, "MPI_File_write_at", io)                                        \
  X(file_write_at_all, "MPI_File_write_at_all", io)                                \
  X(pack, "MPI_Pack", local)                                                       \
  X(unpack, "MPI_Unpack", local)                                                   \
  X(pcontrol, "MPI_Pcontrol", local)                                               \
  X(init, "MPI_Init", environment)                                                 \
  X(init_thread, "MPI_Init_thread", environment)                                   \
  X(finalize, "MPI_Finalize", environment)                                         \
  X(abort, "MPI_Abort", environment)                                               \
  X(comm_idup_with_info, "MPI_Comm_idup_with_info", comm_create)                   \
  X(comm_create_from_group, "MPI_Comm_create_from_group", comm_create)             \
  X(intercomm_create_from_groups, "MPI_Intercomm_create_from_groups", comm_create) \
  X(comm_join, "MPI_Comm_join", comm_create)                                       \
  X(psend_init, "MPI_Psend_init", request_init)                                    \
  X(precv_init, "MPI_Precv_init", request_init)                                    \
  X(pready, "MPI_Pready", start)                                                   \
  X(pready_range, "MPI_Pready_range", start)                                       \
  X(pready_list, "MPI_Pready_list", start)                                         \
  X(parrived, "MPI_Parrived", completion)                                          \
  X(session_init, "MPI_Session_init", local)                                       \
  X(session_finalize, "MPI_Session_finalize", local)                               \
  X(barrier_init, "MPI_Barrier_init", local)                                       \
  X(bcast_init, "MPI_Bcast_init", local)                                           \
  X(reduce_init, "MPI_Reduce_init", local)                                         \
  X(allreduce_init, "MPI_Allreduce_init", local)                                   \
  X(gather_init, "MPI_Gather_init", local)                                         \
  X(gatherv_init, "MPI_Gatherv_init", local)                                       \
  X(scatter_init, "MPI_Scatter_init", local)                                       \
  X(scatterv_init, "MPI_Scatterv_init", local)                                     \
  X(allgather_init, "MPI_Allgather_init", local)                                   \
  X(allgatherv_init, "MPI_Allgatherv_init", local)                                 \
  X(alltoall_init, "MPI_Alltoall_init", local)                                     \
  X(alltoallv_init, "MPI_Alltoallv_init", local)                                   \
  X(alltoallw_init, "MPI_Alltoallw_init", local)                                   \
  X(reduce_scatter_init, "MPI_Reduce_scatter_init", local)                         \
  X(reduce_scatter_block_init, "MPI_Reduce_scatter_block_init", local)             \
  X(scan_init, "MPI_Scan_init", local)                                             \
  X(exscan_init, "MPI_Exscan_init", local)                                         \
  X(neighbor_allgather_init, "MPI_Neighbor_allgather_init", local)                 \
  X(neighbor_allgatherv_init, "MPI_Neighbor_allgatherv_init", local)               \
  X(neighbor_alltoall_init, "MPI_Neighbor_alltoall_init", local)                   \
  X(neighbor_alltoallv_init, "MPI_Neighbor_alltoallv_init", local)                 \
  X(neighbor_alltoallw_init, "MPI_Neighbor_alltoallw_init", local)                 \
  X(file_read_shared, "MPI_File_read_shared", io)                                  \
  X(file_write_shared, "MPI_File_write_shared", io)                                \
  X(file_read_ordered, "MPI_File_read_ordered", io)                                \
  X(file_write_ordered, "MPI_File_write_ordered", io)                              \
  X(file_seek_shared, "MPI_File_seek_shared", io)                                  \
  X(file_set_size, "MPI_File_set_size", io)                                        \
  X(file_preallocate, "MPI_File_preallocate", io)                                 \
  X(file_iread, "MPI_File_iread", io)                                              \
  X(file_iread_all, "MPI_File_iread_all", io)                                      \
  X(file_iread_at, "MPI_File_iread_at", io)                                        \
  X(file_iread_at_all, "MPI_File_iread_at_all", io)                                \
  X(file_iread_shared, "MPI_File_iread_shared", io)                                \
  X(file_read_all_begin, "MPI_File_read_all_begin", io)                            \
  X(file_read_at_all_begin, "MPI_File_read_at_all_begin", io)                      \
  X(file_read_ordered_begin, "MPI_File_read_ordered_begin", io)                    \
  X(file_iwrite, "MPI_File_iwrite", io)                                            \
  X(file_iwrite_all, "MPI_File_iwrite_all", io)                                    \
  X(file_iwrite_at, "MPI_File_iwrite_at", io)                                      \
  X(file_iwrite_at_all, "MPI_File_iwrite_at_all", io)                              \
  X(file_iwrite_shared, "MPI_File_iwrite_shared", io)                              \
  X(file_write_all_begin, "MPI_File_write_all_begin", io)                          \
  X(file_write_at_all_begin, "MPI_File_write_at_all_begin", io)                    \
  X(file_write_ordered_begin, "MPI_File_write_ordered_begin", io)                  \
  X(file_read_all_end, "MPI_File_read_all_end", io)                                \
  X(file_read_at_all_end, "MPI_File_read_at_all_end", io)                          \
  X(file_read_ordered_end, "MPI_File_read_ordered_end", io)                        \
  X(file_write_all_end, "MPI_File_write_all_end", io)                              \
  X(file_write_at_all_end, "MPI_File_write_at_all_end", io)                        \
  X(file_write_ordered_end, "MPI_File_write_ordered_end", io)                      \
  X(grequest_start, "MPI_Grequest_start", local)                                   \
  X(request_get_status_all, "MPI_Request_get_status_all", request_other)           \
  X(request_get_status_any, "MPI_Request_get_status_any", request_other)           \
  X(request_get_status_some, "MPI_Request_get_status_some", request_other)         \
  X(buffer_detach, "MPI_Buffer_detach", local)                                       \
  X(buffer_flush, "MPI_Buffer_flush", local)                                       \
  X(buffer_iflush, "MPI_Buffer_iflush", local)                                     \
  X(comm_flush_buffer, "MPI_Comm_flush_buffer", local)                             \
  X(comm_iflush_buffer, "MPI_Comm_iflush_buffer", local)                           \
  X(session_flush_buffer, "MPI_Session_flush_buffer", local)                       \
  X(session_iflush_buffer, "MPI_Session_iflush_buffer", local)                     \
  X(comm_shrink, "MPIX_Comm_shrink", comm_create)                                  \
  X(comm_ishrink, "MPIX_Comm_ishrink", comm_create)                                \
  X(comm_agree, "MPIX_Comm_agree", comm_create)                                     \
  X(comm_iagree, "MPIX_Comm_iagree", comm_create)

enum slk_operation {
#define SLK_OPERATION_ENUMERATOR(identifier, name, op_class) SLK_OP_##identifier,
  SLK_OPERATIONS(SLK_OPERATION_ENUMERATOR)
#undef SLK_OPERATION_ENUMERATOR
      SLK_OPERATION_COUNT,
  /* Records that are no MPI call: */
  SLK_REC_COMM = 230,    /* a communicator: comm = local id, args: see below; bytes = 1 + the tag or
                          * a hash of the string by which threads that make others over the same
                          * group at the same time tell them apart; 0 none */
  SLK_REC_REGION_NAME,   /* request = region id, args hold the UTF-8 name, bytes = its length */
  SLK_REC_REGION_ENTER,  /* begin_ns, request = region id */
  SLK_REC_REGION_LEAVE,  /* begin_ns, request = region id */
  SLK_REC_RESOLVED,      /* a nonblocking receive's status: request, peer, tag, bytes, flags */
  SLK_REC_RECORDING_OFF, /* begin_ns: MPI_Pcontrol(0) */
  SLK_REC_RECORDING_ON,  /* begin_ns: MPI_Pcontrol(1) */
  SLK_REC_ISENDRECV,     /* MPI_Isendrecv or _replace: an isend and an irecv of one request; args as
                          * of sendrecv. The send has the serial before the record's, and both are
                          * complete when that is. A Trace has two calls instead. */
  SLK_REC_OFF_PROCESSOR, /* begin_ns: of the call recorded before this one. The thread was off the
                          * processor for `bytes` ns of the computation before that call. */
  SLK_REC_MODULE,        /* the program or a shared library, before the first path through it; args:
                          * see SLK_MODULE_NAME_AT. What lay at its addresses before is gone. */
  SLK_REC_CALL_PATH,     /* request = id of a call path, of this file; args = return addresses,
                          * innermost first, and Python frames (SLK_PATH_PYTHON); bytes = 1 if the
                          * last is the thread's first function, 0 if the path is cut. Stands before
                          * the first call of that path. */
  SLK_REC_PERSISTENT,    /* the nonblocking collective of that request is a start of the persistent
                          * one that was the bytes-th (from 0) to be made on comm. Follows it. */
  SLK_REC_COUNTERS,      /* begin_ns: of the call recorded before this one. What counters gained in
                          * the computation before that call: bytes = a bit for each enum
                          * slk_counter that gained anything, args = the gains in that order */
  SLK_REC_BLOCKED,       /* As SLK_REC_OFF_PROCESSOR, for time in which the thread slept or waited
                          * for a file or a device, and wanted no processor. */
  SLK_REC_STAGE_WRITTEN, /* begin_ns, end_ns: the recorder wrote out what it had recorded */
  SLK_REC_CALL_COST,     /* near the end: what recording a call of the operation `request` took this
                          * thread; args: mean ns from the program's call to begin_ns, mean ns from
                          * end_ns to the return to the program; bytes = calls measured */
  SLK_REC_PYTHON,        /* the process has a Python interpreter: tag = its PY_VERSION_HEX, bytes =
                          * enum slk_python. Before the first path that it could be on. */
  SLK_REC_PYTHON_CODE,   /* request = id of a code object, of this file; args: see
                          * SLK_CODE_TEXT_AT. Before the first path through it. */
  SLK_REC_PARALLEL       /* the thread executed a parallel region of OpenMP, or several alike as
                          * one: begin_ns: when the last one ended; bytes = ns since the first one
                          * began; path; request = how many; args: see SLK_PARALLEL_TEAM_AT */
};

/* Arguments of SLK_REC_PARALLEL: ns that the regions took together; of that, outside of barriers
 * and of calls of MPI, ns in which the thread was blocked, and ns in which it wanted a processor
 * and had none; then for each thread of the team ns outside of and in barriers. Version 10 has only
 * the first of these before the threads. */
#define SLK_PARALLEL_TEAM_AT 3u

/* What is counted of a thread's computation: X(identifier, name in a trace). The system's own
 * counts have the names of getrusage(), the processor's those of PAPI. Append only. */
#define SLK_COUNTERS(X)                \
  X(involuntary_switches, "ru_nivcsw") \
  X(voluntary_switches, "ru_nvcsw")    \
  X(migrations, "cpu_migrations")      \
  X(minor_faults, "ru_minflt")         \
  X(major_faults, "ru_majflt")         \
  X(instructions, "PAPI_TOT_INS")      \
  X(cycles, "PAPI_TOT_CYC")            \
  X(cache_misses, "PAPI_L3_TCM")

enum slk_counter {
#define SLK_COUNTER_ENUMERATOR(identifier, name) SLK_COUNTER_##identifier,
  SLK_COUNTERS(SLK_COUNTER_ENUMERATOR)
#undef SLK_COUNTER_ENUMERATOR
      SLK_COUNTER_COUNT
};
#define SLK_SYSTEM_COUNTERS 5u /* the first ones are the system's */

/* Flags of an operation. */
enum slk_flag {
  SLK_FLAG_ANY_SOURCE = 1 << 0, /* receive or probe was posted with MPI_ANY_SOURCE */
  SLK_FLAG_ANY_TAG = 1 << 1,    /* ... with MPI_ANY_TAG */
  SLK_FLAG_FAILED =
      1 << 2, /* test or iprobe that found nothing; args[0] polls, args[1] ns in MPI */
  SLK_FLAG_CANCELLED = 1 << 3,       /* the request was cancelled and never matched */
  SLK_FLAG_IN_PLACE = 1 << 4,        /* MPI_IN_PLACE was given */
  SLK_FLAG_NON_COMMUTATIVE = 1 << 5, /* the reduction operation does not commute */
  SLK_FLAG_UNFINISHED = 1 << 6,      /* the call had not returned when the rank died */
  SLK_FLAG_INTERCOMM = 1 << 7        /* the communicator is an intercommunicator */
};

#define SLK_PEER_NONE (-1) /* no peer or root, or a process that is not of this world */
#define SLK_PEER_NULL (-2) /* MPI_PROC_NULL */
#define SLK_PEER_ANY (-3)  /* a wildcard that was never resolved */
#define SLK_PEER_ROOT (-4) /* MPI_ROOT of an intercommunicator's collective */
#define SLK_TAG_ANY (-1)
#define SLK_REQUEST_NONE 0u /* request serials start at 1, per rank */
/* A persistent request has a serial of its own from send_init .. recv_init, and gets a new one each
 * time it is started: the completion names that one. In the arguments of waitall and its like, 0 is
 * a request whose start was not seen. A startall over requests of several communicators is told by
 * one record per communicator; those after the first last no time. */
#define SLK_COMM_NULL 0xffffffffu
#define SLK_COMM_WORLD 0u
#define SLK_COMM_SELF 1u

/* One slot of a rank's raw file. A record is one head slot, followed by ceil(n_args / 6) slots
 * that hold its arguments. `op` of the head slot is stored last: 0 means "ends here". */
struct slk_record {
  uint64_t begin_ns; /* CLOCK_MONOTONIC of this host */
  uint64_t end_ns;
  uint64_t bytes;
  int32_t peer;  /* rank in comm; root of a rooted collective */
  int32_t tag;   /* of collectives: size of one element in bytes */
  uint32_t comm; /* local id */
  uint32_t request;
  uint32_t n_args;
  uint16_t path; /* of a call: id of its call path, 0 unknown. Before version 4: the thread */
  uint8_t flags;
  uint8_t op;
};
#define SLK_ARGS_PER_SLOT 6u

/* Arguments by operation (all int64_t; ranks relative to comm, sizes in bytes):
 *   sendrecv*               source, receive tag, received bytes, receive flags (wildcards)
 *   start, startall, pready*
 *                           groups of 5: request serial, operation (send_init.. recv_init), peer,
 *                           tag, bytes, of requests on the record's communicator (in a Trace groups
 *                           of 6, with comm). The start of a persistent collective is told as the
 *                           nonblocking collective. A partitioned send starts, as a send_init, with
 *                           the pready that makes its last partition ready.
 *   waitall, waitsome, testall, testsome
 *                           request serials that completed, in the order given by MPI
 *   failed test*, iprobe, parrived
 *                           number of polls, ns spent inside MPI
 *   gatherv (root)          bytes received from each rank; `bytes`: own contribution
 *   scatterv (root)         bytes sent to each rank; `bytes`: own block
 *   allgatherv              bytes of each rank; `bytes`: own contribution
 *   alltoallv, alltoallw    bytes sent to each, then bytes received from each; `bytes`: all sent
 *   reduce_scatter          bytes of each rank's block; `bytes`: own block
 *   neighbor_*              n_out, (rank, bytes)*, n_in, (rank, bytes)*
 *   win_post, win_start     the group's ranks; none where it has over 256 members
 *   comm_*                  local id of the new communicator (SLK_COMM_NULL if none)
 *   pcontrol                level
 *   init_thread             provided level, MPI_THREAD_SINGLE to MPI_THREAD_MULTIPLE as 0 to 3
 * `tag` of calls at windows: twice the window's number, the lowest one that no other open window of
 * its communicator has, and of win_lock 1 more if it is shared. Before version 12 the number is 0.
 * `bytes` otherwise: send/recv the message; bcast, reduce, allreduce, scan the vector;
 * gather, scatter, allgather, alltoall, reduce_scatter_block one block (what one pair exchanges).
 */

/* Arguments of SLK_REC_COMM: kind (0 intra, 1 inter), local size, remote size, then both member
 * lists, as runs: number of runs, (first world rank, stride, count)*. The order of members is
 * theirs. Processes of another world (MPI_Comm_spawn, MPI_Comm_connect) have rank -1, stride 0. */

/* Arguments of SLK_REC_MODULE: first address, end, what was added to the addresses in the file,
 * length of the build id, then the build id and the file's name, NUL-padded to whole arguments. */
#define SLK_MODULE_BUILD_ID_AT 4u
#define SLK_MODULE_BUILD_ID_BYTES 24u
#define SLK_MODULE_NAME_AT 7u

/* Whether Python's functions are frames of call paths. */
enum slk_python {
  SLK_PYTHON_FRAMES = 1,      /* they are */
  SLK_PYTHON_UNKNOWN_VERSION, /* not: this version keeps its frames in a way not known here */
  SLK_PYTHON_UNREADABLE       /* not: the system does not say what can be read */
};

/* Arguments of SLK_REC_PYTHON_CODE: first line, bytes of the function's name, of the file's name
 * and of the line table, then these three, one right after the other, NUL-padded to whole
 * arguments. Names are UTF-8; before Python 3.11 the function's is without its class. The table is
 * as this version has it: co_lnotab of 3.9, else co_linetable; or its first part, if it is long. */
#define SLK_CODE_TEXT_AT 4u

/* In a call path, this bit tells a Python frame from an address: bits 32 to 62 are the id of its
 * code object, the lower 32 how many bytes into its instructions it was. Such frames stand in place
 * of that of the interpreter's loop, which executes them. */
#define SLK_PATH_PYTHON 0x8000000000000000ull
#define SLK_PATH_CODE_SHIFT 32u

/* Clock samples: at this rank's `local_ns` (CLOCK_MONOTONIC) the reference rank's clock showed
 * local_ns + offset_ns, known within +- error_ns (half the best round trip). */
struct slk_clock_sample {
  int64_t local_ns;
  int64_t offset_ns;
  int64_t error_ns;
  int32_t reference_rank; /* itself for the root of the tree */
  int32_t valid;
};

/* Whose parallel regions are recorded, if the program has any. */
enum slk_openmp { SLK_OPENMP_NONE = 0, SLK_OPENMP_GNU = 1, SLK_OPENMP_TOOL_INTERFACE = 2 };

enum slk_mpi_library { SLK_MPI_UNKNOWN = 0, SLK_MPI_OPENMPI = 1, SLK_MPI_MPICH = 2 };

/* How often CPU time is read where perf_event_open is not permitted. */
#define SLK_CPU_TIME_INTERVAL_NS 100000u
/* How often the system's counters are read at least, where calls of MPI give occasion to. */
#define SLK_COUNTER_INTERVAL_NS 1000000u

#define SLK_RAW_HEADER_BYTES 4096u

/* First SLK_RAW_HEADER_BYTES of a raw file. After it come the stage, stage_bytes long, and then
 * what was appended from the stage, appended_bytes long; both hold slk_record slots. The appended
 * records are the older ones; those of the stage end at an op of 0. When the stage's records are
 * equal to the last appended ones, the rank died between appending and clearing, and they count
 * once. */
struct slk_raw_header {
  uint64_t magic;
  uint32_t version;
  uint32_t header_bytes;
  int32_t rank; /* in MPI_COMM_WORLD */
  int32_t world_size;
  int32_t pid;
  int32_t mpi_library; /* enum slk_mpi_library */
  int32_t thread_level;
  int32_t finalized;    /* 1 once MPI_Finalize was reached */
  uint64_t realtime_ns; /* CLOCK_REALTIME when monotonic_ns was read, for people */
  uint64_t monotonic_ns;
  uint64_t cost_ns;    /* measured cost of one recorded call, x 1000 */
  uint64_t calls;      /* calls seen, written at finalize */
  uint64_t cpu_ns;     /* the process's CPU time at finalize */
  uint64_t lost_calls; /* not recorded: they could not be written, or memory ran out */
  struct slk_clock_sample clock_begin;
  struct slk_clock_sample clock_end;
  char host[256];
  char boot_id[64]; /* tells two hosts of one name apart */
  char mpi_version[256];
  char program[512];
  uint64_t stage_bytes;
  uint64_t appended_bytes;
  uint64_t recording_ns;   /* CPU time that recording took, written at finalize; 0 unknown */
  uint64_t processors[16]; /* on which the process may run, a bit each, at MPI_Init; 0 unknown */
  uint32_t knows_cpu_time; /* 1: computation without a SLK_REC_OFF_PROCESSOR was on a processor; 2:
                            * but for SLK_CPU_TIME_INTERVAL_NS of it, because CPU time was only
                            * read that often */
  uint32_t thread; /* of this file; 0 called MPI_Init. Before version 4 records name the thread */
  char hidden_calls[256];    /* names of functions that the program defines itself, in front of the
                              * recorder; empty in files of older recorders */
  uint32_t counters;         /* that were read, a bit for each enum slk_counter */
  uint32_t missing_counters; /* that were asked for and that the machine does not give */
  int32_t missing_reason;    /* number of the error, for the first of them */
  uint32_t abandoned_calls;  /* not recorded: the program left them by longjmp or an exception */
  uint64_t stolen_ns;        /* of the processors' time, what the hypervisor gave to others */
  uint64_t processors_ns;    /* time of the processors above, their idle time included; 0 unknown */
  uint32_t openmp;           /* enum slk_openmp */
  uint32_t nested_regions;   /* not recorded: parallel regions inside others */
  uint32_t foreign_regions;  /* not recorded: of threads other than the one that called MPI_Init */
  uint32_t lost_regions;     /* not recorded: of more threads than can be, or without memory */
  uint64_t used_ns;          /* of the processors' time, what was used, by this process or others */
  uint64_t used_by_process_ns; /* CPU time of this process in the same interval */
  uint32_t openmp_threads;     /* that OpenMP's runtimes have started, as far as is known */
  int32_t lost_reason; /* number of the error by which the first of lost_calls was lost; EFBIG: the
                        * size limit */
  int32_t launched;    /* processes that the launcher says it has started together; 0 unknown */
  char unrecorded_calls[512]; /* functions of MPI that the program has called and that are not
                               * recorded */
  char unseen_libraries[512]; /* files of libraries whose calls go to MPI's library directly */
};

#endif
