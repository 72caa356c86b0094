//! Mistakes in a model file: each gets file, line, column, reason and a suggestion, all at once.

use super::{BASE, data, file, interfield};
use std::collections::BTreeSet;

/// One bad model: the base model with one piece of text replaced (or, if the piece is empty, with text added), in which
/// `§` marks the places that must be reported, and for each of them, in order, a part of the message and of the help.
struct Case {
    name: &'static str,
    piece: &'static str,
    becomes: &'static str,
    expected: &'static [(&'static str, &'static str)],
}

const fn case(
    name: &'static str,
    piece: &'static str,
    becomes: &'static str,
    expected: &'static [(&'static str, &'static str)],
) -> Case {
    Case { name, piece, becomes, expected }
}

const NODE: &str = "[[node]]\nname = \"roof\"\nmass = \"10 t\"\n";
const STOREY2: &str = "type = \"spring\"\nname = \"storey2\"\nnodes = [\"floor\", \"roof\"]\ndof = \"x\"\nk = \"k\"\n";
const SIGNAL: &str = "signal = { type = \"synthetic\", peak = \"0.2 g\" }";
const CHANNELS: &str = "channels = [\"roof.x\", \"storey1.force\", \"quake\"]";

#[rustfmt::skip]
const CASES: &[Case] = &[
    // The seven of the requirements.
    case("negative mass", "\"10 t\"", "§\"-10 t\"", &[("negative mass -10000 kg at `roof.x`", "remove the sign")]),
    case("singular matrix", STOREY2, "type = \"matrix\"\nname = \"storey2\"\ndofs = [\"a.x\", \"b.x\"]\nM = [[1, 1], [1, 1]]\nK = [[1, 1], [1, 1]]\n[[element]]\ntype = \"spring\"\nnodes = [\"floor\", \"roof\"]\ndof = \"x\"\nk = 1\n[[node]]\nname = \"a\"\n[[node]]\nname = §\"b\"\n",
        &[("`b.x`", "give the node a `mass`")]),
    case("zero-length beam", STOREY2, "type = \"beam2d\"\nnodes = §[\"p\", \"q\"]\nE = \"210 GPa\"\nA = \"1 cm^2\"\nI = \"1 cm^4\"\n[[node]]\nname = \"p\"\ndofs = [\"x\", \"y\", \"rz\"]\nat = [0, 1]\nmass = \"1 t\"\n[[node]]\nname = \"q\"\ndofs = [\"x\", \"y\", \"rz\"]\nat = [0, 1]\n",
        &[("no length", "correct `at`")]),
    case("unconnected", NODE, "[[node]]\nname = \"roof\"\nmass = \"10 t\"\n[[node]]\nname = §\"alone\"\n",
        &[("`alone.x` is connected to nothing", "give it a mass, or fix it")]),
    case("dt = 0", "dt = \"10 ms\"", "dt = §0", &[("`dt` must be greater than zero, found 0 s", "dt = \"10 ms\"")]),
    case("negative dt", "dt = \"10 ms\"", "dt = §\"-1 ms\"", &[("must be greater than zero, found -1 ms", "10 ms")]),
    case("divides by zero", STOREY2, "type = \"formula\"\nname = \"storey2\"\nnodes = [\"floor\", \"roof\"]\ndof = \"x\"\nforce = §\"k/u\"\n",
        &[("this formula gives", "max(u, 1e-9)")]),
    case("divides by constant zero", STOREY2, "type = \"formula\"\nname = \"storey2\"\nnodes = [\"floor\", \"roof\"]\ndof = \"x\"\nforce = \"§u/(k - k)\"\n",
        &[("division by zero", "divisor is zero")]),
    case("parameter divides by zero", "k = \"4 kN/mm\"", "z = 0\nk = \"§4 kN/mm / z\"", &[("division by zero", "divisor is zero")]),
    case("vertical tangent", STOREY2, "type = \"formula\"\nname = \"storey2\"\nnodes = [\"floor\", \"roof\"]\ndof = \"x\"\nforce = §\"sqrt(u)\"\n",
        &[("slope of this formula is not finite", "smooth it")]),
    // D is singular.
    case("massless chain", NODE, "[[node]]\nname = \"roof\"\nmass = \"10 t\"\n[[node]]\nname = \"a\"\n[[node]]\nname = §\"b\"\n[[element]]\ntype = \"spring\"\nnodes = [\"a\", \"b\"]\ndof = \"x\"\nk = \"k\"\n",
        &[("`b.x`", "give the node a `mass`")]),
    case("no mass at all", "name = \"floor\"\nmass = \"20 t\"\n\n[[node]]\nname = \"roof\"\nmass = \"10 t\"", "name = §\"floor\"\n[[node]]\nname = \"roof\"", &[("no free degree of freedom has a mass", "`mass`")]),
    // Units, parameters, dimensions.
    case("unknown unit", "\"4 kN/mm\"", "\"4 §kn/mmm\"", &[("unknown unit `kn`", "did you mean `kN`?")]),
    case("unit of another kind", "length = \"mm\"", "length = \"§ms\"", &[("`ms` is not a unit of length, but of time", "length = \"mm\"")]),
    case("inconsistent units", "force = \"kN\"", "force = \"kN\"\nmass = \"§kg\"", &[("inconsistent units", "give either force or mass")]),
    case("dimension", "\"20 t\"", "\"§20 kN\"", &[("expected mass, found force", "1.5 t")]),
    case("sum of kinds", "\"4 kN/mm\"", "\"§4 kN/mm + 2 mm\"", &[("cannot add stiffness", "same kind")]),
    case("sum without unit", "\"4 kN/mm\"", "\"§4 kN/mm + 2\"", &[("a number without unit", "give the number a unit")]),
    case("cycle", "k = \"4 kN/mm\"", "k = §\"a\"\na = \"2*k\"", &[("in a circle: k -> a -> k", "does not refer to the \
        others")]),
    case("unknown parameter", "k = \"k\"\n\n[[load]]", "k = \"2*§kk\"\n\n[[load]]", &[("unknown parameter `kk`", "did you mean `k`?")]),
    case("reserved parameter", "k = \"4 kN/mm\"", "k = \"4 kN/mm\"\n§sin = 2", &[("`sin` cannot be the name of a \
        parameter", "function names are reserved")]),
    case("huge number", "dt = \"10 ms\"", "dt = §1e400", &[("`1e400` is too large", "1e308")]),
    case("huge quantity", "\"10 t\"", "\"§1e400 t\"", &[("too large", "1e308")]),
    case("huge product", "\"4 kN/mm\"", "\"§1e200 kN/mm * 1e200\"", &[("not a finite number", "check the values")]),
    case("huge in SI", "mass = \"10 t\"", "mass = §1e308", &[("too large in SI", "with a unit")]),
    case("nan", "mass = \"10 t\"", "mass = §nan", &[("found nan", "write a number")]),
    case("missing operator", "\"4 kN/mm\"", "\"(2 + 2)§3\"", &[("missing operator", "write a product with `*`")]),
    // Keys and types.
    case("unknown key", "[[node]]\nname = \"roof\"", "[[node]]\n§masss = 1\nname = \"roof\"", &[("unknown key `masss` in `node`", "keys known here: at, dofs")]),
    case("misspelt key", "[[load]]\ntype = \"ground\"\nname = \"quake\"\ndirection =", "[[load]]\ntype = \"ground\"\nname = \"quake\"\n§directoin =", &[("unknown key `directoin` in `load`", "did you mean `direction`?")]),
    case("unknown section", "", "[§analisys]\ndt = 1\n", &[("unknown key `analisys`", "did you mean `analysis`?")]),
    case("key given twice", "mass = \"10 t\"", "mass = \"10 t\"\n§mass = \"11 t\"", &[("`mass` is given twice", "keep one")]),
    case("text without quotes", "dt = \"10 ms\"", "dt = §10 ms", &[("text must be written in quotes", "in quotes: \"10 ms\"")]),
    case("string for a list", "dofs = [\"x\"]", "dofs = §\"x\"", &[("expected a list, found a string", "[\"x\"]")]),
    case("number for a string", "title = \"Two storeys\"", "title = §7", &[("expected a string, found a number", "in quotes: \"7\"")]),
    case("one bracket", "[[load]]\ntype", "§[load]\ntype", &[("expected a list of tables, found a table", "[[load]] with two brackets")]),
    case("list for a quantity", "mass = \"10 t\"", "mass = §[1, 2]", &[("expected mass, found a list", "1.5 t")]),
    // Names and nodes.
    case("name used twice", NODE, "[[node]]\nname = \"roof\"\nmass = \"10 t\"\n[[node]]\nname = §\"floor\"\n", &[("the name `floor` is used twice", "share one set of names")]),
    case("ground declared", NODE, "[[node]]\nname = \"roof\"\nmass = \"10 t\"\n[[node]]\nname = §\"ground\"\n", &[("`ground` always exists", "another name"), ]),
    case("bad name", NODE, "[[node]]\nname = \"roof\"\nmass = \"10 t\"\n[[node]]\nname = §\"the top\"\nmass = 1\n", &[("`the top` cannot be a name", "letters, digits")]),
    case("no such dof", "dof = \"x\"\nk = \"k\"\n\n[[load]]", "dof = §§\"y\"\nk = \"k\"\n\n[[load]]", &[("node `floor` has no degree of freedom `y`", "it has: x"), ("node `roof` has no", "it has: x")]),
    case("itself", "nodes = [\"floor\", \"roof\"]", "nodes = §[\"roof\", \"roof\"]", &[("connects a node with \
        itself", "two different nodes")]),
    case("no direction", "nodes = [\"floor\", \"roof\"]\ndof = \"x\"", "nodes = §[\"floor\", \"roof\"]", &[("direction of this element is unknown", "dof = \"x\"")]),
    case("unknown node", "nodes = [\"floor\", \"roof\"]", "nodes = [\"floor\", §\"rof\"]", &[("there is no node `rof`", "did you mean `roof`?")]),
    case("fixed with a value", "mass = \"10 t\"", "fixed = true\ninitial = { x = §1 }", &[("is fixed and cannot have an initial value", "imposed")]),
    case("no dofs", "dofs = [\"x\"]\n\n[units]\nlength = \"mm\"\nforce = \"kN\"\n\n[parameters]\nk = \"4 kN/mm\"\n\n[[node]]\nname = \"floor\"\nmass = \"20 t\"\n\n[[node]]\nname = \"roof\"\n",
        "[parameters]\nk = \"4 kN/mm\"\n\n[[node]]\nname = §\"floor\"\nmass = 1\n[[node]]\nname = §\"roof\"\n", &[("node `floor` has no degrees of freedom", "at the top of the file"), ("node `roof`", "dofs = [\"x\"]")]),
    // Elements.
    case("unknown type", "type = \"spring\"\nname = \"storey2\"", "type = §\"sprng\"\nname = \"storey2\"", &[("there is no element type `sprng`", "did you mean `spring`?")]),
    case("missing parameter", "[[element]]\ntype = \"spring\"\nname = \"storey2\"\nnodes = [\"floor\", \"roof\"]\ndof = \"x\"\nk = \"k\"\n", "§[[element]]\ntype = \"spring\"\nname = \"storey2\"\nnodes = [\"floor\", \"roof\"]\ndof = \"x\"\n", &[("missing key `k` in `element`", "k = \"4 kN/mm\"")]),
    case("negative stiffness", STOREY2, "type = \"gap\"\nname = \"storey2\"\nnodes = [\"floor\", \"roof\"]\ndof = \"x\"\nk = §\"-1 kN/mm\"\n", &[("`k` (contact stiffness) must be greater than zero, found -1 kN/mm", "remove the sign")]),
    case("negative density", STOREY2, "type = \"beam2d\"\nnodes = [\"p\", \"q\"]\nE = \"210 GPa\"\nA = \"1 cm^2\"\nI = \"1 cm^4\"\nrho = §-7850\n[[node]]\nname = \"p\"\ndofs = [\"x\", \"y\", \"rz\"]\n[[node]]\nname = \"q\"\ndofs = [\"x\", \"y\", \"rz\"]\nat = [0, 1]\n",
        &[("`rho`", "remove the sign")]),
    case("pendulum on translations", STOREY2, "type = \"pendulum\"\ndofs = [\"roof.x\", §\"floor.x\"]\nm = \"1 t\"\nlength = \"1 m\"\n", &[("is a rotation, but `floor.x` is a translation", "theta")]),
    case("pendulum of one", STOREY2, "type = \"pendulum\"\ndofs = §[\"roof.x\"]\nm = \"1 t\"\nlength = \"1 m\"\n", &[("needs 2 degrees of freedom, found 1", "x, theta")]),
    case("beam to the ground", STOREY2, "type = \"beam2d\"\nnodes = [§\"ground\", \"q\"]\nE = \"210 GPa\"\nA = \"1 cm^2\"\nI = \"1 cm^4\"\n[[node]]\nname = \"q\"\nmass = \"1 t\"\ndofs = [\"x\", \"y\", \"rz\"]\nat = [0, 1]\n",
        &[("`ground` has no position", "fixed = true")]),
    case("mechanism", STOREY2, "type = \"beam2d\"\nnodes = [\"p\", \"q\"]\nE = \"210 GPa\"\nA = \"1 cm^2\"\nI = \"1 cm^4\"\nrelease = [§\"middle\"]\n[[node]]\nname = \"p\"\ndofs = [\"x\", \"y\", \"rz\"]\n[[node]]\nname = \"q\"\ndofs = [\"x\", \"y\", \"rz\"]\nat = [0, 1]\n",
        &[("`middle` cannot be released", "start, end")]),
    case("matrix of wrong size", STOREY2, "type = \"matrix\"\ndofs = [\"floor.x\", \"roof.x\"]\nK = §[[1]]\n", &[("`K` is 1 x 1, expected 2 x 2", "one row and column")]),
    case("ragged matrix", STOREY2, "type = \"matrix\"\ndofs = [\"floor.x\", \"roof.x\"]\nK = [[1, 2], §[3]]\n", &[("the first row has 2 values, this one 1", "same length")]),
    case("no matrix", "[[load]]\n", "§[[element]]\ntype = \"matrix\"\ndofs = [\"floor.x\", \"roof.x\"]\n[[load]]\n", &[("this matrix element has no matrix", "M, C or K")]),
    case("negative mass matrix", STOREY2, "type = \"matrix\"\ndofs = [\"floor.x\", \"roof.x\"]\nM = §[[1, 0], [0, -1]]\n", &[("negative mass at `roof.x`", "entry (2, 2)")]),
    case("formula and unknown node", STOREY2, "type = \"formula\"\nname = \"storey2\"\nnodes = [\"floor\", §\"rof\"]\ndof = \"x\"\nforce = \"k*u + §c*v\"\n",
        &[("there is no node `rof`", "roof"), ("unknown name `c`", "names allowed here: u, v, t, k")]),
    case("unbalanced formula", STOREY2, "type = \"formula\"\nname = \"storey2\"\nnodes = [\"floor\", \"roof\"]\ndof = \"x\"\nforce = \"k*§(u + v\"\n", &[("never closed", "add `)`")]),
    case("unknown function", STOREY2, "type = \"formula\"\nname = \"storey2\"\nnodes = [\"floor\", \"roof\"]\ndof = \"x\"\nforce = \"§sinus(u)\"\n", &[("unknown function `sinus`", "functions are")]),
    case("singular block", STOREY2, "type = \"block\"\ndofs = [\"roof.x\"]\nA = [[0]]\nB = §[[1, 2]]\n", &[("`B` is 1 x 2, expected 1 x 1", "one row and column")]),
    // Loads and signals.
    case("wrong direction", "direction = \"x\"", "direction = §\"y\"", &[("no node can move in the direction `y`", "x")]),
    case("load on a fixed dof", "[[load]]\n", "[[load]]\ntype = \"force\"\nat = §\"f.x\"\nsignal = { type = \"constant\", value = 1 }\n[[node]]\nname = \"f\"\nfixed = true\n[[load]]\n",
        &[("a force on `f.x` has no effect: it is fixed", "free")]),
    case("load on the ground", "[[load]]\n", "[[load]]\ntype = \"force\"\nat = §\"ground.x\"\nsignal = { type = \"constant\", value = 1 }\n[[load]]\n", &[("`ground` has no position", "fixed = true")]),
    case("force before imposed", "[[load]]\n", "[[load]]\ntype = \"force\"\nat = §\"roof.x\"\nsignal = { type = \"constant\", value = 1 }\n[[load]]\ntype = \"imposed\"\nat = \"roof.x\"\ndisplacement = { type = \"constant\", value = 1 }\n[[load]]\n",
        &[("has no effect: it is fixed", "free")]),
    case("imposed twice", "[[load]]\n", "[[load]]\ntype = \"imposed\"\nat = \"roof.x\"\ndisplacement = { type = \"constant\", value = 1 }\n[[load]]\ntype = \"imposed\"\nat = §\"roof.x\"\ndisplacement = { type = \"constant\", value = 1 }\n[[load]]\n",
        &[("`roof.x` already has an imposed motion", "one motion")]),
    case("imposed without motion", "[[load]]\n", "§[[load]]\ntype = \"imposed\"\nat = \"roof.x\"\n[[load]]\n", &[("needs either `displacement` or `acceleration`", "harmonic")]),
    case("unknown signal", SIGNAL, "signal = §\"elcentro\"", &[("there is no signal `elcentro`", "[signal.elcentro]")]),
    case("unknown signal type", SIGNAL, "signal = { type = §\"sine\" }", &[("unknown value \"sine\"", "harmonic")]),
    case("signal of another kind", SIGNAL, "signal = { type = \"synthetic\", peak = \"§2 mm\" }", &[("expected acceleration (length/time^2), found length", "0.2 g")]),
    case("not a frequency", SIGNAL, "signal = §{ type = \"harmonic\", amplitude = 1 }", &[("needs either `frequency` \
        (Hz) or `omega`", "2 Hz")]),
    case("signal formula", SIGNAL, "signal = { type = \"formula\", value = §\"1/t\" }", &[("gives inf at t = 0", "max(t, 1e-9)")]),
    case("one sample", SIGNAL, "signal = { type = \"table\", dt = 1, values = §[1] }", &[("needs 2 to", "one sample per line")]),
    case("times that do not increase", SIGNAL, "signal = { type = \"table\", times = [0, 1, 1], values = §[1, 2, 3] }", &[("sample 2 is at 1 s and sample 3 at 1 s", "sort")]),
    case("missing record", SIGNAL, "signal = { type = \"file\", path = §\"nowhere.csv\" }", &[("`nowhere.csv`: does not exist", "relative to the model file")]),
    case("record with nan", SIGNAL, "signal = { type = \"file\", path = §\"nan.csv\" }", &[("`nan.csv`: line 3, column 2: NaN is not a finite number", "fill the gap")]),
    case("record with words", SIGNAL, "signal = { type = \"file\", path = §\"words.csv\" }", &[("`words.csv`: line 4: \
        `n/a` is not a number", "correct the line")]),
    case("short record", SIGNAL, "signal = { type = \"file\", path = §\"short.csv\" }", &[("`short.csv`: a signal needs 2 to", "column of times")]),
    case("unsorted record", SIGNAL, "signal = { type = \"file\", path = §\"unsorted.csv\" }", &[("`unsorted.csv`: times must increase", "sort")]),
    case("record of one column", SIGNAL, "signal = { type = \"file\", path = §\"column.csv\" }", &[("line 1 has no column 2", "give `dt`")]),
    case("unit of a record", SIGNAL, "signal = { type = \"file\", path = \"column.csv\", dt = 0.01, unit = §\"mm\" }", &[("expected a unit of acceleration", "unit = \"g\"")]),
    case("record processed wrongly", SIGNAL, "signal = { type = \"file\", path = \"column.csv\", dt = 0.01, baseline = §4, band_pass = §[\"2 Hz\", \"1 Hz\"], resample = §0, peak = §\"0 g\" }",
        &[("between 0 and 3, found 4", "baseline = 1"), ("two frequencies, the lower one first", "25 Hz"), ("`resample` must be greater than zero", "5 ms"), ("`peak` must be greater", "peak")]),
    case("key of a record elsewhere", SIGNAL, "signal = { type = \"synthetic\", peak = \"0.2 g\", §baseline = 1 }", &[("unknown key `baseline`", "`baseline` is used with type = \"file\"")]),
    case("generated for nothing", SIGNAL, "signal = { type = \"generated\", spectrum = §\"ec9\" }", &[("unknown value \"ec9\"", "\"asce7\"")]),
    case("generated with mistakes", SIGNAL, "signal = { type = \"generated\", spectrum = \"ec8\", ag = §0, ground = §\"F\", kind = §3, seed = §-1 }",
        &[("`ag` must be greater than zero", "0.25 g"), ("unknown value \"F\"", "\"A\""), ("`kind` must be between 1 and 2, found 3", "kind = 1"), ("whole number from 0", "for example 1")]),
    // Matrix Market files.
    case("missing matrix", STOREY2, "type = \"matrix\"\ndofs = [\"floor.x\"]\nK = §\"nowhere.mtx\"\n", &[("`nowhere.mtx`: does not exist", "relative to the model file")]),
    case("no matrix file", STOREY2, "type = \"matrix\"\ndofs = [\"floor.x\"]\nK = §\"words.csv\"\n", &[("does not begin with `%%MatrixMarket`", "Matrix Market format")]),
    case("matrix out of range", STOREY2, "type = \"matrix\"\ndofs = [\"floor.x\"]\nK = §\"range.mtx\"\n", &[("line 3: there is no entry (2, 1) in a 1 x 1 matrix", "Matrix Market")]),
    case("matrix with words", STOREY2, "type = \"matrix\"\ndofs = [\"floor.x\"]\nK = §\"words.mtx\"\n", &[("line 3: \
        `one` is not a number", "Matrix Market")]),
    case("matrix too short", STOREY2, "type = \"matrix\"\ndofs = [\"floor.x\"]\nK = §\"short.mtx\"\n", &[("2 entries \
        declared, 1 found", "Matrix Market")]),
    // Damping, analysis, channels.
    case("damping ratio", "[analysis]", "[damping]\nrayleigh = { ratio = §50 }\n[analysis]", &[("`ratio` must be between 0 and 10, found 50", "0.05")]),
    case("damping of nothing", "[analysis]", "§[damping]\n[analysis]", &[("needs either `rayleigh` or `modal`", "ratio = 0.05")]),
    case("damping of a mode too many", "[analysis]", "[damping]\nrayleigh = §{ ratio = 0.05, modes = [1, 3] \
        }\n[analysis]", &[("the damping refers to mode 3, but the structure has only 2 modes", "lower `modes`")]),
    case("unknown scheme", "\"lsrt2\"", "§\"lsrt\"", &[("there is no scheme `lsrt`", "did you mean")]),
    case("scheme parameters", "\"lsrt2\"", "{ name = \"lsrt2\", §gama = 1, §rho = 2 }", &[("has no parameter `gama`", "did you mean `gamma`?"), ("has no parameter `rho`", "its parameters are")]),
    case("bad scheme parameter", "\"lsrt2\"", "{ name = \"lsrt2\", §gamma = \"sideways\" }", &[("parameter `gamma` of scheme `lsrt2` must be", "interfield schemes lsrt2")]),
    case("scheme and key", "scheme = \"lsrt2\"", "scheme = §\"none\"\n§dtt = 1", &[("there is no scheme", "schemes are"), ("unknown key `dtt`", "keys known here")]),
    case("too many steps", "dt = \"10 ms\"", "dt = §1e-300", &[("are more than 1e12 steps", "check the units")]),
    case("no step", "[analysis]\nscheme = \"lsrt2\"\ndt = \"10 ms\"\n", "§[analysis]\nscheme = \"lsrt2\"\n", &[("missing key `dt` in `analysis`", "dt = \"10 ms\"")]),
    case("channels", CHANNELS, "channels = [§\"rof.x\", §\"roof\", §\"roof.y\", §\"roof.x.w\", §\"storey1.foce\", §\"storey1.force.2\", §\"storey1\", §\"quake.x\"]", &[
        ("no node, element or load is called `rof`", "did you mean `roof`?"), ("does not name a direction", "\"roof.x\""), ("has no degree of freedom `y`", "it has: x"),
        ("`w` is not a quantity", "write u (displacement)"), ("has no quantity `foce`", "did you mean `force`?"), ("has one coordinate", "\"storey1.force\""),
        ("does not name a quantity", "it has: force, deformation"), ("load `quake` has no quantity `x`", "\"quake\"")]),
    case("channel twice", CHANNELS, "channels = [\"roof.x\", §\"roof.x\"]", &[("listed twice", "remove one")]),
    case("every 0", CHANNELS, "every = §0", &[("`every` must be 1 or greater, found 0", "every = 10")]),
    // Frequencies of the other kind, where nobody can tell what is meant.
    case("angular frequency in an expression", SIGNAL, "signal = { type = \"harmonic\", amplitude = \"0.1 g\", frequency = \"§0.5*3 rad/s\" }",
        &[("expected frequency (cycles/time), found angular frequency", "divide it by (2*pi)")]),
    case("cycles in an expression", SIGNAL, "signal = { type = \"harmonic\", amplitude = \"0.1 g\", omega = \"§6.28*2 Hz\" }",
        &[("expected angular frequency (angle/time), found frequency", "multiply it by 2*pi")]),
    case("a sum of frequencies", SIGNAL, "signal = { type = \"harmonic\", amplitude = \"0.1 g\", omega = \"§2 Hz + 1 rad/s\" }",
        &[("cannot add frequency (cycles/time) and angular frequency", "same kind")]),
    case("cycles as a rate", "[analysis]", "[damping]\nrayleigh = { a0 = \"§0.4 Hz\" }\n[analysis]", &[("expected a rate (1/time), found frequency", "1/s")]),
    case("cycles in a unit", "\"4 kN/mm\"", "\"4 §kN*Hz/(mm*Hz^2)\"", &[("Hz counts cycles", "kN*s/m")]),
    case("a frequency without its 2 pi", SIGNAL, "signal = { type = \"harmonic\", amplitude = \"0.1 g\", frequency = \"§sqrt(k/(20 t))\" }",
        &[("found angular frequency", "divide it by (2*pi)")]),
    case("compensator of another kind", "", "[[specimen]]\nname = \"rig\"\nelements = [\"storey2\"]\ncompensation = { method = \"pi-lead\", zero = \"§2*3 Hz\" }\n",
        &[("expected angular frequency", "2*pi")]),
    // What has no sign.
    case("negative actuator", "", "[[specimen]]\nname = \"rig\"\nelements = [\"storey2\"]\n[[specimen.actuator]]\nstroke = §\"-100 mm\"\nvelocity = §\"-1 m/s\"\nforce = §\"-9 kN\"\nfriction = §-1\ndelay = §\"-8 ms\"\ndelay_swing = §\"-1 ms\"\ndelay_frequency = §\"-1 Hz\"\ndisplacement_sensor = { noise = §-1, range = §-1, quantum = §-1, seed = §-1 }\n",
        &[("`stroke` must be zero or greater", "remove the sign"), ("`velocity` must be zero or greater", "remove the sign"), ("`force` must be zero or greater", "remove the sign"), ("`friction` must be zero or greater", "remove the sign"),
          ("`delay` must be zero or greater", "remove the sign"), ("`delay_swing` must be zero or greater", "remove the sign"), ("`delay_frequency` must be zero or greater", "remove the sign"),
          ("`noise` must be zero or greater", "remove the sign"), ("`range` must be zero or greater", "remove the sign"), ("`quantum` must be zero or greater", "remove the sign"), ("whole number from 0", "for example 1")]),
    case("negative fault", "", "[[specimen]]\nname = \"rig\"\nelements = [\"storey2\"]\n[specimen.limits]\nmissing = §0.5\nforce = { at = §\"-1 kN\", samples = §0 }\n[[specimen.fault]]\ntype = \"delay\"\nat = §\"-1 s\"\nfor = §\"-1 s\"\nsize = §\"-1 ms\"\nactuator = §3\n",
        &[("whole number of samples from 1, found 0.5", "missing = 10"), ("must be zero or greater", "remove the sign"), ("`samples` must be 1 or greater, found 0", "samples = 3"),
          ("`at` must be zero or greater", "remove the sign"), ("`for` must be zero or greater", "remove the sign"), ("`size` must be zero or greater", "remove the sign"), ("there is no actuator 3", "from 1 to 2")]),
    case("fault at an unknown actuator", "", "[[specimen]]\nname = \"rig\"\nelements = [\"storey2\"]\n[[specimen.fault]]\ntype = \"silence\"\nat = \"1 s\"\nactuator = §\"west\"\n", &[("there is no actuator `west`", "from 1 to 2")]),
    // What would have no effect.
    case("uncertain numbers", "", "[[specimen]]\nname = \"rig\"\nelements = [\"storey2\"]\nuncertain = { stiffness = §[1.2, 0.8], mass = §[1.1, 1.2], damping = { mean = 1, std = §-1 } }\n[[specimen.actuator]]\ntype = \"second-order\"\nfrequency = \"20 Hz\"\ndamping = 0.7\ndelay = \"8 ms\"\nuncertain = { delay = [\"§8 N\", \"9 ms\"], frequency = §[\"25 Hz\", \"30 Hz\"], damping = [§-0.7, 0.8], time_constant = §[\"1 ms\", \"2 ms\"], gain = §[1], force_noise = §{ mean = \"1 N\", std = \"1 N\" }, displacement_noise = §{ mean = \"1 mm\" } }\n",
        &[("the interval of `stiffness` is reversed", "lowest value first"), ("`mass` of the file is outside of its interval", "contains the value of the file"), ("`std` must be zero or greater", "remove the sign"),
          ("expected time, found force", "write for example"), ("`frequency` of the file is outside of its interval", "contains the value of the file"), ("`damping` must be zero or greater", "remove the sign"),
          ("an actuator of type \"second-order\" has no `time_constant`", "first-order"), ("`gain` is an interval and needs two values, found 1", "[lowest, highest]"),
          ("the distribution of `force_noise` reaches below zero", "smaller deviation"), ("the distribution of `displacement_noise` needs either `std` or `cov`", "cov = 0.1")]),
    case("uncertain dynamics of an ideal actuator", "", "[[specimen]]\nname = \"rig\"\nelements = [\"storey2\"]\n[[specimen.actuator]]\nuncertain = { gain = §[0.9, 1.1] }\n",
        &[("an actuator of type \"ideal\" has no `gain`", "\"first-order\" or \"second-order\"")]),
    case("swing without frequency", "", "[[specimen]]\nname = \"rig\"\nelements = \
        [\"storey2\"]\n[[specimen.actuator]]\ndelay = \"8 ms\"\ndelay_swing = §\"1 ms\"\n", &[("`delay_swing` alone \
        has no effect", "delay_frequency")]),
    case("swing beyond the delay", "", "[[specimen]]\nname = \"rig\"\nelements = \
        [\"storey2\"]\n[[specimen.actuator]]\ndelay = \"1 ms\"\ndelay_swing = §\"2 ms\"\ndelay_frequency = \"1 \
        Hz\"\n", &[("becomes negative", "not be greater")]),
    case("delay in the wrong unit", "", "[[specimen]]\nname = \"rig\"\nelements = [\"storey2\"]\n[[specimen.actuator]]\ndelay = §\"12 s\"\n",
        &[("a delay of 12 s is longer than 10 s", "8 ms")]),
    case("uncertain delay without end", "", "[[specimen]]\nname = \"rig\"\nelements = [\"storey2\"]\n[[specimen.actuator]]\nuncertain = { delay = §[\"0 s\", \"1e12 s\"] }\n",
        &[("is longer than 10 s", "8 ms")]),
    case("estimate for nothing", STOREY2, "type = \"spring\"\nname = \"storey2\"\nnodes = [\"floor\", \"roof\"]\ndof = \"x\"\nk = \"k\"\ntangent = §{ k = \"k\" }\n", &[("the `tangent` of `storey2` has no effect", "tangent = \"given\"")]),
    case("estimate of a matrix", STOREY2, "type = \"matrix\"\nname = \"storey2\"\ndofs = [\"floor.x\", \"roof.x\"]\nK \
        = [[4, -4], [-4, 4]]\ntangent = §{ k = \"k\" }\n", &[("the tangent of this element is a matrix", "K = [[")]),
    case("estimate of another size", STOREY2, "type = \"matrix\"\nname = \"storey2\"\ndofs = [\"floor.x\", \"roof.x\"]\nK = [[4, -4], [-4, 4]]\ntangent = { K = §[[4]] }\n", &[("`K` is 1 x 1, expected 2 x 2", "one row")]),
    case("modes for nothing", "[analysis]", "[damping]\nrayleigh = { a0 = 0.1, modes = §[1, 2] }\n[analysis]", &[("`modes` has no effect", "remove it")]),
    // What would drive the structure instead of damping or holding it.
    case("damping that drives", "[analysis]", "[damping]\nrayleigh = §{ a0 = 0.1, a1 = \"-5 ms\" }\n[analysis]", &[("mode 1 (1.7227 Hz) has a damping ratio of -2.244 %", "one `ratio`")]),
    case("damping of one frequency", "[analysis]", "[[node]]\nname = \"twin\"\nmass = \"10 t\"\n[[element]]\ntype = \"spring\"\nnodes = [\"floor\", \"twin\"]\ndof = \"x\"\nk = \"1.0000001*k\"\n[[element]]\ntype = \"spring\"\nnodes = [\"ground\", \"floor\"]\ndof = \"x\"\nk = \"1e8*k\"\n[damping]\nrayleigh = §{ ratios = [0.02, 0.05] }\n[analysis]",
        &[("modes 1 and 2 have the same frequency and cannot have two damping ratios", "one `ratio`")]),
    case("indefinite mass", STOREY2, "type = \"matrix\"\nname = §\"storey2\"\ndofs = [\"floor.x\", \"roof.x\"]\nM = [[1, 20], [20, 1]]\nK = [[4, -4], [-4, 4]]\n", &[("the mass matrix of `storey2` is indefinite", "positive semidefinite")]),
    case("shorter than a step", "dt = \"10 ms\"\nduration = \"1 s\"", "dt = §\"10 ms\"\nduration = \"1 ms\"", &[("shorter than one step of 10 ms", "smaller `dt`")]),
    // One mistake must not hide or multiply others.
    case("several sections", "nodes = [\"floor\", \"roof\"]\ndof = \"x\"\nk = \"k\"\n\n[[load]]\ntype = \"ground\"\nname = \"quake\"\ndirection = \"x\"\nsignal = { type = \"synthetic\", peak = \"0.2 g\" }\n\n[analysis]\nscheme = \"lsrt2\"\ndt = \"10 ms\"",
        "nodes = [\"floor\", §\"basement\"]\ndof = \"x\"\nk = \"§1 m\"\n\n[[load]]\ntype = \"ground\"\nname = \"quake\"\ndirection = §\"z\"\nsignal = { type = \"synthetic\", peak = \"§1 s\" }\n\n[analysis]\nscheme = §\"magic\"\ndt = §0",
        &[("no node `basement`", "declare it"), ("expected stiffness", "4 kN/mm"), ("direction `z`", "x"), ("expected acceleration", "0.2 g"), ("no scheme", "schemes are"), ("greater than zero", "10 ms")]),
    case("a broken element stays known", "k = \"k\"\n\n[[load]]", "k = \"§1 m\"\n\n[[load]]", &[("expected stiffness (force/length), found length", "4 kN/mm")]),
    case("unconnected among others", NODE, "[[node]]\nname = \"roof\"\nmass = \"10 t\"\n[[node]]\nname = §\"alone\"\n[[node]]\nname = \"c\"\nmass = \"§1 m\"\n", &[("`alone.x` is connected to nothing", "fix it"), ("expected mass, found length", "1.5 t")]),
];

