# What every target of the project shares: warnings, sanitizers, and the two ways a folder
# becomes a target (slackline_library, slackline_unit_tests).

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "build type" FORCE)
endif()

# See slackline_precompile below.
option(SLACKLINE_PRECOMPILE "compile the headers of the standard library and of GoogleTest once" OFF)

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  if(SLACKLINE_PRECOMPILE)
    # Without this ccache leaves alone what uses a precompiled header.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  endif()
endif()

add_library(slackline_options INTERFACE)
target_include_directories(slackline_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(slackline_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
  -Wcast-qual -Wformat=2)
if(SLACKLINE_WERROR)
  target_compile_options(slackline_options INTERFACE -Werror)
endif()
# g++ 12 sees overlapping copies in std::string's own insert and operator+ (GCC bug 105329).
target_compile_options(slackline_options INTERFACE
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
# Nobody puts another function in the place of one of ours; clang takes that for granted.
target_compile_options(slackline_options INTERFACE
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-semantic-interposition>)
if(SLACKLINE_SANITIZE)
  target_compile_options(slackline_options INTERFACE
    -fsanitize=${SLACKLINE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # The address sanitizer finds what these two would, which double the code of each access.
  target_compile_options(slackline_options INTERFACE -fno-sanitize=null,object-size)
  target_link_options(slackline_options INTERFACE -fsanitize=${SLACKLINE_SANITIZE})
  # A hundred large programs are linked, in a third of the time that GNU ld takes.
  find_program(SLACKLINE_LLD ld.lld)
  if(SLACKLINE_LLD)
    target_link_options(slackline_options INTERFACE -fuse-ld=lld)
  endif()
endif()

# For targets whose own speed does not matter and whose headers are large (tests, the command line): two thirds of
# the compile time.
function(slackline_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# Each case of a test program becomes a test. Under sanitizers, which take .2 s to start a program, each program is
# one test; GTEST_FILTER may leave out some of its cases.
function(slackline_discover_tests program)
  if(SLACKLINE_SANITIZE)
    add_test(NAME ${program} COMMAND ${program} --gtest_brief=1)
    set_tests_properties(${program} PROPERTIES TIMEOUT 7200)
  else()
    gtest_discover_tests(${program} NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600)
  endif()
endfunction()

# The standard library's and the test libraries' headers are half of a small file's compile time. In the
# developer's build, where each file is compiled by itself, they are compiled once. Nowhere else: it would
# hide an include that is missing.
if(SLACKLINE_PRECOMPILE)
  include(precompiled_headers)
endif()
function(slackline_precompile target from)
  if(SLACKLINE_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()

# Libraries that leave the loops over calls, messages or events to others, but for some that are over before the
# trace is read.
set(SLACKLINE_COMPILED_QUICKLY "^(app|cli|jobs_.*)$")

# slackline_library(name SOURCES a.cc ... LINKS libs... TESTS a_test.cc ...)
# One folder, one static library; the tests beside the sources become <name>_test. Files named *_report.cc describe
# results and loop over nothing larger than these.
function(slackline_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;TESTS;TEST_LINKS" ${ARGN})
  set(reports ${ARG_SOURCES})
  list(FILTER reports INCLUDE REGEX "_report\\.cc$")
  if(name MATCHES "${SLACKLINE_COMPILED_QUICKLY}" OR NOT reports)
    add_library(slackline_${name} STATIC ${ARG_SOURCES})
  else()
    list(REMOVE_ITEM ARG_SOURCES ${reports})
    add_library(slackline_${name}_reports OBJECT ${reports})
    target_link_libraries(slackline_${name}_reports PRIVATE slackline_options ${ARG_LINKS})
    slackline_precompile(slackline_${name}_reports slackline_precompiled)
    slackline_compile_quickly(slackline_${name}_reports)
    add_library(slackline_${name} STATIC ${ARG_SOURCES} $<TARGET_OBJECTS:slackline_${name}_reports>)
  endif()
  target_link_libraries(slackline_${name} PUBLIC slackline_options ${ARG_LINKS})
  slackline_precompile(slackline_${name} slackline_precompiled)
  if(name MATCHES "${SLACKLINE_COMPILED_QUICKLY}")
    slackline_compile_quickly(slackline_${name})
  endif()
  if(SLACKLINE_TESTS AND ARG_TESTS)
    add_executable(${name}_test ${ARG_TESTS})
    target_link_libraries(${name}_test PRIVATE slackline_${name} ${ARG_TEST_LINKS}
      GTest::gmock GTest::gtest_main)
    slackline_compile_quickly(${name}_test)
    slackline_precompile(${name}_test slackline_precompiled_tests)
    slackline_discover_tests(${name}_test)
  endif()
endfunction()

# For tests that look at public traces where they are at hand (trace/testing/shared_traces.h): beside the
# source tree, unless SLACKLINE_SHARED names another folder when the test runs.
function(slackline_uses_shared_traces target)
  if(TARGET ${target})
    target_compile_definitions(${target} PRIVATE
      SLACKLINE_SHARED_DEFAULT="${CMAKE_SOURCE_DIR}/../shared")
  endif()
endfunction()
