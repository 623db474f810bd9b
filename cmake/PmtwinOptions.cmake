# How all native code of the project is compiled: link `pmtwin::options` into every target. What a user's own target
# needs comes with it (C++20, a sanitizer); warnings are for this folder and those below, whoever includes it.
#   PMTWIN_SANITIZE            empty, `address,undefined` or `thread`
#   PMTWIN_TOGETHER            on in the presets `native` and `asan`: see pmtwin_compile_together
#   PMTWIN_WARNINGS_AS_ERRORS  on with GCC 12, which the project is developed with; off elsewhere and below another
#                              project, since a new warning of another compiler is no reason not to build

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # the Python binding is a shared library
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(errors_by_default OFF)
if(PROJECT_IS_TOP_LEVEL AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^12\\.")
  set(errors_by_default ON)
endif()
option(PMTWIN_WARNINGS_AS_ERRORS "Refuse code with warnings" ${errors_by_default})
option(PMTWIN_TOGETHER "Compile files of a library together, where that is faster" OFF)
set(PMTWIN_SANITIZE "" CACHE STRING "address,undefined or thread; empty: none")
set_property(CACHE PMTWIN_SANITIZE PROPERTY STRINGS "" "address,undefined" "thread")

add_library(pmtwin_options INTERFACE)
add_library(pmtwin::options ALIAS pmtwin_options)
target_compile_features(pmtwin_options INTERFACE cxx_std_20)
add_compile_options(-Wall -Wextra -Wpedantic)
if(PMTWIN_WARNINGS_AS_ERRORS)
  add_compile_options(-Werror)
endif()

if(PMTWIN_SANITIZE)
  if(NOT PMTWIN_SANITIZE MATCHES "^(address,undefined|thread)$")
    message(FATAL_ERROR "PMTWIN_SANITIZE=${PMTWIN_SANITIZE}: allowed are address,undefined and thread")
  endif()
  # A finding ends the test: UBSan alone would only print it.
  set(sanitizer_flags -fsanitize=${PMTWIN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # GCC takes instrumented optionals for uninitialised (its manual warns of that); the plain build still refuses them.
  add_compile_options(-Wno-error=maybe-uninitialized)
  target_compile_options(pmtwin_options INTERFACE ${sanitizer_flags})
  target_link_options(pmtwin_options INTERFACE ${sanitizer_flags})
  target_compile_definitions(pmtwin_options INTERFACE PMTWIN_SANITIZED)
endif()

# pmtwin_leave_out(<part> <reason>): says what is not built; scripts/make-native shows these lines to the user.
function(pmtwin_leave_out part reason)
  message(NOTICE "left out: ${part}: ${reason}")
endfunction()

# pmtwin_compile_together(<target>...): compiles the files of each some at a time, in half the time. They must then not use
# one name for two things, not even in anonymous namespaces. With PMTWIN_TOGETHER off each file is compiled by itself, so
# that one which lacks an #include is found.
function(pmtwin_compile_together)
  foreach(target IN LISTS ARGN)
    if(PMTWIN_TOGETHER AND TARGET ${target})
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 4)
    endif()
  endforeach()
endfunction()
