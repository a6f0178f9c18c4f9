#include "bindings/report_text.h"

#include "bindings/released.h"
#include "report/writers.h"

namespace slackline::python {

namespace py = pybind11;

py::str report_text(const ReportPtr& report, const std::string& form) {
  const std::string text = released([report, form] {
    if (form == "html") return write_html(*report);
    if (form == "text") return write_text(*report, {});
    return write_json(*report, form == "sections");
  });
  // Paths and names in it may be in any encoding.
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "replace"));
}

}  // namespace slackline::python
