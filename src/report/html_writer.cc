#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "report/page.h"
#include "report/report_json.h"
#include "report/unicode.h"
#include "report/writers.h"

// One file: the embedded page with the report inside it. Four parts go in: title, text, JSON,
// blobs. The JSON lies in a <script type="application/json">, which a browser neither runs nor
// reads as markup, except that
// "</script" and "<!--" end or change it: so no "<" may appear, and JSON can write it as \u003c.
// Title and text are escaped as HTML. The page's Content-Security-Policy allows its own script by
// its hash and nothing else, so that even a mistake here could not make a name into code. Longer
// JSON is compressed, as blobs are; what base64 is made of needs no escape anywhere.

namespace slackline {
namespace {

/// What the page has in the place of report and blobs.
constexpr std::string_view kReportElement =
    "<script type=\"application/json\" id=\"report\">@SLACKLINE_REPORT@</script>";

struct Mark {
  std::string_view name;
  std::string content;
  std::size_t at = 0;
};

/// These characters occur in JSON only inside strings, where an escape means the same.
std::string escape_for_script(std::string_view json) {
  std::string escaped;
  escaped.reserve(json.size());
  for (const char c : json) {
    switch (c) {
      case '<':
        escaped += "\\u003c";
        break;
      case '>':
        escaped += "\\u003e";
        break;
      case '&':
        escaped += "\\u0026";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

/// Longer JSON than that is worth its compression.
constexpr std::size_t kPlainJson = 4 * 1024;

std::string report_element(const std::string& json, bool served) {
  std::string element = "<script type=\"application/json\" id=\"report\"";
  if (served) element += " data-served=\"yes\"";
  if (json.size() <= kPlainJson) {
    element += ">" + escape_for_script(json);
  } else {
    element += " data-encoding=\"deflate\">";
    append_base64(element, compress_well(json).zlib);
  }
  return element + "</script>";
}

std::string blob_elements(const BlobList& blobs) {
  std::string elements;
  std::uint64_t size = 0;
  for (const Blob* blob : blobs) size += base64_size(blob->zlib.size()) + 64;
  elements.reserve(size);
  for (std::size_t i = 0; i < blobs.size(); ++i) {
    elements += "\n    <script type=\"text/plain\" id=\"blob-" + std::to_string(i) + "\">";
    append_base64(elements, blobs[i]->zlib);
    elements += "</script>";
  }
  return elements;
}

std::string page_title(const Report& report) {
  return escaped_xml(printable(report.title.empty() ? "slackline" : report.title));
}

/// The page's policy: a served page may ask its server for blobs.
constexpr std::string_view kNoConnections = "default-src 'none';";
constexpr std::string_view kOwnServer = "default-src 'none'; connect-src 'self';";

/// The page with the report in it; `blobs` gets those that it refers to.
std::string page_of(const Report& report, bool served, BlobList& blobs) {
  const std::string_view page = embedded_page();
  const std::string json = page_text(page_json(report, blobs));
  std::array marks{
      Mark{"@SLACKLINE_TITLE@", page_title(report)},
      Mark{"@SLACKLINE_TEXT@", escaped_xml(static_summary(report))},
      Mark{kReportElement, report_element(json, served) + (served ? "" : blob_elements(blobs))},
      Mark{kNoConnections, std::string(served ? kOwnServer : kNoConnections)},
  };
  for (Mark& mark : marks) {
    mark.at = page.find(mark.name);
    ensures(mark.at != std::string_view::npos, "the web page has every mark");
  }
  std::sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.at < b.at; });
  // One pass over the page: a mark's name inside a report's text is not a mark.
  std::string html;
  std::size_t from = 0;
  for (const Mark& mark : marks) {
    html += page.substr(from, mark.at - from);
    html += mark.content;
    from = mark.at + mark.name.size();
  }
  html += page.substr(from);
  return html;
}

}  // namespace

std::string write_html(const Report& report) {
  BlobList blobs;
  return page_of(report, false, blobs);
}

ServedPage write_served_page(const Report& report) {
  ServedPage page;
  page.html = page_of(report, true, page.blobs);
  return page;
}

}  // namespace slackline
