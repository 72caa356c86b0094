/* A host of FMI 2.0 that goes back in time. The wrapper is included, so that its declarations are these. */
#include "fmu.c"

enum { OUTPUTS = ISOLATED_OUTPUTS };

static int said;

static void logger(void *environment, fmi2String name, fmi2Status status, fmi2String category, fmi2String text, ...)
{
    (void)environment, (void)name, (void)status, (void)category, (void)text;
    said++;
}

#define CHECK(condition)                                                  \
    do {                                                                  \
        if (!(condition)) {                                               \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);       \
            exit(1);                                                      \
        }                                                                 \
    } while (0)

static void run(void *c, int from, int steps)
{
    for (int k = from; k < from + steps; k++) {
        unsigned references[OUTPUTS];
        double values[OUTPUTS];
        CHECK(fmi2DoStep(c, k * 0.01, 0.01, 0) == fmi2OK);
        for (unsigned i = 0; i < OUTPUTS; i++) {
            references[i] = REF_OUTPUT + i;
        }
        CHECK(fmi2GetReal(c, references, OUTPUTS, values) == fmi2OK);
        for (int i = 0; i < OUTPUTS; i++) {
            printf("%s%.17g", i ? " " : "", values[i]);
        }
        printf("\n");
    }
}

int main(void)
{
    const fmi2CallbackFunctions functions = {logger, calloc, free, NULL, NULL};
    CHECK(fmi2Instantiate("a", fmi2ModelExchange, HOST_TOKEN, "", &functions, 0, 0) == NULL && said == 1);
    CHECK(fmi2Instantiate("a", fmi2CoSimulation, "{other}", "", &functions, 0, 0) == NULL && said == 2);
    void *c = fmi2Instantiate("a", fmi2CoSimulation, HOST_TOKEN, "", &functions, 0, 0);
    CHECK(c && strcmp(fmi2GetVersion(), "2.0") == 0 && strcmp(fmi2GetTypesPlatform(), "default") == 0);
    CHECK(fmi2DoStep(c, 0.0, 0.01, 1) == fmi2Error);
    CHECK(fmi2SetupExperiment(c, 0, 0.0, 0.0, 0, 0.0) == fmi2OK);
    CHECK(fmi2EnterInitializationMode(c) == fmi2OK && fmi2ExitInitializationMode(c) == fmi2OK);

    /* What must be refused, and does not disturb. */
    const unsigned parameter = REF_PARAMETER, output = REF_OUTPUT, input = REF_INPUT, flag = REF_SWITCH, none = REF_END;
    const double number = 1.0, nothing = NAN;
    const int on = 1;
    double value;
    said = 0;
    CHECK(fmi2SetReal(c, &parameter, 1, &number) == fmi2Error && said == 1);
    CHECK(fmi2SetReal(c, &output, 1, &number) == fmi2Error && said == 2);
    CHECK(fmi2SetReal(c, &none, 1, &number) == fmi2Error && said == 3);
    CHECK(fmi2SetReal(c, &input, 1, &nothing) == fmi2Error && said == 4);
    CHECK(fmi2SetBoolean(c, &flag, 1, &on) == fmi2Error && said == 5);
    CHECK(fmi2GetReal(c, &flag, 1, &value) == fmi2Error && fmi2GetReal(c, &none, 1, &value) == fmi2Error && said == 7);
    CHECK(fmi2DoStep(c, 0.0, 0.0, 1) == fmi2Error && fmi2DoStep(c, 0.5, 0.01, 1) == fmi2Error && said == 9);
    CHECK(fmi2GetRealStatus(c, fmi2LastSuccessfulTime, &value) == fmi2OK && value == 0.0);
    CHECK(fmi2SetFMUstate(c, NULL) == fmi2Error && fmi2ExitInitializationMode(c) == fmi2Error && said == 11);

    void *state = NULL, *copy = NULL;
    /* Steps that are no multiples of the model's, then on with its own. */
    double time = 0.0;
    for (int k = 0; k < 76; k++, time += 0.013) {
        CHECK(fmi2DoStep(c, time, 0.013, 1) == fmi2OK);
    }
    CHECK(fmi2DoStep(c, time, 1.0 - time, 1) == fmi2OK);
    CHECK(fmi2GetFMUstate(c, &state) == fmi2OK && state);
    run(c, 100, 100);
    CHECK(fmi2SetFMUstate(c, state) == fmi2OK);
    run(c, 100, 100);
    size_t size;
    CHECK(fmi2SerializedFMUstateSize(c, state, &size) == fmi2OK);
    fmi2Byte *bytes = malloc(size);
    CHECK(bytes && fmi2SerializeFMUstate(c, state, bytes, size - 1) == fmi2Error);
    CHECK(fmi2SerializeFMUstate(c, state, bytes, size) == fmi2OK);
    CHECK(fmi2FreeFMUstate(c, &state) == fmi2OK && state == NULL);
    CHECK(fmi2Terminate(c) == fmi2OK && fmi2DoStep(c, 2.0, 0.01, 1) == fmi2Error);
    fmi2FreeInstance(c);

    c = fmi2Instantiate("b", fmi2CoSimulation, HOST_TOKEN, "", &functions, 0, 0);
    CHECK(fmi2DeSerializeFMUstate(c, bytes, size, &copy) == fmi2OK && fmi2SetFMUstate(c, copy) == fmi2OK);
    run(c, 100, 100);
    bytes[3] ^= 1;
    CHECK(fmi2DeSerializeFMUstate(c, bytes, size, &copy) == fmi2Error);
    CHECK(fmi2FreeFMUstate(c, &copy) == fmi2OK && fmi2Reset(c) == fmi2OK);
    fmi2FreeInstance(c);
    free(bytes);
    return 0;
}
