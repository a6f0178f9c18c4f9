// The short form of a platform (doc/formats/platform.md): clusters, hosts, routers and links, and
// routes among them in one zone. One cluster alone is the whole platform.

#include <fmt/format.h>

#include <toml++/toml.h>

#include <algorithm>

#include "base/error.h"
#include "sim/platform/declarations.h"
#include "sim/platform/read_platform.h"

namespace slackline {
namespace {

/// One table of the file; what is asked of it is checked and remembered, and what was not asked for
/// is refused.
class Table {
 public:
  Table(const toml::table& table, std::string_view file, std::string title)
      : table_(table), file_(file), title_(std::move(title)) {}

  [[noreturn]] void refuse(const toml::node& at, std::string_view problem, std::string_view why,
                           std::string_view what_to_do) const {
    const toml::source_position position = at.source().begin;
    throw Error(fmt::format("{}:{}:{}: {}", file_, position.line, position.column, problem), why,
                what_to_do);
  }

  /// Adds the table's place to what is refused inside.
  template <class Do>
  auto guarded(Do what) const {
    try {
      return what();
    } catch (const Error& error) {
      if (error.exit_status() == 1) throw;
      refuse(table_, error.what(), "", "");
    }
  }

  const toml::node* node(std::string_view key) {
    asked_.emplace_back(key);
    return table_.get(key);
  }

  std::optional<std::string> text(std::string_view key) {
    const toml::node* found = node(key);
    if (found == nullptr) return std::nullopt;
    if (!found->is_string()) {
      refuse(*found, fmt::format("cannot use {} of {}", key, title_), "a string is required",
             "Put it in quotes, with its unit.");
    }
    return found->value<std::string>();
  }

  std::string needed(std::string_view key) {
    const auto found = text(key);
    if (!found) refuse(table_, fmt::format("{} has no '{}'", title_, key), "", "Add it.");
    return *found;
  }

  std::optional<std::uint32_t> number(std::string_view key) {
    const toml::node* found = node(key);
    if (found == nullptr) return std::nullopt;
    return whole(*found, key);
  }

  std::vector<std::uint32_t> numbers(std::string_view key, std::size_t wanted = 0) {
    const toml::node* found = node(key);
    const toml::array* array = found == nullptr ? nullptr : found->as_array();
    if (array == nullptr || array->empty() || (wanted != 0 && array->size() != wanted)) {
      refuse(found == nullptr ? table_ : *found,
             fmt::format("{} needs a list of numbers '{}'", title_, key), "",
             wanted == 2 ? "Example: [3, 2]." : "Example: [4, 4].");
    }
    std::vector<std::uint32_t> result;
    for (const toml::node& item : *array) result.push_back(whole(item, key));
    return result;
  }

  std::vector<std::string> texts(std::string_view key) {
    const toml::node* found = node(key);
    std::vector<std::string> result;
    if (found == nullptr) return result;
    const toml::array* array = found->as_array();
    if (array == nullptr)
      refuse(*found, fmt::format("cannot use {} of {}", key, title_), "a list is required", "");
    for (const toml::node& item : *array) {
      const auto value = item.value<std::string>();
      if (!value)
        refuse(item, fmt::format("cannot use {} of {}", key, title_), "strings are required", "");
      result.push_back(*value);
    }
    return result;
  }

  bool flag(std::string_view key, bool otherwise) {
    const toml::node* found = node(key);
    if (found == nullptr) return otherwise;
    if (!found->is_boolean())
      refuse(*found, fmt::format("cannot use {} of {}", key, title_), "true or false is required",
             "");
    return *found->value<bool>();
  }

  std::optional<Table> table(std::string_view key) {
    const toml::node* found = node(key);
    if (found == nullptr) return std::nullopt;
    if (!found->is_table())
      refuse(*found, fmt::format("cannot use {} of {}", key, title_), "a table is required", "");
    return Table(*found->as_table(), file_, fmt::format("{} of {}", key, title_));
  }

  double bandwidth(std::string_view key) { return parse_bandwidth(needed(key), what(key)); }
  double latency(std::string_view key) { return parse_latency(text(key).value_or("0"), what(key)); }
  std::string what(std::string_view key) const { return fmt::format("{} of {}", key, title_); }

  void finish() const {
    for (const auto& [key, value] : table_) {
      if (std::find(asked_.begin(), asked_.end(), key.str()) == asked_.end()) {
        refuse(value, fmt::format("unknown key '{}' of {}", key.str(), title_), "",
               fmt::format("Known keys: {}.", fmt::join(asked_, ", ")));
      }
    }
  }

