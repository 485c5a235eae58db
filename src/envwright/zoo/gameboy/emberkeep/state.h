/* What is known of a game, at addresses that never move: README.md lists them for environments. */
#pragma once
#include "types.h"

enum { NORTH, EAST, SOUTH, WEST };
enum { MODE_TITLE, MODE_PLAY, MODE_LOST, MODE_WON };
enum { NOBODY, SLIME, BAT, GHOUL, PUFF };

/* What lies on a square; squares below SOLID can be walked on. */
enum {
  FLOOR, GEM, HEART, FLASK, KEY_MOON, KEY_STAR, KEY_SUN, RELIC,
  SOLID, WALL = SOLID, TORCH, PILLAR, WATER, GATE_MOON, GATE_STAR, GATE_SUN
};

#define ROOMS 16
#define COLUMNS 10 /* squares of a room, walls included */
#define ROWS 8
#define SQUARES (COLUMNS * ROWS)
#define AT(x, y) ((u8)((y) * COLUMNS + (x)))
#define ITEMS 4 /* a room's places for them: two gems, a key or the relic, a heart or a flask */
#define FOES 3
#define NOWHERE 0xFF
#define FULL_HP 5

struct Game {
  u16 score;  /* C0A0 */
  u8 hp;      /* C0A2 hearts left */
  u8 room;    /* C0A3 4 * row + column */
  u8 x, y;    /* C0A4 C0A5 square; while walking, the one walked to */
  u8 keys;    /* C0A6 bits: moon, star, sun */
  u8 doors;   /* C0A7 bits: opened moon, star, sun */
  u8 gems;    /* C0A8 */
  u8 kills;   /* C0A9 */
  u8 seen;    /* C0AA rooms visited, the first included */
  u8 oil;     /* C0AB flares left */
  u8 done;    /* C0AC */
  u8 won;     /* C0AD */
  u8 mode;    /* C0AE */
  u8 facing;  /* C0AF */
  u16 steps;  /* C0B0 squares walked */
  u16 frames; /* C0B2 frames played */
  u16 seed;   /* C0B4 at the title 0: choose one when start is pressed */
  u16 rng;    /* C0B6 state of the generator */
  u8 walk;    /* C0B8 frames left of a step */
  u8 swing;   /* C0B9 frames left of a swing or flare */
  u8 hurt;    /* C0BA frames that no blow counts */
  u8 wipe;    /* C0BB frames left of drawing a room */
  u8 px, py;  /* C0BC C0BD pixels */
  u8 held;    /* C0BE buttons: right, left, up, down, A, B, select, start */
  u8 pressed; /* C0BF those of them that are new */
  u16 clock;  /* C0C0 frames since power-on */
  u8 turn;    /* C0C2 frames left of turning to a foe */
};

struct Foe {
  u8 kind;   /* +0 */
  u8 hp;     /* +1 */
  u8 x, y;   /* +2 +3 square; while walking, the one walked to */
  u8 px, py; /* +4 +5 */
  u8 facing; /* +6 */
  u8 walk;   /* +7 frames left of a step */
  u8 wait;   /* +8 frames until it decides */
  u8 stun;   /* +9 frames that it is dazed, or a puff of smoke is seen */
  u8 raised; /* +10 whether it is about to strike */
  u8 safe;   /* +11 frames that the sword does nothing: a swing counts once */
  u8 unused[4]; /* 16 bytes each make quick indices */
};

struct World {
  u8 exits[ROOMS];            /* C150 a bit for each direction */
  u8 locks[ROOMS];            /* C160 two bits for each direction: 0 none, 1 moon, 2 star, 3 sun */
  u8 shape[ROOMS];            /* C170 */
  u8 visited[ROOMS];          /* C180 */
  u8 item[ROOMS][ITEMS];      /* C190 kind of square, 0 once taken */
  u8 item_at[ROOMS][ITEMS];   /* C1D0 */
  u8 foe[ROOMS][FOES];        /* C210 kind, 0 once beaten */
  u8 foe_at[ROOMS][FOES];     /* C240 */
  u8 order[ROOMS];            /* C270 rooms in the order they were added */
  u8 region[ROOMS];           /* C280 the last locked door on the way there: 0 none, 1, 2, 3 */
};

/* crt0.s gives them their addresses. */
extern u8 objects[160];       /* C000 40 of 4 bytes, copied to the screen's at each V-blank */
extern struct Game game;      /* C0A0 */
extern struct Foe foes[FOES]; /* C0D0 */
extern u8 grid[SQUARES];      /* C100 kinds of the room's squares */
extern struct World world;    /* C150 */

extern const i8 step_x[4], step_y[4];
extern const u8 bits[4]; /* 1 << n */

