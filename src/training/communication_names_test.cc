#include "training/communication_names.h"

#include <gtest/gtest.h>

#include <cctype>
#include <string>

namespace slackline {
namespace {

// Kernels as the libraries name them.
TEST(KernelName, KnowsCommunicationLibraries) {
  for (const char* const name :
       {"ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "ncclKernel_AllReduce_RING_LL_Sum_half(ncclWorkElem)",
        "ncclAllReduceRingLLKernel_sum_f32(ncclColl)",
        "ncclSymDevKernel_AllReduce_RSxLD_AGxST_sum_bf16(ncclSymDevArgs)",
        "ncclSymkDevKernel_ReduceScatter_LL_sum_f32(ncclSymkDevWorkArgs4K)",
        "nccldevkernel_reducescatter_sum_f32_ring_ll",
        "_Z23ncclDevKernel_Generic_4",
        "rcclGenericKernel<1, true>(ncclDevKernelArgsStorage<4096ul>)",
        "void mscclKernel_Sum_half_LL_false(ncclDevComm*)",
        "void mscclpp::allreduce::allreduceAllPair<float>(float*)",
        "typeinfo name for oneccl_alltoall_pcie<float>",
        "HcclAllreduceKernel",
        "hcom_allReduce__123_0",
        "nvshmemi_barrier_all_kernel",
        "void nvshmem::alltoall_kernel<int>(int*)",
        "void deep_ep::internode_ll::dispatch<true, false, 7168>(void*)",
        "void deep_ep::intranode::combine<__nv_bfloat16, 8>(void*)",
        "void deep_ep::internode::notify_dispatch<false, 4>(int const*)",
        "EpDispatchIntraNodeKernel_bf16",
        "void mori::moe::EpCombineInterNodeKernel<float>()",
        "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 4>(vllm::RankData*)",
        "void sglang::cross_device_reduce_2stage<__half, 8>(sglang::RankData*)",
        "_ZN5aiter26cross_device_reduce_2stageIDF16bLi8ELb0EEEv",
        "void quickreduce::allreduce_prototype_twoshot<quickreduce::CodecQ4>(int)",
        "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)",
        "multimem_all_gather_kernel",
        "one_shot_all_reduce_kernel",
        "two_shot_all_reduce_kernel_inplace",
        "oneShotAllReduceKernel",
        "void tensorrt_llm::kernels::twoShotAllReduceKernel<float, 8>(AllReduceParams)",
        "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<3, "
        "__half, 8, true>(int)",
        "void flashinfer::trtllm_mnnvl_allreduce::rmsNormLamport<float>(float*)",
        "void tensorrt_llm::kernels::moe_comm::moeA2ADispatchKernel<2>(int)",
        "userbuffers_fp16_sum_inplace_gpu_rr_rs_oop<8>",
        "kuserbuffers_pushsend(int)"}) {
    EXPECT_EQ(kernel_name(name), KernelName::library) << name;
    std::string capitals = name;
    for (char& c : capitals) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (std::string(name).starts_with("nccl")) {
      EXPECT_EQ(kernel_name(capitals), KernelName::library) << capitals;
    }
  }
}

// Reductions, gathers and broadcasts that stay inside a GPU, and names with letters in common.
TEST(KernelName, LeavesWhatStaysInsideAGpu) {
  for (const char* const name :
       {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>(int)",
        "void cutlass::Kernel2<cutlass_80_tensorop_bf16_splitk_reduce>(int)",
        "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float>(int)",
        "void cub::DeviceReduceSingleTileKernel<float>(int)",
        "gatherTopK",
        "void at::native::vectorized_gather_kernel<16, long>(int)",
        "splitKreduce_kernel<32, 16, int, float>",
        "void at::native::index_scatter_kernel(int)",
        "void at::native::elementwise_kernel<128, 2, broadcast>(int)",
        "broadcast_add_kernel",
        "small_reduce_kernel",
        "void cute::syncClusters<ncclLike>(int)",
        "sync_clear_kernel",
        "void wall_gather<int>()",
        "moe_dispatch_kernel",
        "combine_heads",
        "void at::native::scatter_reduce_two(int)",
        "triton_red_fused_all_reduce_sum_3",
        "void deep_ep::layout::get_dispatch_layout<256>(int)",
        "void kernel_with<ncclDataType_t>(ncclComm*)",
        "gemm_all_reduce_epilogue_free"}) {
    const KernelName found = kernel_name(name);
    EXPECT_TRUE(found == KernelName::other || found == KernelName::local) << name;
  }
}

TEST(KernelName, TellsNamesOfNoKnownLibrary) {
  EXPECT_EQ(kernel_name("my_all_reduce<float>(float*)"), KernelName::operation);
  EXPECT_EQ(kernel_name("future::allGatherKernel"), KernelName::operation);
  EXPECT_EQ(kernel_name("reducescatter_v2"), KernelName::operation);
  EXPECT_EQ(kernel_name("void comm::alltoallv(int)"), KernelName::operation);
}

TEST(LaunchedBy, KnowsOperatorsThatCommunicate) {
  for (const char* const name :
       {"c10d::allreduce_", "nccl:all_reduce", "record_param_comms", "vllm::all_reduce",
        "_C_custom_ar::all_reduce", "sgl_kernel::all_reduce", "_c10d_functional::all_gather",
        "symm_mem::one_shot_all_reduce", "sglang::inplace_all_reduce", "trtllm::allreduce"}) {
    EXPECT_EQ(launched_by_operator(name), LaunchedBy::communication) << name;
  }
  EXPECT_EQ(launched_by_operator("aten::copy_"), LaunchedBy::local);
  EXPECT_EQ(launched_by_operator("fsdp::all_gather_copy_in"), LaunchedBy::local);
  EXPECT_EQ(launched_by_operator("AddmmBackward0"), LaunchedBy::other);
}

TEST(LaunchedBy, BelievesAnnotationsOfBackendsOnly) {
  EXPECT_EQ(launched_by_annotation("nccl:all_reduce"), LaunchedBy::communication);
  EXPECT_EQ(launched_by_annotation("train with all_reduce"), LaunchedBy::other);
}

TEST(CommunicationOperation, IsFoundInNames) {
  EXPECT_EQ(communication_operation("ncclDevKernel_AllReduce_Sum_f16_RING_LL(a*)"), "AllReduce");
  EXPECT_EQ(communication_operation("nccldevkernel_reducescatter_sum_f32"), "ReduceScatter");
  EXPECT_EQ(communication_operation("ncclDevKernel_SendRecv(a*)"), "SendRecv");
  EXPECT_EQ(communication_operation("ncclDevKernel_Broadcast_RING_LL(a*)"), "Broadcast");
  EXPECT_EQ(communication_operation("ncclDevKernel_Reduce_Sum_f32_RING_LL(a*)"), "Reduce");
  EXPECT_EQ(communication_operation("void vllm::cross_device_reduce_2stage<float>"), "AllReduce");
  EXPECT_EQ(communication_operation("userbuffers_fp16_sum_inplace_gpu_rr_rs_oop<8>"),
            "ReduceScatter");
  EXPECT_EQ(communication_operation("userbuffers_fp16_sum_inplace_gpu_rw_ag"), "AllGather");
  EXPECT_EQ(communication_operation("void deep_ep::internode::dispatch<true, 8>"), "Dispatch");
  EXPECT_EQ(communication_operation("_allgather_base"), "AllGather");
  EXPECT_EQ(communication_operation("all_to_allv"), "AllToAll");
  EXPECT_EQ(communication_operation("rcclGenericKernel<1, true>(a*)"), "");
}

}  // namespace
}  // namespace slackline