 private:
  std::uint32_t whole(const toml::node& item, std::string_view key) const {
    const auto value = item.is_integer() ? item.value<std::int64_t>() : std::nullopt;
    if (!value || *value < 1 || *value > 1'000'000'000) {
      refuse(item, fmt::format("cannot use {} of {}", key, title_),
             "a positive integer is required", "");
    }
    return static_cast<std::uint32_t>(*value);
  }

  const toml::table& table_;
  std::string_view file_;
  std::string title_;
  std::vector<std::string> asked_;
};

class TomlReader {
 public:
  TomlReader(const toml::table& root, std::string_view name) : root_(root), name_(name) {}

  Platform read() {
    Table top(root_, name_, "the platform");
    const std::string routing = top.text("routing").value_or("full");
    const std::vector<Table> clusters = tables(top, "cluster");
    std::vector<Table> hosts = tables(top, "host");
    std::vector<Table> routers = tables(top, "router");
    std::vector<Table> links = tables(top, "link");
    std::vector<Table> routes = tables(top, "route");
    top.finish();
    const bool alone = clusters.size() == 1 && hosts.empty() && routers.empty() && routes.empty();
    if (!alone) add_world(top, routing);
    for (const Table& cluster : clusters) add_cluster_of(cluster);
    for (Table& host : hosts) add_host(host);
    for (Table& router : routers) add_router(router);
    for (Table& link : links) add_link(link);
    for (Table& route : routes) add_route(route);
    if (world_ != nullptr) top.guarded([&] { world_->seal(); });
    return top.guarded([&] { return std::move(builder_).finish(); });
  }

 private:
  std::vector<Table> tables(Table& top, const std::string& key) const {
    std::vector<Table> result;
    const toml::node* found = top.node(key);
    if (found == nullptr) return result;
    const toml::array* array = found->as_array();
    if (array == nullptr)
      top.refuse(*found, fmt::format("cannot use '{}'", key), "",
                 fmt::format("Write [[{}]].", key));
    for (const toml::node& item : *array) {
      if (!item.is_table())
        top.refuse(item, fmt::format("cannot use '{}'", key), "",
                   fmt::format("Write [[{}]].", key));
      const auto name = item.as_table()->get_as<std::string>("name");
      result.emplace_back(*item.as_table(), name_,
                          name == nullptr ? key : fmt::format("{} '{}'", key, name->get()));
    }
    return result;
  }

  void add_world(Table& top, const std::string& routing) {
    std::unique_ptr<RoutedZone> zone = make_routed_zone(routing);
    if (zone == nullptr) {
      top.refuse(*top.node("routing"), fmt::format("cannot use routing '{}'", routing), "",
                 "Choose full, floyd or dijkstra.");
    }
    world_ = zone.get();
    builder_.add_zone(std::move(zone), "platform", kNone, kNone);
  }

  HostSpec host_spec(Table& table) const {
    HostSpec spec;
    spec.speeds = {parse_speed(table.needed("speed"), table.what("speed"))};
    spec.cores = table.number("cores").value_or(1);
    return spec;
  }

  void add_host(Table& table) {
    table.guarded([&] {
      const std::string name = table.needed("name");
      const std::uint32_t spec = builder_.add_spec(host_spec(table));
      const HostId host = builder_.add_host(name, spec, {world_->id, world_->member_count()});
      world_->add_member({Member::Kind::host, host}, name);
      table.finish();
    });
  }

  void add_router(Table& table) {
    table.guarded([&] {
      const std::string name = table.needed("name");
      declared_.add_router(name, {world_->id, world_->add_member({Member::Kind::router, 0}, name)});
      table.finish();
    });
  }

  static LinkPolicy policy(const std::string& name) {
    if (name == "shared") return LinkPolicy::shared;
    if (name == "fatpipe") return LinkPolicy::fatpipe;
    if (name == "duplex") return LinkPolicy::duplex;
    throw usage_error(fmt::format("cannot use sharing '{}'", name), "no such name",
                      "Choose duplex, shared or fatpipe.");
  }

  void add_link(Table& table) {
    table.guarded([&] {
      declared_.add_link(table.needed("name"), table.bandwidth("bandwidth"),
                         table.latency("latency"),
                         policy(table.text("sharing").value_or("duplex")));
      table.finish();
    });
  }

  void add_route(Table& table) {
    table.guarded([&] {
      std::vector<LinkUse> links;
      for (const std::string& use : table.texts("links")) {
        const std::size_t colon = use.rfind(':');
        const std::string direction = colon == std::string::npos ? "" : use.substr(colon + 1);
        const bool directed = direction == "up" || direction == "down";
        links.push_back({directed ? use.substr(0, colon) : use, !directed ? Direction::none
                                                                : direction == "up"
                                                                    ? Direction::up
                                                                    : Direction::down});
      }
      const std::string from = table.needed("from");
      const std::string to = table.needed("to");
      const bool one_way = table.flag("one_way", false);
      declared_.add_route(*world_, from, to, gateway(table.text("leave"), from),
                          gateway(table.text("enter"), to), links, !one_way);
      table.finish();
    });
  }

