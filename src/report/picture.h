#pragma once

#include <memory>
#include <string>
#include <vector>

#include "report/blob.h"
#include "report/json.h"
#include "report/object.h"

namespace slackline {

/// The blobs of a report in the order of their numbers.
using BlobList = std::vector<const Blob*>;

/// What a page draws from more numbers than a table holds. The numbers lie in blobs. Its JSON is an
/// agreement between whoever makes the picture and web/ (doc/formats/page.md).
class Picture {
 public:
  virtual ~Picture() = default;
  /// The description, with the numbers of the blobs, which are appended to `blobs`; they live as
  /// long as the picture.
  virtual Json json(BlobList& blobs) const = 0;
  /// The sentence that stands for it in text; empty: nothing.
  virtual std::string text() const { return {}; }

 protected:
  Picture() = default;
  Picture(const Picture&) = default;
  Picture(Picture&&) = default;
  Picture& operator=(const Picture&) = default;
  Picture& operator=(Picture&&) = default;
};

using PicturePtr = std::shared_ptr<const Picture>;

using BlobJson = JsonOf<struct BlobJsonTag>;
const JsonType& declared_type(const BlobJsonTag*);
/// {"blob", "bytes"}: how a picture refers to one of its blobs.
BlobJson blob_reference(const Blob& blob, BlobList& blobs);

}  // namespace slackline
