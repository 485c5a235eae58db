#pragma once
#include "types.h"

#define SHAPES 16
#define SHAPE_START 0
#define SHAPE_SANCTUM 15
#define INNER_COLUMNS 8
#define INNER_ROWS 6

extern const char shapes[SHAPES][INNER_COLUMNS * INNER_ROWS + 1];
