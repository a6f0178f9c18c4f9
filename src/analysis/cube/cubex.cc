// Profiles for Cube 4 ("Cube v4: From Performance Report Explorer to Performance Analysis Tool",
// Saviankou et al. 2015). In the dimension of call paths values are exclusive, as metrics say of
// themselves; in the one of metrics they are inclusive. Nodes of the call tree are numbered in
// preorder, in which exclusive metrics refer to them.

#include "analysis/cube/profile_writers.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

#include "analysis/cube/difference.h"
#include "analysis/cube/severity_cube.h"
#include "report/unicode.h"

namespace slackline {
namespace {

static_assert(std::endian::native == std::endian::little, "files are written as memory is");

constexpr double kNanosPerSecondOfCube = 1e9;

/// A metric of the file: the sum of some of the cube's.
struct ProfileMetric {
  std::string unique_name;
  std::string name;
  std::string unit;  ///< "sec", "occ", "bytes"
  std::string description;
  std::vector<std::string> sum_of{};
  std::vector<ProfileMetric> parts{};

  bool is_time() const { return unit == "sec"; }
};

template <class Value>
void put(std::string& bytes, Value value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// A tar archive by POSIX.1-1988 (ustar): a header and blocks of 512 bytes for each file.
class TarWriter {
 public:
  explicit TarWriter(const std::function<void(std::string_view)>& write) : write_(write) {}

  void add(const std::string& name, std::string_view content) {
    write_(header(name, content.size()));
    write_(content);
    write_(std::string((kBlock - content.size() % kBlock) % kBlock, '\0'));
  }
  void finish() { write_(std::string(2 * kBlock, '\0')); }

 private:
  static constexpr std::size_t kBlock = 512;

  static std::string header(const std::string& name, std::size_t size) {
    std::string block(kBlock, '\0');
    const auto set = [&](std::size_t at, std::string_view text) {
      block.replace(at, text.size(), text);
    };
    set(0, name);
    set(100, "0000644");
    set(108, "0000000");
    set(116, "0000000");
    set(124, octal(size));
    set(136, "00000000000");  // the epoch: one cube gives the same bytes
    set(148, "        ");
    set(156, "0");
    set(257, std::string_view("ustar\0"
                              "00",
                              8));
    const unsigned sum = std::accumulate(block.begin(), block.end(), 0U, [](unsigned s, char c) {
      return s + static_cast<unsigned char>(c);
    });
    set(148, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
    return block;
  }
  /// Larger than 8 GiB: in base 256, as GNU and POSIX.1-2001 tools read it.
  static std::string octal(std::size_t size) {
    constexpr std::size_t kMostOctal = std::size_t{1} << 33;
    if (size < kMostOctal) return fmt::format("{:011o}", size);
    std::string digits(12, '\0');
    for (std::size_t i = digits.size(); i-- > 4; size >>= 8)
      digits[i] = static_cast<char>(size & 255);
    digits[0] = static_cast<char>(0x80);
    return digits;
  }

  const std::function<void(std::string_view)>& write_;
};

std::string xml_text(std::string_view text) {
  return escaped_xml(printable(text));
}

class CubexWriter {
 public:
  CubexWriter(const SeverityCube& cube, const ProfileOrigin& origin,
              const std::function<void(std::string_view)>& write)
      : cube_(cube), origin_(origin), tree_(call_tree_of(cube)), archive_(write) {
    tree_.front().name = origin.program;
  }

  void write() {
    std::string metrics;
    for (const ProfileMetric& metric : all_metrics()) add_metric(metric, metrics);
    archive_.add("anchor.xml", anchor(metrics));
    archive_.finish();
  }

 private:
  std::vector<ProfileMetric> all_metrics() const {
    ProfileMetric wait{"wait", "Wait states", "sec",
                       "Time in MPI calls spent waiting for other ranks"};
    std::vector<std::string> patterns;
    for (const auto& [key, values] : cube_.severities()) {
      if (!key.is_wait() || (!patterns.empty() && patterns.back() == key.metric)) continue;
      patterns.push_back(key.metric);
      wait.parts.push_back({key.metric, spaced(key.metric), "sec", "Wait state", {key.metric}});
    }
    wait.sum_of = patterns;
    ProfileMetric mpi{"mpi", "MPI", "sec", "Time in MPI calls", {"mpi"}, {wait}};
    mpi.sum_of.insert(mpi.sum_of.end(), patterns.begin(), patterns.end());
    ProfileMetric time{
        "time",
        "Time",
        "sec",
        "Rank time of the analysed interval",
        mpi.sum_of,
        {{"computation", "Computation", "sec", "Computation outside of MPI calls", {"computation"}},
         {"no_processor", "No processor", "sec", "Ready to compute", {"no_processor"}},
         {"blocked", "Blocked", "sec", "Asleep, in I/O or waiting for a device", {"blocked"}},
         {"recording", "Recording", "sec", "Time of the recorder", {"recording"}},
         mpi}};
    time.sum_of.insert(time.sum_of.end(), {"computation", "no_processor", "blocked", "recording"});
    return {
        time,
        {"calls", "MPI calls", "occ", "Number of MPI calls", {"calls"}},
        {"bytes", "Bytes", "bytes", "Bytes sent, received or contributed by MPI calls", {"bytes"}}};
  }

  /// By rank, of one node of the tree; nothing where all are 0.
  std::vector<double> values_of(const ProfileMetric& metric, const CallTreeNode& node) const {
    std::vector<double> sum;
    for (const std::string& part : metric.sum_of) {
      const auto found = cube_.severities().find({part, node.call_path});
      if (found == cube_.severities().end()) continue;
      sum.resize(static_cast<std::size_t>(cube_.ranks()));
      for (std::size_t r = 0; r < sum.size(); ++r) sum[r] += found->second[r];
    }
    return sum;
  }

  /// Its files, and its element with those of its parts. Nothing where it has no values.
  void add_metric(const ProfileMetric& metric, std::string& xml) {
    std::vector<std::uint32_t> index;
    std::string data("CUBEX.DATA");
    for (std::size_t node = 0; node < tree_.size(); ++node) {
      const std::vector<double> values = values_of(metric, tree_[node]);
      if (values.empty()) continue;
      index.push_back(static_cast<std::uint32_t>(node));
      for (const double value : values) {
        metric.is_time() ? put(data, value / kNanosPerSecondOfCube)
                         : put(data, static_cast<std::uint64_t>(value));
      }
    }
    if (index.empty()) return;
    const int id = next_metric_++;
    archive_.add(fmt::format("{}.index", id), index_file(index));
    archive_.add(fmt::format("{}.data", id), data);
    xml += fmt::format(
        "<metric id=\"{}\" "
        "type=\"EXCLUSIVE\">\n<disp_name>{}</disp_name>\n<uniq_name>{}</uniq_name>\n"
        "<dtype>{}</dtype>\n<uom>{}</uom>\n<url></url>\n<descr>{}</descr>\n",
        id, xml_text(metric.name), xml_text(metric.unique_name),
        metric.is_time() ? "DOUBLE" : "UINT64", metric.unit, xml_text(metric.description));
    for (const ProfileMetric& part : metric.parts) add_metric(part, xml);
    xml += "</metric>\n";
  }

  /// Lists the nodes that have values.
  static std::string index_file(const std::vector<std::uint32_t>& nodes) {
    constexpr std::uint8_t kSparse = 1;
    std::string bytes("CUBEX.INDEX");
    put(bytes, std::uint32_t{1});  // by which readers tell the order of bytes
    put(bytes, std::uint16_t{0});
    put(bytes, kSparse);
    put(bytes, static_cast<std::uint32_t>(nodes.size()));
    for (const std::uint32_t node : nodes) put(bytes, node);
    return bytes;
  }

  std::string anchor(const std::string& metrics) const {
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<cube version=\"4.4\">\n"
        "<attr key=\"CubePL Version\" value=\"1.1\"/>\n"
        "<attr key=\"Cube anchor.xml syntax version\" value=\"4.4\"/>\n"
        "<attr key=\"Creator\" value=\"{}\"/>\n<attr key=\"CUBE_CT_AGGR\" value=\"SUM\"/>\n"
        "<metrics>\n{}</metrics>\n<program>\n{}</program>\n<system>\n{}</system>\n</cube>\n",
        xml_text(origin_.creator), metrics, program(), system());
  }

  std::string program() const {
    std::map<std::string, std::size_t> numbers;  // of regions, by name
    std::string xml;
    std::string calls;
    for (std::size_t i = 0; i < tree_.size(); ++i) {
      const CallTreeNode& node = tree_[i];
      const auto [region, is_new] = numbers.try_emplace(node.name, numbers.size());
      if (is_new) xml += region_element(node, region->second);
      calls += fmt::format("<cnode id=\"{}\" calleeId=\"{}\">\n", i, region->second);
      const std::size_t next_depth = i + 1 < tree_.size() ? tree_[i + 1].depth : 0;
      for (std::size_t depth = node.depth + 1; depth > next_depth; --depth) calls += "</cnode>\n";
    }
    return xml + calls;
  }

  static std::string region_element(const CallTreeNode& node, std::size_t number) {
    const bool root = node.depth == 0;
    return fmt::format(
        "<region id=\"{}\" mod=\"\" begin=\"-1\" end=\"-1\">\n<name>{}</name>\n"
        "<mangled_name>{}</mangled_name>\n<paradigm>{}</paradigm>\n<role>{}</role>\n<url></url>\n"
        "<descr></descr>\n</region>\n",
        number, xml_text(node.name), xml_text(node.name),
        root ? "measurement" : (node.name.starts_with("MPI_") ? "mpi" : "compiler"),
        root ? "artificial" : "function");
  }

  /// Ranks by host; the number of a location is the rank.
  std::string system() const {
    std::map<std::string, std::vector<std::int32_t>> by_host;
    for (std::int32_t rank = 0; rank < cube_.ranks(); ++rank) {
      by_host[origin_.hosts[static_cast<std::size_t>(rank)]].push_back(rank);
    }
    std::string xml("<systemtreenode Id=\"0\">\n<name>machine</name>\n<class>machine</class>\n");
    std::size_t id = 0;
    for (const auto& [host, ranks] : by_host) {
      xml += fmt::format("<systemtreenode Id=\"{}\">\n<name>node {}</name>\n<class>node</class>\n",
                         ++id, xml_text(host.empty() ? "unknown" : host));
      for (const std::int32_t rank : ranks) {
        xml += fmt::format(
            "<locationgroup Id=\"{0}\">\n<name>MPI Rank {0}</name>\n<rank>{0}</rank>\n"
            "<type>process</type>\n<location Id=\"{0}\">\n<name>Master thread</name>\n"
            "<rank>0</rank>\n<type>thread</type>\n</location>\n</locationgroup>\n",
            rank);
      }
      xml += "</systemtreenode>\n";
    }
    return xml + "</systemtreenode>\n";
  }

  const SeverityCube& cube_;
  const ProfileOrigin& origin_;
  std::vector<CallTreeNode> tree_;
  TarWriter archive_;
  int next_metric_ = 0;
};

}  // namespace

void write_cubex(const SeverityCube& cube, const ProfileOrigin& origin,
                 const std::function<void(std::string_view)>& write) {
  CubexWriter(cube, origin, write).write();
}

}  // namespace slackline
