/* A host of FMI 3.0 that goes back in time. The wrapper is included, so that its declarations are these. */
#include "fmu.c"

enum { OUTPUTS = ISOLATED_OUTPUTS };

static int said;

static void logger(void *environment, fmi3Status status, fmi3String category, fmi3String text)
{
    (void)environment, (void)status, (void)category, (void)text;
    said++;
}

#define CHECK(condition)                                                  \
    do {                                                                  \
        if (!(condition)) {                                               \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);       \
            exit(1);                                                      \
        }                                                                 \
    } while (0)

static void *made(const char *token)
{
    return fmi3InstantiateCoSimulation("a", token, "", 0, 0, 0, 0, NULL, 0, NULL, logger, NULL);
}

static double last;

static fmi3Status step(void *c, double now, double size)
{
    bool event, end, early;
    const fmi3Status status = fmi3DoStep(c, now, size, 0, &event, &end, &early, &last);
    CHECK(!event && !end && !early);
    return status;
}

static void run(void *c, int from, int steps)
{
    for (int k = from; k < from + steps; k++) {
        unsigned references[OUTPUTS];
        double values[OUTPUTS];
        CHECK(step(c, k * 0.01, 0.01) == fmi3OK);
        for (unsigned i = 0; i < OUTPUTS; i++) {
            references[i] = REF_OUTPUT + i;
        }
        CHECK(fmi3GetFloat64(c, references, OUTPUTS, values, OUTPUTS) == fmi3OK);
        for (int i = 0; i < OUTPUTS; i++) {
            printf("%s%.17g", i ? " " : "", values[i]);
        }
        printf("\n");
    }
}

int main(void)
{
    CHECK(fmi3InstantiateModelExchange("a", HOST_TOKEN, "", 0, 0, NULL, logger) == NULL && said == 1);
    CHECK(fmi3InstantiateScheduledExecution("a", HOST_TOKEN, "", 0, 0, NULL, logger, NULL, NULL, NULL) == NULL && said == 2);
    CHECK(made("{other}") == NULL && said == 3);
    void *c = made(HOST_TOKEN);
    CHECK(c && strcmp(fmi3GetVersion(), "3.0") == 0);
    CHECK(step(c, 0.0, 0.01) == fmi3Error);
    CHECK(fmi3EnterInitializationMode(c, 0, 0.0, 0.0, 0, 0.0) == fmi3OK && fmi3ExitInitializationMode(c) == fmi3OK);

    /* What must be refused, and does not disturb. */
    const unsigned parameter = REF_PARAMETER, output = REF_OUTPUT, input = REF_INPUT, flag = REF_SWITCH, none = REF_END;
    const double number = 1.0, nothing = NAN;
    const bool on = true;
    double value;
    said = 0;
    CHECK(fmi3SetFloat64(c, &parameter, 1, &number, 1) == fmi3Error && said == 1);
    CHECK(fmi3SetFloat64(c, &output, 1, &number, 1) == fmi3Error && said == 2);
    CHECK(fmi3SetFloat64(c, &none, 1, &number, 1) == fmi3Error && said == 3);
    CHECK(fmi3SetFloat64(c, &input, 1, &nothing, 1) == fmi3Error && said == 4);
    CHECK(fmi3SetBoolean(c, &flag, 1, &on, 1) == fmi3Error && said == 5);
    CHECK(fmi3GetFloat64(c, &flag, 1, &value, 1) == fmi3Error && fmi3GetFloat64(c, &none, 1, &value, 1) == fmi3Error && said == 7);
    CHECK(step(c, 0.0, 0.0) == fmi3Error && step(c, 0.5, 0.01) == fmi3Error && said == 9 && last == 0.0);
    CHECK(fmi3SetFMUState(c, NULL) == fmi3Error && fmi3ExitInitializationMode(c) == fmi3Error && said == 11);

    void *state = NULL, *copy = NULL;
    /* Steps that are no multiples of the model's, then on with its own. */
    double time = 0.0;
    for (int k = 0; k < 76; k++, time += 0.013) {
        CHECK(step(c, time, 0.013) == fmi3OK && last == time + 0.013);
    }
    CHECK(step(c, time, 1.0 - time) == fmi3OK);
    CHECK(fmi3GetFMUState(c, &state) == fmi3OK && state);
    run(c, 100, 100);
    CHECK(fmi3SetFMUState(c, state) == fmi3OK);
    run(c, 100, 100);
    size_t size;
    CHECK(fmi3SerializedFMUStateSize(c, state, &size) == fmi3OK);
    uint8_t *bytes = malloc(size);
    CHECK(bytes && fmi3SerializeFMUState(c, state, bytes, size - 1) == fmi3Error);
    CHECK(fmi3SerializeFMUState(c, state, bytes, size) == fmi3OK);
    CHECK(fmi3FreeFMUState(c, &state) == fmi3OK && state == NULL);
    CHECK(fmi3Terminate(c) == fmi3OK && step(c, 2.0, 0.01) == fmi3Error);
    fmi3FreeInstance(c);

    c = made(HOST_TOKEN);
    CHECK(fmi3DeserializeFMUState(c, bytes, size, &copy) == fmi3OK && fmi3SetFMUState(c, copy) == fmi3OK);
    run(c, 100, 100);
    bytes[3] ^= 1;
    CHECK(fmi3DeserializeFMUState(c, bytes, size, &copy) == fmi3Error);
    CHECK(fmi3FreeFMUState(c, &copy) == fmi3OK && fmi3Reset(c) == fmi3OK);
    fmi3FreeInstance(c);
    free(bytes);
    return 0;
}
