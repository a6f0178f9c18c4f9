# libdw of elfutils: functions and source lines of recorded addresses.
find_path(LIBDW_INCLUDE_DIRECTORY elfutils/libdwfl.h)
find_library(LIBDW_LIBRARY dw)
find_library(LIBELF_LIBRARY elf)
if(NOT (LIBDW_LIBRARY AND LIBELF_LIBRARY AND LIBDW_INCLUDE_DIRECTORY))
  message(STATUS "slackline: no libdw here; recordings will name no functions (install libdw-dev or run ./dev setup)")
endif()
