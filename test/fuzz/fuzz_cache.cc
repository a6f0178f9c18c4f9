// Caches of reduced graphs. The hash is made anew, as otherwise no changed file is looked at; what
// is taken then must be what passes can run over.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz.h"
#include "timing/makespan.h"
#include "timing/reduction/reduction_cache.h"
#include "timing/testing/sealed_cache.h"

using namespace slackline;

namespace {

// As in the corpus, which has no key.
constexpr std::string_view kKey;

void run_passes(const ReducedLogGPS& reduced) {
  MakespanFunction t(ReducedProgram(reduced), {3'000'000'000, 5'000'000'000, 18'000},
                     Parameter::latency);
  if (t.line_at(t.base()).slope > reduced.longest.latencies) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string sealed = sealed_cache({reinterpret_cast<const char*>(data), size});
  const auto words = std::make_shared<std::vector<std::uint64_t>>((size + 7) / 8);
  std::memcpy(words->data(), sealed.data(), size);
  const auto bytes = std::as_bytes(std::span(*words)).first(size);
  const CacheAnswer answer = parse_reduction_cache(bytes, kKey, words);
  if (answer.state != CacheState::usable) return 0;
  ++fuzz::accepted;
  run_passes(answer.cached->reduced);
  return 0;
}
