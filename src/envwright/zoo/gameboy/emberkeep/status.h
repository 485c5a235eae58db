#pragma once
#include "types.h"

extern u8 status_stale, map_stale;

void draw_status(void);
void draw_map(void);
