# gem_module(NAME DEPENDS ... [RUNG n] [PACKAGES ...])
# The target gem_NAME from src/NAME/**.cc, and the test program gem_NAME_tests from the *_test.cc
# files that stand beside them. RUNG is the step of the correctness ladder that the tests belong to;
# each test carries the ctest labels rungN and NAME.
function(gem_module name)
  cmake_parse_arguments(ARG "" "RUNG" "DEPENDS;PACKAGES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")

  add_library(gem_${name} STATIC ${sources})
  target_link_libraries(gem_${name} PUBLIC gem_flags ${ARG_PACKAGES})
  foreach(module IN LISTS ARG_DEPENDS)
    target_link_libraries(gem_${name} PUBLIC gem_${module})
  endforeach()

  if(GEM_TESTS AND tests)
    gem_test_program(gem_${name}_tests RUNG ${ARG_RUNG} LABEL ${name} SOURCES ${tests} LINK gem_${name})
  endif()
endfunction()

# gem_test_program(TARGET RUNG n LABEL l SOURCES ... LINK ...): a GoogleTest program; every case of it
# becomes a ctest test.
function(gem_test_program target)
  cmake_parse_arguments(ARG "" "RUNG;LABEL" "SOURCES;LINK" ${ARGN})
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE ${ARG_LINK} gem_testing GTest::gtest_main)
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS "rung${ARG_RUNG};${ARG_LABEL}" TIMEOUT 600)
endfunction()
