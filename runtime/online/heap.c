/* Blocks in the memory that all processes see. A block belongs to the process that made it; whoever
 * has read it marks it free, and its owner uses it again for a block of the same order. As only one
 * process computes at a time, plain stores are enough. */
#include <stdlib.h>
#include <string.h>

#include "online.h"

enum { kSmallest = 6, kOrders = 48 };

typedef struct {
  uint64_t* blocks; /* ring of those made, oldest first */
  uint32_t first, used, capacity;
} Made;

static Made made[kOrders];
static uint64_t top;

static struct slk_online_block* head_of(uint64_t block) {
  return (struct slk_online_block*)(void*)shared_at(block);
}

static uint32_t order_for(uint64_t bytes) {
  uint32_t order = kSmallest;
  while (((uint64_t)1 << order) < bytes + sizeof(struct slk_online_block)) ++order;
  return order;
}

static void append(Made* of, uint64_t block) {
  if (of->used == of->capacity) {
    const uint32_t capacity = of->capacity == 0 ? 16 : 2 * of->capacity;
    uint64_t* blocks = room("the heap of messages", capacity * sizeof *blocks);
    for (uint32_t i = 0; i < of->used; ++i) blocks[i] = of->blocks[(of->first + i) % of->capacity];
    free(of->blocks);
    of->blocks = blocks;
    of->first = 0;
    of->capacity = capacity;
  }
  of->blocks[(of->first + of->used++) % of->capacity] = block;
}

/* One of the oldest that is free; 0 if there is none. */
static uint64_t take_free(Made* of) {
  enum { kLooks = 8 };
  for (uint32_t i = 0; i < of->used && i < kLooks; ++i) {
    const uint64_t block = of->blocks[of->first];
    of->first = (of->first + 1) % of->capacity;
    --of->used;
    if (head_of(block)->free != 0) return block;
    append(of, block);
  }
  return 0;
}

uint64_t new_block(uint64_t bytes) {
  const uint32_t order = order_for(bytes);
  Made* of = &made[order];
  uint64_t block = take_free(of);
  if (block == 0) {
    if (top == 0) top = (heap_begin() + 63u) & ~(uint64_t)63u;
    block = top;
    top += (uint64_t)1 << order;
    if (top > heap_end())
      refuse("a message", "the messages in flight of a rank are larger than its heap");
  }
  struct slk_online_block* head = head_of(block);
  head->bytes = bytes;
  head->order = order;
  head->free = 0;
  append(of, block);
  return block;
}

char* block_data(uint64_t block) {
  return shared_at(block) + sizeof(struct slk_online_block);
}
uint64_t block_bytes(uint64_t block) {
  return head_of(block)->bytes;
}
void release_block(uint64_t block) {
  head_of(block)->free = 1;
}
