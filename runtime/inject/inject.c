/* Makes every message between ranks take longer, below the MPI library.
 *
 * Both Open MPI and MPICH can talk through UCX, whose upper half (libucp: tag matching, protocols,
 * rendezvous) calls its lower half (libuct: transports) through ordinary dynamic symbols. This
 * library, preloaded, stands between the two. Each message gets a trailer that says when it is due;
 * on arrival it is put into a queue, and UCX's own progress, of which this library makes itself a
 * part, hands it on at that time. The sender's clock counts, so time in which the receiver computes
 * is not added, and a message is never handed on early. Everything that goes through active
 * messages is delayed: eager data, the control messages and the data of a rendezvous, collectives.
 * Remote memory access and zero-copy are taken from the transport's capabilities, so that UCX does
 * without them. The idea is the delay queue at the receiver of Shen et al., "LLAMP" (SC 2024). */
#include "interface.h"

#include <dlfcn.h>
#include <stdint.h>
#include <ucp/api/ucp_version.h>

#include "command.h"
#include "next.h"

/* Whether the UCX of this process has the structures that this library was compiled with. */
static int has_known_layout(void) {
  typedef void (*version_function)(unsigned*, unsigned*, unsigned*);
  void* library = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
  if (library == NULL) return 0;
  const version_function version = (version_function)(uintptr_t)dlsym(library, "ucp_get_version");
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  if (version != NULL) version(&major, &minor, &release);
  dlclose(library);
  return major == UCP_API_MAJOR && minor == UCP_API_MINOR;
}

typedef ucs_status_t (*open_function)(uct_md_h, uct_worker_h, const uct_iface_params_t*,
                                      const uct_iface_config_t*, uct_iface_h*);
typedef void (*close_function)(uct_iface_h);
typedef ucs_status_t (*query_function)(uct_iface_h, uct_iface_attr_t*);
typedef ucs_status_t (*handler_function)(uct_iface_h, uint8_t, uct_am_callback_t, void*, uint32_t);

#define NEXT(type, name) ((type)(uintptr_t)next_in(kUct, name))

/* What is injected on this transport; NULL: it is left alone. */
static const struct link_settings* wanted(const uct_iface_params_t* params) {
  const struct inject_settings* settings = inject_settings();
  if (!settings->on || !(params->field_mask & UCT_IFACE_PARAM_FIELD_OPEN_MODE)) return NULL;
  if (!(params->open_mode & UCT_IFACE_OPEN_MODE_DEVICE)) return NULL;
  const char* transport = params->mode.device.tl_name;
  if (transport == NULL || transport[0] == '\0') return NULL;
  if (transport[0] == 's' && transport[1] == 'e') return NULL; /* "self" crosses nothing */
  if (is_shared_memory(transport)) return settings->has_intra ? &settings->intra : NULL;
  return settings->has_inter ? &settings->inter : NULL;
}

#pragma GCC visibility push(default)

ucs_status_t uct_iface_open(uct_md_h md, uct_worker_h worker, const uct_iface_params_t* params,
                            const uct_iface_config_t* config, uct_iface_h* iface) {
  const open_function next = NEXT(open_function, "uct_iface_open");
  const ucs_status_t status = next(md, worker, params, config, iface);
  const struct link_settings* link = status == UCS_OK ? wanted(params) : NULL;
  if (link == NULL) return status;
  const char* device = params->mode.device.dev_name;
  if (!has_known_layout()) {
    write_obstacle("the job's UCX is of another version than the one Slackline was built with");
  } else if (add_interface(*iface, worker, link,
                           transport_counts(params->mode.device.tl_name, device)) == 0) {
    ++inject_counts.interfaces;
    write_counts(0);
  }
  return status;
}

void uct_iface_close(uct_iface_h iface) {
  remove_interface(iface);
  NEXT(close_function, "uct_iface_close")(iface);
}

ucs_status_t uct_iface_query(uct_iface_h iface, uct_iface_attr_t* attributes) {
  const ucs_status_t status = NEXT(query_function, "uct_iface_query")(iface, attributes);
  if (status == UCS_OK && is_delayed(iface)) restrict_capabilities(attributes);
  return status;
}

ucs_status_t uct_iface_set_am_handler(uct_iface_h iface, uint8_t id, uct_am_callback_t callback,
                                      void* argument, uint32_t flags) {
  const handler_function next = NEXT(handler_function, "uct_iface_set_am_handler");
  void* slot = set_handler(iface, id, callback, argument);
  if (slot == NULL) return next(iface, id, callback, argument, flags);
  return next(iface, id, on_arrival, slot, flags);
}

#pragma GCC visibility pop
