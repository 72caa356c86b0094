// A PLC, as far as the module sees it: data areas and a cycle. It prints the outputs of every cycle.
#include "isolated_module.hpp"

#include <cmath>
#include <cstdio>

// As the TMC editor makes them: the members of the structures in structured text.
struct Inputs {
    unsigned int nRun, nMotionFromInputs, nUseParameters, nReserved;
    double parameters[ISOLATED_PARAMETERS], inputs[ISOLATED_INPUTS];
};
struct Outputs {
    unsigned int nState;
    int nFault, nFaultIndex;
    unsigned int nStep;
    double outputs[ISOLATED_OUTPUTS];
};

static Cisolated model;

static bool cycle(const Inputs &in, Outputs &out, unsigned int state, unsigned int step)
{
    if (model.Cycle(in, out) != S_OK || out.nState != state || out.nStep != step) {
        std::fprintf(stderr, "state %u, step %u instead of %u, %u\n", out.nState, out.nStep, state, step);
        return false;
    }
    return true;
}

int main()
{
    Inputs in{};
    Outputs out{};
    model.Reset();
    // With the motion of the model file, then from outside: what comes in is the value at the end of the coming step.
    for (unsigned int fed = 0; fed < 2; fed++) {
        in.nRun = 0;
        if (!cycle(in, out, ISOLATED_PLC_IDLE, fed ? ISOLATED_STEPS : 0)) {
            return 1;
        }
        in.nRun = 1;
        in.nMotionFromInputs = fed;
        for (unsigned int k = 0; k <= ISOLATED_STEPS; k++) {
            in.inputs[0] = 3000.0 * std::sin(2.0 * 3.14159265358979323846 * 1.3 * 0.01 * k);
            if (!cycle(in, out, ISOLATED_PLC_RUNNING, k)) {
                return 1;
            }
            for (int i = 0; i < ISOLATED_OUTPUTS; i++) {
                std::printf("%s%.17g", i ? " " : "", out.outputs[i]);
            }
            std::printf("\n");
        }
    }
    // What is not a number does not get in, and a fault stays until the next start.
    in.inputs[0] = std::nan("");
    if (!cycle(in, out, ISOLATED_PLC_FAULT, ISOLATED_STEPS)) {
        return 1;
    }
    in.inputs[0] = 0.0;
    return cycle(in, out, ISOLATED_PLC_FAULT, ISOLATED_STEPS) ? 0 : 1;
}
