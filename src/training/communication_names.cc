// Which kernels communicate, by their names.
//
// Libraries name their kernels in snake_case, in CamelCase, or in small letters alone, in
// namespaces and with template arguments. A name is therefore taken apart into words (at '_', at
// ':', where a capital follows a small letter, where a letter follows a digit), and tables of words
// are looked for at the beginnings of words: "AllReduce", "all_reduce" and "allreduce" are the
// same, while "small_reduce" and "syncClusters" are neither an all-reduce nor NCCL's.

#include "training/communication_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string>

namespace slackline {
namespace {

// Words that begin a kernel's name in a communication library, or a word in it. Such a library's
// kernels that stay inside a GPU follow below.
struct Library {
  std::string_view name;
  std::string_view words;
};
constexpr std::array kLibraries{
    Library{"NCCL", " nccl"},
    Library{"RCCL", " rccl"},
    Library{"MSCCL, MSCCL++", " msccl"},
    Library{"oneCCL", " oneccl"},
    Library{"XCCL", " xccl"},
    Library{"HCCL", " hccl"},
    Library{"HCCL", " hcom "},
    Library{"NVSHMEM", " nvshmem"},
    Library{"rocSHMEM", " rocshmem"},
    Library{"DeepEP", " deep ep "},
    Library{"pplx", " pplx"},
    Library{"MORI", " mori "},
    Library{"MORI", " ep dispatch"},
    Library{"MORI", " ep combine"},
    Library{"vLLM, SGLang, AITER", " cross device "},
    Library{"vLLM: quick all-reduce", " quickreduce"},
    Library{"vLLM: quick all-reduce", " quick reduce"},
    Library{"SGLang", " custom all reduce"},
    Library{"FlashInfer, TensorRT-LLM", " trtllm all reduce"},
    Library{"FlashInfer, TensorRT-LLM", " trtllm moe all reduce"},
    Library{"FlashInfer, TensorRT-LLM", " trtllm all to all"},
    Library{"FlashInfer, TensorRT-LLM", " mnnvl"},
    Library{"FlashInfer, TensorRT-LLM", " all reduce fusion"},
    Library{"TensorRT-LLM", " moe all to all"},
    Library{"TensorRT-LLM", " moe comm "},
    Library{"Transformer Engine", " userbuffers"},
    Library{"Transformer Engine", " kuserbuffers"},
    Library{"PyTorch's symmetric memory", " symm mem "},
    Library{"PyTorch's symmetric memory", " symmetric memory "},
    Library{"PyTorch's symmetric memory", " intra node comm "},
    Library{"multicast memory of NVLink", " multimem"},
    Library{"one-shot all-reduces", " one shot all reduce"},
    Library{"two-shot all-reduces", " two shot all reduce"},
    Library{"two-shot all-reduces", " two shot reduce scatter"},
};

// Kernels that stay inside a GPU: libraries of computation, and what communication libraries
// compute beside.
constexpr std::array<std::string_view, 3> kLocalOfLibraries{
    " deep ep layout ", " get dispatch layout", " oneccl kernel memcpy"};
constexpr std::array<std::string_view, 13> kLocal{
    " at native ", " cub ", " thrust ",     " cutlass",     " cublas",      " cudnn",      " nvjet",
    " xmma",       " gemm", " triton poi ", " triton red ", " triton per ", " triton tem "};

// The longer ones first where one is part of another.
struct Operation {
  std::string_view words;
  std::string_view name;
};
constexpr std::array kCollectives{
    Operation{" all reduce", "AllReduce"},
    Operation{" all gather", "AllGather"},
    Operation{" reduce scatter", "ReduceScatter"},
    Operation{" all to all", "AllToAll"},
};
constexpr std::array kOtherOperations{
    Operation{" cross device reduce", "AllReduce"},
    Operation{" quickreduce", "AllReduce"},
    Operation{" quick reduce", "AllReduce"},
    Operation{" send recv", "SendRecv"},
    Operation{" send ", "SendRecv"},
    Operation{" recv ", "SendRecv"},
    Operation{" rs ", "ReduceScatter"},
    Operation{" ag ", "AllGather"},
    Operation{" userbuffers", "AllReduce"},
    Operation{" dispatch", "Dispatch"},
    Operation{" combine", "Combine"},
    Operation{" broadcast", "Broadcast"},
    Operation{" reduce", "Reduce"},
    Operation{" gather", "Gather"},
    Operation{" scatter", "Scatter"},
    Operation{" barrier", "Barrier"},
};

// Several words that some write as one.
struct Compound {
  std::string_view one;
  std::string_view words;
};
constexpr std::array kCompounds{
    Compound{" allreduce", " all reduce "},
    Compound{" allgather", " all gather "},
    Compound{" reducescatter", " reduce scatter "},
    Compound{" alltoall", " all to all "},
    Compound{" all2 all", " all to all "},
    Compound{" a2 a ", " all to all "},
    Compound{" sendrecv", " send recv "},
    Compound{" oneshot", " one shot "},
    Compound{" twoshot", " two shot "},
    Compound{" bcast", " broadcast "},
};

// Without template arguments and parameters.
std::string without_brackets(std::string_view name) {
  std::string kept;
  int depth = 0;
  for (const char c : name) {
    if (c == '<' || c == '(') ++depth;
    if (depth == 0) kept += c;
    if ((c == '>' || c == ')') && depth > 0) --depth;
  }
  return kept;
}

// " nccl dev kernel all reduce sum f16 ring ll " of "ncclDevKernel_AllReduce_Sum_f16_RING_LL(x*)".
std::string words_of(std::string_view name) {
  const std::string text = without_brackets(name);
  const auto is = [&](std::size_t i, int (*kind)(int)) {
    return i < text.size() && kind(static_cast<unsigned char>(text[i])) != 0;
  };
  std::string words = " ";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is(i, std::isalnum)) {
      if (words.back() != ' ') words += ' ';
      continue;
    }
    const bool begins =
        i > 0 && ((is(i - 1, std::isdigit) && is(i, std::isalpha)) ||
                  (is(i - 1, std::islower) && is(i, std::isupper)) ||
                  (is(i - 1, std::isupper) && is(i, std::isupper) && is(i + 1, std::islower)));
    if (begins && words.back() != ' ') words += ' ';
    words += static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
  }
  if (words.back() != ' ') words += ' ';
  for (const Compound& compound : kCompounds) {
    for (std::size_t at = 0; (at = words.find(compound.one, at)) != std::string::npos; ++at) {
      words.replace(at, compound.one.size(), compound.words);
    }
  }
  return words;
}

