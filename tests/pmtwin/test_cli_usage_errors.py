"""Words of a command line that no command takes: one line, and exit code 2."""

import pytest

from pmtwin import cli
from pmtwin.config.parser import Parser


def test_unknown_command_suggests_the_nearest(capsys):
    assert cli.main(["docter"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("pmtwin: command: 'docter' is not accepted; allowed: ")
    assert error.endswith("(did you mean 'doctor'?)\n")


def test_usage_errors_are_one_line(capsys):
    with pytest.raises(SystemExit) as leave:
        cli.main(["doctor", "--jsno"])
    assert leave.value.code == 2
    told = "option: '--jsno' is unknown; allowed: those of pmtwin doctor --help-all (did you mean '--json'?)"
    assert capsys.readouterr().err == f"pmtwin doctor: {told}\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("", "pmtwin: COMMAND is missing (see pmtwin --help)"),
        ("--jsno", "pmtwin: option: '--jsno' is unknown; allowed: --help, --version, -h"),
        ("--json doctor", "option: '--json' stands before the command; allowed: after it (pmtwin doctor --json)"),
        ("--seed=3 simulate nvm-middleware", "option: '--seed' stands before the command; allowed: after it (pmtwin "),
        ("--jsno doctor", "'--jsno' is unknown; allowed: those of pmtwin doctor --help-all (did you mean '--json'?)"),
        ("doctor all", "word: 'all' belongs to no option; allowed: the arguments of pmtwin doctor --help-all"),
        (
            "doctor all now",
            "words: 'all', 'now' belong to no option; allowed: the arguments of pmtwin doctor --help-all",
        ),
        ("predict --threads 1 2 4", "words: '2', '4' after --threads, which takes one value; allowed: --threads N ("),
        ("predict --size=64 128 256 --threads 1", "words: '128', '256' after --size, which takes one value; allowed:"),
        ("predict --threads 1 2 4", "several points: rows of POINTS.CSV"),
        ("predict --threads 1 2", "--threads 1 does not go with the file of points '2'; remove one of the two"),
        ("simulate numa-threads --nodes 0 1", "word: '1' after --nodes, which takes one value; allowed: --nodes N\n"),
        ("simulate --pools 1,1 --placement 1", "; --placement is an option of scenario numa-threads\n"),
        ("predict --bogus=3", "option: '--bogus' is unknown; allowed: those of pmtwin predict --help-all"),
        ("predict --size", "the value of --size is missing: --size BYTES (see pmtwin predict --help)"),
        ("predict --columns", "the value of --columns is missing: --columns NAME ... (see pmtwin predict --help)"),
        ("simulate nvm-middleware --pools", "the value of --pools is missing: --pools INTERACTIVE,BATCH (see "),
        ("train nvm-middleware -o", "the value of --output is missing: --output FILE (see pmtwin train --help)"),
        ("predict --json=3", "--json: '3' is not accepted; allowed: --json alone, which takes no value (see "),
        ("calibrate", "SOURCE is missing: a file of measurements, "),
        ("evaluate", "--policies is missing (see pmtwin evaluate --help)"),
        ("train", "SCENARIO, -o/--output are missing (see pmtwin train --help)"),
        ("export", "POLICY (or --sb3 FILE.zip), -o/--output are missing (see pmtwin export --help)"),
        ("export --sb3 a.zip", "export: -o/--output is missing (see pmtwin export --help)"),
        ("probe", "--path, --output are missing: a directory on the memory to measure, or --node N; the file of the r"),
    ],
)
def test_usage_errors_have_the_form_of_all_errors(capsys, words, told):
    try:
        code = cli.main(words.split())
    except SystemExit as leave:
        code = leave.code
    error = capsys.readouterr().err
    assert code == 2 and told in error and error.count("\n") == 1
    command = next((word for word in words.split() if not word.startswith("-")), None)
    assert error.startswith(("pmtwin: ", f"pmtwin {command}: "))


@pytest.mark.parametrize("value", ["-1,5", "-1e3", "-inf", "-nan", "-1", "-0.5"])
def test_a_negative_value_reaches_the_option_before_it(value):
    parser = Parser()
    parser.add_argument("--pools")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--phases", nargs="+")
    args = parser.parse_args(["--pools", value, "--json", "--phases", "-1", "2"])
    assert (args.pools, args.json, args.phases) == (value, True, ["-1", "2"])


def test_words_behind_an_option_belong_to_the_argument_that_takes_several(tmp_path, capsys):
    header = "operation,pattern,access_size_bytes,threads,bandwidth_mib_s\n"
    for name, pattern in (("a.csv", "random"), ("b.csv", "sequential")):
        (tmp_path / name).write_text(f"{header}load,{pattern},256,1,2000\n")
    first, last, output = (str(tmp_path / name) for name in ("a.csv", "b.csv", "x.json"))
    words = ["calibrate", first, "-o", output, last, "--prior", "family", "--dry-run"]
    assert cli.main(words) == 0
    assert "read a.csv" in (shown := capsys.readouterr().out) and "read b.csv" in shown
    with pytest.raises(SystemExit):
        cli.main([*words, "--jsno"])
    assert capsys.readouterr().err.startswith("pmtwin calibrate: option: '--jsno' is unknown; ")
    with pytest.raises(SystemExit):
        cli.main(["list", "profiles", "--json", "x", "y"])
