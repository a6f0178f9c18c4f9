include_guard(GLOBAL)

# MPI programs are built for every MPI that is here, side by side, with that MPI's own compiler
# wrappers: find_package(MPI) knows only one MPI at a time. Debian names the wrappers
# mpicc.openmpi, mpicc.mpich and so on; elsewhere mpicc in the PATH is of one MPI, which its mpi.h
# tells. Others can be given as -DSLACKLINE_MPICC_OPENMPI=/path/to/mpicc (likewise MPIFORT, MPIRUN
# and MPICH).

# Which MPI the wrapper `mpicc` is of, by what its mpi.h defines: openmpi, mpich (also what has its ABI), or nothing.
function(slackline_mpi_of mpicc out)
  set(file ${CMAKE_BINARY_DIR}/which_mpi.c)
  file(WRITE ${file} "#include <mpi.h>\n")
  execute_process(COMMAND ${mpicc} -E -dM ${file} OUTPUT_VARIABLE macros ERROR_QUIET)
  set(mpi)
  if(macros MATCHES "#define OPEN_MPI ")
    set(mpi openmpi)
  elseif(macros MATCHES "#define MPICH_(NUM)?VERSION ")
    set(mpi mpich)
  endif()
  set(${out} "${mpi}" PARENT_SCOPE)
endfunction()

find_program(SLACKLINE_MPICC mpicc)
set(mpi_of_mpicc)
if(SLACKLINE_MPICC)
  slackline_mpi_of(${SLACKLINE_MPICC} mpi_of_mpicc)
  get_filename_component(folder_of_mpicc ${SLACKLINE_MPICC} DIRECTORY)
endif()

set(SLACKLINE_MPIS)
foreach(mpi openmpi mpich)
  string(TOUPPER ${mpi} MPI)
  foreach(wrapper mpicc mpicxx mpifort mpirun)
    string(TOUPPER ${wrapper} WRAPPER)
    if(mpi STREQUAL mpi_of_mpicc)
      find_program(SLACKLINE_${WRAPPER}_${MPI} NAMES ${wrapper}.${mpi} ${wrapper} PATHS ${folder_of_mpicc} NO_DEFAULT_PATH)
    endif()
    find_program(SLACKLINE_${WRAPPER}_${MPI} ${wrapper}.${mpi})
  endforeach()
  if(SLACKLINE_MPICC_${MPI} AND SLACKLINE_MPIRUN_${MPI})
    list(APPEND SLACKLINE_MPIS ${mpi})
  else()
    message(STATUS "slackline: no ${mpi} here (mpicc.${mpi}, or mpicc of ${mpi}); what needs it is left out")
  endif()
endforeach()

# The flags of one kind that an MPI's compiler wrapper adds: -I, -L.
function(mpi_wrapper_paths compiler flag out)
  execute_process(COMMAND ${compiler} -show OUTPUT_VARIABLE shown ERROR_QUIET)
  string(REGEX MATCHALL " ${flag}[^ \n]+" found "${shown}")
  list(TRANSFORM found REPLACE "^ ${flag}" "")
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# slackline_link_mpi(target openmpi|mpich): compiles the target with that MPI's headers and links its library.
function(slackline_link_mpi target mpi)
  string(TOUPPER ${mpi} MPI)
  mpi_wrapper_paths(${SLACKLINE_MPICC_${MPI}} -I includes)
  mpi_wrapper_paths(${SLACKLINE_MPICC_${MPI}} -L folders)
  mpi_wrapper_paths(${SLACKLINE_MPICC_${MPI}} -l libraries)
  list(FILTER libraries INCLUDE REGEX "^mpi(ch)?$")
  target_include_directories(${target} SYSTEM PRIVATE ${includes})
  target_link_directories(${target} PRIVATE ${folders})
  target_link_libraries(${target} PRIVATE ${libraries})
endfunction()

