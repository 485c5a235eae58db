#pragma once

typedef unsigned char u8;
typedef signed char i8;
typedef unsigned int u16;
