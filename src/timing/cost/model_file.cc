#include "timing/cost/model_file.h"

#include <fmt/format.h>

#include <toml++/toml.h>

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"

namespace slackline {
namespace {

std::string place(const std::filesystem::path& path, const toml::source_position& at) {
  return fmt::format("{}:{}:{}", path.string(), at.line, at.column);
}

}  // namespace

ModelSettings read_model_file(const std::filesystem::path& path) {
  const MappedFile file(path);
  toml::table root;
  try {
    root = toml::parse(file.text());
  } catch (const toml::parse_error& error) {
    throw Error(fmt::format("cannot read {}", place(path, error.source().begin)),
                error.description(), "Fix the TOML file at that line.");
  }
  ModelSettings settings;
  const toml::table* model = root["loggps"].as_table();
  if (model == nullptr) {
    throw Error(fmt::format("cannot use '{}' as parameters", path.string()),
                "it has no table [loggps]", "See 'slackline predict --help' for an example.");
  }
  for (const auto& [key, node] : *model) {
    const std::string where = place(path, node.source().begin);
    const auto text = node.value<std::string>();
    const std::string what = fmt::format("{} in {}", key.str(), where);
    if (!text) {
      throw Error(fmt::format("cannot use {}", what), "a string with a unit is required",
                  "Example: L = \"3us\".");
    }
    if (key == "L") {
      settings.latency_fs = parse_time_fs(*text, what);
    } else if (key == "o") {
      settings.overhead_fs = parse_time_fs(*text, what);
    } else if (key == "G") {
      settings.gap_per_byte_fs = parse_gap_per_byte_fs(*text, what);
    } else if (key == "S") {
      settings.eager_threshold_bytes = parse_bytes(*text, what);
    } else {
      throw Error(fmt::format("unknown parameter {}", what), "LogGPS has L, o, G and S",
                  "Remove it or correct its name.");
    }
  }
  return settings;
}

}  // namespace slackline
