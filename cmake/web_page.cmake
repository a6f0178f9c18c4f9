# The report's page: web/ built into one HTML file by Vite, and that file made part of the program.

# slackline_web_page(out.cc): out.cc defines slackline::embedded_page() (report/page.h). The page is
# built again when something under web/ changed. Without npm a page that `npm run build` has left in
# web/dist is taken, and so is that of a release (`./dev dist`), which has no .git.
function(slackline_web_page out)
  set(tools ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  cmake_path(GET tools PARENT_PATH root)
  set(web ${root}/web)
  find_program(SLACKLINE_NPM npm)
  find_program(SLACKLINE_NODE node)
  if(EXISTS ${web}/dist/index.html AND NOT EXISTS ${root}/.git)
    set(page ${web}/dist/index.html)
  elseif(SLACKLINE_NPM AND SLACKLINE_NODE)
    slackline_check_node()
    set(page ${CMAKE_CURRENT_BINARY_DIR}/web/index.html)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${web}/src/* ${web}/build/*)
    add_custom_command(
      OUTPUT ${page}
      COMMAND bash ${tools}/build_web_page.sh ${web} ${CMAKE_CURRENT_BINARY_DIR}/web
      DEPENDS ${sources} ${web}/index.html ${web}/package.json ${web}/package-lock.json
              ${web}/vite.config.ts ${tools}/build_web_page.sh
      COMMENT "Building the report's web page"
      VERBATIM)
  elseif(EXISTS ${web}/dist/index.html)
    message(STATUS "npm is not here: taking the web page that lies in web/dist")
    set(page ${web}/dist/index.html)
  else()
    message(FATAL_ERROR
      "Cannot build the report's web page (node and npm are missing). "
      "Run ./dev setup, or install the packages nodejs and npm.")
  endif()
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DIN=${page} -DOUT=${out} -P ${tools}/embed_page.cmake
    DEPENDS ${page} ${tools}/embed_page.cmake
    COMMENT "Embedding the report's web page"
    VERBATIM)
endfunction()

function(slackline_check_node)
  execute_process(COMMAND ${SLACKLINE_NODE} --version OUTPUT_VARIABLE version
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX REPLACE "^v" "" version "${version}")
  if(version VERSION_LESS 18)
    message(FATAL_ERROR
      "Cannot build the report's web page (node ${version} is too old, 18 is needed). "
      "Run ./dev setup, or point SLACKLINE_NODE and SLACKLINE_NPM to a newer one.")
  endif()
endfunction()
