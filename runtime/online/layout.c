/* Data of any type as plain bytes. Predefined types are copied; the real library packs the others.
 */
#include <string.h>

#include "online.h"

static int is_plain(MPI_Datatype type) {
  int integers, addresses, types, combiner;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  MPI_Aint lower, extent;
  int size;
  PMPI_Type_get_extent(type, &lower, &extent);
  PMPI_Type_size(type, &size);
  return combiner == MPI_COMBINER_NAMED && lower == 0 && extent == (MPI_Aint)size;
}

uint64_t packed_bytes(int count, MPI_Datatype type) {
  int size = 0;
  if (type != MPI_DATATYPE_NULL) PMPI_Type_size(type, &size);
  return (uint64_t)count * (uint64_t)size;
}

void* element(const void* buffer, int64_t index, MPI_Datatype type) {
  MPI_Aint lower, extent;
  PMPI_Type_get_extent(type, &lower, &extent);
  return (char*)(uintptr_t)buffer + index * (int64_t)extent;
}

void pack(const void* from, int count, MPI_Datatype type, char* to) {
  const uint64_t bytes = packed_bytes(count, type);
  if (bytes == 0) return;
  if (is_plain(type)) {
    memcpy(to, from, bytes);
    return;
  }
  int position = 0;
  PMPI_Pack(from, count, type, to, (int)bytes, &position, MPI_COMM_SELF);
}

void unpack(const char* from, uint64_t bytes, void* to, int count, MPI_Datatype type) {
  const uint64_t room = packed_bytes(count, type);
  const uint64_t used = bytes < room ? bytes : room;
  if (used == 0) return;
  if (is_plain(type)) {
    memcpy(to, from, used);
    return;
  }
  int size = 1;
  PMPI_Type_size(type, &size);
  int position = 0;
  PMPI_Unpack(from, (int)used, &position, to, (int)(used / (uint64_t)size), type, MPI_COMM_SELF);
}

uint64_t packed_block(const void* from, int count, MPI_Datatype type) {
  const uint64_t block = new_block(packed_bytes(count, type));
  pack(from, count, type, block_data(block));
  return block;
}
