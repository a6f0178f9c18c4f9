#pragma once

#include <cstdint>
#include <string_view>

#include "sim/network/piecewise.h"

namespace slackline {

/// How messages and the network behave: the parameters of SMPI's hybrid model (Bédaride et al.,
/// PMBS 2013, section 4), under the names of SimGrid's options. Sizes in bytes, times in seconds.
struct NetworkModel {
  // A flow on its route. Factors depend on payload and envelope together.
  Piecewise bandwidth_factor{};  ///< bytes transferred per byte of the flow's rate
  Piecewise latency_factor{};    ///< multiplies the route's latency
  double weight_s = 0;           ///< S: a flow's weight is 1 / (latency + sum S / C)
  double tcp_gamma = 0;          ///< a flow's rate is at most gamma / (2 latency); 0: no bound
  bool cross_traffic = false;    ///< 5 % of every flow come back as acknowledgements
  double envelope = 16;          ///< bytes on the wire beside the payload
  bool contention = true;        ///< false: every flow has the network to itself
  bool constant = false;         ///< latency_factor is the whole transfer's seconds

  // The MPI library. Overheads depend on the payload.
  Piecewise send_overhead{};      ///< os: a blocking send that does not wait
  Piecewise isend_overhead{};     ///< ois
  Piecewise receive_overhead{};   ///< or: after a message whose sender did not wait
  double eager_below = 0;         ///< async-small-thresh: leaves without its receive
  double detached_below = 65536;  ///< send-is-detached-thresh: its sender does not wait
  double test_sleep = 1e-4;       ///< duration of an MPI_Test, times the failures in a row
  double probe_sleep = 1e-4;      ///< the same for MPI_Probe and MPI_Iprobe
  double clock_sleep = 1e-8;      ///< duration of an MPI_Wtime
  bool grow_injected_times = true;
  bool barrier_at_finalize = false;

  double loopback_bandwidth = 10e9;  ///< between ranks of a host without a loopback of its own
  double loopback_latency = 0;
  bool lazy = false;               ///< rates as SimGrid's lazy update has them: sim/simgrid/
  double timing_precision = 1e-9;  ///< what happens closer together happens at one time
};

/// "smpi", "lv08", "cm02", "raw" (no factors, no TCP window, no cross-traffic), "loggps" or
/// "contention-free" (raw, every flow alone) or "constant". Throws usage Error for another name.
NetworkModel network_model(std::string_view name);
/// The names that network_model() knows, as a list for messages.
std::string_view network_model_names();

}  // namespace slackline
