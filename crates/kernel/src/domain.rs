//! One substructure with its scheme and its memory, seen as a map of its complete state over one step.