# slackline_mpi_program(name source.c|source.cc|source.f90 [INCLUDES folder...] [LIBS lib...] [COMPILER compiler])
# Builds ${CMAKE_CURRENT_BINARY_DIR}/<mpi>/<name> for each MPI; the target <name>_mpi makes all. COMPILER: which C
# compiler MPI's wrapper calls, instead of its own.
function(slackline_mpi_program name source)
  cmake_parse_arguments(ARG "" "COMPILER" "INCLUDES;LIBS" ${ARGN})
  set(input ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  set(wrapper MPICC)
  set(werror)
  if(SLACKLINE_WERROR)
    set(werror -Werror)
  endif()
  # MPICH declares MPI_STATUSES_IGNORE in a way that gcc takes for an overflow.
  set(flags -std=c11 -O2 -g -Wall -Wextra ${werror} -Wno-stringop-overflow)
  if(source MATCHES "\\.f90$")
    set(wrapper MPIFORT)
    set(flags -std=f2018 -O2 -g -Wall -Wextra)
  elseif(source MATCHES "\\.cc$")
    set(wrapper MPICXX)
    set(flags -std=c++17 -O2 -g -Wall -Wextra ${werror} -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX)
  endif()
  set(headers)
  foreach(folder ${ARG_INCLUDES})
    file(GLOB found ${folder}/*.h)
    list(APPEND headers ${found})
  endforeach()
  list(TRANSFORM ARG_INCLUDES PREPEND -I)
  set(environment)
  if(ARG_COMPILER)
    set(environment ${CMAKE_COMMAND} -E env OMPI_CC=${ARG_COMPILER} MPICH_CC=${ARG_COMPILER})
    list(REMOVE_ITEM flags -Wno-stringop-overflow)
  endif()
  set(outputs)
  foreach(mpi ${SLACKLINE_MPIS})
    string(TOUPPER ${mpi} MPI)
    if(NOT SLACKLINE_${wrapper}_${MPI})
      message(STATUS "slackline: no ${wrapper} for ${mpi} here; ${name} is left out")
      continue()
    endif()
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${mpi}/${name})
    # Fortran writes module files where it runs, so each program has its own folder to run in.
    set(scratch ${CMAKE_CURRENT_BINARY_DIR}/${mpi}/${name}.dir)
    file(MAKE_DIRECTORY ${scratch})
    add_custom_command(OUTPUT ${output}
      COMMAND ${environment} ${SLACKLINE_${wrapper}_${MPI}} ${flags} ${ARG_INCLUDES} -o ${output} ${input}
        ${ARG_LIBS} -lm
      DEPENDS ${input} ${headers} WORKING_DIRECTORY ${scratch} VERBATIM
      COMMENT "Building ${name} for ${mpi}")
    list(APPEND outputs ${output})
  endforeach()
  add_custom_target(${name}_mpi ALL DEPENDS ${outputs})
endfunction()

# slackline_mpi_test(name RANKS n COMMAND program... [MPI openmpi|mpich] [PASS regex])
# One ctest per MPI (or only the one named): the launcher, then the program given relative to
# ${CMAKE_CURRENT_BINARY_DIR}/<mpi>/. Labelled "mpi".
function(slackline_mpi_test name)
  cmake_parse_arguments(ARG "" "RANKS;PASS" "COMMAND" ${ARGN})
  list(POP_FRONT ARG_COMMAND program)
  foreach(mpi ${SLACKLINE_MPIS})
    string(TOUPPER ${mpi} MPI)
    set(test ${name}.${mpi})
    add_test(NAME ${test} COMMAND ${SLACKLINE_MPIRUN_${MPI}} -n ${ARG_RANKS}
      ${CMAKE_CURRENT_BINARY_DIR}/${mpi}/${program} ${ARG_COMMAND})
    set_tests_properties(${test} PROPERTIES LABELS mpi PROCESSORS 2 TIMEOUT 120
      ENVIRONMENT "${SLACKLINE_MPI_ENVIRONMENT}")
    if(ARG_PASS)
      set_tests_properties(${test} PROPERTIES PASS_REGULAR_EXPRESSION "${ARG_PASS}")
    endif()
  endforeach()
endfunction()

# Lets Open MPI start more ranks than there are cores, as root too (containers).
set(SLACKLINE_MPI_ENVIRONMENT
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
  OMPI_MCA_btl_vader_single_copy_mechanism=none)
