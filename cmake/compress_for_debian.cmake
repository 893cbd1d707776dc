# Run by cpack on the files of a package, before it is made: Debian wants manual pages and changelogs
# compressed, and without times in them.
file(GLOB_RECURSE files "${CPACK_TEMPORARY_DIRECTORY}/poet-solve*.1"
  "${CPACK_TEMPORARY_DIRECTORY}/changelog")
if(NOT files MATCHES "poet-solve.1" OR NOT files MATCHES "changelog")
  message(FATAL_ERROR "found '${files}' to compress; expected manual pages and a changelog")
endif()
execute_process(COMMAND gzip -9n ${files} COMMAND_ERROR_IS_FATAL ANY)
