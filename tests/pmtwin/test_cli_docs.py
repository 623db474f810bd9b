"""The pages tell the truth: every example runs, every command, file and link that they name is there.

In docs/extending.md, docs/inline-policies.md and the last part of docs/agents.md a fenced block `python file=NAME` is a
file, and is run as one; a block `bash` is a list of commands, run in the folder of those files. Blocks of other
languages are for reading.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from pmtwin import cli
from pmtwin.config import command_words
from pmtwin.config.summaries import SUMMARIES
from pmtwin.pipeline.declared import pipeline_of
from pmtwin.policies import make_policy
from pmtwin.scenarios import scenario_names
from pmtwin.sim.errors import InputError

TOP = Path(__file__).resolve().parents[2]
PAGES = [TOP / "README.md", TOP / "CONTRIBUTING.md", *sorted((TOP / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(command: list[str] | str, folder: Path) -> str:
    bin_folder = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(TOP)}
    done = subprocess.run(
        command, shell=isinstance(command, str), cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


def sections(page: Path) -> dict[str, str]:
    """Heading -> text of each section that has examples to run."""
    parts = re.split(r"^## (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {heading: text for heading, text in zip(parts[1::2], parts[2::2], strict=True) if "```" in text}


EXTENDING = sections(TOP / "docs/extending.md") | sections(TOP / "docs/inline-policies.md")
OWN_AGENT = "Any other agent"
EXTENDING[OWN_AGENT] = sections(TOP / "docs/agents.md")[OWN_AGENT]


@pytest.mark.parametrize("heading", EXTENDING)
def test_the_examples_of_a_section_run_one_after_the_other(heading, tmp_path):
    for language, name, text in FENCE.findall(EXTENDING[heading]):
        if language == "python":
            assert name, f"a python block without a file name: {text[:60]}"
            (tmp_path / name).write_text(text)
            run([sys.executable, name], tmp_path)
        elif language == "bash":
            for line in text.replace("\\\n", " ").splitlines():
                assert run(line, tmp_path)


def options_of(command: str, words: list[str], capsys) -> set[str]:
    """The options of a command; a scenario among the words after it may add some."""
    scenario = words[:1] if words[:1] and words[0] in scenario_names() else []
    with pytest.raises(SystemExit):
        cli.main([command, *scenario, "--help-all"])
    return set(re.findall(r"--[\w-]+", capsys.readouterr().out))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_on_a_page_exist_with_the_options_that_it_names(page, capsys):
    text = page.read_text(encoding="utf-8")
    blocks = "\n".join(block.replace("\\\n", " ") for language, _, block in FENCE.findall(text) if language == "bash")
    commands = re.findall(r"^(?:\S*/)?pmtwin (.+)$", blocks, re.MULTILINE) + re.findall(r"`pmtwin ([^`]+)`", text)
    for name, *words in (command.split("#")[0].split() for command in commands):
        assert name in SUMMARIES
        named = {word.split("=")[0] for word in words if word.startswith("--")}
        assert named - declared_on(text) <= options_of(name, words, capsys), name


def block_commands(text: str) -> list[list[str]]:
    """The words of each `pmtwin` line in a block of any language or none; not of lines with variables of the shell."""
    blocks = re.findall(r"^```[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    lines = "\n".join(blocks).replace("\\\n", " ")
    commands = re.findall(rf"^(?:\$ )?pmtwin ((?:{'|'.join(SUMMARIES)})(?: [^$\n]*)?)$", lines, re.MULTILINE)
    return [shlex.split(re.split(r" [>|] ", command)[0], comments=True) for command in commands]


THE_READERS = re.compile(r"(.*\.(json|csv|npz)|.*\.py:\w+|DIR)")
"""Files and folders that only the reader has."""


def check_names(config) -> None:
    """Make the policies and look up the figures that a command names."""
    for spec in getattr(config, "policies", None) or ():
        make_policy(spec, config.scenario)
    if config.command == "figures":
        for name in config.names:
            pipeline_of(config.scenario).entry(name)


def refusal(name: str, words: list[str], text: str) -> str:
    """Why a command is refused; empty: it is not, or lacks what only the reader has, or the page shows the refusal."""
    command = shlex.join(["pmtwin", name, *words])
    try:
        args = command_words.build_parser(name, words).parse_args([name, *words])
        check_names(args.door.configuration(args))
    except InputError as error:
        is_readers = THE_READERS.fullmatch(str(error.value)) or "this machine" in error.allowed
        return "" if is_readers or str(error).partition(";")[0] in text else f"{command}: {error}"
    except SystemExit:
        return command
    return ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_in_a_block_have_all_that_they_need_with_names_that_exist(page):
    text = page.read_text(encoding="utf-8")
    assert [each for name, *words in block_commands(text) if (each := refusal(name, words, text))] == []


@pytest.mark.parametrize(
    "command",
    [
        "evaluate hybrid-storage --no-such-option 1",
        "evaluate hybrid-storage --policies lru-clear",
        "evaluate hybrid-storage --policies lru-clean:fre=3.3",
        "evaluate hybrid-storage --policies place=harmonia+migrate=nobody",
        "evaluate hybrid-storage --workloads LUN9",
        "evaluate hybrid-storage --yardsticks best",
        "train hybrid-storage --policy gain --generations 0 -o gain.json",
        "figures hybrid-storage 17",
        "simulate nvm-middleware --phase 1 --pools 10,10 --profile optane",
    ],
)
def test_a_block_with_a_name_that_nothing_has_is_found(command):
    text = f"```text\npmtwin {command}\n```\n"
    ((name, *words),) = block_commands(text)
    assert refusal(name, words, text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_studies_on_a_page_exist(page):
    named = re.findall(r"python -m (studies\.[a-z]\w*)", page.read_text(encoding="utf-8"))
    assert [name for name in named if not (TOP / f"{name.replace('.', '/')}.py").exists()] == []


def declared_on(text: str) -> set[str]:
    """Options that a policy in a file of the page brings along."""
    return {f"--{name.replace('_', '-')}" for name in re.findall(r"^    (\w+): .+ = option\(", text, re.MULTILINE)}


def anchors(page: Path) -> set[str]:
    """What a link may name behind `#`: the headings of a page, in the form that GitHub gives them."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_named_files_are_there(page):
    text = page.read_text(encoding="utf-8")
    prose = FENCE.sub("", text)  # a lambda of C++ looks like a link
    links = [link.partition("#") for link in re.findall(r"\]\(([^)]+)\)", prose) if "://" not in link]
    missing = [link for link, _, _ in links if link and not (page.parent / link).exists()]
    missing += [
        f"{link}#{anchor}"
        for link, _, anchor in links
        if anchor and link not in missing and anchor not in anchors(page.parent / link if link else page)
    ]
    named = re.findall(r"`((?:sim|calibrate|policies|scenarios|figures|pmtwin|tests|docs|scripts)/[\w./-]*)`", text)
    missing += [name for name in named if not (TOP / name).exists()]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_make_targets_on_a_page_exist(page):
    targets = set(re.findall(r"^([a-z]+):", (TOP / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"(?:^|`)make ([a-z]+)", page.read_text(encoding="utf-8"), re.MULTILINE))
    assert named <= targets
