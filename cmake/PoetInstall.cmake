# `cmake --install` puts the program, the library and a CMake package (`find_package(poet)`) in
# place. The component `program` is what a package for users holds.
include(CMakePackageConfigHelpers)

set(POET_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/poet")

# The program.
install(TARGETS poet-solve RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
# The checker of certificates, which is Python and shares no code with the program.
install(PROGRAMS "${PROJECT_SOURCE_DIR}/python/poet_check.py" RENAME poet-check
  DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/models" "${PROJECT_SOURCE_DIR}/platforms"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/poet" COMPONENT program FILES_MATCHING PATTERN "*.json")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/schemas"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/poet" COMPONENT program FILES_MATCHING PATTERN "*.json")
# The scripts that docs/ci.md, docs/sweeps.md and docs/training-memory.md show.
set(POET_EXAMPLES_DIR "${CMAKE_INSTALL_DATADIR}/doc/poet-solve/examples")
install(PROGRAMS "${PROJECT_SOURCE_DIR}/scripts/examples/check_energy.sh"
  "${PROJECT_SOURCE_DIR}/scripts/examples/slurm_sweep.sh"
  "${PROJECT_SOURCE_DIR}/scripts/examples/training_memory_models.py"
  DESTINATION "${POET_EXAMPLES_DIR}" COMPONENT program)
# What docs/tutorial.md needs.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/examples/tutorial"
  "${PROJECT_SOURCE_DIR}/docs/examples/cortex-m4"
  DESTINATION "${POET_EXAMPLES_DIR}" COMPONENT program USE_SOURCE_PERMISSIONS
  PATTERN "build" EXCLUDE PATTERN "__pycache__" EXCLUDE)
install(FILES "${PROJECT_SOURCE_DIR}/scripts/examples/energy.yml"
  DESTINATION "${POET_EXAMPLES_DIR}" COMPONENT program)
if(NOT CMAKE_CROSSCOMPILING)
  install(FILES "${POET_COMPLETIONS_DIR}/poet-solve.bash" RENAME poet-solve
    DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" COMPONENT program)
  install(FILES "${POET_COMPLETIONS_DIR}/_poet-solve"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" COMPONENT program)
  install(FILES "${POET_COMPLETIONS_DIR}/poet-solve.fish"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" COMPONENT program)
endif()
if(HELP2MAN AND NOT CMAKE_CROSSCOMPILING)
  install(DIRECTORY "${POET_MANUAL_DIR}/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1"
    COMPONENT program FILES_MATCHING PATTERN "*.1")
endif()

# The library.
install(TARGETS poet_base poet_core poet_formats poet_pictures poet_all EXPORT poet-targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/poet" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.hpp")
install(FILES "${PROJECT_BINARY_DIR}/include/poet/version.hpp"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/poet")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/README.md"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}")

install(EXPORT poet-targets NAMESPACE poet:: DESTINATION "${POET_PACKAGE_DIR}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/poet-config.cmake.in"
  "${PROJECT_BINARY_DIR}/poet-config.cmake" INSTALL_DESTINATION "${POET_PACKAGE_DIR}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/poet-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/poet-config.cmake"
  "${PROJECT_BINARY_DIR}/poet-config-version.cmake" DESTINATION "${POET_PACKAGE_DIR}")
