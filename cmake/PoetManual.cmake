# poet_manual(<target>): whenever the program is linked, help2man makes a manual page of each
# command from its --help, into POET_MANUAL_DIR, from where they are installed. Without help2man,
# and in a cross build, which cannot run the program, there are no manual pages. Belongs to the folder of the target.
set(POET_MANUAL_DIR "${PROJECT_BINARY_DIR}/manual")
find_program(HELP2MAN help2man)

function(poet_manual target)
  if(NOT HELP2MAN OR CMAKE_CROSSCOMPILING)
    message(STATUS "No help2man (Debian: help2man), or a cross build: there are no manual pages")
    return()
  endif()
  set(write)
  set(written)
  foreach(command IN ITEMS solve import import-solution info verify plot simulate place certify run export fit sweep baselines compare)
    set(page "poet-solve-${command}")
    set(call "$<TARGET_FILE:${target}> ${command}")
    set(title "the command '${command}' of poet-solve")
    if(command STREQUAL "solve")
      set(page "poet-solve")
      set(call "$<TARGET_FILE:${target}>")
      set(title "energy-optimal training schedules under a RAM budget, with a proven bound")
    endif()
    list(APPEND write COMMAND "${HELP2MAN}" --no-info "--name=${title}"
      "--version-string=${PROJECT_VERSION}"
      "--include=${PROJECT_SOURCE_DIR}/packaging/manual.h2m"
      "--output=${POET_MANUAL_DIR}/${page}.1" "${call}")
    list(APPEND written "${POET_MANUAL_DIR}/${page}.1")
  endforeach()
  add_custom_command(TARGET "${target}" POST_BUILD
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${POET_MANUAL_DIR}" ${write}
    BYPRODUCTS ${written} COMMENT "Writing the manual pages" VERBATIM)
endfunction()
