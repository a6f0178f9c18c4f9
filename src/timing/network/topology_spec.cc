#include "timing/network/topology_spec.h"

#include <fmt/format.h>

#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "base/text_parsing.h"
#include "base/units.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kDefaultWireFs = 274 * kFemtosPerNano;
constexpr std::int64_t kDefaultSwitchFs = 108 * kFemtosPerNano;
constexpr std::string_view kKinds = "fat-tree, dragonfly, torus, crossbar and hops";

/// Keys and values of either form; each key is taken once, and none may be left.
class Settings {
 public:
  std::string kind;
  fs::path folder;  ///< that files are relative to
  std::vector<std::int32_t> matrix;

  void set(const std::string& key, std::string value, std::string where) {
    values_[key] = {std::move(value), std::move(where)};
  }
  std::optional<std::string> take(const std::string& key) {
    const auto found = values_.find(key);
    if (found == values_.end()) return std::nullopt;
    std::string value = found->second.value;
    values_.erase(found);
    return value;
  }
  std::int32_t take_number(const std::string& key, std::optional<std::int32_t> otherwise = {}) {
    const std::string where = place(key);
    const auto text = take(key);
    if (!text && otherwise) return *otherwise;
    if (!text) {
      throw usage_error(fmt::format("the {} requires {}", kind, key), "the value is missing",
                        "See 'slackline predict --help' for an example.");
    }
    return number(*text, where);
  }
  std::int64_t take_time(const std::string& key, std::int64_t otherwise) {
    const std::string where = place(key);
    const auto text = take(key);
    return text ? parse_time_fs(*text, where) : otherwise;
  }
  std::string place(const std::string& key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? key : key + found->second.where;
  }
  void none_left() const {
    if (values_.empty()) return;
    const auto& [key, setting] = *values_.begin();
    throw usage_error(fmt::format("unknown key {}{} of the topology", key, setting.where),
                      fmt::format("a {} has no such parameter", kind), "Remove or correct it.");
  }

  static std::int32_t number(std::string_view text, const std::string& what) {
    if (const auto value = number_in<std::int32_t>(text)) return *value;
    throw usage_error(fmt::format("cannot use '{}' as {}", text, what), "an integer is required",
                      "Correct the value.");
  }

 private:
  struct Setting {
    std::string value;
    std::string where;
  };
  std::map<std::string, Setting> values_;
};

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

Settings from_short_form(const std::string& text) {
  Settings s;
  const std::size_t colon = text.find(':');
  s.kind = text.substr(0, colon);
  if (colon == std::string::npos || colon + 1 == text.size()) return s;
  for (const std::string& part : split(std::string_view(text).substr(colon + 1), ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw usage_error(fmt::format("cannot use '{}' in the topology", part),
                        "key=value is required", "Example: fat-tree:k=16,tiers=3.");
    }
    s.set(part.substr(0, equals), part.substr(equals + 1), "");
  }
  return s;
}

std::string dimensions_of(const toml::array& array) {
  std::string text;
  for (const toml::node& d : array) {
    text += fmt::format("{}{}", text.empty() ? "" : "x", d.value<std::int64_t>().value_or(-1));
  }
  return text;
}

std::vector<std::int32_t> matrix_of(const toml::array& rows) {
  std::vector<std::int32_t> matrix;
  for (const toml::node& row : rows) {
    const toml::array* entries = row.as_array();
    for (std::size_t i = 0; entries != nullptr && i < entries->size(); ++i) {
      matrix.push_back(static_cast<std::int32_t>((*entries)[i].value<std::int64_t>().value_or(-1)));
    }
  }
  return matrix;
}

