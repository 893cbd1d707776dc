# Warnings, sanitizers and coverage for our own targets; nothing here reaches a project that embeds the library.
function(poet_compiler_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    -Wno-sign-conversion -Wold-style-cast -Wnon-virtual-dtor
    -Wno-missing-field-initializers)  # designated initialisers leave out what has a default
  if(POET_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(POET_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined
      -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  endif()
  if(POET_COVERAGE)
    target_compile_options(${target} PRIVATE --coverage)
    # A child process ends by _exit, which would leave its counts behind.
    target_link_options(${target} PUBLIC --coverage -Wl,--wrap=_exit)
    target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/exit_with_counts.cpp")
  endif()
  if(POET_BUILD_FUZZERS)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()