template <class Table, class Words>
bool has_any(const std::string& text, const Table& table, Words words) {
  return std::ranges::any_of(
      table, [&](const auto& row) { return text.find(words(row)) != std::string::npos; });
}

bool has_any(const std::string& text, std::span<const std::string_view> table) {
  return has_any(text, table, [](std::string_view row) { return row; });
}

bool is_collective(const std::string& words) {
  return has_any(words, kCollectives, [](const Operation& row) { return row.words; });
}

bool begins_with_any(std::string_view name, std::span<const std::string_view> prefixes) {
  return std::ranges::any_of(prefixes,
                             [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// Annotations that PyTorch's backends make, and its old operators of the same name.
constexpr std::array<std::string_view, 8> kBackends{
    "nccl:", "rccl:", "xccl:", "hccl:", "ucc:", "gloo:", "mpi:", "oneccl"};
constexpr std::array<std::string_view, 7> kCommunicatingOperators{
    "c10d::",     "c10d_functional::", "_c10d_functional", "record_param_comms",
    "symm_mem::", "_c_custom_ar::",    "horovod"};
constexpr std::array<std::string_view, 3> kLocalOperators{"aten::", "fsdp::", "prims::"};

}  // namespace

KernelName kernel_name(std::string_view name) {
  const std::string words = words_of(name);
  if (has_any(words, kLocalOfLibraries)) return KernelName::local;
  if (has_any(words, kLibraries, [](const Library& row) { return row.words; })) {
    return KernelName::library;
  }
  if (has_any(words, kLocal)) return KernelName::local;
  return is_collective(words) ? KernelName::operation : KernelName::other;
}

LaunchedBy launched_by_operator(std::string_view name) {
  const std::string text = lower(name);
  if (begins_with_any(text, kLocalOperators)) return LaunchedBy::local;
  if (begins_with_any(text, kCommunicatingOperators) || begins_with_any(text, kBackends)) {
    return LaunchedBy::communication;
  }
  return is_collective(words_of(name)) ? LaunchedBy::communication : LaunchedBy::other;
}

LaunchedBy launched_by_annotation(std::string_view name) {
  return begins_with_any(lower(name), kBackends) ? LaunchedBy::communication : LaunchedBy::other;
}

std::string_view communication_operation(std::string_view name) {
  const std::string words = words_of(name);
  const auto has = [&](const Operation& row) { return words.find(row.words) != std::string::npos; };
  if (const auto* at = std::ranges::find_if(kCollectives, has); at != kCollectives.end()) {
    return at->name;
  }
  const auto* const at = std::ranges::find_if(kOtherOperations, has);
  return at == kOtherOperations.end() ? std::string_view() : at->name;
}

}  // namespace slackline
