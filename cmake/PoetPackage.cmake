# `cpack` in the build folder makes a Debian package of the program; scripts/package does all of it.
# What the package depends on is found out from the program. Who embeds the library installs it with
# `cmake --install`.
set(POET_PACKAGE_MAINTAINER "The poet-solve authors <poet-solve@localhost>"
  CACHE STRING "Whom the Debian package names as its maintainer")

# What only a package needs. Of headers that are compiled in, the licences come along.
set(doc "${CMAKE_INSTALL_DATADIR}/doc/poet-solve")
install(FILES "${PROJECT_SOURCE_DIR}/packaging/copyright" "${PROJECT_SOURCE_DIR}/README.md"
  DESTINATION "${doc}" COMPONENT package EXCLUDE_FROM_ALL)
install(FILES "${PROJECT_SOURCE_DIR}/CHANGELOG.md" RENAME changelog
  DESTINATION "${doc}" COMPONENT package EXCLUDE_FROM_ALL)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs"
  DESTINATION "${doc}" COMPONENT package EXCLUDE_FROM_ALL)
foreach(library IN ITEMS libcli11-dev nlohmann-json3-dev)
  install(FILES "/usr/share/doc/${library}/copyright" RENAME "copyright.${library}"
    DESTINATION "${doc}" COMPONENT package EXCLUDE_FROM_ALL OPTIONAL)
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME poet-solve)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_CONTACT "${POET_PACKAGE_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "energy-optimal training schedules under a RAM budget")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Training a neural network keeps many intermediate results in RAM until the
backward pass has used them. poet-solve decides which of them to keep, which
to recompute and which to page out to flash and back, so that a training step
fits a given amount of RAM and a given time and needs the least energy. With
the schedule comes a proven bound on how far it can be from the optimum.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# For poet-check; poet-solve does without.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3 (>= 3.9)")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "graphviz, librsvg2-bin, parallel, slurm-client")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program package)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/compress_for_debian.cmake")
include(CPack)
