# Installing: the library with its headers, a package for find_package(ligament), ligament.pc, the command line with
# its completion for bash and the shipped scenes.

include(CMakePackageConfigHelpers)

install(TARGETS ligament EXPORT ligamentTargets FILE_SET HEADERS)
if(TARGET ligament_app)
  install(TARGETS ligament_app)
  # The program tells it by itself.
  install(CODE "execute_process(COMMAND \"$<TARGET_FILE:ligament_app>\" completion bash
    OUTPUT_FILE \"${PROJECT_BINARY_DIR}/ligament.bash\" COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES ${PROJECT_BINARY_DIR}/ligament.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          RENAME ligament)
  # Where `ligament gallery` looks for them, seen from the program.
  install(DIRECTORY scenes/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ligament/scenes
          FILES_MATCHING PATTERN "*.xml" PATTERN "*.urdf" PATTERN "*.json" PATTERN "*.csv" PATTERN "*.bvh"
          PATTERN __pycache__ EXCLUDE)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ligament)
install(EXPORT ligamentTargets NAMESPACE ligament:: DESTINATION ${package_dir})

# A static library leaves its own dependencies to be linked by whoever links it.
set(LIGAMENT_FIND_DEPENDENCIES "")
if(NOT BUILD_SHARED_LIBS)
  set(LIGAMENT_FIND_DEPENDENCIES "find_dependency(pugixml)\nfind_dependency(fmt)\nfind_dependency(PNG)\nfind_dependency(ZLIB)\nfind_dependency(Threads)")
endif()
configure_package_config_file(cmake/ligamentConfig.cmake.in ligamentConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(ligamentConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ligamentConfig.cmake ${PROJECT_BINARY_DIR}/ligamentConfigVersion.cmake
        DESTINATION ${package_dir})

# The prefix is told relative to the file, so that an installed tree may be moved.
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE pc_dir)
cmake_path(APPEND pc_dir pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${pc_dir} OUTPUT_VARIABLE PC_PREFIX_FROM_FILE)
foreach(dir IN ITEMS LIBDIR INCLUDEDIR)
  set(PC_${dir} "\${prefix}")
  cmake_path(APPEND PC_${dir} ${CMAKE_INSTALL_${dir}})
endforeach()
configure_file(cmake/ligament.pc.in ligament.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ligament.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
