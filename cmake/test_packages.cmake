# The packages that only the tests need: GTest::gtest, GTest::gmock, the library rapidcheck and
# PkgConfig::CLP. All that are missing are named at once, with the command that installs them.

set(missing)

find_package(GTest QUIET)
if(NOT TARGET GTest::gtest_main)
  list(APPEND missing libgtest-dev)
endif()
if(NOT TARGET GTest::gmock)
  list(APPEND missing libgmock-dev)
endif()

find_path(RAPIDCHECK_INCLUDE rapidcheck/gtest.h)
find_library(RAPIDCHECK_LIBRARY rapidcheck)
if(NOT RAPIDCHECK_INCLUDE OR NOT RAPIDCHECK_LIBRARY)
  list(APPEND missing librapidcheck-dev)
endif()

pkg_check_modules(CLP QUIET IMPORTED_TARGET clp)
if(NOT CLP_FOUND)
  list(APPEND missing coinor-libclp-dev coinor-libcoinutils-dev)
endif()

if(missing)
  list(JOIN missing " " missing)
  message(FATAL_ERROR
    "Cannot configure the tests: these packages are missing: ${missing}. Install them with "
    "'./dev setup' or 'apt-get install ${missing}', or configure without tests "
    "(-DSLACKLINE_TESTS=OFF), as './dev demo' does.")
endif()
