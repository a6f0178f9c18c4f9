# Read by CPack when the package is made: the Debian packages of the libraries that the program is
# linked to, in versions that are at least those of this machine.

execute_process(COMMAND ldd ${CPACK_SLACKLINE_PROGRAM} OUTPUT_VARIABLE linked
  COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "=> /[^ ]+" paths "${linked}")
set(dependencies)
foreach(path ${paths})
  string(REPLACE "=> " "" path "${path}")
  # A library's path may go through a link (/lib to /usr/lib) that dpkg does not know.
  execute_process(COMMAND dpkg-query -S ${path} OUTPUT_VARIABLE owner ERROR_QUIET)
  if(NOT owner)
    execute_process(COMMAND dpkg-query -S /usr${path} OUTPUT_VARIABLE owner ERROR_QUIET)
  endif()
  if(owner MATCHES "^([^:,\n]+)[:,]")
    set(package ${CMAKE_MATCH_1})
    execute_process(COMMAND dpkg-query -W -f "\${Version}\n" ${package}
      OUTPUT_VARIABLE version ERROR_QUIET)
    if(version MATCHES "^([^\n]+)\n")
      list(APPEND dependencies "${package} (>= ${CMAKE_MATCH_1})")
    endif()
  endif()
endforeach()
list(REMOVE_DUPLICATES dependencies)
# The module is of one minor version of Python.
if(CPACK_SLACKLINE_PYTHON)
  execute_process(COMMAND ${CPACK_SLACKLINE_PYTHON} -c
    "import sys; a, b = sys.version_info[:2]; print(f'python3 (>= {a}.{b}~), python3 (<< {a}.{b + 1}~)', end='')"
    OUTPUT_VARIABLE python COMMAND_ERROR_IS_FATAL ANY)
  list(APPEND dependencies "${python}")
endif()
list(JOIN dependencies ", " CPACK_DEBIAN_PACKAGE_DEPENDS)
