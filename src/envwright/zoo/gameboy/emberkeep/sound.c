/* Effects on the sweep and the noise channel, tunes on the second square channel. */
#include "sound.h"
#include "hw.h"

struct Effect {
  u8 first; /* register: 0x10 sweep channel, 0x1F noise channel (0xFF1F is unused) */
  u8 value[5];
};

static const struct Effect effects[] = {
  {0x10, {0x26, 0x80, 0xA2, 0x00, 0x87}}, /* gem */
  {0x10, {0x27, 0x80, 0xF3, 0x00, 0x86}}, /* key */
  {0x1F, {0x00, 0x00, 0xF4, 0x63, 0x80}}, /* door */
  {0x1F, {0x00, 0x00, 0x81, 0x22, 0x80}}, /* swing */
  {0x1F, {0x00, 0x00, 0xF2, 0x41, 0x80}}, /* hit */
  {0x10, {0x3B, 0x40, 0xF3, 0x00, 0x85}}, /* hurt */
  {0x10, {0x36, 0x80, 0xC4, 0x00, 0x85}}, /* heart */
  {0x10, {0x14, 0xC0, 0xF5, 0x00, 0x84}}, /* flare */
};

#define REST 0
#define END 255

/* 2048 - 131072 / frequency, from C4 on. */
static const u16 periods[] = {
  0, 1046, 1155, 1253, 1297, 1379, 1452, 1517, 1546, 1602, 1650, 1673, 1714, 1750, 1783, 1798};
/* 1 C 2 D 3 E 4 F 5 G 6 A 7 B, 8 and on an octave above */

static const u8 title_tune[] = {6, 0, 8, 6, 10, 0, 8, 0, 7, 0, 5, 7, 3, 0, 0, 0,
                                6, 0, 8, 6, 10, 0, 12, 0, 11, 10, 8, 7, 8, 0, 0, 0, END};
static const u8 lost_tune[] = {6, 5, 4, 3, 2, 0, 1, 0, END};
static const u8 won_tune[] = {8, 8, 8, 12, 0, 10, 12, 0, 15, 15, 0, 0, END};
static const u8 *const tunes[] = {0, title_tune, lost_tune, won_tune};

static u8 playing, place, rest;

void init_sound(void) {
  NR(0x26) = 0x80;
  NR(0x24) = 0x77;
  NR(0x25) = 0xFF;
}

void sound(u8 which) {
  const struct Effect *effect = effects + which;
  u8 i;
  for (i = 0; i < 5; i++) NR(effect->first + i) = effect->value[i];
}

void tune(u8 which) {
  playing = which;
  place = rest = 0;
}

static void play_note(u8 note) {
  u16 period;
  if (note == REST) return;
  period = periods[note];
  NR(0x16) = 0x80;
  NR(0x17) = 0x83;
  NR(0x18) = (u8)period;
  NR(0x19) = 0x80 | (period >> 8);
}

void tick_sound(void) {
  u8 note;
  if (!playing) return;
  if (rest) {
    rest--;
    return;
  }
  rest = 11;
  note = tunes[playing][place++];
  if (note != END) play_note(note);
  else if (playing == TUNE_TITLE) place = 0;
  else playing = TUNE_NONE;
}
