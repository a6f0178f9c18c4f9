#include "trace/operation.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace slackline {
namespace {

TEST(Operation, NamesAndIdentifiersComeFromTheWireTable) {
  EXPECT_EQ(mpi_name(Operation::isend), "MPI_Isend");
  EXPECT_EQ(identifier(Operation::isend), "isend");
  EXPECT_EQ(mpi_name(Operation::none), "");
}

TEST(Operation, NumbersArePartOfTheFormats) {
  // Written down by hand: a changed order would make every old trace unreadable.
  EXPECT_EQ(static_cast<int>(Operation::none), 0);
  EXPECT_EQ(static_cast<int>(Operation::send), 1);
  EXPECT_EQ(static_cast<int>(Operation::isend), 9);
  EXPECT_EQ(static_cast<int>(Operation::wait), 22);
  EXPECT_EQ(static_cast<int>(Operation::barrier), 37);
}

TEST(Operation, EveryIdentifierIsFoundAgain) {
  std::set<std::string> seen;
  for (std::size_t i = 1; i < kOperationCount; ++i) {
    const auto operation = static_cast<Operation>(i);
    EXPECT_EQ(operation_from_identifier(identifier(operation)), operation);
    EXPECT_TRUE(seen.emplace(identifier(operation)).second) << identifier(operation);
  }
}

TEST(Operation, UnknownWordsAndNoneAreNotOperations) {
  EXPECT_EQ(operation_from_identifier("MPI_Send"), std::nullopt);
  EXPECT_EQ(operation_from_identifier("none"), std::nullopt);
  EXPECT_EQ(operation_from_identifier(""), std::nullopt);
}

TEST(Operation, ClassesTellCallsApart) {
  EXPECT_EQ(operation_class(Operation::ssend), OperationClass::send);
  EXPECT_EQ(operation_class(Operation::recv_init), OperationClass::request_init);
  EXPECT_EQ(operation_class(Operation::testsome), OperationClass::completion);
  EXPECT_EQ(operation_class(Operation::ialltoallw), OperationClass::icollective);
  EXPECT_EQ(operation_class(Operation::finalize), OperationClass::environment);
}

TEST(Operation, NonblockingCollectivesHaveABlockingFormOfTheSameName) {
  int checked = 0;
  for (std::size_t i = 0; i < kOperationCount; ++i) {
    const auto operation = static_cast<Operation>(i);
    if (operation_class(operation) == OperationClass::icollective) {
      EXPECT_EQ("i" + std::string(identifier(blocking_form(operation))), identifier(operation));
      ++checked;
    } else {
      EXPECT_EQ(blocking_form(operation), operation);
    }
  }
  EXPECT_EQ(checked, 22);
}

}  // namespace
}  // namespace slackline
