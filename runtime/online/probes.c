/* Probes. A matched probe receives the message that it finds at once, under a request that is
 * the message's handle; MPI_Mrecv tells where its data belong. */
#include "online.h"

static int probe(enum slk_operation operation, int peer, int tag, MPI_Comm handle, int* found,
                 MPI_Status* status) {
  enter_call();
  const Comm* comm = find_comm(handle);
  const int from = world_of(comm, peer);
  *found = 1;
  if (from == SLK_PEER_NULL) {
    fill_status(status, comm, SLK_PEER_NULL, 0, 0);
  } else {
    struct slk_online_call* call = new_call(operation, comm);
    call->peer = from;
    call->tag = tag_of(tag);
    const struct slk_online_answer* answer = ask();
    *found = answer->found;
    if (*found) fill_status(status, comm, answer->source, answer->tag, answer->bytes);
  }
  leave_call();
  return MPI_SUCCESS;
}

MPI_FUNCTION(Probe, (int peer, int tag, MPI_Comm comm, MPI_Status* status)) {
  int found;
  return probe(SLK_OP_probe, peer, tag, comm, &found, status);
}

MPI_FUNCTION(Iprobe, (int peer, int tag, MPI_Comm comm, int* found, MPI_Status* status)) {
  return probe(SLK_OP_iprobe, peer, tag, comm, found, status);
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

static int matched_probe(enum slk_operation operation, int peer, int tag, MPI_Comm handle,
                         int* found, MPI_Message* message, MPI_Status* status) {
  MPI_Status own;
  enter_call();
  probe(operation, peer, tag, handle, found, &own);
  *message = MPI_MESSAGE_NULL;
  if (*found && peer == MPI_PROC_NULL) *message = MPI_MESSAGE_NO_PROC;
  if (*found && peer != MPI_PROC_NULL) {
    *message =
        message_of(place_of(start_receive(NULL, 0, MPI_BYTE, own.MPI_SOURCE, own.MPI_TAG, handle)));
  }
  if (*found && status != MPI_STATUS_IGNORE) {
    own.MPI_ERROR = status->MPI_ERROR; /* only functions of several requests set it */
    *status = own;
  }
  leave_call();
  return MPI_SUCCESS;
}

MPI_FUNCTION(Mprobe, (int peer, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status)) {
  int found;
  return matched_probe(SLK_OP_probe, peer, tag, comm, &found, message, status);
}

MPI_FUNCTION(Improbe, (int peer, int tag, MPI_Comm comm, int* found, MPI_Message* message,
                       MPI_Status* status)) {
  return matched_probe(SLK_OP_iprobe, peer, tag, comm, found, message, status);
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

MPI_FUNCTION(Imrecv, (void* buffer, int count, MPI_Datatype type, MPI_Message* message,
                      MPI_Request* request)) {
  enter_call();
  *request = receive_of(buffer, count, type, message);
  leave_call();
  return MPI_SUCCESS;
}

MPI_FUNCTION(Mrecv, (void* buffer, int count, MPI_Datatype type, MPI_Message* message,
                     MPI_Status* status)) {
  enter_call();
  MPI_Request request = receive_of(buffer, count, type, message);
  const int error = MPI_Wait(&request, status);
  leave_call();
  return error;
}
