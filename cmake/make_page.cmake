# Run by the build: copies the INPUTS of SOURCE to FOLDER, installs what they need there, and bundles them to PAGE. What
# fails is told, and leaves an empty page.

function(run what)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message("${output}")
    message("The page of .html files could not be made: ${what} failed. Everything else is built without it. "
            "To try again: delete ${PAGE} and build.")
    file(WRITE ${PAGE} "")
    set(failed ON PARENT_SCOPE)
  endif()
endfunction()

cmake_path(GET PAGE PARENT_PATH out)
file(MAKE_DIRECTORY ${out})
if(NOT INPUTS)
  file(WRITE ${PAGE} "")
  return()
endif()
# What is no longer there must not be bundled.
file(REMOVE_RECURSE ${FOLDER}/src)
foreach(input IN LISTS INPUTS)
  cmake_path(RELATIVE_PATH input BASE_DIRECTORY ${SOURCE} OUTPUT_VARIABLE name)
  cmake_path(GET name PARENT_PATH place)
  file(COPY ${input} DESTINATION ${FOLDER}/${place})
endforeach()

# Packages are installed when the list of them has changed, so that a build needs the network once.
set(stamp ${FOLDER}/installed)
file(SHA256 ${FOLDER}/package-lock.json wanted)
set(installed "")
if(EXISTS ${stamp})
  file(READ ${stamp} installed)
endif()
if(NOT installed STREQUAL wanted)
  run("npm ci" ${NPM} ci --ignore-scripts --prefer-offline --fetch-retries=1 --no-audit --no-fund)
  if(failed)
    return()
  endif()
  file(WRITE ${stamp} ${wanted})
endif()
run("node build.mjs" ${NODE} build.mjs ${PAGE})
