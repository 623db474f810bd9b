# What other projects may link, as pmtwin::<name>: with add_subdirectory, and after `cmake --install <build> --prefix <folder>`
# with find_package(pmtwin). docs/middleware.md shows both.
#   pmtwin_library(<target> <name>)  is one of them: gives it its name, its include folder and its place in the installation
include(GNUInstallDirs)
set(pmtwin_package "${CMAKE_INSTALL_LIBDIR}/cmake/pmtwin")

function(pmtwin_library target name)
  add_library(pmtwin::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
                                              "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/pmtwin>")
  if(PROJECT_IS_TOP_LEVEL)  # below another project, installing is that one's affair
    install(TARGETS ${target} EXPORT pmtwin ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  endif()
endfunction()

# Once all libraries are known, and what they need.
function(pmtwin_install_package)
  if(NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()
  set_target_properties(pmtwin_options PROPERTIES EXPORT_NAME options)
  install(TARGETS pmtwin_options EXPORT pmtwin)
  install(EXPORT pmtwin NAMESPACE pmtwin:: DESTINATION "${pmtwin_package}" FILE pmtwinTargets.cmake)
  foreach(folder IN ITEMS middleware/core middleware/engines middleware/policy middleware/steering native/common)
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/pmtwin/${folder}"
            FILES_MATCHING PATTERN "*.h")
  endforeach()
  find_package(Pmemkv QUIET)
  get_target_property(links pmtwin_pools LINK_LIBRARIES)
  string(FIND "${links}" "TBB::tbb" with_onetbb)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/pmtwinConfig.cmake.in" "${PROJECT_BINARY_DIR}/pmtwinConfig.cmake" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/pmtwinConfig.cmake" "${PROJECT_SOURCE_DIR}/cmake/FindPmemkv.cmake"
          DESTINATION "${pmtwin_package}")
endfunction()
