/* Data of any type as plain bytes. Predefined types are copied; the real library packs the others.
 */
#include <stdlib.h>
#include <string.h>

#include "online.h"

static int is_named(MPI_Datatype type) {
  int integers, addresses, types, combiner;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  return combiner == MPI_COMBINER_NAMED;
}

static int is_plain(MPI_Datatype type) {
  MPI_Aint lower, extent;
  int size;
  PMPI_Type_get_extent(type, &lower, &extent);
  PMPI_Type_size(type, &size);
  return lower == 0 && is_named(type) && extent == (MPI_Aint)size;
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

/* The real library takes no null pointer, which MPI_BOTTOM is in MPICH: elements at absolute
 * addresses are then described relative to another one. */
typedef struct {
  void* buffer;
  int count;
  MPI_Datatype type;
  int is_moved;
} Place;

static Place place_of_data(const void* buffer, int count, MPI_Datatype type) {
  static char other;
  Place place = {(void*)(uintptr_t)buffer, count, type, 0};
  if (buffer != NULL) return place;
  const MPI_Aint back = -(MPI_Aint)(uintptr_t)&other;
  PMPI_Type_create_hindexed(1, &count, &back, type, &place.type);
  PMPI_Type_commit(&place.type);
  place.buffer = &other;
  place.count = 1;
  place.is_moved = 1;
  return place;
}

static void leave_place(Place* place) {
  if (place->is_moved) PMPI_Type_free(&place->type);
}

void pack(const void* from, int count, MPI_Datatype type, char* to) {
  const uint64_t bytes = packed_bytes(count, type);
  if (bytes == 0) return;
  if (is_plain(type)) {
    memcpy(to, from, bytes);
    return;
  }
  int position = 0;
  Place place = place_of_data(from, count, type);
  PMPI_Pack(place.buffer, place.count, place.type, to, (int)bytes, &position, MPI_COMM_SELF);
  leave_place(&place);
}

/* All of the elements. */
static void unpack_all(const char* from, void* to, int count, MPI_Datatype type) {
  int position = 0;
  Place place = place_of_data(to, count, type);
  PMPI_Unpack(from, (int)packed_bytes(count, type), &position, place.buffer, place.count,
              place.type, MPI_COMM_SELF);
  leave_place(&place);
}

void unpack(const char* from, uint64_t bytes, void* to, int count, MPI_Datatype type) {
  const uint64_t fits = packed_bytes(count, type);
  const uint64_t used = bytes < fits ? bytes : fits;
  if (used == 0) return;
  if (is_plain(type)) {
    memcpy(to, from, used);
    return;
  }
  const uint64_t size = packed_bytes(1, type);
  const int whole = (int)(used / size);
  const uint64_t rest = used % size;
  if (whole > 0) unpack_all(from, to, whole, type);
  if (rest == 0) return;
  /* Part of an element: what of it did not come stays as it is. */
  char* one = room("a message", size);
  void* last = element(to, whole, type);
  pack(last, 1, type, one);
  memcpy(one, from + (uint64_t)whole * size, rest);
  unpack_all(one, last, 1, type);
  free(one);
}

/* A program may free a type while a request with it is not complete. */
MPI_Datatype kept_type(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL || is_named(type)) return type;
  MPI_Datatype kept;
  PMPI_Type_dup(type, &kept);
  return kept;
}

void drop_type(MPI_Datatype type) {
  if (type != MPI_DATATYPE_NULL && !is_named(type)) PMPI_Type_free(&type);
}

uint64_t packed_block(const void* from, int count, MPI_Datatype type) {
  const uint64_t block = new_block(packed_bytes(count, type));
  pack(from, count, type, block_data(block));
  return block;
}
