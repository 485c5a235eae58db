#pragma once
#include "state.h"

u8 foe_on(u8 x, u8 y);        /* whether one stands there or walks there */
void strike_foe(u8 x, u8 y);  /* the sword comes down on a square */
u8 daze_foes(void);           /* how many were awake */
void tick_foes(void);
void draw_foes(void);
