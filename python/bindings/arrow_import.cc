#include "bindings/arrow.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstring>
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

/// The rows of a column that belong to its batch, which may begin later than the column's array.
struct Rows {
  std::int64_t offset;
  std::int64_t length;
};

Rows rows_of(const ArrowArray& array) {
  return {array.offset, array.length};
}

py::array numbers(const char* dtype, const void* data, Rows rows) {
  const py::dtype type(dtype);
  const auto* const first = static_cast<const char*>(data) + rows.offset * type.itemsize();
  // A copy.
  return {type, py::array::ShapeContainer{rows.length}, rows.length == 0 ? nullptr : first};
}

bool bit(const void* bits, std::int64_t i) {
  constexpr std::int64_t kBits = 8;
  return (static_cast<const std::uint8_t*>(bits)[i / kBits] >> (i % kBits) & 1) != 0;
}

py::array booleans(const void* bits, Rows rows) {
  py::array_t<bool> made(rows.length);
  for (std::int64_t i = 0; i < rows.length; ++i) made.mutable_at(i) = bit(bits, rows.offset + i);
  return made;
}

bool has_holes(const ArrowArray& array) {
  return array.null_count != 0 && array.n_buffers > 0 && array.buffers[0] != nullptr;
}

template <class Offset>
std::vector<std::string> texts(const ArrowArray& array, Rows rows) {
  const auto* const offsets = static_cast<const Offset*>(array.buffers[1]) + rows.offset;
  const auto* const characters = static_cast<const char*>(array.buffers[2]);
  std::vector<std::string> made;
  for (std::int64_t i = 0; i < rows.length; ++i) {
    made.emplace_back(characters + offsets[i],
                      static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
  }
  return made;
}

/// A text of the layout "string view": its length, and then itself if it is short, else its first
/// characters, the number of its buffer and where it begins in that.
std::string viewed_text(const ArrowArray& array, std::int64_t row) {
  constexpr std::int32_t kMostInside = 12;
  constexpr std::int64_t kFirstBuffer = 2;
  struct View {
    std::int32_t length;
    std::int32_t prefix;
    std::int32_t buffer;
    std::int32_t offset;
  };
  const auto* const at = static_cast<const char*>(array.buffers[1]) + row * std::int64_t{16};
  View view{};
  std::memcpy(&view, at, sizeof view);
  const auto length = static_cast<std::size_t>(view.length);
  if (view.length <= kMostInside) return {at + sizeof view.length, length};
  return {static_cast<const char*>(array.buffers[kFirstBuffer + view.buffer]) + view.offset,
          length};
}

std::vector<std::string> viewed_texts(const ArrowArray& array, Rows rows) {
  std::vector<std::string> made;
  for (std::int64_t i = rows.offset; i < rows.offset + rows.length; ++i) {
    // What a row without a value refers to is not defined.
    const bool there = !has_holes(array) || bit(array.buffers[0], i);
    made.push_back(there ? viewed_text(array, i) : std::string());
  }
  return made;
}

std::vector<std::string> texts_of(const ArrowSchema& schema, const ArrowArray& array, Rows rows) {
  const std::string_view format = schema.format;
  if (format == "u") return texts<std::int32_t>(array, rows);
  if (format == "U") return texts<std::int64_t>(array, rows);
  if (format == "vu") return viewed_texts(array, rows);
  refuse(schema);
}

/// Where the rows' lists begin, and the elements of all lists.
py::object list_values(const ArrowSchema& schema, const ArrowArray& array, Rows rows) {
  const ArrowSchema& element = *schema.children[0];
  const auto type = number_types().find(element.format);
  if (type == number_types().end() || type->second[0] == 'f') refuse(schema);
  const ArrowArray& elements = *array.children[0];
  const char* const offset = std::string_view(schema.format) == "+L" ? "i8" : "i4";
  return py::make_tuple(numbers(offset, array.buffers[1], {rows.offset, rows.length + 1}),
                        numbers(type->second, elements.buffers[1], rows_of(elements)));
}

py::tuple column_of(const ArrowSchema& schema, const ArrowArray& array, Rows rows) {
  const std::string_view format = schema.format;
  py::object values = py::none();
  py::object categories = py::none();
  const auto number = number_types().find(format);
  if (number != number_types().end()) {
    values = numbers(number->second, array.buffers[1], rows);
    if (schema.dictionary != nullptr) {
      categories =
          py::cast(texts_of(*schema.dictionary, *array.dictionary, rows_of(*array.dictionary)));
    }
  } else if (format == "b") {
    values = booleans(array.buffers[1], rows);
  } else if (format == "+l" || format == "+L") {
    values = list_values(schema, array, rows);
  } else {
    categories = py::cast(texts_of(schema, array, rows));
    values = py::module_::import("numpy").attr("arange")(rows.length);
  }
  const py::object valid =
      has_holes(array) ? py::object(booleans(array.buffers[0], rows)) : py::none();
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
      const ArrowArray& column = *batch.value.children[i];
      columns[i].append(column_of(*schema.value.children[i], column,
                                  {column.offset + batch.value.offset, batch.value.length}));
    }
  }
  py::dict named;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    named[py::str(schema.value.children[i]->name)] = columns[i];
  }
  return named;
}

}  // namespace slackline::python
