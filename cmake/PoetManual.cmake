# poet_manual(<target>): whenever the program is linked, packaging/write_manual makes a manual page of each
# command from its --help, in POET_MANUAL_DIR, from where they are installed. Without help2man,
# and in a cross build, which cannot run the program, there are no manual pages. Belongs to the folder of the target.
set(POET_MANUAL_DIR "${PROJECT_BINARY_DIR}/manual")
find_program(HELP2MAN help2man)

function(poet_manual target)
  if(NOT HELP2MAN OR CMAKE_CROSSCOMPILING)
    message(STATUS "No help2man (Debian: help2man), or a cross build: there are no manual pages")
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/packaging/*")
  set_property(TARGET "${target}" APPEND PROPERTY LINK_DEPENDS ${sources})
  add_custom_command(TARGET "${target}" POST_BUILD
    COMMAND "${PROJECT_SOURCE_DIR}/packaging/write_manual" "$<TARGET_FILE:${target}>" "${PROJECT_VERSION}"
      "${HELP2MAN}" "${POET_MANUAL_DIR}"
    BYPRODUCTS "${POET_MANUAL_DIR}/poet-solve.1"
    COMMENT "Writing the manual pages" VERBATIM)
endfunction()
