#include "cli/app.h"

int main(int argc, char** argv) { return gem::run_app(argc, argv); }