Settings from_toml(const fs::path& path) {
  const MappedFile file(path);
  const auto at = [&](const toml::source_position& p) {
    return fmt::format("{}:{}:{}", path.string(), p.line, p.column);
  };
  toml::table root;
  try {
    root = toml::parse(file.text());
  } catch (const toml::parse_error& error) {
    throw Error(fmt::format("cannot read {}", at(error.source().begin)), error.description(),
                "Fix the TOML file at that line.");
  }
  const toml::table* table = root["topology"].as_table();
  if (table == nullptr) {
    throw Error(fmt::format("cannot use '{}' as topology", path.string()),
                "it has no table [topology]", "See examples/topologies.");
  }
  Settings s;
  s.folder = path.parent_path();
  for (const auto& [key, node] : *table) {
    const std::string name(key.str());
    const std::string where = fmt::format(" in {}", at(node.source().begin));
    if (name == "kind") {
      s.kind = node.value_or(std::string());
    } else if (const toml::array* array = node.as_array()) {
      if (name == "matrix") {
        s.matrix = matrix_of(*array);
      } else {
        s.set(name, dimensions_of(*array), where);
      }
    } else if (const auto number = node.value<std::int64_t>(); number && node.is_integer()) {
      s.set(name, std::to_string(*number), where);
    } else if (const auto text = node.value<std::string>()) {
      s.set(name, *text, where);
    } else {
      throw Error(fmt::format("cannot use {}{}", name, where), "a string or number is required",
                  "Examples: k = 16 or wire = \"274ns\".");
    }
  }
  return s;
}

std::vector<std::int32_t> read_matrix(const fs::path& path) {
  const MappedFile file(path);
  std::vector<std::int32_t> matrix;
  std::istringstream words{std::string(file.text())};
  for (std::string word; words >> word;) {
    matrix.push_back(Settings::number(word, fmt::format("an entry of {}", path.string())));
  }
  return matrix;
}

std::unique_ptr<WireTopology> make_hops(Settings& s) {
  const auto file = s.take("file");
  if (file) s.matrix = read_matrix(s.folder / *file);
  std::int32_t nodes = 0;
  while (static_cast<std::size_t>(nodes) * static_cast<std::size_t>(nodes) < s.matrix.size()) {
    ++nodes;
  }
  return make_hop_matrix(nodes, s.matrix);
}

std::unique_ptr<WireTopology> make_torus_of(Settings& s) {
  const std::string where = s.place("dims");
  const auto text = s.take("dims");
  if (!text) {
    throw usage_error("the torus has no dims", "the value is missing", "Example: torus:dims=4x4.");
  }
  std::vector<std::int32_t> dimensions;
  for (const std::string& d : split(*text, 'x')) dimensions.push_back(Settings::number(d, where));
  return make_torus(dimensions, s.take_number("hosts", 1));
}

std::unique_ptr<WireTopology> make_topology(Settings& s) {
  if (s.kind == "fat-tree") {
    const std::int32_t radix = s.take_number("k");
    return make_fat_tree(radix, s.take_number("tiers", 3));
  }
  if (s.kind == "dragonfly") {
    const std::int32_t groups = s.take_number("g");
    const std::int32_t routers = s.take_number("a");
    const std::int32_t hosts = s.take_number("p");
    return make_dragonfly(groups, routers, hosts, s.take_number("h", 0));
  }
  if (s.kind == "torus") return make_torus_of(s);
  if (s.kind == "crossbar") return make_crossbar(s.take_number("nodes"));
  if (s.kind == "hops") return make_hops(s);
  throw usage_error(fmt::format("unknown topology '{}'", s.kind),
                    fmt::format("known are {}, and TOML files", kKinds),
                    "Example: fat-tree:k=16,tiers=3.");
}

}  // namespace

TopologySpec read_topology(const std::string& text) {
  const bool is_file = text.ends_with(".toml") || fs::is_regular_file(text);
  Settings settings = is_file ? from_toml(text) : from_short_form(text);
  TopologySpec spec;
  spec.description = text;
  spec.topology = make_topology(settings);
  const std::int64_t wire = settings.take_time("wire", kDefaultWireFs);
  spec.switch_fs = settings.take_time("switch", kDefaultSwitchFs);
  for (const std::string& name : spec.topology->wire_classes()) {
    spec.wire_fs.push_back(settings.take_time(name, wire));
  }
  settings.none_left();
  return spec;
}

}  // namespace slackline
