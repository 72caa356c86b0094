
harness: harness.c interfield_wire.h @name@.c @name@.h
	$(CC) $(CFLAGS) -D_POSIX_C_SOURCE=200809L -o $@ harness.c @name@.c -lm
