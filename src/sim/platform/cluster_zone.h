#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/platform/cluster.h"
#include "sim/platform/zone.h"

namespace slackline {

/// The links of a block of cables: one a cable, or two when they are duplex.
struct Cables {
  LinkId first = 0;
  bool duplex = true;

  LinkId up(std::uint32_t cable) const { return first + (duplex ? 2 * cable : cable); }
  LinkId down(std::uint32_t cable) const { return duplex ? first + 2 * cable + 1 : first + cable; }
};

/// `name` of a cable, to which a duplex one's links add _UP and _DOWN.
Cables add_cables(PlatformBuilder& builder, const ClusterSpec& spec, const std::string& group,
                  std::uint32_t count, const Link& link, PlatformParts::NameOfLink name);

/// What all clusters share: consecutive hosts, and their loopbacks and limiters.
class ClusterZone : public NetZone {
 public:
  std::uint32_t member_count() const override { return host_count_ + (router_.empty() ? 0 : 1); }
  Member member(std::uint32_t index) const override;
  std::string member_name(const Platform& platform, std::uint32_t index) const override;
  std::string figures() const override { return figures_; }
  std::optional<ClusterMap> map() const final;

  std::uint32_t host_count() const { return host_count_; }

 protected:
  /// Sets the kind, and adds all nodes and the links between them.
  virtual void add_shape(ClusterMap& map) const = 0;
  /// A cable from one node to another.
  static void add_wires(const Cables& cables, std::uint32_t cable, std::uint32_t from,
                        std::uint32_t to, ClusterMap& map);
  /// `switch_limiters`: how many limiters stand behind those of the hosts.
  void prepare(PlatformBuilder& builder, const ClusterSpec& spec, std::uint32_t switch_limiters);
  bool is_router(std::uint32_t member) const { return member >= host_count_; }
  /// True when the host's own loopback was appended.
  bool append_loopback(std::uint32_t host, std::vector<LinkId>& links) const;
  void append_limiter(std::uint32_t node, std::vector<LinkId>& links) const;

  HostId first_host_ = 0;
  std::uint32_t host_count_ = 0;
  std::string router_;
  std::string figures_;

 private:
  friend AddedCluster add_cluster(PlatformBuilder&, const ClusterSpec&, ZoneId, std::uint32_t);

  std::optional<LinkId> loopbacks_;
  std::optional<LinkId> limiters_;
};

std::unique_ptr<ClusterZone> make_flat_cluster(PlatformBuilder& builder, const ClusterSpec& spec);
std::unique_ptr<ClusterZone> make_fat_tree(PlatformBuilder& builder, const ClusterSpec& spec,
                                           const FatTreeShape& shape);
std::unique_ptr<ClusterZone> make_torus(PlatformBuilder& builder, const ClusterSpec& spec,
                                        const TorusShape& shape);
std::unique_ptr<ClusterZone> make_dragonfly(PlatformBuilder& builder, const ClusterSpec& spec,
                                            const DragonflyShape& shape);

}  // namespace slackline
