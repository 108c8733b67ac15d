# gem_module(NAME DEPENDS ... [RUNG n] [PACKAGES ...] [TEST_LINK ...])
# The target gem_NAME from src/NAME/**.cc, and the test program gem_NAME_tests from the *_test.cc
# files that stand beside them. RUNG is the step of the correctness ladder that the tests belong to;
# each test carries the ctest labels rungN and NAME. TEST_LINK: what only the tests need.
function(gem_module name)
  cmake_parse_arguments(ARG "" "RUNG" "DEPENDS;PACKAGES;TEST_LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")

  if(NOT sources)
    return()
  endif()

  add_library(gem_${name} STATIC ${sources})
  target_link_libraries(gem_${name} PUBLIC gem_flags ${ARG_PACKAGES})
  foreach(module IN LISTS ARG_DEPENDS)
    if(TARGET gem_${module})
      target_link_libraries(gem_${name} PUBLIC gem_${module})
    endif()
  endforeach()

  if(GEM_TESTS AND tests)
    gem_test_program(gem_${name}_tests RUNG ${ARG_RUNG} LABEL ${name} SOURCES ${tests}
                     LINK gem_${name} ${ARG_TEST_LINK})
  endif()
endfunction()

# gem_test_program(TARGET RUNG n LABEL l SOURCES ... LINK ...): a GoogleTest program; every case of it
# becomes a ctest test.
function(gem_test_program target)
  cmake_parse_arguments(ARG "" "RUNG;LABEL" "SOURCES;LINK" ${ARGN})
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE ${ARG_LINK} gem_testing GTest::gtest_main)
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT 600)
  # gtest_discover_tests flattens a list of labels, so they are set once the tests are known.
  set(labels ${PROJECT_BINARY_DIR}/${target}_labels.cmake)
  file(WRITE ${labels} "if(${target}_TESTS)
  set_tests_properties(\${${target}_TESTS} PROPERTIES LABELS \"rung${ARG_RUNG};${ARG_LABEL}\")
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${labels})
endfunction()

# gem_fuzz_target(NAME LABEL l RUNG n LINK ...): tests/fuzz/NAME_fuzz.cc, which defines
# LLVMFuzzerTestOneInput. With GEM_FUZZ a libFuzzer program fuzz_NAME; with GEM_TESTS a ctest test
# fuzz.NAME that replays the committed corpus tests/fuzz/corpus/NAME with any compiler.
function(gem_fuzz_target name)
  cmake_parse_arguments(ARG "" "RUNG;LABEL" "LINK" ${ARGN})
  if(GEM_FUZZ)
    add_executable(fuzz_${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/${name}_fuzz.cc)
    target_link_libraries(fuzz_${name} PRIVATE ${ARG_LINK})
    target_include_directories(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  endif()
  if(GEM_TESTS)
    add_executable(replay_${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/${name}_fuzz.cc
                                  ${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.cc)
    target_link_libraries(replay_${name} PRIVATE ${ARG_LINK})
    target_include_directories(replay_${name} PRIVATE ${PROJECT_SOURCE_DIR})
    add_test(NAME fuzz.${name}
             COMMAND replay_${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
    set_tests_properties(fuzz.${name} PROPERTIES LABELS "rung${ARG_RUNG};${ARG_LABEL};fuzz" TIMEOUT 300)
  endif()
endfunction()
