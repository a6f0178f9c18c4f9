#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "sim/platform/platform.h"

namespace slackline {

/// A piecewise affine function of a message's size in bytes, as SimGrid writes them:
/// "t0:a0[:b0];t1:a1[:b1];..". Segment i holds for t_i < x <= t_(i+1). One number alone holds
/// everywhere. Why piecewise: Bédaride et al., PMBS 2013, section 4.1. As in SimGrid 4; its version
/// 3.32 counted x = t0 = 0 as part of the first segment. Cost of a value: O(log segments).
class Piecewise {
 public:
  Piecewise() = default;
  /// Throws usage Error naming `what` when the text is malformed or has a negative number.
  Piecewise(std::string_view text, std::string_view what);

  /// a_i, or 1 below the first segment: a factor.
  double factor(double x) const;
  /// a_i + b_i x, or 0 below the first segment: seconds.
  double seconds(double x) const;
  /// The least a_i; 1 where there is none.
  double least_factor() const;
  bool empty() const { return segments_.empty(); }

 private:
  struct Segment {
    double above, constant, slope;
  };
  const Segment* segment(double x) const;

  std::vector<Segment> segments_;  // ascending
};

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

namespace slackline::sim {

/// The overheads of sending and receiving on each host, in seconds by payload in bytes: the model's
/// (Bédaride et al., PMBS 2013, section 4.1), unless a property of the host says otherwise
/// ("smpi/os", "smpi/ois", "smpi/or"). Cost: O(log segments).
class Overheads {
 public:
  Overheads(const Platform& platform, const NetworkModel& model);

  double send(HostId host, double bytes) { return of(host).send.seconds(bytes); }
  double isend(HostId host, double bytes) { return of(host).isend.seconds(bytes); }
  double receive(HostId host, double bytes) { return of(host).receive.seconds(bytes); }

 private:
  struct Set {
    Piecewise send, isend, receive;
  };
  const Set& of(HostId host);

  const Platform& platform_;
  Set common_;
  std::map<const HostSpec*, Set> by_spec_;  // hosts of a cluster share one
  bool uniform_ = true;
};

}  // namespace slackline::sim
