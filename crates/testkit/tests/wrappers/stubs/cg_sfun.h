/* STUB, see simstruc.h: here the driver plays Simulink. */
#include "simulink_driver.c"
