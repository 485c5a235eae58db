/* A linear congruential generator; its low bits are poor, so only the high byte is given out. */
#include "random.h"
#include "state.h"

u8 draw(void) {
  u16 next = game.rng * 25173u + 13849u; /* sdcc 4.2 misreads game.rng >> 8 after writing it */
  game.rng = next;
  return next >> 8;
}

u8 draw_below(u8 n) { return ((u16)draw() * n) >> 8; }
