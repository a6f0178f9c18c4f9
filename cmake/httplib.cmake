# cpp-httplib 0.11 or later as the target httplib. Its Meson build, which Debian packages, installs a file for pkg-config, its
# CMake build one for CMake, which takes each minor version for incompatible.
pkg_check_modules(HTTPLIB QUIET IMPORTED_TARGET cpp-httplib>=0.11)
add_library(httplib INTERFACE)
if(HTTPLIB_FOUND)
  target_link_libraries(httplib INTERFACE PkgConfig::HTTPLIB)
  if("${HTTPLIB_CFLAGS_OTHER}" MATCHES CPPHTTPLIB_OPENSSL_SUPPORT)  # later headers call OpenSSL themselves
    pkg_check_modules(LIBCRYPTO REQUIRED QUIET IMPORTED_TARGET libcrypto)
    target_link_libraries(httplib INTERFACE PkgConfig::LIBCRYPTO)
  endif()
else()
  find_package(httplib REQUIRED)
  if(httplib_VERSION VERSION_LESS 0.11)
    message(FATAL_ERROR "slackline: cpp-httplib ${httplib_VERSION} is too old; install 0.11 or later")
  endif()
  target_link_libraries(httplib INTERFACE httplib::httplib)
endif()
