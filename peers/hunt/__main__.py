"""Hunts answers that are silently wrong: random models by our program and by scipy.

    python peers/hunt --program target/debug/interfield --models 300 --seed 1 --output target/hunt

Each model runs by several schemes and couplings with a step and its half. What differs from the reference by more than the
halving of the step says, or by more than any result may, must have been refused or warned about. The last line is JSON.
"""

import argparse
import json
import multiprocessing
import pathlib
import sys

import judge


def main():
    parse = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parse.add_argument("--program", required=True, type=pathlib.Path)
    parse.add_argument("--models", type=int, default=300)
    parse.add_argument("--first", type=int, default=1, help="number of the first model")
    parse.add_argument("--seed", type=int, default=1)
    parse.add_argument("--output", required=True, type=pathlib.Path, help="folder for what is silently wrong")
    parse.add_argument("--verbose", action="store_true", help="a line for every run")
    parse.add_argument("--shrink", action="store_true", help="make what is silently wrong as small as it stays so")
    args = parse.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    jobs = [(args.seed, n, str(args.program.resolve()), str(args.output), args.shrink) for n in range(args.first, args.first + args.models)]
    counts, wrong, why = {word: 0 for word in judge.WORDS}, [], {}
    with multiprocessing.Pool() as pool:
        for number, findings in pool.imap(judge.hunt, jobs):
            for f in findings:
                counts[f["word"]] += 1
                if args.verbose:
                    print(f"{args.seed}/{number} {f['how']}: {f['word']} {f['detail']}", file=sys.stderr)
                if f["word"] == judge.WRONG:
                    wrong.append(f["file"])
                    print(f"{f['file']}\n  {f['how']}: {f['detail']}", file=sys.stderr, flush=True)
                if f["word"] in ("refused", "warned"):
                    key = f["word"] + ": " + f["detail"][:60]
                    why[key] = why.get(key, 0) + 1
    if args.verbose:
        for key, count in sorted(why.items(), key=lambda item: -item[1]):
            print(f"{count:6} {key}", file=sys.stderr)
    print(json.dumps({"models": args.models, "seed": args.seed, "counts": counts, "silently_wrong": wrong}))


if __name__ == "__main__":
    main()
