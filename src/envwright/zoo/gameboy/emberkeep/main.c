#include "art.h"
#include "hw.h"
#include "play.h"
#include "screen.h"
#include "sound.h"
#include "state.h"

#define PRESS_START 0x80
#define SQUARE_ROWS 9 /* of the whole screen */

static const char title_picture[SQUARE_ROWS * COLUMNS + 1] =
  "*..*...*.."
  ".........*"
  "..*....)*."
  "*...*....."
  "nnnnnnnnnn"
  "BBtBBBBtBB"
  "BBBBGGBBBB"
  "__________"
  "          ";

static u8 look_of(char c) {
  switch (c) {
    case '*': return M_SKY;
    case ')': return M_NIGHT_MOON;
    case 'n': return M_BATTLEMENT;
    case 'B': return M_WALL;
    case 't': return M_TORCH;
    case 'G': return M_GATE_SUN;
    case '_': return M_FLOOR;
    default: return M_DARK;
  }
}

#define CELL(column, row) (screen + (row) * SCREEN_COLUMNS + (column))

static void darken(void) {
  u16 i;
  for (i = 0; i < SCREEN_ROWS * SCREEN_COLUMNS; i++) screen[i] = T_ICON_BLANK;
}

static void draw_logo(u8 y) {
  static const u8 letters[] = {M_BIG_E, M_BIG_M, M_BIG_B, M_BIG_E, M_BIG_R,
                               M_BIG_K, M_BIG_E, M_BIG_E, M_BIG_P};
  u8 i;
  for (i = 0; i < 9; i++) {
    /* a tile right of the squares' grid, so that nine letters stand in the middle */
    const u8 *tiles = art_metatiles[letters[i]];
    u8 *at = CELL(1 + 2 * i, 2 * y);
    at[0] = tiles[0];
    at[1] = tiles[1];
    at[SCREEN_COLUMNS] = tiles[2];
    at[SCREEN_COLUMNS + 1] = tiles[3];
  }
}

static void show_title(void) {
  const char *c = title_picture;
  u8 x, y;
  for (y = 0; y < SQUARE_ROWS; y++)
    for (x = 0; x < COLUMNS; x++) metatile(x, y, look_of(*c++));
  draw_logo(1);
  text(CELL(4, 16), "PRESS  START");
  hide_objects();
  put_object(0, T_HERO_DOWN, 72, 110, 0);
  put_object(2, T_SLIME, 24, 110, 0);
  put_object(4, T_GHOUL, 120, 110, 0);
  put_object(6, T_BAT, 44, 44, 0);
  show_status(0);
  send_rows(0, SCREEN_ROWS);
  game.seed = 0;
  game.mode = MODE_TITLE;
  tune(TUNE_TITLE);
}

static void blink_prompt(void) {
  if (is_sending() || (game.clock & 31)) return;
  text(CELL(4, 16), game.clock & 32 ? "            " : "PRESS  START");
  send_rows(16, 18);
}

static void show_result(void) {
  text(CELL(5, 9), "SCORE");
  number(CELL(12, 9), 3, (u8)game.score);
  text(CELL(5, 11), "GEMS");
  number(CELL(13, 11), 2, game.gems);
  text(CELL(5, 12), "FOES");
  number(CELL(13, 12), 2, game.kills);
  text(CELL(5, 13), "ROOMS");
  number(CELL(13, 13), 2, game.seen);
  text(CELL(4, 16), "PRESS  START");
  show_status(0);
  send_rows(0, SCREEN_ROWS);
}

static void show_lost(void) {
  darken();
  hide_objects();
  text(CELL(6, 3), "YOU FELL");
  text(CELL(2, 5), "THE EMBER IS LOST");
  put_object(0, T_GHOUL, 72, 54, 0);
  tune(TUNE_LOST);
  show_result();
}

static void show_won(void) {
  u8 x;
  darken();
  hide_objects();
  for (x = 0; x < COLUMNS; x++) metatile(x, 0, x & 1 ? M_DARK : M_SKY);
  text(CELL(6, 2), "YOU WON!");
  text(CELL(1, 4), "THE KEEP IS WARM.");
  metatile(4, 3, M_RELIC);
  put_object(0, T_HERO_DOWN, 84, 48, 0);
  tune(TUNE_WON);
  show_result();
}

static void read_buttons(void) {
  u8 held, before = game.held;
  P1 = 0x20;
  held = P1;
  held = P1 & 0x0F;
  P1 = 0x10;
  game.held = P1;
  game.held = P1;
  game.held = P1;
  game.held = (u8)~(held | (game.held << 4));
  P1 = 0x30;
  game.pressed = game.held & ~before;
}

static void tick_title(void) {
  blink_prompt();
  if (!(game.pressed & PRESS_START)) return;
  tune(TUNE_NONE);
  sound(SOUND_KEY);
  if (!game.seed) game.seed = game.clock ? game.clock : 1;
  begin_play();
}

static void tick(void) {
  switch (game.mode) {
    case MODE_TITLE: tick_title(); break;
    case MODE_PLAY:
      tick_play();
      if (game.mode == MODE_LOST) show_lost();
      if (game.mode == MODE_WON) show_won();
      break;
    default:
      blink_prompt();
      if (game.pressed & PRESS_START) show_title();
  }
}

void main(void) {
  init_sound();
  init_screen();
  show_title();
  /* Thinking begins some lines down the screen and ends before its foot, so that whoever looks at
     RAM between frames, be they cut at V-blank or at line 0, never sees a thought half done. */
  LYC = 4;
  STAT = 0x40;
  IF = 0;
  IE = 3;
  __asm__("ei");
  for (;;) {
    wait_frame();
    game.clock++;
    read_buttons();
    tick();
    tick_sound();
  }
}
