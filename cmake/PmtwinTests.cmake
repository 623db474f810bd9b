# GoogleTest and CTest. Tests of a room live in tests/<room>/ and are declared by the room's own CMakeLists.txt:
#   pmtwin_add_test(<name> SOURCES <files> LIBRARIES <targets> [TIMEOUT <seconds>]
#                  [ENVIRONMENT <name=value>...])
# does nothing where GoogleTest is absent.

enable_testing()
find_package(GTest QUIET)
if(NOT GTest_FOUND)
  pmtwin_leave_out("the native tests" "no GoogleTest (Debian: libgtest-dev libgmock-dev)")
endif()
include(GoogleTest)

function(pmtwin_test_options target)
  target_link_libraries(${target} PRIVATE pmtwin::options GTest::gmock GTest::gtest GTest::gtest_main)
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1;-g1>)
endfunction()

# Half the time of a test's compilation is the headers' and the optimiser's. So the headers that most tests include are
# compiled once, and the tests themselves are optimised little; what they test is not touched. The headers belong to a
# program, since a library would be compiled otherwise (-fPIC instead of -fPIE).
if(GTest_FOUND)
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/test_headers.cpp" CONTENT "int main() {}\n")
  add_executable(pmtwin_test_headers EXCLUDE_FROM_ALL "${CMAKE_BINARY_DIR}/test_headers.cpp")
  target_precompile_headers(pmtwin_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h> <algorithm> <array> <atomic>
    <chrono> <condition_variable> <cstdint> <filesystem> <fstream> <functional> <future> <map> <memory> <mutex> <optional>
    <random> <set> <sstream> <stdexcept> <string> <thread> <utility> <vector>)
  pmtwin_test_options(pmtwin_test_headers)
endif()

function(pmtwin_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "TIMEOUT" "SOURCES;LIBRARIES;ENVIRONMENT")
  if(NOT GTest_FOUND)
    return()
  endif()
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 120)
  endif()
  add_executable(${name} ${test_SOURCES})
  target_link_libraries(${name} PRIVATE ${test_LIBRARIES})
  pmtwin_test_options(${name})
  target_precompile_headers(${name} REUSE_FROM pmtwin_test_headers)
  pmtwin_compile_together(${name})
  # Tests are found when they run, not when they are built: a build must not fail because a program cannot start.
  # The list of a sanitized program may take long on a busy machine; CTest's 5 s have not been enough.
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120 PROPERTIES TIMEOUT ${test_TIMEOUT}
                       ENVIRONMENT "${test_ENVIRONMENT}")
endfunction()
