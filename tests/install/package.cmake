# Makes the Debian package of BUILD_DIR in WORK_DIR and looks into it.
include("${CMAKE_CURRENT_LIST_DIR}/run_and_expect.cmake")

file(REMOVE_RECURSE "${WORK_DIR}")
run("${CPACK}" --config "${BUILD_DIR}/CPackConfig.cmake" -B "${WORK_DIR}")
file(GLOB package "${WORK_DIR}/poet-solve_*.deb")

run("${DPKG_DEB}" --info "${package}")
foreach(field IN ITEMS "Package: poet-solve" "Section: science" "Maintainer: [^\n]+ <[^\n]+>"
    "Depends: [^\n]*coinor-libcbc3[^\n]*libc6 " "Description: energy-optimal[^\n]*\n  Training"
    "Depends: [^\n]*libzip4" "Recommends: python3 " "Suggests: graphviz")
  expect("\n ${field}")
endforeach()

run("${DPKG_DEB}" --contents "${package}")
foreach(file IN ITEMS bin/poet-solve share/man/man1/poet-solve.1.gz
    share/bash-completion/completions/poet-solve share/zsh/site-functions/_poet-solve
    share/fish/vendor_completions.d/poet-solve.fish share/poet/models/linear.json
    share/poet/platforms/m4.json
    share/poet/schemas/poet-model.schema.json share/doc/poet-solve/copyright
    share/doc/poet-solve/changelog.gz share/doc/poet-solve/docs/ci.md
    share/doc/poet-solve/examples/energy.yml)
  expect("[.]/usr/${file}\n")
endforeach()
expect("\n-rwxr-xr-x [^\n]+[.]/usr/bin/poet-check\n")
foreach(script IN ITEMS check_energy slurm_sweep)
  expect("\n-rwxr-xr-x [^\n]+[.]/usr/share/doc/poet-solve/examples/${script}[.]sh\n")
endforeach()
if(output MATCHES "/usr/(include|lib)/" OR output MATCHES "[.]/(home|tmp|root|build)")
  message(FATAL_ERROR "the package has more than the program:\n${output}")
endif()
file(REMOVE_RECURSE "${WORK_DIR}")
