#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "report/text_parts.h"
#include "report/unicode.h"
#include "report/writers.h"

namespace slackline {
namespace {

constexpr int kWidestPlot = 64;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// One line of the picture: name | left end | plot | right end | range, the plot on the common x
/// axis. The range is what the plot's lowest and highest bars stand for, where no end says that.
struct PlotRow {
  std::string name;
  std::string left;
  std::string plot;
  std::string right;
  std::string range{};
};

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
};

Extent extent_of(const std::vector<double>& values) {
  Extent extent;
  for (const double value : values) extent.include(value);
  return extent;
}

/// The line's value at `x`: held (steps) or interpolated between its neighbours.
double value_at(const std::vector<double>& xs, const Line& line, double x) {
  const auto after = std::upper_bound(xs.begin(), xs.end(), x);
  if (after == xs.begin()) return line.y.empty() ? kNan : line.y.front();
  const auto i = static_cast<std::size_t>(after - xs.begin()) - 1;
  if (i >= line.y.size()) return kNan;
  if (line.steps || i + 1 >= line.y.size() || xs[i + 1] <= xs[i]) return line.y[i];
  const double part = (x - xs[i]) / (xs[i + 1] - xs[i]);
  return line.y[i] + part * (line.y[i + 1] - line.y[i]);
}

std::string sparkline(const Series& series, const Line& line, Extent x, Extent y, int width) {
  static constexpr std::array kBars{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string plot;
  for (int column = 0; column < width; ++column) {
    const double at = x.low + (x.high - x.low) * (column + 0.5) / width;
    const double value = value_at(series.x, line, at);
    if (!std::isfinite(value)) {
      plot += ' ';
      continue;
    }
    const double height = y.high > y.low ? (value - y.low) / (y.high - y.low) : 0.0;
    const double level = std::floor(height * static_cast<double>(kBars.size()));
    plot += kBars[static_cast<std::size_t>(std::clamp(level, 0.0, 7.0))];
  }
  return plot;
}

/// A zone as a bar from `from` to `to`; at least one character, so that it can be seen.
std::string zone_bar(const Zone& zone, Extent x, int width) {
  const auto column = [&](double at) {
    if (!(x.high > x.low) || std::isnan(at)) return 0;
    const double part = std::clamp((at - x.low) / (x.high - x.low), 0.0, 1.0);
    return static_cast<int>(std::lround(part * width));
  };
  const int from = std::min(column(zone.from), width - 1);
  const int to = std::max(column(zone.to), from + 1);
  std::string bar(static_cast<std::size_t>(from), ' ');
  for (int i = from; i < to; ++i) bar += "━";
  return bar;
}

std::string axis_rule(int width) {
  std::string rule = "└";
  for (int i = 2; i < width; ++i) rule += "─";
  return rule + "┘";
}

std::vector<PlotRow> rows_of(const Series& series, int plot_width) {
  const Extent x = extent_of(series.x);
  std::vector<PlotRow> rows;
  for (const Line& line : series.lines) {
    const Extent y = extent_of(line.y);
    if (y.empty()) {
      rows.push_back({printable(line.name), "-", "", "-", ""});
      continue;
    }
    const auto finite = [](double value) { return std::isfinite(value); };
    const double first = *std::ranges::find_if(line.y, finite);
    const double last = *std::ranges::find_if(line.y.rbegin(), line.y.rend(), finite);
    const bool ends_tell = std::min(first, last) == y.low && std::max(first, last) == y.high;
    rows.push_back({printable(line.name), format_value(first, line.unit),
                    sparkline(series, line, x, y, plot_width), format_value(last, line.unit),
                    ends_tell ? ""
                              : "(" + format_value(y.low, line.unit) + " to " +
                                    format_value(y.high, line.unit) + ")"});
  }
  rows.push_back({printable(series.x_name), format_value(x.low, series.x_unit),
                  axis_rule(plot_width), format_value(x.high, series.x_unit), ""});
  for (const Zone& zone : series.zones) {
    rows.push_back({printable(zone.name), format_value(zone.from, series.x_unit),
                    zone_bar(zone, x, plot_width), format_value(zone.to, series.x_unit), ""});
  }
  return rows;
}

int widest(const std::vector<PlotRow>& rows, std::string PlotRow::*part) {
  int width = 0;
  for (const PlotRow& row : rows) width = std::max(width, display_width(row.*part));
  return width;
}

/// Too narrow for a picture: the numbers alone.
Lines without_plot(const std::vector<PlotRow>& rows, int width) {
  Lines lines;
  for (const PlotRow& row : rows) {
    append(lines, wrap(row.name + ": " + row.left + " to " + row.right +
                           (row.range.empty() ? "" : " " + row.range),
                       width));
  }
  return lines;
}

}  // namespace

Lines series_lines(const Series& series, int width, Ink ink) {
  if (extent_of(series.x).empty()) return {ink.dim("(no points)")};
  std::vector<PlotRow> rows = rows_of(series, 2);
  const int name = widest(rows, &PlotRow::name);
  const int left = widest(rows, &PlotRow::left);
  const int right = widest(rows, &PlotRow::right);
  const int range = widest(rows, &PlotRow::range);
  const int room = width - name - left - right - (range > 0 ? range + kGap : 0) - 3 * kGap;
  if (room < 8 || series.x.size() < 2) return without_plot(rows, width);
  rows = rows_of(series, std::min(room, kWidestPlot));
  const int plot = std::min(room, kWidestPlot);
  Lines lines;
  for (const PlotRow& row : rows) {
    lines.push_back(
        pad_right(row.name, name) + "  " + pad_left(row.left, left) + "  " +
        ink.accent(pad_right(row.plot, plot)) + "  " +
        (row.range.empty() ? row.right : pad_right(row.right, right + kGap) + row.range));
  }
  return lines;
}

}  // namespace slackline
