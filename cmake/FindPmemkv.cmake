# Finds pmemkv: what scripts/fetch-pmemkv unpacked into .deps/pmemkv, else the one of the system.
#
# Result:
#   Pmemkv_FOUND, Pmemkv_VERSION, Pmemkv_INCLUDE_DIR, Pmemkv_LIBRARY
#   Pmemkv_REASON      why it was not found, in words for the user
#   Pmemkv::pmemkv     the library with its headers, libpmemobj and the run path that it needs
#   Pmemkv::tbb        the TBB that pmemkv itself links; code that shares a process with pmemkv must use no other
#   Pmemkv::headers    libpmemobj++, headers only
#
# Options:
#   PMTWIN_PMEMKV         off: as if it were not there
#   PMTWIN_PMEMKV_FOLDER  where to look first
#
# Link with find_package(Pmemkv) and Pmemkv_FOUND; nothing that needs pmemkv may be REQUIRED, since the build goes on without it.

option(PMTWIN_PMEMKV "Use pmemkv where it is found" ON)
if(NOT PMTWIN_PMEMKV)
  set(Pmemkv_FOUND FALSE)
  set(Pmemkv_REASON "PMTWIN_PMEMKV is off")
  return()
endif()
get_filename_component(_pmemkv_deps "${CMAKE_CURRENT_LIST_DIR}/../.deps/pmemkv/usr" ABSOLUTE)
set(PMTWIN_PMEMKV_FOLDER "${_pmemkv_deps}" CACHE PATH "Where pmemkv was unpacked")
set(_pmemkv_deps "${PMTWIN_PMEMKV_FOLDER}")
set(_pmemkv_hints HINTS "${_pmemkv_deps}")

find_path(Pmemkv_INCLUDE_DIR libpmemkv.hpp ${_pmemkv_hints} PATH_SUFFIXES include)
find_library(Pmemkv_LIBRARY NAMES pmemkv libpmemkv.so.1 ${_pmemkv_hints} PATH_SUFFIXES lib/${CMAKE_LIBRARY_ARCHITECTURE})
find_library(Pmemkv_PMEMOBJ_LIBRARY NAMES pmemobj)
find_library(Pmemkv_PMEM_LIBRARY NAMES pmem)
find_path(Pmemkv_PMEMOBJ_CPP_INCLUDE_DIR libpmemobj++/p.hpp ${_pmemkv_hints} PATH_SUFFIXES include)
# pmemkv 1.4 links the old TBB, whose library is libtbb.so.2 (oneTBB's is libtbb.so.12)
find_library(Pmemkv_TBB_LIBRARY NAMES libtbb.so.2 ${_pmemkv_hints} PATH_SUFFIXES lib/${CMAKE_LIBRARY_ARCHITECTURE})
find_path(Pmemkv_TBB_INCLUDE_DIR tbb/tbb_stddef.h ${_pmemkv_hints} PATH_SUFFIXES include)

set(Pmemkv_REASON "")
if(NOT Pmemkv_INCLUDE_DIR OR NOT Pmemkv_LIBRARY)
  set(Pmemkv_REASON "no pmemkv on this machine: run scripts/fetch-pmemkv")
elseif(NOT Pmemkv_PMEMOBJ_LIBRARY OR NOT Pmemkv_PMEM_LIBRARY)
  set(Pmemkv_REASON "pmemkv needs PMDK: install libpmem-dev and libpmemobj-dev")
endif()

