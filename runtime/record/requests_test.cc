#include "requests.h"

#include <gtest/gtest.h>

namespace slackline::record {
namespace {

constexpr std::uint64_t kHandle = 0x7f1234567840;

Request request(std::uint64_t handle, std::uint64_t address, std::uint32_t serial) {
  Request r;
  r.handle = handle;
  r.address = address;
  r.serial = serial;
  return r;
}

TEST(RequestTable, FindsByHandleWhereverItWasCopied) {
  RequestTable table;
  table.insert(request(kHandle, 8, 1));
  ASSERT_NE(table.find(kHandle, 99), nullptr);
  EXPECT_EQ(table.find(kHandle, 99)->serial, 1u);
  table.remove(table.find(kHandle, 99));
  EXPECT_EQ(table.find(kHandle, 99), nullptr);
}

TEST(RequestTable, RequestsOfOneHandleAreToldApartByAddress) {
  RequestTable table;
  for (std::uint32_t i = 1; i <= 1000; ++i) table.insert(request(kHandle, 8 * i, i));
  for (std::uint32_t i = 1000; i > 0; i -= 3) {
    Request* found = table.find(kHandle, 8 * i);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->serial, i);
    table.remove(found);
    if (i == 1) break;
  }
  // What is left is found by any address, each once.
  for (int left = 1000 - 334; left > 0; --left) {
    Request* found = table.find(kHandle, 0);
    ASSERT_NE(found, nullptr);
    table.remove(found);
  }
  EXPECT_EQ(table.find(kHandle, 8), nullptr);
}

// MPI_Isend(..., &r); list.push_back(r); again and again.
TEST(RequestTable, OneVariableMayHoldManyRequestsOfASharedHandle) {
  RequestTable table;
  for (std::uint32_t i = 1; i <= 100; ++i) table.insert(request(kHandle, 8, i));
  EXPECT_EQ(table.find(kHandle, 8)->serial, 100u) << "what it holds now";
  std::uint32_t sum = 0;
  for (std::uint32_t i = 1; i <= 100; ++i) {
    Request* found = table.find(kHandle, 1000 + 8 * i);
    ASSERT_NE(found, nullptr);
    sum += found->serial;
    table.remove(found);
  }
  EXPECT_EQ(sum, 5050u);
  EXPECT_EQ(table.find(kHandle, 8), nullptr);
}

// One thread completes the request; before its wrapper looks it up, MPI has given the handle to
// another thread, which has inserted its own.
TEST(RequestTable, AReusedHandleIsNotTakenForTheCompletedOne) {
  RequestTable table;
  table.insert(request(kHandle, 8, 1));
  const std::uint64_t before_wait = table.now();
  table.insert(request(kHandle, 16, 2));
  EXPECT_EQ(table.find(kHandle, 24)->serial, 2u) << "a call that begins now means the newest";
  Request* completed = table.find(kHandle, 24, before_wait);
  ASSERT_NE(completed, nullptr);
  EXPECT_EQ(completed->serial, 1u);
  table.remove(completed);
  EXPECT_EQ(table.find(kHandle, 24, before_wait), nullptr);
  EXPECT_EQ(table.find(kHandle, 16)->serial, 2u);
}

TEST(RequestTable, ManyHandlesComeAndGo) {
  RequestTable table;
  for (std::uint64_t round = 0; round < 50; ++round) {
    for (std::uint32_t i = 0; i < 500; ++i) {
      table.insert(request(kHandle + 0x380 * i, 8 * i, i + 1));
    }
    for (std::uint32_t i = 0; i < 500; ++i) {
      const std::uint32_t which = (i * 7 + static_cast<std::uint32_t>(round)) % 500;
      Request* found = table.find(kHandle + 0x380 * which, 8 * which);
      ASSERT_NE(found, nullptr);
      ASSERT_EQ(found->serial, which + 1);
      table.remove(found);
    }
  }
}

}  // namespace
}  // namespace slackline::record
