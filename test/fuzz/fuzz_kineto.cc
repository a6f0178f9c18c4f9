#include <span>

#include "base/error.h"
#include "formats/kineto/reader.h"
#include "fuzz.h"
#include "training/training_analysis.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    const slackline::TrainingRun run = slackline::read_kineto(bytes, "fuzz.json");
    slackline::describe(run, slackline::analyse_training(run));
    if (slackline::looks_like_kineto(bytes)) ++slackline::fuzz::accepted;
  } catch (const slackline::Error&) {
  }
  return 0;
}
