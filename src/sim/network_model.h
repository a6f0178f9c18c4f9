#pragma once

#include <cstdint>
#include <string_view>

#include "sim/piecewise.h"

namespace slackline {

/// How messages and the network behave: parameters of one mechanism. spec: SMPI model, 3; the
/// names are those of SimGrid's options. Sizes in bytes, times in seconds.
struct NetworkModel {
  // The flow on its route, over payload and envelope.
  Piecewise bandwidth_factor{};  ///< of the rate at which a flow's bytes go down
  Piecewise latency_factor{};    ///< of the route's latency
  double weight_s = 0;           ///< S: a flow's weight is 1 / (latency + sum S / C)
  double tcp_gamma = 0;          ///< a flow's rate is at most gamma / (2 latency); 0: no bound
  bool cross_traffic = false;    ///< 5 % of every flow come back as acknowledgements
  double envelope = 16;          ///< bytes on the wire beside the payload
  bool contention = true;        ///< false: every flow has the network for itself
  bool constant = false;         ///< latency_factor is the whole transfer's seconds

  // The MPI library, over the payload.
  Piecewise send_overhead{};      ///< os: a blocking send that does not wait
  Piecewise isend_overhead{};     ///< ois
  Piecewise receive_overhead{};   ///< or: after a message whose sender did not wait
  double eager_below = 0;         ///< async-small-thresh: leaves without its receive
  double detached_below = 65536;  ///< send-is-detached-thresh: its sender does not wait
  double test_sleep = 1e-4;       ///< of MPI_Test, times the number of failures in a row
  double probe_sleep = 1e-4;
  double clock_sleep = 1e-8;  ///< of MPI_Wtime
  bool grow_injected_times = true;
  bool barrier_at_finalize = false;

  double loopback_bandwidth = 10e9;  ///< between ranks of a host without a loopback of its own
  double loopback_latency = 0;
  bool lazy = false;  ///< rates as SimGrid's lazy update has them, see sim/lazy_update.cc
  double timing_precision = 1e-9;  ///< what happens closer together happens at once
};

/// "smpi", "lv08", "cm02", "raw" (no factors, no window, no acknowledgements), "loggps" or
/// "contention-free" (raw, every flow alone) or "constant". Throws usage Error for another name.
NetworkModel network_model(std::string_view name);
std::string_view network_model_names();

}  // namespace slackline
