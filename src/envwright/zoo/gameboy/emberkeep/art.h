/* Made from art.txt by draw.py; do not edit. */
#pragma once
#include "types.h"

#define ART_TILES 202
#define ART_METATILES 27

/* first tiles */
#define T_ICON_BLANK 75
#define T_ICON_HEART 76
#define T_ICON_HOLLOW 77
#define T_ICON_GEM 78
#define T_ICON_FLASK 79
#define T_ICON_MOON 80
#define T_ICON_STAR 81
#define T_ICON_SUN 82
#define T_ICON_SOCKET 83
#define T_HERO_DOWN 84
#define T_HERO_DOWN_B 88
#define T_HERO_UP 92
#define T_HERO_UP_B 96
#define T_HERO_SIDE 100
#define T_HERO_SIDE_B 104
#define T_SLIME 108
#define T_SLIME_B 112
#define T_BAT 116
#define T_BAT_B 120
#define T_GHOUL 124
#define T_GHOUL_B 128
#define T_PUFF 132
#define T_SWORD_UP 136
#define T_SWORD_SIDE 140
#define T_FONT 144

/* metatiles: 2x2 tiles of the background */
#define M_FLOOR 0
#define M_WALL 1
#define M_TORCH 2
#define M_TORCH_B 3
#define M_PILLAR 4
#define M_WATER 5
#define M_WATER_B 6
#define M_GATE_MOON 7
#define M_GATE_STAR 8
#define M_GATE_SUN 9
#define M_KEY_MOON 10
#define M_KEY_STAR 11
#define M_KEY_SUN 12
#define M_GEM 13
#define M_HEART 14
#define M_FLASK 15
#define M_RELIC 16
#define M_DARK 17
#define M_SKY 18
#define M_NIGHT_MOON 19
#define M_BATTLEMENT 20
#define M_BIG_E 21
#define M_BIG_M 22
#define M_BIG_B 23
#define M_BIG_R 24
#define M_BIG_K 25
#define M_BIG_P 26

extern const u8 art_tiles[ART_TILES * 16];
extern const u8 art_metatiles[ART_METATILES][4];
