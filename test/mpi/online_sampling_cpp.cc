// The header in C++.
#include "online_sampling.c"