/// The text of a case without marks, and the lines and columns of the marks.
fn text(case: &Case) -> (String, Vec<(u64, u64)>) {
    let marked = if case.piece.is_empty() {
        format!("{BASE}\n{}", case.becomes)
    } else {
        assert_eq!(BASE.matches(case.piece).count(), 1, "{}: the piece is in the model once", case.name);
        BASE.replacen(case.piece, case.becomes, 1)
    };
    let mut places = Vec::new();
    for (i, line) in marked.lines().enumerate() {
        for (before, column) in line.match_indices('§').enumerate().map(|(n, (at, _))| (n, line[..at].chars().count()))
        {
            places.push((i as u64 + 1, (column - before) as u64 + 1));
        }
    }
    (marked.replace('§', ""), places)
}

fn records() {
    file("nan.csv", "t,a\n0,0.1\n0.01,NaN\n0.02,0.3\n");
    file("words.csv", "t,a\n0,0.1\n0.01,0.2\n0.02,n/a\n");
    file("short.csv", "t,a\n0,0.1\n");
    file("unsorted.csv", "t,a\n0,0.1\n0.02,0.2\n0.01,0.3\n");
    file("column.csv", "0.1\n0.2\n0.3\n");
    file("range.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n2 1 5.0\n");
    file("words.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 one\n");
    file("short.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 2\n1 1 5.0\n");
}

