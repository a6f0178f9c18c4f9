#include "bindings/column.h"

#include <pybind11/stl.h>

namespace slackline::python {

namespace py = pybind11;

py::array to_array(const Buffer& buffer) {
  using Owner = std::shared_ptr<const void>;
  auto owner = std::make_unique<Owner>(buffer.owner);
  const py::capsule base(owner.get(), [](void* pointer) { delete static_cast<Owner*>(pointer); });
  owner.release();  // NOLINT(bugprone-unused-return-value): the capsule has it
  const auto strides =
      buffer.repeats_first ? py::array::StridesContainer{0} : py::array::StridesContainer{};
  py::array array(py::dtype(buffer.dtype), {buffer.size}, strides, buffer.data, base);
  if (!buffer.writable) array.attr("setflags")(py::arg("write") = false);
  return array;
}

py::tuple to_python(const Column& column) {
  const py::object categories = column.categories ? py::cast(*column.categories) : py::none();
  const py::object valid = column.valid ? py::object(to_array(*column.valid)) : py::none();
  return py::make_tuple(to_array(column.values), categories, valid);
}

py::dict to_python(const Columns& columns) {
  py::dict all;
  for (const Column& column : columns) all[py::str(column.name)] = to_python(column);
  return all;
}

}  // namespace slackline::python
