# What targets take their precompiled headers from: libraries and test programs are compiled with
# different options, so that there is one for each.
file(WRITE ${CMAKE_BINARY_DIR}/precompiled/empty.cc "")
file(WRITE ${CMAKE_BINARY_DIR}/precompiled/main.cc "int main() {}\n")

set(headers <algorithm> <array> <charconv> <cmath> <cstdint> <cstdlib> <cstring> <deque> <filesystem> <functional>
  <limits> <map> <memory> <mutex> <numeric> <optional> <set> <span> <sstream> <string> <string_view>
  <unordered_map> <utility> <variant> <vector> <fmt/format.h>)
add_library(slackline_precompiled STATIC EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/precompiled/empty.cc)
target_link_libraries(slackline_precompiled PRIVATE slackline_options fmt::fmt)
target_precompile_headers(slackline_precompiled PRIVATE ${headers})

if(SLACKLINE_TESTS)
  add_executable(slackline_precompiled_tests EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/precompiled/main.cc)
  target_link_libraries(slackline_precompiled_tests PRIVATE slackline_options fmt::fmt GTest::gmock)
  target_precompile_headers(slackline_precompiled_tests PRIVATE ${headers} <gmock/gmock.h> <gtest/gtest.h>)
  slackline_compile_quickly(slackline_precompiled_tests)
endif()
