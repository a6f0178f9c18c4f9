#ifndef SLACKLINE_RUNTIME_RECORD_HOOKS_PARTITIONS_H
#define SLACKLINE_RUNTIME_RECORD_HOOKS_PARTITIONS_H

#include <cstdlib>

#include "arguments.h"

namespace slackline::record {

/// A partitioned send. Its message is under way when its last partition has been made ready.
struct PartitionedSend {
  MPI_Request handle;
  int partitions;
  int missing;      // partitions that are not ready since the last start
  Request started;  // serial 0: not started
  PartitionedSend* next;
};

/// All of them; entries of freed requests are used again. Guarded by Lock.
inline PartitionedSend* partitioned_sends = nullptr;

inline PartitionedSend* find_partitioned(MPI_Request handle) {
  for (PartitionedSend* p = partitioned_sends; p != nullptr; p = p->next) {
    if (p->handle == handle) return p;
  }
  return nullptr;
}

inline void add_partitioned(MPI_Request handle, int partitions) {
  const Lock lock;
  PartitionedSend* p = find_partitioned(handle);  // of a request that was freed
  if (p == nullptr) {
    p = static_cast<PartitionedSend*>(std::calloc(1, sizeof(PartitionedSend)));
    if (p == nullptr) return;
    p->handle = handle;
    p->next = partitioned_sends;
    partitioned_sends = p;
  }
  p->partitions = partitions;
  p->started.serial = 0;
}

/// Is it a partitioned send that was started, whose message has to wait for its partitions?
inline bool hold_back(const Request& started, MPI_Request handle) {
  if (partitioned_sends == nullptr || started.serial == 0 || started.receive) return false;
  const Lock lock;
  PartitionedSend* p = find_partitioned(handle);
  if (p == nullptr || p->partitions == 0) return false;
  p->missing = p->partitions;
  p->started = started;
  return true;
}

/// Notes that partitions are ready. The request, with serial 0 unless these were the last ones.
inline Request make_ready(MPI_Request handle, int partitions) {
  const Lock lock;
  PartitionedSend* p = find_partitioned(handle);
  if (p == nullptr || p->started.serial == 0) return {};
  p->missing -= partitions;
  Request now = p->started;
  if (p->missing > 0) {
    now.serial = 0;
  } else {
    p->started.serial = 0;
  }
  return now;
}

/// A request was freed, or its handle is another one's now.
inline void forget_partitioned(MPI_Request handle) {
  const Lock lock;
  if (PartitionedSend* p = find_partitioned(handle)) p->partitions = 0;
}

}  // namespace slackline::record

#endif
