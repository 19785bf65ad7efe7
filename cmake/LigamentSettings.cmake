# How everything in this repository is compiled. Options are set on the directory, so they reach every target
# here and none of a project that includes this one or links the installed library.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_COMPILE_WARNING_AS_ERROR ${LIGAMENT_WERROR})

if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(LIGAMENT_CCACHE ccache)
  mark_as_advanced(LIGAMENT_CCACHE)
  if(LIGAMENT_CCACHE)
    # ccache wants to hear that precompiled headers may be kept: changed macros and the time of day are no concern of
    # those here.
    set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${LIGAMENT_CCACHE})
  endif()
endif()

# Results repeat: no contraction to fused multiply-add, which would depend on the instruction set and the
# compiler's mood; no fast-math; no -march=native. errno is never read, and without it sqrt is one instruction.
add_compile_options(-ffp-contract=off -fno-math-errno)

add_compile_options(-Wall -Wextra -Wno-psabi -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 19)
  add_compile_options(-Wno-missing-designated-field-initializers)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms of g++ 12: about "text" + std::string in the library's headers, and about the undefined values that
  # the AVX-512 intrinsics start from.
  add_compile_options(-Wno-restrict -Wno-uninitialized -Wno-maybe-uninitialized)
endif()

# clang inlines across functions of a shared library by default, g++ only when told that nobody replaces them.
if(BUILD_SHARED_LIBS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fno-semantic-interposition)
endif()

if(LIGAMENT_SANITIZE)
  add_compile_options(-fsanitize=${LIGAMENT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${LIGAMENT_SANITIZE})
endif()

if(LIGAMENT_BUILD_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "LIGAMENT_BUILD_FUZZ needs clang, whose libFuzzer drives the targets")
  endif()
  # Coverage, by which the fuzzer finds its way. The driver itself is linked by the targets only.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
