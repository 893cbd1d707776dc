# poet_embed(<target> <symbol> <files...>) compiles text files into <target> as the function
#   std::span<const poet::EmbeddedFile> poet::<symbol>();
# which a header of the target declares. A changed file rebuilds the one generated source.
function(poet_embed target symbol)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${symbol}.cpp")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${output}" "-DSYMBOL=${symbol}" "-DFILES=${ARGN}"
      -P "${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake"
    DEPENDS ${ARGN} "${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake"
    COMMENT "Embedding ${symbol}" VERBATIM)
  target_sources(${target} PRIVATE "${output}")
endfunction()
