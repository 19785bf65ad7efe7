# The page of reports and replays: viewer/ bundled into one file, which becomes part of the command line.

option(LIGAMENT_BUILD_VIEWER "Make the page of .html files, where there is npm" ON)
find_program(LIGAMENT_NPM npm)
find_program(LIGAMENT_NODE NAMES node nodejs)
mark_as_advanced(LIGAMENT_NPM LIGAMENT_NODE)

# ligament_add_page(<target> <source>)
#
# Makes the page before <source> of <target> is compiled, which takes it in as report_page.html. Without npm, or where
# it fails (it may have to download), that file is empty: the program is built all the same and says so when it is asked
# for a page.
function(ligament_add_page target source)
  set(folder ${PROJECT_BINARY_DIR}/viewer)
  set(page ${folder}/out/report_page.html)
  set(inputs "")
  if(NOT LIGAMENT_BUILD_VIEWER)
    message(STATUS "LIGAMENT_BUILD_VIEWER is off: ligament will not write .html files")
  elseif(NOT LIGAMENT_NPM OR NOT LIGAMENT_NODE)
    message(STATUS "npm was not found: ligament will not write .html files (packages nodejs and npm)")
  else()
    file(GLOB_RECURSE inputs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/viewer/src/*)
    file(GLOB settings CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/viewer/*.mjs ${PROJECT_SOURCE_DIR}/viewer/*.json)
    list(APPEND inputs ${settings})
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
