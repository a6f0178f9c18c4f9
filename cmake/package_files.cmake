# Run by CPack before the Debian package is packed: adds what only Debian's packages have, and compresses man pages.

set(root ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
file(GLOB pages ${root}/man/man1/*.1)
foreach(page ${pages})
  execute_process(COMMAND gzip -9nf ${page} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(COPY ${CPACK_SLACKLINE_FILES}/copyright DESTINATION ${root}/doc/slackline)
configure_file(${CPACK_SLACKLINE_FILES}/lintian-overrides ${root}/lintian/overrides/slackline COPYONLY)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(changelog ${root}/doc/slackline/changelog)
file(WRITE ${changelog}
  "slackline (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n"
  "  * Release ${CPACK_PACKAGE_VERSION}: /usr/share/doc/slackline/CHANGELOG.md has its changes.\n\n"
  " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
execute_process(COMMAND gzip -9nf ${changelog} COMMAND_ERROR_IS_FATAL ANY)
