#include "screen.h"
#include "art.h"
#include "hw.h"
#include "state.h"

#define LCD_ON 0x97     /* background and 8x16 objects on, tiles at 8000 */
#define LCD_STATUS 0x60 /* window on, its map at 9C00 */
#define STATUS_TOP 128
#define PATCHES 4

u8 screen[SCREEN_ROWS * SCREEN_COLUMNS];
u8 status[STATUS_ROWS * SCREEN_COLUMNS];
u8 map_tiles[64];
u8 status_ready, map_ready;

static volatile u8 rows_left; /* an even number */
static u8 *row_to;
static const u8 *row_from;
static u8 lcdc, flash_frames, ticks;
static u8 patches;
static u8 *patch_at[PATCHES];
static u8 patch_which[PATCHES];

static const u8 swapped[4][2] = {
  {M_TORCH, M_TORCH}, {M_WATER, M_WATER}, {M_TORCH, M_TORCH_B}, {M_WATER, M_WATER_B}};

void init_screen(void) {
  u16 i;
  while (LY != 144) {}
  LCDC = 0;
  for (i = 0; i < ART_TILES * 16; i++) VRAM_TILES[i] = art_tiles[i];
  for (i = 0; i < 1024; i++) VRAM_SCREEN[i] = VRAM_STATUS[i] = T_ICON_BLANK;
  BGP = 0xE4;
  OBP0 = 0xE0; /* see-through, white, dark, black */
  OBP1 = 0x90; /* the same, paled: dazed or hurt */
  SCX = SCY = 0;
  WX = 7;
  WY = STATUS_TOP;
  lcdc = LCD_ON;
  LCDC = LCD_ON;
}

static void write_patch(void) {
  const u8 *tiles;
  u8 *at;
  patches--;
  at = patch_at[patches];
  tiles = art_metatiles[patch_which[patches]];
  at[0] = tiles[0];
  at[1] = tiles[1];
  at[32] = tiles[2];
  at[33] = tiles[3];
}

static void swap_tiles(u8 phase) {
  u8 to = art_metatiles[swapped[phase][0]][0], from = art_metatiles[swapped[phase][1]][0];
  copy_64(VRAM_TILES + ((u16)to << 4), art_tiles + ((u16)from << 4));
}

static void send_row(void) {
  copy_20(row_to, row_from);
  row_to += 32;
  row_from += SCREEN_COLUMNS;
  rows_left--;
}

/* One of the long copies a frame fits, beside a few patches. */
void on_vblank(void) {
  start_object_dma();
  LCDC = lcdc;
  BGP = flash_frames & 2 ? 0x1B : 0xE4;
  if (flash_frames) flash_frames--;
  if (patches) {
    while (patches) write_patch();
  } else if (rows_left) {
    send_row();
    send_row();
    if (rows_left) {
      send_row();
      send_row();
    }
  } else if (status_ready) {
    copy_20(VRAM_STATUS, status);
    copy_20(VRAM_STATUS + 32, status + SCREEN_COLUMNS);
    status_ready = 0;
  } else if (map_ready) {
    copy_64(VRAM_TILES + MAP_TILE * 16, map_tiles);
    map_ready = 0;
  } else if ((ticks & 7) == 0) {
    swap_tiles((ticks >> 3) & 3);
  }
  ticks++;
}

void show_status(u8 on) { lcdc = on ? LCD_ON | LCD_STATUS : LCD_ON; }

void flash(u8 frames) { flash_frames = frames; }

void send_rows(u8 first, u8 end) {
  rows_left = 0; /* nothing is half told if V-blank comes now */
  row_to = VRAM_SCREEN + ((u16)first << 5);
  row_from = screen + (u16)first * SCREEN_COLUMNS;
  rows_left = end - first;
}

u8 is_sending(void) { return rows_left; }

void metatile(u8 x, u8 y, u8 which) {
  const u8 *tiles = art_metatiles[which];
  u8 *at = screen + (u16)y * (2 * SCREEN_COLUMNS) + (x << 1);
  at[0] = *tiles++;
  at[1] = *tiles++;
  at[SCREEN_COLUMNS] = *tiles++;
  at[SCREEN_COLUMNS + 1] = *tiles;
}

void patch(u8 x, u8 y, u8 which) {
  if (patches == PATCHES) return;
  patch_at[patches] = VRAM_SCREEN + ((u16)y << 6) + (x << 1);
  patch_which[patches] = which;
  patches++;
}

static u8 letter_tile(char c) {
  if (c >= 'A' && c <= 'Z') return T_FONT + (c - 'A');
  if (c >= '0' && c <= '9') return T_FONT + 26 + (c - '0');
  switch (c) {
    case '!': return T_FONT + 36;
    case '.': return T_FONT + 37;
    case '-': return T_FONT + 38;
    case ':': return T_FONT + 39;
    default: return T_ICON_BLANK;
  }
}

void text(u8 *at, const char *letters) {
  while (*letters) *at++ = letter_tile(*letters++);
}

void number(u8 *at, u8 digits, u8 value) {
  u8 hundreds = 0, tens = 0;
  while (value >= 100) value -= 100, hundreds++;
  while (value >= 10) value -= 10, tens++;
  if (digits == 3) *at++ = T_FONT + 26 + hundreds;
  if (digits >= 2) *at++ = T_FONT + 26 + tens;
  *at = T_FONT + 26 + value;
}

void hide_objects(void) {
  u8 *at = objects;
  u8 i;
  for (i = 0; i < 40; i++, at += 4) *at = 0;
}

void put_object(u8 slot, u8 tile, u8 x, u8 y, u8 flags) {
  u8 *at = objects + (slot << 2);
  u8 mirrored = flags & 0x20;
  at[0] = at[4] = y + 16;
  at[1] = x + 8;
  at[5] = x + 16;
  at[2] = mirrored ? tile + 2 : tile;
  at[6] = mirrored ? tile : tile + 2;
  at[3] = at[7] = flags;
}
