#include "app/options/model_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fstream>

#include "analysis/model/model_choice.h"
#include "base/error.h"
#include "base/testing/scratch_folder.h"
#include "formats/testing/text_trace.h"
#include "graph/build.h"

namespace slackline {
namespace {

/// What a machine file of a calibration has: messages of up to 4000 bytes are eager, and take
/// 1000 ns + s/10; longer ones 5000 ns + s/20. L + 2 o is 900 ns, and 3 L + 4 o 2,300.
constexpr std::string_view kMachine = R"(
[machine]
version = 1
[loggps]
L = "500ns"
o = "200ns"
G = "0.05ns/B"
S = "4000"
[[piece]]
quantity = "one_way"
from_bytes = 1
to_bytes = 4000
offset_ns = { value = 1000.0, low = 990.0, high = 1010.0 }
slope_ns_per_byte = { value = 0.1, low = 0.1, high = 0.1 }
[[piece]]
quantity = "one_way"
from_bytes = 4001
to_bytes = 4194304
offset_ns = { value = 5000.0, low = 4990.0, high = 5010.0 }
slope_ns_per_byte = { value = 0.05, low = 0.05, high = 0.05 }
[[piece]]
quantity = "one_way_reused"
from_bytes = 1
to_bytes = 4194304
offset_ns = 900.0
slope_ns_per_byte = 0.02
[[piece]]
quantity = "stream"
from_bytes = 1
to_bytes = 4194304
offset_ns = { value = 100.0, low = 99.0, high = 101.0 }
slope_ns_per_byte = { value = 0.05, low = 0.05, high = 0.05 }
)";

class MeasuredMachineModel : public ::testing::Test {
 protected:
  MeasuredMachineModel() { std::ofstream(path_) << kMachine; }

  /// The time of a message there and one back.
  double round_trip_ns(std::uint64_t bytes, const std::string& protocol = "",
                       const std::string& latency = "", const std::string& buffers = "") const {
    ModelOptions options{.machine = path_.string(), .buffers = buffers, .rendezvous = protocol};
    if (!latency.empty()) options.latency = latency;
    const ModelChoice choice = resolve_model(options);
    const ExecutionGraph graph =
        build_graph(testing::untimed_trace(
                        2, fmt::format("rank 0\nsend to=1 bytes={0}\nrecv from=1 bytes={0}\n"
                                       "rank 1\nrecv from=0 bytes={0}\nsend to=0 bytes={0}\n",
                                       bytes)),
                    choice.graph);
    MakespanFunction makespan = makespan_function(graph, choice, parse_varied_parameter("L"));
    const Ticks at = makespan.from_fs(choice.model.latency_fs);
    return makespan.value_ns(makespan.line_at(at), at);
  }

  ScratchFolder folder_;
  std::filesystem::path path_ = folder_ / "machine.toml";
};

// Half of a byte of G is .025 ns in each direction.
TEST_F(MeasuredMachineModel, PredictsThePingPongThatItWasMeasuredWith) {
  for (const std::uint64_t bytes : {1U, 8U, 1500U, 4000U}) {
    EXPECT_NEAR(round_trip_ns(bytes), 2 * (1000 + 0.1 * static_cast<double>(bytes)), 0.1) << bytes;
  }
  for (const std::string protocol : {"handshake", "rdma-read", "sync"}) {
    // The last sender also waits until its receiver acknowledges: L + o.
    const double acknowledgement = protocol == "rdma-read" ? 700 : 0;
    for (const std::uint64_t bytes : {4001U, 20'000U, 1U << 20}) {
      EXPECT_NEAR(round_trip_ns(bytes, protocol),
                  2 * (5000 + 0.05 * static_cast<double>(bytes)) + acknowledgement, 0.1)
          << bytes << " " << protocol;
    }
  }
}

TEST_F(MeasuredMachineModel, TakesTheMessagesOfTheBuffersThatAreNamed) {
  EXPECT_NEAR(round_trip_ns(1500, "", "", "written"), 2 * (1000 + 150), 0.1);
  for (const std::uint64_t bytes : {8U, 1500U}) {
    EXPECT_NEAR(round_trip_ns(bytes, "", "", "reused"),
                2 * (900 + 0.02 * static_cast<double>(bytes)), 0.1);
  }
  EXPECT_THROW(round_trip_ns(8, "", "", "same"), Error);      // not in the file
  EXPECT_THROW(resolve_model({.buffers = "reused"}), Error);  // of no machine
}

TEST_F(MeasuredMachineModel, StaysLinearInTheLatency) {
  EXPECT_NEAR(round_trip_ns(1500, "", "1500ns"), 2 * (1000 + 150 + 1000), 0.1);
  EXPECT_NEAR(round_trip_ns(20'000, "handshake", "1500ns"), 2 * (5000 + 1000 + 3 * 1000), 0.1);
}

}  // namespace
}  // namespace slackline
