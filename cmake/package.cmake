# The Debian package that ./dev package makes: what `cmake --install` installs.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME slackline)
set(CPACK_PACKAGE_VENDOR "The Slackline maintainers")
set(CPACK_PACKAGE_CONTACT "The Slackline maintainers <slackline@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "performance analysis and latency tolerance of MPI programs")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Analyses one recorded run of an MPI program: where the time goes, what\nlimits the run, and at which network latency it becomes slower. With\nrecorders for Open MPI and MPICH, man pages, and a Python module.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "openmpi-bin | mpich, python3-numpy, python3-pandas")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
  ${CMAKE_SOURCE_DIR}/packaging/debian/postinst ${CMAKE_SOURCE_DIR}/packaging/debian/prerm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_SLACKLINE_FILES ${CMAKE_SOURCE_DIR}/packaging/debian)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/package_files.cmake)
set(CPACK_STRIP_FILES ON)
# The recorders and the demonstration are there for both MPIs, of which one is enough: the package
# depends on what the program itself is linked to.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)
set(CPACK_SLACKLINE_PROGRAM ${CMAKE_BINARY_DIR}/slackline)
if(TARGET slackline_python)
  set(CPACK_SLACKLINE_PYTHON ${PYTHON_EXECUTABLE})
endif()
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/package_dependencies.cmake)
include(CPack)