  /// A star is entered through its router unless told otherwise.
  std::string gateway(const std::optional<std::string>& named, const std::string& member) const {
    if (named) return *named;
    const auto found = routers_.find(member);
    return found == routers_.end() ? "" : found->second;
  }

  void add_cluster_of(Table table) {
    table.guarded([&] {
      ClusterSpec spec;
      spec.name = table.needed("name");
      name_hosts(table, spec);
      spec.host_spec = builder_.add_spec(host_spec(table));
      spec.shape = shape(table);
      spec.cable = {table.bandwidth("bandwidth"), table.latency("latency"), Sharing::shared};
      spec.duplex = policy(table.text("sharing").value_or("duplex")) == LinkPolicy::duplex;
      spec.backbone = link_of(table.table("backbone"), Sharing::shared);
      spec.loopback = link_of(table.table("loopback"), Sharing::fatpipe);
      if (table.node("limiter") != nullptr) spec.limiter = table.bandwidth("limiter");
      spec.router = table.text("router").value_or("");
      table.finish();
      const auto id = static_cast<ZoneId>(builder_.zone_count());
      declared_.add_zone(spec.name, id);
      const std::uint32_t member =
          world_ == nullptr ? kNone : world_->add_member({Member::Kind::zone, id}, spec.name);
      const AddedCluster added =
          add_cluster(builder_, spec, world_ == nullptr ? kNone : world_->id, member);
      if (!added.router.empty()) {
        declared_.add_router(added.router, added.router_point);
        routers_.emplace(spec.name, added.router);
      }
    });
  }

  /// hosts = "node-[0-15].site": prefix, numbers, suffix.
  static void name_hosts(Table& table, ClusterSpec& spec) {
    const std::string hosts = table.needed("hosts");
    const std::size_t open = hosts.find('[');
    const std::size_t close = hosts.find(']');
    if (open == std::string::npos || close == std::string::npos || close < open) {
      throw usage_error(fmt::format("cannot use '{}' as {}", hosts, table.what("hosts")),
                        "it has no range of numbers in brackets", "Example: node-[0-15].");
    }
    spec.prefix = hosts.substr(0, open);
    spec.suffix = hosts.substr(close + 1);
    spec.numbers = parse_radical(hosts.substr(open + 1, close - open - 1), table.what("hosts"));
  }

  static std::optional<Link> link_of(std::optional<Table> table, Sharing otherwise) {
    if (!table) return std::nullopt;
    const LinkPolicy sharing = policy(
        table->text("sharing").value_or(otherwise == Sharing::shared ? "shared" : "fatpipe"));
    const Link link{table->bandwidth("bandwidth"), table->latency("latency"),
                    sharing == LinkPolicy::fatpipe ? Sharing::fatpipe : Sharing::shared};
    table->finish();
    return link;
  }

  static ClusterShape shape(Table& table) {
    const std::string topology = table.text("topology").value_or("flat");
    const auto list = [&](std::string_view key) {
      return fmt::format("{}", fmt::join(table.numbers(key), ","));
    };
    if (topology == "flat") return parse_shape("FLAT", "");
    if (topology == "torus") return parse_shape("TORUS", list("sides"));
    if (topology == "fat-tree") {
      const std::size_t levels = table.numbers("children").size();
      return parse_shape("FAT_TREE", fmt::format("{};{};{};{}", levels, list("children"),
                                                 list("parents"), list("cables")));
    }
    if (topology == "dragonfly") {
      return parse_shape(
          "DRAGONFLY", fmt::format("{};{};{};{}", list("groups"), list("chassis"), list("routers"),
                                   table.number("hosts_per_router").value_or(1)));
    }
    throw usage_error(fmt::format("cannot use topology '{}'", topology), "no such name",
                      "Choose flat, fat-tree, torus or dragonfly.");
  }

  const toml::table& root_;
  std::string_view name_;
  PlatformBuilder builder_;
  Declarations declared_{builder_};
  RoutedZone* world_ = nullptr;
  std::unordered_map<std::string, std::string> routers_;  // of clusters
};

}  // namespace

Platform parse_platform_toml(std::string_view text, std::string_view name, Findings&) {
  toml::table root;
  try {
    root = toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    throw Error(fmt::format("cannot read {}:{}:{}", name, at.line, at.column), error.description(),
                "Fix the TOML file at that line.");
  }
  return TomlReader(root, name).read();
}

}  // namespace slackline
