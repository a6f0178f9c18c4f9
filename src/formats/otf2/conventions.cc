// Bytes of collectives. Score-P counts what leaves and reaches a rank when every pair that
// exchanges data does so directly, a rank's own part included. With MPI_IN_PLACE that part is
// missing: then the counts divide by one rank less.

#include "formats/otf2/conventions.h"

#include "base/arithmetic.h"

#include <algorithm>

namespace slackline::otf2 {
namespace {

// `total` over `size` parts, or over one less when that divides and the former does not.
std::uint64_t part(std::uint64_t total, std::uint64_t size) {
  if (size == 0) return total;
  if (total % size == 0) return total / size;
  if (size > 1 && total % (size - 1) == 0) return total / (size - 1);
  return total / size;
}

}  // namespace

CollectiveBytes recorded_bytes(Operation operation, std::uint64_t bytes, std::uint64_t args_total,
                               CollectivePlace place) {
  const std::uint64_t all = saturated_product(bytes, place.size);
  switch (blocking_form(operation)) {
    case Operation::bcast:
      return {place.is_root ? all : 0, bytes};
    case Operation::reduce:
    case Operation::gather:
      return {bytes, place.is_root ? all : 0};
    case Operation::gatherv:
      return {bytes, args_total};
    case Operation::scatter:
      return {place.is_root ? all : 0, bytes};
    case Operation::scatterv:
      return {args_total, bytes};
    case Operation::allreduce:
    case Operation::allgather:
    case Operation::alltoall:
    case Operation::reduce_scatter_block:
      return {all, all};
    case Operation::allgatherv:
      return {all, args_total};
    case Operation::reduce_scatter:
      return {args_total, all};
    case Operation::alltoallv:
    case Operation::alltoallw:
      return {bytes, bytes};
    case Operation::scan:
      return {saturated_product(bytes, place.size - place.rank),
              saturated_product(bytes, place.rank + 1)};
    case Operation::exscan:
      return {saturated_product(bytes, place.size - place.rank - 1),
              saturated_product(bytes, place.rank)};
    default:
      return {bytes, bytes};
  }
}

std::uint64_t call_bytes(Operation operation, CollectiveBytes recorded, CollectivePlace place) {
  switch (blocking_form(operation)) {
    case Operation::bcast:
    case Operation::scatter:
    case Operation::scatterv:
      return recorded.received > 0 ? recorded.received : part(recorded.sent, place.size);
    case Operation::reduce:
    case Operation::gather:
    case Operation::gatherv:
      return recorded.sent > 0 ? recorded.sent : part(recorded.received, place.size);
    case Operation::allreduce:
    case Operation::alltoall:
    case Operation::allgatherv:
      return part(recorded.sent, place.size);
    case Operation::allgather:
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      return part(recorded.received, place.size);
    case Operation::scan:
      return recorded.received / (place.rank + 1);
    case Operation::exscan:
      return place.rank > 0 ? recorded.received / place.rank
                            : part(recorded.sent, place.size > 1 ? place.size - 1 : 1);
    default:
      return recorded.sent;
  }
}

std::uint64_t call_bytes_of_buffers(Operation operation, CollectiveBytes recorded,
                                    std::uint64_t size) {
  switch (blocking_form(operation)) {
    case Operation::bcast:
      return std::max(recorded.sent, recorded.received);
    case Operation::scatter:
    case Operation::scatterv:
    case Operation::reduce_scatter_block:
      return recorded.received > 0 ? recorded.received : part(recorded.sent, size);
    case Operation::reduce_scatter:
      return recorded.received;
    case Operation::gather:
    case Operation::gatherv:
    case Operation::allgather:
      return recorded.sent > 0 ? recorded.sent : part(recorded.received, size);
    case Operation::alltoall:
      return part(std::max(recorded.sent, recorded.received), size);
    case Operation::reduce:
    case Operation::allreduce:
    case Operation::allgatherv:
    case Operation::scan:
    case Operation::exscan:
      return recorded.sent > 0 ? recorded.sent : recorded.received;
    default:
      return recorded.sent;
  }
}

}  // namespace slackline::otf2