#[test]
fn every_mistake_is_located_and_explained() {
    records();
    let mut wrong = Vec::new();
    for case in CASES {
        let (text, places) = text(case);
        let path = file(&format!("mistake-{}.toml", case.name.replace([' ', '=', '/'], "-")), text);
        let path = path.to_str().unwrap();
        let outcome = interfield(&["run", path, "--json", "-o", "mistake.csv"]);
        assert!(!outcome.stderr.contains("panicked"), "{}: {}", case.name, outcome.stderr);
        let document = outcome.json();
        let none = Vec::new();
        let errors = document["errors"].as_array().unwrap_or(&none);
        let found: Vec<String> = errors
            .iter()
            .filter(|e| e["severity"] == "error")
            .map(|e| format!("{}:{} {} | {}", e["line"], e["column"], e["message"], e["help"]))
            .collect();
        let expected: Vec<_> = places.iter().copied().zip(case.expected).collect();
        let good = outcome.code == Some(2)
            && found.len() == case.expected.len()
            && places.len() == case.expected.len()
            && errors.iter().filter(|e| e["severity"] == "error").zip(&expected).all(
                |(e, ((line, column), (message, help)))| {
                    e["file"] == path
                        && e["line"] == *line
                        && e["column"] == *column
                        && e["message"].as_str().is_some_and(|m| m.contains(message))
                        && e["help"].as_str().is_some_and(|h| !h.is_empty() && h.contains(help))
                        && outcome.stderr.contains(&format!("{path}:{line}:{column}"))
                },
            );
        if !good {
            wrong.push(format!("{}\n  expected {expected:?}\n  found    {found:#?}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), CASES.len(), wrong.join("\n"));
}

/// What concerns the model as a whole stands at its beginning.
#[test]
fn mistakes_of_the_whole_model() {
    let cases = [
        ("", vec![("the model has no nodes", "[[node]]"), ("the model has no [analysis]", "[analysis]")]),
        ("# nothing\n", vec![("the model has no nodes", "[[node]]"), ("the model has no [analysis]", "[analysis]")]),
        (
            "node = [{ name = \"a\", dofs = [\"x\"], fixed = true }]\nanalysis = { dt = 1, duration = 1 }\n",
            vec![("the model has no free degree of freedom", "free at least one node")],
        ),
    ];
    for (text, expected) in cases {
        let path = file("whole.toml", text);
        let document = interfield(&["run", path.to_str().unwrap(), "--json"]).expect(2).json();
        let errors = document["errors"].as_array().unwrap();
        assert_eq!(errors.len(), expected.len(), "{errors:?}");
        for (e, (message, help)) in errors.iter().zip(expected) {
            assert_eq!((&e["line"], &e["column"]), (&1.into(), &1.into()));
            assert!(e["message"].as_str().unwrap().contains(message), "{e}");
            assert!(e["help"].as_str().unwrap().contains(help), "{e}");
        }
    }
}

#[test]
fn twenty_mistakes_give_twenty_messages() {
    let path = data("twenty-mistakes.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: BTreeSet<u64> =
        (1..).zip(text.lines()).filter(|(_, l)| l.contains("# ") && l.contains(": ")).map(|l| l.0).collect();
    assert_eq!(lines.len(), 20);
    let outcome = interfield(&["run", path.to_str().unwrap(), "--json", "-o", "twenty.csv"]).expect(2);
    let document = outcome.json();
    let errors = document["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 20, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("20 errors in"), "{}", outcome.stderr);
    let distinct = |key: &str| errors.iter().map(|e| e[key].to_string()).collect::<BTreeSet<_>>().len();
    assert_eq!(distinct("message"), 20);
    assert!(errors.iter().all(|e| e["help"].is_string() && e["column"].as_u64() > Some(0)));
    let mut found: BTreeSet<u64> = errors.iter().map(|e| e["line"].as_u64().unwrap()).collect();
    // A missing key is shown at the header above its remark.
    let missing = *lines.iter().find(|l| text.lines().nth(**l as usize - 1).unwrap().contains("is missing")).unwrap();
    assert!(found.remove(&(missing - 1)) && found.insert(missing));
    assert_eq!(found, lines);
}
