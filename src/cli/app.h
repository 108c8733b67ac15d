// The command line as a whole: parsing, help, hints, exit codes.
#pragma once

namespace gem {

// Runs `gem` and returns its exit code. Results go to stdout, one-line errors to stderr.
int run_app(int argc, char** argv);

}  // namespace gem
