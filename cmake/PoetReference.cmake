# poet_reference(<target>): whenever the program is linked, it writes what it says of itself, the
# completions of shells and the manual page, into POET_REFERENCE_DIR, from where they are installed.
# Belongs to the folder of the target.
set(POET_REFERENCE_DIR "${PROJECT_BINARY_DIR}/reference")

function(poet_reference target)
  set(write)
  set(written)
  foreach(shell IN ITEMS bash zsh fish)
    list(APPEND write COMMAND "${target}" --completion ${shell}
      --output "${POET_REFERENCE_DIR}/poet-solve.${shell}")
    list(APPEND written "${POET_REFERENCE_DIR}/poet-solve.${shell}")
  endforeach()
  list(APPEND write COMMAND "${target}" --man --output "${POET_REFERENCE_DIR}/poet-solve.1")
  list(APPEND written "${POET_REFERENCE_DIR}/poet-solve.1")
  add_custom_command(TARGET "${target}" POST_BUILD
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${POET_REFERENCE_DIR}" ${write}
    BYPRODUCTS ${written} COMMENT "Writing completions and the manual page" VERBATIM)
endfunction()
