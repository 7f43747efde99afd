// The headers are C++ too.
#include "main.c"
