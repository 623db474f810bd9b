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

function(pmtwin_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "TIMEOUT" "SOURCES;LIBRARIES;ENVIRONMENT")
  if(NOT GTest_FOUND)
    return()
  endif()
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 120)
  endif()
  add_executable(${name} ${test_SOURCES})
  target_link_libraries(${name} PRIVATE pmtwin::options ${test_LIBRARIES} GTest::gmock GTest::gtest GTest::gtest_main)
  # Tests are found when they run, not when they are built: a build must not fail because a program cannot start.
  # The list of a sanitized program may take long on a busy machine; CTest's 5 s have not been enough.
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120 PROPERTIES TIMEOUT ${test_TIMEOUT}
                       ENVIRONMENT "${test_ENVIRONMENT}")
endfunction()
