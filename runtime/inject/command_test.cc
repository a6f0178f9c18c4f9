// The names of transports and devices, as they are counted and written.
extern "C" {
#include <command.h>
}

#include <gtest/gtest.h>

#include <string>

namespace {

TEST(TransportCounts, AreKeptByNamesOfAnyLength) {
  const std::string name(100, 'x');
  const auto* first = transport_counts("tcp;ofi_rxm", name.c_str());
  EXPECT_EQ(first->device, std::string(63, 'x'));
  EXPECT_EQ(transport_counts("tcp;ofi_rxm", name.c_str()), first);
  EXPECT_NE(transport_counts("tcp;ofi_rxm", "eth0"), first);
}

TEST(TransportCounts, HaveOneWordForEachName) {
  const auto* empty = transport_counts("shm", "");
  EXPECT_STREQ(empty->device, "-");
  EXPECT_EQ(transport_counts("shm", nullptr), empty);
  EXPECT_STREQ(transport_counts("shm", "two words\n")->device, "two_words_");
}

}  // namespace
