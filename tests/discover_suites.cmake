# Included by ctest. Registers the suites of `program`, each as one test: a program takes longer to start than most of its
# tests take, and a suite shares what it has set up. The list is made anew when the program is.
if(NOT EXISTS "${program}")
  add_test("${name}_NOT_BUILT" "${name}_NOT_BUILT")
  return()
endif()

if("${program}" IS_NEWER_THAN "${list}")
  execute_process(COMMAND "${program}" --gtest_list_tests
    OUTPUT_VARIABLE output RESULT_VARIABLE status TIMEOUT 60)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${program} --gtest_list_tests: found status ${status}, expected 0:\n${output}")
  endif()
  # Tests are indented, and suites are not; a value of a parameter may hold anything.
  string(REGEX MATCHALL "(^|\n)[A-Za-z0-9_/]+[.]" suites "${output}")
  string(REGEX REPLACE "[\n.]" "" suites "${suites}")
  file(WRITE "${list}" "${suites}")
endif()

file(READ "${list}" suites)
# A long run of random cases takes as long as somebody wants.
if(DEFINED ENV{POET_CASES})
  set(timeout 1000000)
endif()
foreach(suite IN LISTS suites)
  add_test("${suite}" "${program}" "--gtest_filter=${suite}.*")
  # A suite is skipped if every one of its tests is: nothing follows their list then.
  set_tests_properties("${suite}" PROPERTIES TIMEOUT ${timeout} RUN_SERIAL ${serial} LABELS "${labels}"
    WORKING_DIRECTORY "${folder}"
    SKIP_REGULAR_EXPRESSION "PASSED  . 0 tests[.]\n.  SKIPPED . [0-9]+ tests?, listed below:(\n.  SKIPPED . [^\n]*)+\n*$")
endforeach()
