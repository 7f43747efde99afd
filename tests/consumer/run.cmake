# Installs the library, then builds and runs a user's project against the CMake package and against webnn.pc.
#   cmake -DBUILD=<build folder> -DSOURCE=<tests/consumer> -DCC=<compiler> -DFLAGS=<sanitizers> -P run.cmake
set(prefix "${BUILD}/consumer/prefix")
file(REMOVE_RECURSE "${BUILD}/consumer")

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE failed OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(failed)
    message(FATAL_ERROR "${ARGV}\n${out}")
  endif()
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD}" --component library --prefix "${prefix}")
run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${BUILD}/consumer/build" "-DCMAKE_PREFIX_PATH=${prefix}"
  "-DCMAKE_C_FLAGS=${FLAGS}" "-DCMAKE_CXX_FLAGS=${FLAGS}")
run("${CMAKE_COMMAND}" --build "${BUILD}/consumer/build")
run("${BUILD}/consumer/build/consumer_c")
run("${BUILD}/consumer/build/consumer_cxx")

find_program(pkg_config NAMES pkg-config pkgconf)
if(NOT pkg_config)
  message(STATUS "pkg-config is missing: webnn.pc was not tried")
  return()
endif()
file(GLOB pc "${prefix}/lib*/pkgconfig/webnn.pc" "${prefix}/lib/*/pkgconfig/webnn.pc")
get_filename_component(pc_folder "${pc}" DIRECTORY)
execute_process(COMMAND "${CMAKE_COMMAND}" -E env "PKG_CONFIG_PATH=${pc_folder}" "${pkg_config}" --cflags --libs webnn
  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags)
separate_arguments(extra UNIX_COMMAND "${FLAGS}")
run("${CC}" -std=c11 ${extra} "${SOURCE}/main.c" ${flags} "-Wl,-rpath,${pc_folder}/.." -o "${BUILD}/consumer/by_pkg_config")
run("${BUILD}/consumer/by_pkg_config")
