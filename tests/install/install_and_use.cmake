# Installs BUILD_DIR into a prefix of its own, builds OUTSIDE_DIR against that, and runs it.
include("${CMAKE_CURRENT_LIST_DIR}/run_and_expect.cmake")

set(prefix "${WORK_DIR}/prefix")
set(flags "")
if(SANITIZE)
  # A library with sanitizers wants a program with them.
  set(flags "-fsanitize=address,undefined")
endif()
file(REMOVE_RECURSE "${WORK_DIR}")
run("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}")
run("${CMAKE_COMMAND}" -S "${OUTSIDE_DIR}" -B "${WORK_DIR}/build" -G "${GENERATOR}"
  "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}" "-DCMAKE_CXX_FLAGS=${flags}"
  "-DCMAKE_PREFIX_PATH=${prefix}")
run("${CMAKE_COMMAND}" --build "${WORK_DIR}/build")

run("${WORK_DIR}/build/outside")
expect("^min: optimal within 96000 bytes
least RAM: optimal within 96000 bytes
chip: optimal within 167120 bytes
with parameters: optimal within 304976 bytes
too little: infeasible within 0 bytes
optimal 6 J in 60 bytes
$")
foreach(file IN ITEMS bash-completion/completions/poet-solve zsh/site-functions/_poet-solve
    fish/vendor_completions.d/poet-solve.fish)
  file(READ "${prefix}/share/${file}" output)
  expect("Completion of poet-solve")
endforeach()
file(READ "${prefix}/share/poet/schemas/poet-schedule.schema.json" output)
expect("\"title\": \"poet-schedule\"")
file(READ "${prefix}/share/man/man1/poet-solve.1" output)
expect("TH POET")
run("${prefix}/share/doc/poet-solve/examples/slurm_sweep.sh" --help)
expect("Runs a sweep on a Slurm cluster")
run("${prefix}/bin/poet-solve" --version)
expect("^poet-solve [0-9]+\\.[0-9]+\\.[0-9]+\n$")
find_program(PYTHON python3)
if(PYTHON)
  run("${prefix}/bin/poet-solve" --model linear --platform m4 --ram-budget 3500 --runtime-budget 2
    --output "${WORK_DIR}/linear.json" --certify "${WORK_DIR}/linear.proof")
  run("${prefix}/bin/poet-check" "${WORK_DIR}/linear.proof" "${WORK_DIR}/linear.json")
  expect("^proven: [^\n]+\ndocument: [^\n]+ above the bound\n$")
endif()
file(REMOVE_RECURSE "${WORK_DIR}")
