#include "formats/raw/sent_bytes.h"

#include "base/arithmetic.h"
#include "trace/operation.h"

namespace slackline::raw {

std::uint64_t sent_bytes(const Record& record) {
  if (record.head.op >= SLK_OPERATION_COUNT) return record.head.bytes;  // MPI_Isendrecv
  switch (operation_class(static_cast<Operation>(record.head.op))) {
    case OperationClass::send:
    case OperationClass::sendrecv:
    case OperationClass::isend:
    case OperationClass::collective:
    case OperationClass::icollective:
    case OperationClass::one_sided:
      return record.head.bytes;
    case OperationClass::start: {
      constexpr std::size_t kGroup = 5;  // serial, operation, peer, tag, bytes
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i + kGroup <= record.args.size(); i += kGroup) {
        const bool receives = record.args[i + 1] == SLK_OP_recv_init;
        const std::int64_t bytes = record.args[i + kGroup - 1];
        if (!receives && bytes > 0) add_saturated(sum, static_cast<std::uint64_t>(bytes));
      }
      return sum;
    }
    default:
      return 0;
  }
}

}  // namespace slackline::raw
