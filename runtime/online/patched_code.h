/* The program's code, changed while it runs: breakpoints, and jumps that lead to this library. A
 * breakpoint takes one byte and a signal of some 2 to 10 us, a jump five bytes and some 100 ns.
 * x86-64. */
#ifndef SLACKLINE_RUNTIME_ONLINE_PATCHED_CODE_H
#define SLACKLINE_RUNTIME_ONLINE_PATCHED_CODE_H

#include <stdint.h>

#include "trace/online_wire.h"

enum { kJumpBytes = 5, kDetours = SLK_ONLINE_BLOCKS };

/* In the registers of a function's result. */
typedef enum { RESULT_NONE, RESULT_INTEGER, RESULT_REAL } ResultKind;
typedef struct {
  ResultKind kind; /* which of them counts */
  uint64_t integer;
  unsigned char real[16];
} Results;

/* What breakpoints and jumps lead to. `stack`: where the return address is, or as it is behind the
 * call. */
typedef struct {
  int64_t (*function_at)(const uint8_t* code);  /* that begins there; -1: none */
  int64_t (*execution_at)(const uint8_t* code); /* whose call that is behind; -1: none */
  uint32_t (*function_of)(uint32_t detour);
  uint8_t* (*begin_of)(uint32_t function);
  /* Null where it is to be executed, else what to return in its place. */
  const Results* (*begin)(uint32_t function, uint64_t stack);
  void (*end)(uint32_t execution, uint64_t stack, const Results* results);
} CodeWatch;

/* 0: the system does not let the process change its code. Once. */
int open_code(const CodeWatch* watch);
/* Addresses in the program's file. */
uint8_t* code_at(uint64_t address);
uint64_t address_of_code(const uint8_t* code);
int is_code(const uint8_t* from, uint32_t bytes);
/* Whether the code before `behind` calls the function that begins at `begin`, as far as it says
 * which: a function that was jumped to has another one's call behind it. */
int is_call(const uint8_t* behind, const uint8_t* begin);

int has_breakpoint(const uint8_t* code);
void set_breakpoint(uint8_t* code);
/* In an order in which other threads that come by find a breakpoint or the whole. */
void write_code(uint8_t* code, const uint8_t bytes[kJumpBytes]);
/* Where a function begins, by the detour of that number. 0: no detour is within reach. */
int jump_to_detour(uint8_t* code, uint32_t number);
uint64_t breakpoint_ns(void); /* CPU time that one takes */

#endif
