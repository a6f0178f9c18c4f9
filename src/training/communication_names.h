#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace slackline {

/// What the name of a GPU kernel says of whether it moves data between GPUs.
enum class KernelName : std::uint8_t {
  other,      ///< nothing
  local,      ///< of a library that works inside one GPU
  operation,  ///< named like a collective, but of no library that is known
  library,    ///< of a communication library
};

/// Names may be in any case and namespace; template arguments and parameters do not count. Linear.
KernelName kernel_name(std::string_view name);

/// What launched a kernel, by its name.
enum class LaunchedBy : std::uint8_t {
  other,         ///< says nothing
  local,         ///< works inside one GPU: aten::mm
  communication  ///< moves data between GPUs: c10d::allreduce_, vllm::all_reduce
};
LaunchedBy launched_by_operator(std::string_view name);
/// An annotation encloses whatever its author wanted: only those of backends ("nccl:all_reduce")
/// say something.
LaunchedBy launched_by_annotation(std::string_view name);

/// "AllReduce" of "ncclDevKernel_AllReduce_Sum_f16_RING_LL(...)", of "cross_device_reduce_1stage"
/// and of PyTorch's "allreduce_coalesced"; empty if the name does not say it.
std::string_view communication_operation(std::string_view name);

}  // namespace slackline
