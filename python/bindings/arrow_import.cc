#include "bindings/arrow_import.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "bindings/arrow_abi.h"

namespace slackline::python {
namespace {

namespace py = pybind11;

/// Releases a struct that another library filled in.
template <class Struct>
class Held {
 public:
  Held() = default;
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (value.release != nullptr) value.release(&value);
  }
  Struct value{};
};

const std::map<std::string_view, const char*>& number_types() {
  static const std::map<std::string_view, const char*> kTypes{
      {"c", "i1"}, {"C", "u1"}, {"s", "i2"}, {"S", "u2"}, {"i", "i4"},
      {"I", "u4"}, {"l", "i8"}, {"L", "u8"}, {"f", "f4"}, {"g", "f8"}};
  return kTypes;
}

[[noreturn]] void refuse(const ArrowSchema& schema) {
  throw usage_error(std::string("cannot read column '") + schema.name + "'",
                    std::string("its Arrow type '") + schema.format + "' is not supported",
                    "Cast it to integers, text, or lists of int64.");
}

py::array numbers(const char* dtype, const void* data, std::int64_t offset, std::int64_t length) {
  const py::dtype type(dtype);
  const auto* const first = static_cast<const char*>(data) + offset * type.itemsize();
  return {type, py::array::ShapeContainer{length}, length == 0 ? nullptr : first};  // a copy
}

bool bit(const void* bits, std::int64_t i) {
  constexpr std::int64_t kBits = 8;
  return (static_cast<const std::uint8_t*>(bits)[i / kBits] >> (i % kBits) & 1) != 0;
}

py::array booleans(const void* bits, std::int64_t offset, std::int64_t length) {
  py::array_t<bool> made(length);
  for (std::int64_t i = 0; i < length; ++i) made.mutable_at(i) = bit(bits, offset + i);
  return made;
}

template <class Offset>
std::vector<std::string> texts(const ArrowArray& array) {
  const auto* const offsets = static_cast<const Offset*>(array.buffers[1]) + array.offset;
  const auto* const characters = static_cast<const char*>(array.buffers[2]);
  std::vector<std::string> made;
  for (std::int64_t i = 0; i < array.length; ++i) {
    made.emplace_back(characters + offsets[i],
                      static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
  }
  return made;
}

std::vector<std::string> texts_of(const ArrowSchema& schema, const ArrowArray& array) {
  const std::string_view format = schema.format;
  if (format == "u") return texts<std::int32_t>(array);
  if (format == "U") return texts<std::int64_t>(array);
  refuse(schema);
}

py::object list_values(const ArrowSchema& schema, const ArrowArray& array) {
  const ArrowSchema& element = *schema.children[0];
  if (std::string_view(element.format) != "l") refuse(schema);
  const ArrowArray& elements = *array.children[0];
  return py::make_tuple(numbers("i4", array.buffers[1], array.offset, array.length + 1),
                        numbers("i8", elements.buffers[1], elements.offset, elements.length));
}

py::tuple column_of(const ArrowSchema& schema, const ArrowArray& array) {
  const std::string_view format = schema.format;
  py::object values = py::none();
  py::object categories = py::none();
  const auto number = number_types().find(format);
  if (number != number_types().end()) {
    values = numbers(number->second, array.buffers[1], array.offset, array.length);
    if (schema.dictionary != nullptr) {
      categories = py::cast(texts_of(*schema.dictionary, *array.dictionary));
    }
  } else if (format == "b") {
    values = booleans(array.buffers[1], array.offset, array.length);
  } else if (format == "+l") {
    values = list_values(schema, array);
  } else {
    categories = py::cast(texts_of(schema, array));
    values = py::module_::import("numpy").attr("arange")(array.length);
  }
  const bool has_holes = array.null_count != 0 && array.buffers[0] != nullptr;
  const py::object valid =
      has_holes ? py::object(booleans(array.buffers[0], array.offset, array.length)) : py::none();
  return py::make_tuple(values, categories, valid);
}

void require_success(int status, ArrowArrayStream& stream) {
  if (status == 0) return;
  const char* const why = stream.get_last_error(&stream);
  throw usage_error("cannot read the table", why == nullptr ? "its stream failed" : why,
                    "The library that made it may know more.");
}

}  // namespace

py::dict arrow_columns(const py::capsule& capsule) {
  auto* const stream =
      static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (stream == nullptr) throw py::error_already_set();
  if (stream->release == nullptr) {
    throw usage_error("cannot read the table", "its stream has been read already",
                      "Ask its library for the table anew.");
  }
  // The stream is ours from now on (Arrow's PyCapsule interface), and released with this.
  Held<ArrowArrayStream> owned;
  owned.value = std::exchange(*stream, ArrowArrayStream{});
  Held<ArrowSchema> schema;
  require_success(owned.value.get_schema(&owned.value, &schema.value), owned.value);
  if (std::string_view(schema.value.format) != "+s") refuse(schema.value);
  std::vector<py::list> columns(static_cast<std::size_t>(schema.value.n_children));
  for (;;) {
    Held<ArrowArray> batch;
    require_success(owned.value.get_next(&owned.value, &batch.value), owned.value);
    if (batch.value.release == nullptr) break;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      columns[i].append(column_of(*schema.value.children[i], *batch.value.children[i]));
    }
  }
  py::dict named;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    named[py::str(schema.value.children[i]->name)] = columns[i];
  }
  return named;
}

}  // namespace slackline::python
