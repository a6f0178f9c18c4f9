#ifndef SLACKLINE_INJECT_INTERFACE_H
#define SLACKLINE_INJECT_INTERFACE_H
#include <uct/api/uct.h>

#include "command.h"

/* The transports of this process whose messages are delayed. UCX serialises the calls on one
 * worker; opening and closing happens while MPI starts and ends. */

/* Delays what is sent and received through `iface` from now on, and counts it. Returns 0, or -1
 * when there are too many interfaces: it is left alone then. */
int add_interface(uct_iface_h iface, uct_worker_h worker, const struct link_settings* settings,
                  struct transport_counts* counts);

/* Forgets the interface, if it is one, with what has arrived there and was not handed on. */
void remove_interface(uct_iface_h iface);

int is_delayed(uct_iface_h iface);

/* Takes from the capabilities what would bypass the queue, and the room for the trailer. */
void restrict_capabilities(uct_iface_attr_t* attributes);

/* Keeps who is to get messages of that id, and returns the argument with which on_arrival is to be
 * registered instead; NULL when the interface is not delayed. */
void* set_handler(uct_iface_h iface, uint8_t id, uct_am_callback_t callback, void* argument);

/* UCX's callback for each message that has arrived. */
ucs_status_t on_arrival(void* slot, void* data, size_t length, unsigned flags);

#endif
