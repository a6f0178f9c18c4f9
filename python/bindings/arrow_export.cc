#include "bindings/arrow.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arrow_abi.h"

namespace slackline::python {
namespace {

namespace py = pybind11;

struct ExportedColumn {
  explicit ExportedColumn(const py::handle& tuple) {
    const auto parts = tuple.cast<py::tuple>();
    name = parts[0].cast<std::string>();
    values = parts[1].cast<py::array>();
    if (!parts[2].is_none()) categories = parts[2].cast<std::vector<std::string>>();
    is_text = !parts[2].is_none();
    if (!parts[3].is_none()) valid = parts[3].cast<py::array>();
  }
  bool is_boolean() const { return values.dtype().kind() == 'b'; }

  std::string name;
  py::array values;
  bool is_text = false;
  std::vector<std::string> categories;
  py::array valid;  // no element: all are
  bool has_holes() const { return valid.size() > 0; }
};

/// The format string of a type of NumPy's.
const char* format_of(const py::dtype& type) {
  const char kind = type.kind();
  const py::ssize_t size = type.itemsize();
  if (kind == 'b') return "b";
  if (kind == 'f') return size == 4 ? "f" : "g";
  const bool is_signed = kind == 'i';
  switch (size) {
    case 1:
      return is_signed ? "c" : "C";
    case 2:
      return is_signed ? "s" : "S";
    case 4:
      return is_signed ? "i" : "I";
    default:
      return is_signed ? "l" : "L";
  }
}

/// What a schema refers to; it dies with it.
struct SchemaOwner {
  std::string format;
  std::string name;
  std::vector<std::unique_ptr<ArrowSchema>> children;
  std::vector<ArrowSchema*> pointers;
  std::unique_ptr<ArrowSchema> dictionary;
};

template <class Struct>
void release_if_held(Struct* part) {
  if (part != nullptr && part->release != nullptr) part->release(part);
}

extern "C" void release_schema(ArrowSchema* schema) {
  const std::unique_ptr<SchemaOwner> owner(static_cast<SchemaOwner*>(schema->private_data));
  for (ArrowSchema* child : owner->pointers) release_if_held(child);
  release_if_held(owner->dictionary.get());
  schema->release = nullptr;
}

void fill_schema(ArrowSchema& schema, std::unique_ptr<SchemaOwner> owner, std::int64_t flags) {
  for (const auto& child : owner->children) owner->pointers.push_back(child.get());
  schema = {.format = owner->format.c_str(),
            .name = owner->name.c_str(),
            .metadata = nullptr,
            .flags = flags,
            .n_children = static_cast<std::int64_t>(owner->pointers.size()),
            .children = owner->pointers.empty() ? nullptr : owner->pointers.data(),
            .dictionary = owner->dictionary.get(),
            .release = release_schema,
            .private_data = nullptr};
  schema.private_data = owner.release();
}

std::unique_ptr<SchemaOwner> schema_owner(std::string format, std::string name) {
  auto owner = std::make_unique<SchemaOwner>();
  owner->format = std::move(format);
  owner->name = std::move(name);
  return owner;
}

void fill_table_schema(ArrowSchema& schema, const py::list& columns) {
  auto table = schema_owner("+s", "");
  for (const py::handle& handle : columns) {
    const ExportedColumn column(handle);
    auto owner = schema_owner(format_of(column.values.dtype()), column.name);
    if (column.is_text) {
      owner->dictionary = std::make_unique<ArrowSchema>();
      fill_schema(*owner->dictionary, schema_owner("u", ""), 0);
    }
    table->children.push_back(std::make_unique<ArrowSchema>());
    fill_schema(*table->children.back(), std::move(owner), column.has_holes() ? kArrowNullable : 0);
  }
  fill_schema(schema, std::move(table), 0);
}

/// What an array refers to; it dies with it.
struct ArrayOwner {
  py::object values;  // NumPy's array whose memory is shared
  std::vector<std::vector<char>> made;
  std::vector<const void*> buffers;
  std::vector<std::unique_ptr<ArrowArray>> children;
  std::vector<ArrowArray*> pointers;
  std::unique_ptr<ArrowArray> dictionary;
};

/// May be called from any thread, and once Python has ended.
extern "C" void release_array(ArrowArray* array) {
  auto* const owner = static_cast<ArrayOwner*>(array->private_data);
  for (ArrowArray* child : owner->pointers) release_if_held(child);
  release_if_held(owner->dictionary.get());
  array->release = nullptr;
  if (Py_IsInitialized() == 0) {
    owner->values.release();
    delete owner;
    return;
  }
  const py::gil_scoped_acquire acquire;
  delete owner;
}

void fill_array(ArrowArray& array, std::unique_ptr<ArrayOwner> owner, std::int64_t length,
                std::int64_t nulls) {
  for (const auto& child : owner->children) owner->pointers.push_back(child.get());
  array = {.length = length,
           .null_count = nulls,
           .offset = 0,
           .n_buffers = static_cast<std::int64_t>(owner->buffers.size()),
           .n_children = static_cast<std::int64_t>(owner->pointers.size()),
           .buffers = owner->buffers.data(),
           .children = owner->pointers.empty() ? nullptr : owner->pointers.data(),
           .dictionary = owner->dictionary.get(),
           .release = release_array,
           .private_data = nullptr};
  array.private_data = owner.release();
}

/// A bit for each truth value, the first one in the lowest bit.
std::vector<char> bits_of(const py::array& truths) {
  constexpr std::size_t kBits = 8;
  const auto* const values = static_cast<const std::uint8_t*>(truths.data());
  const auto count = static_cast<std::size_t>(truths.size());
  std::vector<char> bits(count / kBits + 1, 0);
  for (std::size_t i = 0; i < count; ++i) {
    if (values[i] != 0) bits[i / kBits] = static_cast<char>(bits[i / kBits] | (1 << (i % kBits)));
  }
  return bits;
}

std::int64_t zeros_in(const py::array& truths) {
  const auto* const values = static_cast<const std::uint8_t*>(truths.data());
  return std::count(values, values + truths.size(), std::uint8_t{0});
}

const void* keep(ArrayOwner& owner, std::vector<char> bytes) {
  owner.made.push_back(std::move(bytes));
  return owner.made.back().data();
}

std::unique_ptr<ArrowArray> text_array(const std::vector<std::string>& texts) {
  std::vector<std::int32_t> offsets{0};
  std::vector<char> characters;
  for (const std::string& text : texts) {
    characters.insert(characters.end(), text.begin(), text.end());
    offsets.push_back(static_cast<std::int32_t>(characters.size()));
  }
  const auto* const bytes = reinterpret_cast<const char*>(offsets.data());
  characters.push_back(0);  // never without an address
  auto owner = std::make_unique<ArrayOwner>();
  owner->buffers = {nullptr, keep(*owner, {bytes, bytes + offsets.size() * sizeof(std::int32_t)}),
                    keep(*owner, std::move(characters))};
  auto array = std::make_unique<ArrowArray>();
  fill_array(*array, std::move(owner), static_cast<std::int64_t>(texts.size()), 0);
  return array;
}

std::unique_ptr<ArrowArray> column_array(const ExportedColumn& column) {
  auto owner = std::make_unique<ArrayOwner>();
  owner->values = column.values;
  owner->buffers.push_back(column.has_holes() ? keep(*owner, bits_of(column.valid)) : nullptr);
  owner->buffers.push_back(column.is_boolean() ? keep(*owner, bits_of(column.values))
                                               : column.values.data());
  if (column.is_text) owner->dictionary = text_array(column.categories);
  auto array = std::make_unique<ArrowArray>();
  fill_array(*array, std::move(owner), column.values.size(),
             column.has_holes() ? zeros_in(column.valid) : 0);
  return array;
}

void fill_table_array(ArrowArray& array, const py::list& columns, std::int64_t rows) {
  auto table = std::make_unique<ArrayOwner>();
  table->buffers = {nullptr};
  for (const py::handle& handle : columns) {
    table->children.push_back(column_array(ExportedColumn(handle)));
  }
  fill_array(array, std::move(table), rows, 0);
}

constexpr const char* kSchema = "arrow_schema";
constexpr const char* kArray = "arrow_array";
constexpr const char* kStream = "arrow_array_stream";

/// Whoever takes the struct out of the capsule clears its `release`.
template <class Struct>
void destroy(PyObject* capsule) {
  auto* const held =
      static_cast<Struct*>(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
  release_if_held(held);
  delete held;
}

template <class Struct>
py::capsule capsule_of(std::unique_ptr<Struct> held, const char* name) {
  PyObject* const capsule = PyCapsule_New(held.get(), name, destroy<Struct>);
  if (capsule == nullptr) throw py::error_already_set();
  held.release();  // NOLINT(bugprone-unused-return-value): the capsule has it
  return py::reinterpret_steal<py::capsule>(capsule);
}

struct StreamOwner {
  py::list columns;
  py::iterator batches;
  std::string error;
};

/// 0, or EIO with the error's text kept for get_last_error().
template <class Step>
int guarded(ArrowArrayStream* stream, Step step) {
  auto* const owner = static_cast<StreamOwner*>(stream->private_data);
  const py::gil_scoped_acquire acquire;
  try {
    step(*owner);
    return 0;
  } catch (const std::exception& error) {
    owner->error = error.what();
    return EIO;
  }
}

extern "C" int stream_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  return guarded(stream, [&](StreamOwner& owner) { fill_table_schema(*out, owner.columns); });
}

extern "C" int stream_next(ArrowArrayStream* stream, ArrowArray* out) {
  return guarded(stream, [&](StreamOwner& owner) {
    PyObject* const next = PyIter_Next(owner.batches.ptr());
    if (next == nullptr) {
      if (PyErr_Occurred() != nullptr) throw py::error_already_set();
      *out = {};  // the end
      return;
    }
    const auto batch = py::reinterpret_steal<py::tuple>(next);
    fill_table_array(*out, batch[1].cast<py::list>(), batch[0].cast<std::int64_t>());
  });
}

extern "C" const char* stream_error(ArrowArrayStream* stream) {
  return static_cast<StreamOwner*>(stream->private_data)->error.c_str();
}

extern "C" void release_stream(ArrowArrayStream* stream) {
  const py::gil_scoped_acquire acquire;
  delete static_cast<StreamOwner*>(stream->private_data);
  stream->release = nullptr;
}

}  // namespace

py::capsule arrow_schema(const py::list& columns) {
  auto schema = std::make_unique<ArrowSchema>();
  fill_table_schema(*schema, columns);
  return capsule_of(std::move(schema), kSchema);
}

py::capsule arrow_array(const py::list& columns, std::int64_t rows) {
  auto array = std::make_unique<ArrowArray>();
  fill_table_array(*array, columns, rows);
  return capsule_of(std::move(array), kArray);
}

py::capsule arrow_stream(const py::list& columns, const py::iterator& batches) {
  auto stream = std::make_unique<ArrowArrayStream>();
  *stream = {.get_schema = stream_schema,
             .get_next = stream_next,
             .get_last_error = stream_error,
             .release = release_stream,
             .private_data = new StreamOwner{columns, batches, {}}};
  return capsule_of(std::move(stream), kStream);
}

}  // namespace slackline::python
