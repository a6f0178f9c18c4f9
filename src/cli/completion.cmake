# The completion scripts that the binary prints, installed where the shells look for them.
function(slackline_install_completion shell folder file)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/completion/${shell}/${file})
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/completion/${shell})
  add_custom_command(OUTPUT ${output} COMMAND slackline completion ${shell} > ${output}
    DEPENDS slackline VERBATIM)
  add_custom_target(completion_${shell} ALL DEPENDS ${output})
  install(FILES ${output} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
endfunction()

slackline_install_completion(bash bash-completion/completions slackline)
slackline_install_completion(zsh zsh/site-functions _slackline)
slackline_install_completion(fish fish/vendor_completions.d slackline.fish)
