# The page of reports and replays: viewer/ bundled into one file, which becomes part of the command line.

find_program(LIGAMENT_NPM npm)
find_program(LIGAMENT_NODE NAMES node nodejs)
mark_as_advanced(LIGAMENT_NPM LIGAMENT_NODE)
if(LIGAMENT_NPM AND LIGAMENT_NODE)
  set(has_npm ON)
else()
  set(has_npm OFF)
endif()
option(LIGAMENT_BUILD_VIEWER "Make the page of .html files; needs npm" ${has_npm})

# ligament_add_page(<target> <source>)
#
# Makes the page before <source> of <target> is compiled, which takes it in as report_page.html. Without npm, or where
# it fails (it may have to download), that file is empty: the program is built all the same and says so when it is asked
# for a page.
function(ligament_add_page target source)
  set(folder ${PROJECT_BINARY_DIR}/viewer)
  set(page ${folder}/out/report_page.html)
  if(LIGAMENT_BUILD_VIEWER AND NOT has_npm)
    message(WARNING "LIGAMENT_BUILD_VIEWER is on, but npm or node was not found: .html files cannot be written. "
                    "Install nodejs and npm, delete CMakeCache.txt and configure again.")
  elseif(NOT LIGAMENT_BUILD_VIEWER)
    message(STATUS "No page for .html files: npm was not found, or LIGAMENT_BUILD_VIEWER is off")
  endif()

  set(inputs "")
  if(LIGAMENT_BUILD_VIEWER AND has_npm)
    file(GLOB_RECURSE inputs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/viewer/src/* ${PROJECT_SOURCE_DIR}/viewer/*.mjs
         ${PROJECT_SOURCE_DIR}/viewer/*.json)
    list(FILTER inputs EXCLUDE REGEX "/(node_modules|dist|test)/")
  endif()
  set(script ${PROJECT_SOURCE_DIR}/cmake/make_page.cmake)
  add_custom_command(
    OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -D NPM=${LIGAMENT_NPM} -D NODE=${LIGAMENT_NODE} -D SOURCE=${PROJECT_SOURCE_DIR}/viewer
            -D "INPUTS=${inputs}" -D FOLDER=${folder} -D PAGE=${page} -P ${script}
    DEPENDS ${inputs} ${script}
    COMMENT "Making the page of reports"
    VERBATIM)
  target_sources(${target} PRIVATE ${page})
  set_source_files_properties(${page} PROPERTIES HEADER_FILE_ONLY ON)
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${page} COMPILE_OPTIONS "-Wa,-I,${folder}/out")
endfunction()
