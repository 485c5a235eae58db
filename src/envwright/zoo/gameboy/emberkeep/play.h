#pragma once
#include "types.h"

#define POINTS_GEM 1
#define POINTS_ROOM 2
#define POINTS_FOE 2
#define POINTS_KEY 5
#define POINTS_DOOR 5
#define POINTS_RELIC 50

enum { OBJECT_SWORD = 0, OBJECT_HERO = 2, OBJECT_FOES = 4 };

void begin_play(void);
void tick_play(void);
void gain(u8 points);
void take_blow(void);
