# Run by cpack on the files of a package, before it is made: Debian wants manual pages and changelogs
# compressed, and without times in them.
file(GLOB_RECURSE files "${CPACK_TEMPORARY_DIRECTORY}/poet-solve.1"
  "${CPACK_TEMPORARY_DIRECTORY}/changelog")
list(LENGTH files count)
if(NOT count EQUAL 2)
  message(FATAL_ERROR "found '${files}' to compress; expected a manual page and a changelog")
endif()
execute_process(COMMAND gzip -9n ${files} COMMAND_ERROR_IS_FATAL ANY)
