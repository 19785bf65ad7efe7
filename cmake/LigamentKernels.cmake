# ligament_add_kernels(<target> [<source>...])
#
# Compiles each source once per instruction set and adds the objects to <target>, which chooses among them at run
# time. A kernel sees which one it is built for as LIG_ISA (a name, to be used as a namespace) and as
# LIG_ISA_BASELINE, LIG_ISA_AVX2 or LIG_ISA_AVX512. <target> itself sees LIG_HAVE_X86_ISAS when there is more than
# the baseline.
#
# A kernel must not leave weak symbols (inline functions, template instances) in its objects: the linker keeps one
# of several equal names, and if that is the AVX one, code for older processors runs it. The objects are listed in
# kernel_objects.txt of the build folder, where a test looks for such symbols.

function(ligament_add_kernels target)
  set(isas baseline)
  # No -mfma: results are the same bits on every instruction set.
  set(flags_baseline "")
  set(flags_avx2 -mavx2)
  set(flags_avx512 -mavx512f -mavx512dq -mavx512vl -mavx2)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
    list(APPEND isas avx2 avx512)
    target_compile_definitions(${target} PRIVATE LIG_HAVE_X86_ISAS=1)
  endif()

  set(checked_objects "")
  if(ARGN)
    get_target_property(target_type ${target} TYPE)
    foreach(isa IN LISTS isas)
      set(objects ${target}_kernels_${isa})
      string(TOUPPER ${isa} ISA)
      add_library(${objects} OBJECT ${ARGN})
      target_include_directories(${objects} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
      target_compile_definitions(${objects} PRIVATE
        $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS> LIG_ISA=${isa} LIG_ISA_${ISA}=1)
      # Packing unrelated numbers of one state into a register costs more than it saves (6 % of the time of a chain);
      # lanes are vectors already.
      target_compile_options(${objects} PRIVATE ${flags_${isa}} -fno-tree-slp-vectorize)
      # Kernels are long straight code on arrays that the callers have sized: with sanitizers they take minutes to
      # compile and find nothing that the checked callers do not.
      if(LIGAMENT_SANITIZE)
        target_compile_options(${objects} PRIVATE -fno-sanitize=all -O1)
      endif()
      if(target_type STREQUAL "SHARED_LIBRARY")
        set_target_properties(${objects} PROPERTIES POSITION_INDEPENDENT_CODE ON)
      endif()
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
      if(NOT isa STREQUAL "baseline")
        string(APPEND checked_objects "$<JOIN:$<TARGET_OBJECTS:${objects}>,\n>\n")
      endif()
    endforeach()
  endif()
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/kernel_objects.txt CONTENT "${checked_objects}")
endfunction()
