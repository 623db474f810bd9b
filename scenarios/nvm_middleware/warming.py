"""For `pmtwin warm`: small commands that call all that the commands of this scenario compile."""

_SMALL = "--set requests_per_window=200"
_SIMULATE = f"simulate nvm-middleware --phase 1 --pools 2,2 --windows 1 {_SMALL}"
_EPISODE = f"--steps 4 --phase-steps 1 --seeds 1 --jobs 1 {_SMALL}"
_EVALUATE = f"evaluate nvm-middleware --policies none fixed:15,15 threshold {_EPISODE}"
_TRAIN = "train nvm-middleware --campaign 0.0005 --jobs 1 -o policy.npz --force"

_ANALYTIC = f"{_SIMULATE} --engine analytic"
_RECOMMEND = f"recommend nvm-middleware --phase 1 {_SMALL}"

CASES = {
    "simulate": (_SIMULATE, f"{_SIMULATE} --explain", _ANALYTIC),
    "evaluate": (_EVALUATE,),
    "train": (_TRAIN,),
    "recommend": (_RECOMMEND,),
    "validate": (_EVALUATE,),
    "run": (_SIMULATE, f"{_SIMULATE} --explain", _EVALUATE, _TRAIN),
}
FILES: dict[str, str] = {}
