/* Sends and receives. A message is copied into a block when it is sent, and out of it when the
 * receive completes; a blocking receive borrows a place in the table of requests for what it got.
 */
#include <stdlib.h>

#include "online.h"

void fill_status(MPI_Status* status, const Comm* comm, int source, int tag, uint64_t bytes) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = source == SLK_PEER_NULL ? MPI_PROC_NULL : rank_in(comm, source);
  status->MPI_TAG = source == SLK_PEER_NULL ? MPI_ANY_TAG : tag;
  /* Bytes of any type: MPI_Get_count divides. */
  PMPI_Status_set_elements_x(status, MPI_BYTE, (MPI_Count)bytes);
  PMPI_Status_set_cancelled(status, 0);
}

static void describe_send(struct slk_online_call* call, const void* buffer, int count,
                          MPI_Datatype type, int peer, int tag) {
  call->peer = peer;
  call->tag = tag;
  call->bytes = packed_bytes(count, type);
  if (peer != SLK_PEER_NULL) call->data = packed_block(buffer, count, type);
}

int tag_of(int tag) {
  return tag == MPI_ANY_TAG ? SLK_TAG_ANY : tag;
}

void simulate_send(enum slk_operation operation, const void* buffer, int count, MPI_Datatype type,
                   int peer, int tag, MPI_Comm handle) {
  const Comm* comm = find_comm(handle);
  const int to = world_of(comm, peer);
  if (to == SLK_PEER_NULL) return;
  describe_send(new_call(operation, comm), buffer, count, type, to, tag);
  ask();
}

int check_room(const Comm* comm, uint64_t bytes, int count, MPI_Datatype type) {
  if (bytes <= packed_bytes(count, type)) return MPI_SUCCESS;
  PMPI_Comm_call_errhandler(comm->handle, MPI_ERR_TRUNCATE);
  return MPI_ERR_TRUNCATE;
}

/* What the message at that place brought. */
static int take(uint32_t place, void* buffer, int count, MPI_Datatype type, const Comm* comm,
                MPI_Status* status) {
  const struct slk_online_request* got = request_at(place);
  if (got->data != 0) {
    unpack(block_data(got->data), got->bytes, buffer, count, type);
    release_block(got->data);
  }
  fill_status(status, comm, got->source, got->tag, got->bytes);
  return check_room(comm, got->bytes, count, type);
}

int simulate_recv(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm handle,
                  MPI_Status* status) {
  const Comm* comm = find_comm(handle);
  const int from = world_of(comm, peer);
  int error = MPI_SUCCESS;
  if (from == SLK_PEER_NULL) {
    fill_status(status, comm, SLK_PEER_NULL, 0, 0);
  } else {
    struct slk_online_call* call = new_call(SLK_OP_recv, comm);
    call->peer = from;
    call->tag = tag_of(tag);
    call->place = new_request();
    call->bytes = packed_bytes(count, type);
    const uint32_t place = call->place;
    ask();
    error = take(place, buffer, count, type, comm, status);
    free_request(place);
  }
  return error;
}

int simulate_sendrecv(enum slk_operation operation, const void* sent, int send_count,
                      MPI_Datatype send_type, int peer, int send_tag, void* received, int count,
                      MPI_Datatype type, int source, int receive_tag, MPI_Comm handle,
                      MPI_Status* status) {
  const Comm* comm = find_comm(handle);
  const int to = world_of(comm, peer), from = world_of(comm, source);
  const uint64_t block = to == SLK_PEER_NULL ? 0 : packed_block(sent, send_count, send_type);
  struct slk_online_call* call = new_call(operation, comm);
  call->peer = to;
  call->tag = send_tag;
  call->bytes = packed_bytes(send_count, send_type);
  call->data = block;
  call->source = from;
  call->source_tag = tag_of(receive_tag);
  call->place = new_request();
  const uint32_t place = call->place;
  ask();
  int error = MPI_SUCCESS;
  if (from == SLK_PEER_NULL) {
    fill_status(status, comm, SLK_PEER_NULL, 0, 0);
  } else {
    error = take(place, received, count, type, comm, status);
  }
  free_request(place);
  return error;
}

MPI_Request start_send(enum slk_operation operation, const void* buffer, int count,
                       MPI_Datatype type, int peer, int tag, MPI_Comm handle) {
  const Comm* comm = find_comm(handle);
  const int to = world_of(comm, peer);
  const uint32_t place = new_request();
  *pending(place) =
      (Pending){.kind = REQUEST_SEND, .active = 1, .null_peer = to == SLK_PEER_NULL, .comm = comm};
  if (to != SLK_PEER_NULL) {
    struct slk_online_call* call = new_call(operation, comm);
    describe_send(call, buffer, count, type, to, tag);
    name_request(call, place);
    pending(place)->peer = to;
    pending(place)->block = call->data;
    defer();
  }
  return handle_of(place);
}

MPI_Request start_receive(void* buffer, int count, MPI_Datatype type, int peer, int tag,
                          MPI_Comm handle) {
  const Comm* comm = find_comm(handle);
  const int from = world_of(comm, peer);
  const uint32_t place = new_request();
  *pending(place) = (Pending){.kind = REQUEST_RECEIVE,
                              .active = 1,
                              .null_peer = from == SLK_PEER_NULL,
                              .comm = comm,
                              .buffer = buffer,
                              .count = count,
                              .type = kept_type(type)};
  if (from != SLK_PEER_NULL) {
    struct slk_online_call* call = new_call(SLK_OP_irecv, comm);
    call->peer = from;
    call->tag = tag_of(tag);
    call->bytes = packed_bytes(count, type);
    name_request(call, place);
    defer();
  }
  return handle_of(place);
}

void simulate_isend(enum slk_operation operation, const void* buffer, int count, MPI_Datatype type,
                    int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  *request = start_send(operation, buffer, count, type, peer, tag, comm);
}

void simulate_irecv(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                    MPI_Request* request) {
  *request = start_receive(buffer, count, type, peer, tag, comm);
}

void simulate_isendrecv(const void* sent, int send_count, MPI_Datatype send_type, int peer,
                        int send_tag, void* received, int count, MPI_Datatype type, int source,
                        int receive_tag, MPI_Comm comm, MPI_Request* request) {
  MPI_Request* both = room("MPI_Isendrecv", 2 * sizeof *both);
  both[0] = start_send(SLK_OP_isend, sent, send_count, send_type, peer, send_tag, comm);
  both[1] = start_receive(received, count, type, source, receive_tag, comm);
  *request = together(2, both);
  pending(place_of(*request))->main_part = 1;
}
