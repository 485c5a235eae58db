#pragma once
#include "types.h"

enum { SOUND_GEM, SOUND_KEY, SOUND_DOOR, SOUND_SWING, SOUND_HIT, SOUND_HURT, SOUND_HEART,
       SOUND_FLARE };
enum { TUNE_NONE, TUNE_TITLE, TUNE_LOST, TUNE_WON };

void init_sound(void);
void sound(u8 which);
void tune(u8 which);
void tick_sound(void);
