#pragma once
#include "types.h"

u8 draw(void);        /* 0..255 */
u8 draw_below(u8 n);  /* 0..n-1 */
