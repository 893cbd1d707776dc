# poet_completions(<target>): whenever the program is linked, completions/generate makes the completions
# of each shell from its --help, in POET_COMPLETIONS_DIR, from where they are installed. A cross build
# cannot run the program, and has none. Belongs to the folder of the target.
set(POET_COMPLETIONS_DIR "${PROJECT_BINARY_DIR}/completions")

function(poet_completions target)
  if(CMAKE_CROSSCOMPILING)
    message(STATUS "A cross build: there are no completions")
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/completions/*")
  set_property(TARGET "${target}" APPEND PROPERTY LINK_DEPENDS ${sources})
  add_custom_command(TARGET "${target}" POST_BUILD
    COMMAND "${PROJECT_SOURCE_DIR}/completions/generate" "$<TARGET_FILE:${target}>" "${POET_COMPLETIONS_DIR}"
    BYPRODUCTS "${POET_COMPLETIONS_DIR}/poet-solve.bash" "${POET_COMPLETIONS_DIR}/_poet-solve"
      "${POET_COMPLETIONS_DIR}/poet-solve.fish"
    COMMENT "Writing the completions" VERBATIM)
endfunction()