if(NOT Pmemkv_REASON)
  get_filename_component(_pmemkv_folder "${Pmemkv_LIBRARY}" DIRECTORY)
  set(_pmemkv_link_options "")
  if(Pmemkv_LIBRARY MATCHES "^${_pmemkv_deps}/")
    # DT_RPATH and not DT_RUNPATH: it must also find the libtbb.so.2 that libpmemkv.so itself asks for
    set(_pmemkv_link_options "-Wl,-rpath,${_pmemkv_folder}" "-Wl,--disable-new-dtags")
  endif()

  include(CheckCXXSourceCompiles)
  include(CMakePushCheckState)
  cmake_push_check_state(RESET)
  set(CMAKE_REQUIRED_INCLUDES "${Pmemkv_INCLUDE_DIR}")
  set(CMAKE_REQUIRED_LINK_OPTIONS "${_pmemkv_link_options}")
  set(CMAKE_REQUIRED_LIBRARIES "${Pmemkv_LIBRARY}" "${Pmemkv_PMEMOBJ_LIBRARY}" "${Pmemkv_PMEM_LIBRARY}")
  set(CMAKE_REQUIRED_QUIET ON)
  set(CMAKE_REQUIRED_FLAGS "-std=c++20")
  # asked again at each configuration: what was missing may have been installed since
  unset(Pmemkv_LINKS CACHE)
  check_cxx_source_compiles(
    "#include <libpmemkv.hpp>
     int main() { pmem::kv::db kv; kv.close(); }" Pmemkv_LINKS)
  cmake_pop_check_state()
  if(NOT Pmemkv_LINKS)
    set(Pmemkv_REASON "pmemkv does not link; it needs libmemkind0 (libmemkind.so.0) and its own libtbb.so.2: "
                      "run scripts/install-system-packages")
    string(CONCAT Pmemkv_REASON ${Pmemkv_REASON})
  endif()
endif()

set(Pmemkv_VERSION "")
if(Pmemkv_INCLUDE_DIR)
  find_file(_pmemkv_pc libpmemkv.pc
            HINTS "${_pmemkv_deps}/lib/${CMAKE_LIBRARY_ARCHITECTURE}/pkgconfig" "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/pkgconfig"
                  /usr/lib64/pkgconfig NO_CACHE)
  if(_pmemkv_pc)
    file(STRINGS "${_pmemkv_pc}" _pmemkv_line REGEX "^version=")
    string(REGEX REPLACE "^version=" "" Pmemkv_VERSION "${_pmemkv_line}")
  endif()
endif()

include(FindPackageHandleStandardArgs)
if(NOT Pmemkv_REASON)
  set(_pmemkv_usable TRUE)
else()
  set(_pmemkv_usable FALSE)
endif()
find_package_handle_standard_args(Pmemkv REQUIRED_VARS Pmemkv_LIBRARY Pmemkv_INCLUDE_DIR _pmemkv_usable
                                  VERSION_VAR Pmemkv_VERSION REASON_FAILURE_MESSAGE "${Pmemkv_REASON}")

if(Pmemkv_FOUND AND NOT TARGET Pmemkv::pmemkv)
  add_library(Pmemkv::pmemkv INTERFACE IMPORTED)
  set_target_properties(
    Pmemkv::pmemkv
    PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${Pmemkv_INCLUDE_DIR}"
               INTERFACE_LINK_LIBRARIES "${Pmemkv_LIBRARY};${Pmemkv_PMEMOBJ_LIBRARY};${Pmemkv_PMEM_LIBRARY}"
               INTERFACE_LINK_OPTIONS "${_pmemkv_link_options}")
  if(Pmemkv_PMEMOBJ_CPP_INCLUDE_DIR)
    add_library(Pmemkv::headers INTERFACE IMPORTED)
    set_target_properties(Pmemkv::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${Pmemkv_PMEMOBJ_CPP_INCLUDE_DIR}")
  endif()
  if(Pmemkv_TBB_LIBRARY AND Pmemkv_TBB_INCLUDE_DIR)
    add_library(Pmemkv::tbb INTERFACE IMPORTED)
    set_target_properties(
      Pmemkv::tbb PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${Pmemkv_TBB_INCLUDE_DIR}"
                             INTERFACE_LINK_LIBRARIES "${Pmemkv_TBB_LIBRARY}"
                             INTERFACE_LINK_OPTIONS "${_pmemkv_link_options}")
  endif()
endif()
mark_as_advanced(Pmemkv_INCLUDE_DIR Pmemkv_LIBRARY Pmemkv_PMEMOBJ_LIBRARY Pmemkv_PMEM_LIBRARY
                 Pmemkv_PMEMOBJ_CPP_INCLUDE_DIR Pmemkv_TBB_LIBRARY Pmemkv_TBB_INCLUDE_DIR)
