// doc/collectives.md against the table of algorithms: the same rows, and costs that a call really
// has.
//
// A cost on the page is a formula or words. Formulas in the number of ranks P, of nodes n and of
// ranks on a node c are worked out and compared with the messages and rounds of the algorithm's
// steps. All of P, n and c are powers of two here, and no vector fills a second segment (k = 1);
// what holds for other calls is in totals_test.cc.

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "graph/collectives/testing/expectations.h"

namespace slackline {
namespace {

/// The cells of a row between the bars, trimmed.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  while (line.starts_with('|') && line.find('|', 1) != std::string_view::npos) {
    std::string_view cell = line.substr(1, line.find('|', 1) - 1);
    line.remove_prefix(cell.size() + 1);
    while (cell.starts_with(' ')) cell.remove_prefix(1);
    while (cell.ends_with(' ')) cell.remove_suffix(1);
    cells.emplace_back(cell);
  }
  return cells;
}

/// The rows about algorithms: operation, name, SimGrid's name, messages, rounds, description.
std::vector<std::vector<std::string>> rows_of_page() {
  std::vector<std::vector<std::string>> rows;
  std::ifstream page(SLACKLINE_SOURCE_DIR "/doc/collectives.md");
  EXPECT_TRUE(page);
  for (std::string line; std::getline(page, line);) {
    std::vector<std::string> cells = cells_of(line);
    if (cells.size() == 6 && operation_from_identifier(cells[0])) rows.push_back(std::move(cells));
  }
  return rows;
}

/// Ranks on nodes.
struct Layout {
  std::int32_t nodes;
  std::int32_t ranks_a_node;

  std::int32_t ranks() const { return nodes * ranks_a_node; }
};

/// Works out a formula of the page, for example "2(P-1)" or "P ceil(log2 P)".
class Formula {
 public:
  Formula(std::string_view text, const Layout& layout) : rest_(text), layout_(layout) {}

  /// None if the text is anything else than a formula.
  std::optional<double> value() {
    const double result = sum();
    skip_blanks();
    return good_ && rest_.empty() ? std::optional(result) : std::nullopt;
  }

 private:
  void skip_blanks() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }
  bool take(std::string_view word) {
    skip_blanks();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  double sum() {
    double value = product();
    while (good_) {
      if (take("+")) {
        value += product();
      } else if (take("-")) {
        value -= product();
      } else {
        break;
      }
    }
    return value;
  }
  double product() {
    double value = factor();
    while (good_) {
      skip_blanks();
      if (take("/")) {
        value /= factor();
      } else if (!rest_.empty() && (rest_[0] == '(' || std::isalnum(rest_[0]) != 0)) {
        value *= factor();
      } else {
        break;
      }
    }
    return value;
  }
  double factor() {
    if (take("(")) {
      const double value = sum();
      good_ = good_ && take(")");
      return value;
    }
    skip_blanks();
    if (!rest_.empty() && std::isdigit(rest_[0]) != 0) return number();
    const std::string_view name =
        rest_.substr(0, rest_.find_first_not_of("abcdefghijklmnopqrstuvwxyzP2"));
    rest_.remove_prefix(name.size());
    if (name == "ceil") return std::ceil(factor());
    if (name == "log2") return std::log2(factor());
    if (name == "P") return layout_.ranks();
    if (name == "n") return layout_.nodes;
    if (name == "c") return layout_.ranks_a_node;
    good_ = good_ && name == "k";
    return 1;
  }
  double number() {
    double value = 0;
    for (; !rest_.empty() && std::isdigit(rest_[0]) != 0; rest_.remove_prefix(1)) {
      value = 10 * value + (rest_[0] - '0');
    }
    return value;
  }

  std::string_view rest_;
  Layout layout_;
  bool good_ = true;
};

TEST(Page, HasTheRowsOfTheTable) {
  std::multiset<std::string> table;
  for (const CollectiveAlgorithm& a : collective_algorithms()) {
    const std::string_view smpi_name = a.smpi_name.empty() ? "-" : a.smpi_name;
    table.insert(std::string(identifier(a.operation)) + " | " + std::string(a.name) + " | " +
                 std::string(smpi_name) + " | .. | " + std::string(a.description));
  }
  std::multiset<std::string> page;
  for (const std::vector<std::string>& row : rows_of_page()) {
    page.insert(row[0] + " | " + row[1] + " | " + row[2] + " | .. | " + row[5]);
  }
  for (const std::string& row : table)
    EXPECT_TRUE(page.contains(row)) << "not on the page: " << row;
  for (const std::string& row : page)
    EXPECT_TRUE(table.contains(row)) << "not in the table: " << row;
}

/// What the page has in one cell; none where that is words, or does not hold for such a layout.
std::optional<double> cost_of(std::string_view cell, const Layout& layout) {
  cell = cell.substr(0, cell.find(';'));
  for (const std::string_view condition : {" (P = 2^k)", " (k = 1)", " (c > 1)"}) {
    if (!cell.ends_with(condition)) continue;
    if (condition == " (c > 1)" && layout.ranks_a_node == 1) return std::nullopt;
    cell.remove_suffix(condition.size());
  }
  return Formula(cell, layout).value();
}

test::Performance perform_on(const CollectiveAlgorithm& algorithm, const Layout& layout) {
  test::Case c = test::make_case(algorithm.operation, layout.ranks(), 1000, 0);
  c.counts.assign(c.counts.size(), 1000);
  std::vector<std::int32_t> nodes;
  for (std::int32_t r = 0; r < layout.ranks(); ++r) nodes.push_back(r / layout.ranks_a_node);
  CollectiveCall call = c.with_counts();
  call.nodes = nodes;
  return test::perform(test::programs(algorithm, call, c.own), test::Sends::eager);
}

TEST(Page, SaysWhatAnAlgorithmCosts) {
  std::size_t formulas = 0;
  for (const std::vector<std::string>& row : rows_of_page()) {
    const CollectiveAlgorithm* const algorithm =
        find_algorithm(*operation_from_identifier(row[0]), row[1]);
    ASSERT_NE(algorithm, nullptr) << row[1];
    for (const Layout& layout : {Layout{4, 1}, Layout{16, 1}, Layout{4, 2}, Layout{4, 8}}) {
      const test::Performance took = perform_on(*algorithm, layout);
      const auto compare = [&](const char* what, const std::string& cell, std::int64_t actual) {
        const std::optional<double> cost = cost_of(cell, layout);
        if (!cost) return;
        ++formulas;
        EXPECT_EQ(static_cast<double>(actual), *cost)
            << what << " of " << row[0] << " " << row[1] << " for " << layout.nodes << " nodes of "
            << layout.ranks_a_node << ": " << cell;
      };
      compare("messages", row[3], took.total_messages());
      compare("rounds", row[4], took.rounds);
    }
  }
  EXPECT_GT(formulas, 4 * collective_algorithms().size()) << "are formulas still understood?";
}

}  // namespace
}  // namespace slackline
