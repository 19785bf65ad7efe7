# Precompiled headers: more than half of the time of a cold build went into reading the same headers of the standard
# library and of the packages again for every file.
#
# In the library only headers from outside are precompiled: nothing of ours is rebuilt for more than it includes. Its users,
# the command line and the tests, read the public headers below anyway. A file still has to say what it includes, as
# g++ and clang-tidy (preset check) compile without.
#
# A precompiled file names its place, so ccache finds only what the same folder has compiled before. Several
# work trees that are to share one cache are configured with CMAKE_DISABLE_PRECOMPILE_HEADERS=ON.

# What nearly every file includes, itself or through our headers.
set(LIGAMENT_STANDARD_HEADERS
  <algorithm> <array> <bit> <charconv> <cmath> <cstddef> <cstdint> <cstdio> <cstdlib> <filesystem> <functional>
  <initializer_list> <limits> <map> <memory> <numbers> <numeric> <optional> <set> <span> <stdexcept> <string>
  <string_view> <system_error> <tuple> <type_traits> <unordered_map> <unordered_set> <utility> <variant> <vector>)

# What nearly every file of the command line and of the tests includes of the library.
set(LIGAMENT_USED_HEADERS <ligament/dynamics.h> <ligament/load.h> <ligament/simulation.h>)

# ligament_precompile(<target> <header>...)
#
# Compiles the standard headers above and those given once, for all files of <target>.
function(ligament_precompile target)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_precompile_headers(${target} PRIVATE ${LIGAMENT_STANDARD_HEADERS} ${ARGN})
    # A time in the precompiled file would make it, and all objects that ccache has kept, another every time.
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# ligament_reuse_precompiled(<target> <owner>)
#
# Uses what was precompiled for <owner>, whose compiler options have to be those of <target>.
function(ligament_reuse_precompiled target owner)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_precompile_headers(${target} REUSE_FROM ${owner})
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()
