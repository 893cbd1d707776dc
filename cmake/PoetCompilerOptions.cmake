# poet_precompile(<target> <headers...>): lets g++ read what nearly every file includes once for all targets
# of src, as the first of them does it. A target that lists headers reads all of them itself; that is for
# builds in which it has many texts. clang++ goes without, and so finds a file that does not include what it
# uses. Do not list a header-only library whose code is not made of templates: it would be compiled into
# every file. -fpch-preprocess is for ccache.
function(poet_precompile target)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  target_compile_options(${target} PRIVATE -fpch-preprocess)
  if(target STREQUAL poet_base OR (ARGN AND NOT CMAKE_UNITY_BUILD))
    target_precompile_headers(${target} PRIVATE <algorithm> <functional> <map> <optional> <string>
      <vector> <fmt/format.h> ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM poet_base)
  endif()
endfunction()

# poet_compile_quickly(<target>...): for layers that read, write and draw. They take milliseconds of a run,
# and full optimisation is a third of the time of their compilation.
function(poet_compile_quickly)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endforeach()
endfunction()

# lld links a test program with sanitizers in a fraction of the time of ld. It is welcome, but not needed.
find_program(POET_LLD ld.lld)
mark_as_advanced(POET_LLD)
if(POET_SANITIZE AND POET_LLD)
  add_link_options(-fuse-ld=lld)
endif()

# Warnings, sanitizers and coverage for our own targets; nothing here reaches a project that embeds the
# library. Coverage and the feedback for libFuzzer are compiled into src only: they are about src, and
# tests build sooner without them.
function(poet_compiler_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    -Wno-sign-conversion -Wold-style-cast -Wnon-virtual-dtor
    -Wno-missing-field-initializers)  # designated initialisers leave out what has a default
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 wrongly reports strings in a std::optional when it optimises; the sanitizers find real cases.
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized -Wno-restrict)
  endif()
  if(POET_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(POET_SANITIZE)
    target_compile_definitions(${target} PRIVATE POET_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined
      -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  endif()
  get_target_property(folder ${target} SOURCE_DIR)
  set(src "${PROJECT_SOURCE_DIR}/src")
  cmake_path(IS_PREFIX src "${folder}" NORMALIZE in_src)
  set(tests "${PROJECT_SOURCE_DIR}/tests")
  cmake_path(IS_PREFIX tests "${folder}" NORMALIZE in_tests)
  if(POET_SANITIZE AND in_tests)
    # Tests look for undefined behaviour in what they call, kernels among it. In themselves they look for wrong
    # addresses alone: all else takes a third of the time of their compilation.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=undefined>)
  endif()
  if(POET_COVERAGE AND in_src)
    # Counts live in files that processes share and map (%c, %m), so that a child process that is
    # killed, or ends by _exit, leaves its counts behind.
    target_compile_options(${target} PRIVATE -fcoverage-mapping
      "-fprofile-instr-generate=${PROJECT_BINARY_DIR}/profiles/%c%m.profraw"
      "SHELL:-mllvm -runtime-counter-relocation=true")
    target_link_options(${target} PUBLIC -fprofile-instr-generate)
  endif()
  if(POET_BUILD_FUZZERS AND in_src)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link
      "-fsanitize-coverage-ignorelist=${PROJECT_SOURCE_DIR}/cmake/without_feedback.txt")
  endif()
endfunction()

# poet_unite_folders(<target>...): a unity build makes one text of each folder of src with its subfolders,
# so that their headers and templates are compiled once. The solver and the formats are too large for that:
# each of their subfolders is a text. The text includes .cpp files, as nothing else may. Generated files stay
# apart. Clang's static analyser follows paths through an included .cpp file only if the name of what
# includes it contains "UnifiedSource".
function(poet_unite_folders)
  foreach(target IN LISTS ARGN)
    set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP
      UNITY_BUILD_CODE_BEFORE_INCLUDE "// NOLINTNEXTLINE(bugprone-suspicious-include)")
    get_target_property(base ${target} SOURCE_DIR)
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${base}")
      cmake_path(GET source PARENT_PATH folder)
      cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}/src")
      if(NOT folder MATCHES "^\\.\\.")
        if(NOT folder MATCHES "^(formats|solver)/")
          string(REGEX REPLACE "/.*" "" folder "${folder}")
        endif()
        string(REPLACE "/" "_" group "${folder}")
        set_source_files_properties("${source}" TARGET_DIRECTORY ${target}
          PROPERTIES UNITY_GROUP "UnifiedSource_${group}")
      endif()
    endforeach()
  endforeach()
endfunction()
