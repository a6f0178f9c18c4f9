# cmake -DIN=index.html -DOUT=page.cc -P embed_page.cmake: the file's bytes as an array. A string
# literal would be shorter, but the standard promises no more than 65536 characters of one.
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
file(WRITE ${OUT} "#include \"report/page.h\"

namespace slackline {
namespace {
constexpr unsigned char kPage[] = {${bytes}};
}  // namespace

std::string_view embedded_page() {
  return {reinterpret_cast<const char*>(kPage), sizeof kPage};
}

}  // namespace slackline
")
