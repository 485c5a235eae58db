#pragma once
#include "state.h"

#define SQUARE_START AT(4, 4)
#define SQUARE_RELIC AT(4, 3)

void make_world(void);               /* from game.rng */
void lay_room(u8 room);              /* into grid and foes */
u8 neighbour(u8 room, u8 direction); /* NOWHERE beyond the keep */
u8 lock_of(u8 room, u8 direction);
void unlock(u8 room, u8 direction);  /* from both sides */
