"""Tables V and VI of the paper: misses on 64 lines by requests, as (LRU, LFU, weight sharing).

Our copy is hard to read in some places; `DOUBTFUL` says where.
"""

POISSON = {
    500: (202, 220, 206), 1000: (396, 410, 390), 2500: (1018, 1030, 951), 5000: (1991, 2034, 1907),
    10000: (3871, 4128, 3927),
}  # fmt: skip
IRM = {
    500: (377, 393, 376), 1000: (763, 731, 735), 2500: (1918, 1833, 1841), 5000: (3762, 3676, 3673),
    10000: (7504, 7121, 7138), 20000: (14684, 13851, 13899),
}  # fmt: skip
COLUMNS = ("LRU", "LFU", "WS")
DOUBTFUL = {"poisson": ((500, "LRU"), (500, "WS")), "irm": ((2500, "LRU"), (2500, "LFU"))}
