/* Probes. A matched probe receives the message that it finds at once, under a request that is
 * the message's handle; MPI_Mrecv tells where its data belong. */
#include "online.h"

/* `found`: null for those that wait. */
void simulate_probe(enum slk_operation operation, int peer, int tag, MPI_Comm handle, int* found,
                    MPI_Status* status) {
  const Comm* comm = find_comm(handle);
  const int from = world_of(comm, peer);
  int is_there = 1;
  if (from == SLK_PEER_NULL) {
    fill_status(status, comm, SLK_PEER_NULL, 0, 0);
  } else {
    struct slk_online_call* call = new_call(operation, comm);
    call->peer = from;
    call->tag = tag_of(tag);
    const struct slk_online_answer* answer = ask();
    is_there = answer->found;
    if (is_there) fill_status(status, comm, answer->source, answer->tag, answer->bytes);
  }
  if (found != NULL) *found = is_there;
}

enum { kFirstMessage = 0x51bb0000 };

#if SLK_OPENMPI
static MPI_Message message_of(uint32_t place) {
  return (MPI_Message)(uintptr_t)(kFirstMessage + place);
}
static uint32_t place_of_message(MPI_Message message) {
  return (uint32_t)((uintptr_t)message - kFirstMessage);
}
#else
static MPI_Message message_of(uint32_t place) {
  return (MPI_Message)(kFirstMessage + place);
}
static uint32_t place_of_message(MPI_Message message) {
  return (uint32_t)message - kFirstMessage;
}
#endif

void simulate_matched_probe(enum slk_operation operation, int peer, int tag, MPI_Comm handle,
                            int* found, MPI_Message* message, MPI_Status* status) {
  MPI_Status own;
  int is_there;
  simulate_probe(operation, peer, tag, handle, &is_there, &own);
  if (found != NULL) *found = is_there;
  *message = MPI_MESSAGE_NULL;
  if (is_there && peer == MPI_PROC_NULL) *message = MPI_MESSAGE_NO_PROC;
  if (is_there && peer != MPI_PROC_NULL) {
    *message =
        message_of(place_of(start_receive(NULL, 0, MPI_BYTE, own.MPI_SOURCE, own.MPI_TAG, handle)));
  }
  if (is_there && status != MPI_STATUS_IGNORE) {
    own.MPI_ERROR = status->MPI_ERROR; /* only functions of several requests set it */
    *status = own;
  }
}

/* The request that receives the message; its data go there. */
static MPI_Request receive_of(void* buffer, int count, MPI_Datatype type, MPI_Message* message) {
  const MPI_Message of = *message;
  *message = MPI_MESSAGE_NULL;
  if (of == MPI_MESSAGE_NO_PROC)
    return start_receive(buffer, count, type, MPI_PROC_NULL, 0, MPI_COMM_SELF);
  const uint32_t place = place_of_message(of);
  Pending* p = pending(place);
  p->buffer = buffer;
  p->count = count;
  p->type = kept_type(type);
  return handle_of(place);
}

void simulate_imrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message,
                     MPI_Request* request) {
  *request = receive_of(buffer, count, type, message);
}

int simulate_mrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message,
                   MPI_Status* status) {
  MPI_Request request = receive_of(buffer, count, type, message);
  return MPI_Wait(&request, status);
}
