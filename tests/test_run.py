"""`overbar run` and `overbar campaign`, as their users type them: real processes."""

import json
import os
import pty
import random
import re
import signal
import sqlite3
import statistics
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.accounts import check_accounts

OVERBAR = str(Path(sys.executable).parent / "overbar")

#: Passes as often as the rate in the file of the arm says, in thousandths; see `passes`.
TRY = """#!/bin/sh
read -r rate seed < "rates/$1"
x=$(( (OVERBAR_TICKET * 48271 + seed) % 2147483647 ))
x=$(( (x * x + seed) % 2147483647 ))
x=$(( x * 69621 % 2147483647 ))
[ $(( x / 1000 % 1000 )) -lt "$rate" ]
"""


def passes(ticket: int, rate: int, seed: int) -> bool:
    """Whether the try of that ticket passes."""
    x = (ticket * 48271 + seed) % 2147483647
    x = (x * x + seed) % 2147483647
    return x * 69621 % 2147483647 // 1000 % 1000 < rate


def overbar(*arguments: str, cwd: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [OVERBAR, *arguments], cwd=cwd, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    return done


def script(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return f"./{name}"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Six arms: a, b, c fail, and d, e, f pass."""
    (tmp_path / "arms.txt").write_text("a\nb\n\nc\nd\ne\nf\n")
    script(tmp_path, "try", '#!/bin/sh\n[ "$1" \\> c ]\n')
    return tmp_path


RUN = ("run", "--arms", "arms.txt", "--threshold", "0.6", "--budget", "90", "--jobs", "4")


def test_a_table_and_an_exit_code(shop: Path) -> None:
    done = overbar(*RUN, "--", "./try", "{arm}", cwd=shop, code=3)
    assert "verdict" in done.stdout
    assert "3 over, 3 under, 0 undecided." in done.stderr
    assert done.stdout.count("under") == 3
    assert done.stdout.count("over") == 3
    assert "90 of 90 tries" in done.stderr
    assert overbar(*RUN, "--exit-zero", "--", "./try", "{arm}", cwd=shop).stdout == done.stdout
    (shop / "arms.txt").write_text("d\ne\nf\n")
    overbar(*RUN, "--name", "good", "--", "./try", "{arm}", cwd=shop, code=0)
    first = ("run", "--arms", "arms.txt", "--threshold", "0.6", "--budget", "3", "--name", "few")
    overbar(*first, "--", "./try", "{arm}", cwd=shop, code=4)


def test_output_for_programs(shop: Path) -> None:
    end = ("--", "./try", "{arm}")
    read = json.loads(overbar(*RUN, "--json", *end, cwd=shop, code=3).stdout)
    assert read["campaign"]["told"] == 90
    assert read["campaign"]["name"] == "./try {arm}"
    sides = {each["arm"]: each["verdict"] for each in read["findings"]}
    assert sides == dict.fromkeys("abc", "under") | dict.fromkeys("def", "over")
    lines = overbar(*RUN, "--csv", "--worst-first", *end, cwd=shop, code=3).stdout.splitlines()
    assert lines[0] == "arm,threshold,tries,mean,low,high,verdict"
    assert [line.split(",")[-1] for line in lines[1:]] == ["under"] * 3 + ["over"] * 3
    overbar(*RUN, "--junit", "found.xml", *end, cwd=shop, code=3)
    suite = ElementTree.parse(shop / "found.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("6", "3", "0")
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    assert failed == ["a", "b", "c"]


def test_the_same_command_goes_on_with_more_budget_and_arms(shop: Path) -> None:
    end = ("--json", "--", "./try", "{arm}")
    one = json.loads(overbar(*RUN, *end, cwd=shop, code=3).stdout)
    assert json.loads(overbar(*RUN, *end, cwd=shop, code=3).stdout) == one
    (shop / "arms.txt").write_text("a\nb\nc\nd\ne\nf\ng\n")
    more = [*RUN, "--budget", "120"]
    two = json.loads(overbar(*more, *end, cwd=shop, code=3).stdout)
    assert two["campaign"]["told"] == 120
    assert {each["arm"]: each["tries"] > 0 for each in two["findings"]}["g"]
    said = overbar(*RUN, *end, cwd=shop, code=1).stderr
    assert "the budget is 90, but must be at least 120" in said
    said = overbar(*more, "--threshold", "0.7", *end, cwd=shop, code=1).stderr
    assert "is 0.7, but must be 0.6, as when it began. Another campaign needs another name" in said
    said = overbar(*more, "--policy", "CSAR", *end, cwd=shop, code=1).stderr
    assert "the policy of the campaign" in said
    check_accounts(str(shop / "overbar.db"), "./try {arm}")


def test_going_on_with_other_words_is_refused_or_said(shop: Path) -> None:
    end = ("--", "./try", "{arm}")
    overbar(*RUN, *end, cwd=shop, code=3)
    said = overbar(*RUN, "--reward", "stdout", *end, cwd=shop, code=1).stderr
    assert "the reward of the campaign './try {arm}' is 'stdout', but must be 'exit'" in said
    (shop / "arms.txt").write_text("a\nz\n")
    said = overbar(*RUN, *end, cwd=shop, code=3).stderr
    assert "the campaign './try {arm}': 7 arms, 5 of them not listed now. --name" in said
    (shop / "arms.txt").write_text("x\ny\n")
    said = overbar(*RUN, *end, cwd=shop, code=1).stderr
    assert "['x', 'y'], but must be of that campaign, one at least, such as 'a'" in said
    assert "give it a --name" in said
    assert "listed" in overbar(*RUN, "--name", "./try {arm}", *end, cwd=shop, code=3).stderr


def test_a_campaign_that_never_said_what_is_rewarded_is_not_held_to_it(shop: Path) -> None:
    create = ("campaign", "create", "c", "--arm", "a", "--threshold", "0.6", "--budget", "5")
    overbar(*create, cwd=shop)
    with sqlite3.connect(shop / "overbar.db") as connection:  # as they once were
        connection.execute(
            "UPDATE overbar_campaigns SET terms = json_remove(terms, '$.reward', '$.common')"
        )
    run = ("run", "--name", "c", "--arm", "a", "--reward", "stdout")
    overbar(*run, "--", "echo", "1", cwd=shop, code=4)


def test_arms_that_all_have_bars_of_their_own_have_no_common_one(shop: Path) -> None:
    (shop / "arms.csv").write_text("name,threshold\na,0.2\nb,0.9\n")
    run = ("run", "--arms", "arms.csv", "--budget", "4", "--json")
    overbar(*run, "--", "true", cwd=shop, code=4)
    (shop / "arms.csv").write_text("name,threshold\na,0.2\nb,0.9\nc,\n")
    said = overbar(*run, "--", "true", cwd=shop, code=1).stderr
    assert "the threshold of the arm 'c' is None, but must be given" in said
    read = json.loads(overbar(*run, "--threshold", "0.5", "--", "true", cwd=shop, code=4).stdout)
    assert [each["threshold"] for each in read["findings"]] == [0.2, 0.9, 0.5]


def test_a_csv_with_thresholds_and_results_of_their_own(shop: Path) -> None:
    (shop / "arms.csv").write_text(
        'name,threshold,results\na,0.2,1 1 1 0 1 1 1 1 1 1\n"d, quoted",0.9,\nf,,1 1\n'
    )
    run = ("run", "--arms", "arms.csv", "--threshold", "0.5", "--budget", "3", "--json")
    read = json.loads(overbar(*run, "--", "true", cwd=shop, code=4).stdout)
    assert [each["threshold"] for each in read["findings"]] == [0.2, 0.9, 0.5]
    assert read["campaign"]["history"] == 12
    assert read["campaign"]["told"] == 3
    assert json.loads(overbar(*run, "--", "true", cwd=shop, code=4).stdout) == read


def test_rewards_from_the_output(shop: Path) -> None:
    script(shop, "score", '#!/bin/sh\necho "thinking…"\necho "  $OVERBAR_TICKET"\necho\n')
    run = ("run", "--arm", "a", "--arm", "b", "--threshold", "5", "--budget", "8", "--json")
    scaled = (*run, "--reward", "stdout", "--scale", "0", "100", "--", "./score")
    read = json.loads(overbar(*scaled, cwd=shop, code=4).stdout)
    total = sum(each["mean"] * each["tries"] for each in read["findings"])
    assert total == pytest.approx(sum(range(2, 17, 2)))


def test_names_are_passed_as_they_are(tmp_path: Path) -> None:
    names = ["a b", "$(touch hacked)", "`touch hacked`", "'\"", "; touch hacked", "line\nbreak"]
    names += ["{arm}", "*", "-rf", "ünïcødé \U0001f600", "[red]x[/red]", "\x1b[31m"]
    with (tmp_path / "arms.csv").open("w", newline="") as file:
        file.write("name\n")
        file.writelines('"' + name.replace('"', '""') + '"\n' for name in names)
    script(
        tmp_path, "try", "#!/usr/bin/env python3\nimport os, sys\n"
        "assert sys.argv[1:] == ['x' + os.environ['OVERBAR_ARM'] + 'y']\n"
        "open('seen', 'a').write(repr(sys.argv[1][1:-1]) + '\\n')\n",
    )  # fmt: skip
    run = ("run", "--arms", "arms.csv", "--threshold", "0.5", "--budget", "12", "--junit", "j.xml")
    overbar(*run, "--", "./try", "x{arm}y", cwd=tmp_path, code=4)
    seen = (tmp_path / "seen").read_text().splitlines()
    assert sorted(seen) == sorted(map(repr, names))
    assert not (tmp_path / "hacked").exists()
    cases = [case.get("name") for case in ElementTree.parse(tmp_path / "j.xml").getroot()]
    assert cases[:10] == names[:10]


def test_a_try_that_takes_too_long_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    script(tmp_path, "slow", "#!/bin/sh\nsleep 300 &\necho $! >> pids\nwait\n")
    began = time.monotonic()
    run = ("run", "--arm", "a", "--threshold", "0.5", "--budget", "2", "--timeout", "0.5")
    read = overbar(*run, "--json", "--jobs", "2", "--", "./slow", cwd=tmp_path, code=4).stdout
    assert time.monotonic() - began < 60
    assert json.loads(read)["findings"][0]["mean"] == 0
    for pid in (tmp_path / "pids").read_text().split():
        assert not running(int(pid))


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except FileNotFoundError:
        return False


def test_failures_that_are_no_answers_are_tried_again(tmp_path: Path) -> None:
    flaky = '#!/bin/sh\n[ -e "$OVERBAR_TICKET" ] && exit 0\ntouch "$OVERBAR_TICKET"\nexit 75\n'
    script(tmp_path, "try", flaky)
    run = ("run", "--arm", "a", "--threshold", "0.5", "--budget", "3", "--retry-exit", "75")
    read = json.loads(
        overbar(*run, "--jobs", "3", "--json", "--", "./try", cwd=tmp_path, code=4).stdout
    )
    assert read["findings"][0]["mean"] == 1
    assert read["campaign"]["failed"] == 0
    never = (*run, "--name", "never", "--retries", "1", "--", "sh", "-c", "echo no >&2; exit 75")
    said = overbar(*never, cwd=tmp_path, code=1).stderr
    assert "no answer for the arm 'a': it ended with exit status 75, saying 'no'" in said
    assert "The same command goes on from there" in said
    kinds = check_accounts(str(tmp_path / "overbar.db"), "never")
    assert kinds["tell"] == 0
    assert kinds["ask"] == kinds["fail"] >= 1


def test_ctrl_c_returns_what_is_under_way_and_says_how_to_go_on(tmp_path: Path) -> None:
    script(tmp_path, "slow", "#!/bin/sh\ntrap '' TERM\necho $$ >> pids\nsleep 300 & wait\n")
    command = ["run", "--arm", "a", "--arm", "b", "--threshold", "0.5", "--budget", "9"]
    for number, signalled in enumerate((signal.SIGINT, signal.SIGTERM), 1):
        process = subprocess.Popen(
            [OVERBAR, *command, "--jobs", "2", "--", "./slow", "{arm}"], cwd=tmp_path, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        pids = tmp_path / "pids"
        while not pids.exists() or len(pids.read_text().split()) < 2 * number:
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signalled)
        out, err = process.communicate(timeout=30)
        assert process.returncode == 130  # though they do not heed SIGTERM
        assert out == ""
        assert "Traceback" not in err
        assert "0 of 9 tries" in err
        assert "The same command goes on from there" in err
        assert not any(running(int(pid)) for pid in pids.read_text().split())
    kinds = check_accounts(str(tmp_path / "overbar.db"), "./slow {arm}")
    assert kinds["ask"] == kinds["fail"] == 4


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--arms", "none.txt"], 1, "file of arms is 'none.txt', but must be a file that can be"),
        (["--arms", "."], 1, "file of arms is '.', but must be a file that can be read"),
        (["--arms", "latin.txt"], 1, "file of arms is 'latin.txt', but must be UTF-8 text"),
        (["--arms", "empty.txt"], 1, "one with an arm or more"),
        (["--arms", "twice.txt"], 1, "arm in line 3 of twice.txt is 'a'"),
        (["--arms", "twice.txt"], 1, "It is in line 1 of twice.txt too."),
        (["--arm", "a", "--arm", "a"], 1, "arm in --arm is 'a', but must be unlike every other"),
        (["--arms", "columns.csv"], 1, "first line of columns.csv is 'arm,bar', but must be the"),
        (["--arms", "number.csv"], 1, "threshold in line 2 of number.csv is 'high', but must be"),
        (["--arms", "wide.csv"], 1, "line 3 of wide.csv is ['b', '1', 'more']"),
        ([], 1, "list of arms is []"),
        (["--arm", "a", "--threshold", "1.5"], 1, "threshold is 1.5"),
        (["--arm", "a", "--threshold", "nan"], 1, "threshold is nan"),
        (["--arm", "a", "--budget", "0"], 2, "0 is not in the range x>=1"),
        (["--arm", "a", "--scale", "0", "5"], 2, "--scale is for --reward stdout"),
        (["--arm", "a", "--json", "--csv"], 2, "--json and --csv do not go together"),
        (["--arm", "a", "--policy", "Best"], 2, "'Best' is not one of 'AnytimeAugUCB', 'APT'"),
        (["--arm", "a", "--policy", "AugUCB"], 1, "number of arms is 1, but must be at least 4"),
        (["--arm", "a", "--database", "empty.txt/x.db"], 1, "the database is 'empty.txt/x.db'"),
        (["--arm", "a", "--database", "notes.db"], 1, "notes.db', but must be an SQLite database"),
        (["--arm", "a", "--database", ":memory:"], 1, "':memory:', but must be the path of a file"),
        (["--arm", "a", "--name", ""], 1, "the name of the campaign is '', but must be"),
        (["--arm", "a", "--database", "mysql://h/d"], 1, "URL of a PostgreSQL database"),
    ],
)
def test_wrong_input(tmp_path: Path, arguments: list[str], code: int, message: str) -> None:
    (tmp_path / "latin.txt").write_bytes("ü\n".encode("latin-1"))
    (tmp_path / "empty.txt").write_text("\n\n")
    (tmp_path / "twice.txt").write_text("a\nb\na\n")
    (tmp_path / "columns.csv").write_text("arm,bar\na,1\n")
    (tmp_path / "number.csv").write_text("name,threshold\na,high\n")
    (tmp_path / "wide.csv").write_text("name,threshold\na,1\nb,1,more\n")
    (tmp_path / "notes.db").write_text("notes, and no database " * 99)
    given = ["run", "--threshold", "0.5", "--budget", "9", *arguments, "--", "true"]
    done = overbar(*given, cwd=tmp_path, code=code)
    assert message in " ".join(done.stderr.split())
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["./nowhere", "{arm}"], "command is './nowhere', but must be a program that can be run"),
        (["./plain"], "command is './plain', but must be a program that can be run"),
        (["{arm}"], "command is 'no such arm', but must be a program that can be run"),
        (["echo", "hello"], "is 'hello', but must be a number from 0 to 1"),
        (["echo", "1.5"], "is '1.5', but must be a number from 0 to 1. Give --scale"),
        (["echo", "nan"], "is 'nan', but must be a number"),
        (["true"], "is '', but must be a number"),
        (["sh", "-c", "echo 1; exit 3"], "no number for the arm 'no such arm': it ended with"),
    ],
)
def test_commands_that_bring_nothing(tmp_path: Path, command: list[str], message: str) -> None:
    (tmp_path / "plain").write_text("not executable")
    run = ("run", "--arm", "no such arm", "--threshold", "0.5", "--budget", "9", "--retries", "0")
    done = overbar(*run, "--reward", "stdout", "--name", "c", "--", *command, cwd=tmp_path, code=1)
    assert message in " ".join(done.stderr.split())
    if (tmp_path / "overbar.db").exists():  # all went back to the budget
        kinds = check_accounts(str(tmp_path / "overbar.db"), "c")
        assert kinds["ask"] == kinds["fail"]


def test_a_campaign_on_the_command_line(database: str, tmp_path: Path) -> None:
    def campaign(verb: str, *arguments: str, code: int = 0) -> list[str]:
        said = overbar(
            "campaign", verb, *arguments, "--database", database, cwd=tmp_path, code=code
        )
        return (said.stdout + said.stderr).splitlines()

    create = ("it's", "--arm", "a", "--arm", "b", "--threshold", "0", "--budget", "4")
    campaign("create", *create, "--scale", "-1", "1")
    assert "must be a new one" in campaign("create", *create, code=1)[-1]
    asked = campaign("ask", "it's", "-n", "3", "--request", "one")
    tickets = [json.loads(line) for line in asked]
    assert [ticket["arm"] for ticket in tickets] == ["a", "b", "a"]
    assert campaign("ask", "it's", "-n", "3", "--request", "one") == asked
    one, two, _ = (str(ticket["ticket"]) for ticket in tickets)
    campaign("tell", "it's", one, "-1")
    campaign("tell", "it's", one, "-1")
    assert "must be -1.0, as was told before" in campaign("tell", "it's", one, "1", code=1)[-1]
    campaign("fail", "it's", two, "--reason", "no answer")
    campaign("history", "it's", "b", "0.5", "--request", "import")
    campaign("history", "it's", "b", "0.5", "--request", "import")
    campaign("extend", "it's", "--budget", "6", "--arm", "c")
    assert campaign("list") == ["it's: 3 arms, 1 of 6 tries, 1 under way, 1 from before, 1 failed"]
    read = json.loads(campaign("status", "it's", "--json")[0])
    assert (read["campaign"]["told"], read["campaign"]["remaining"]) == (1, 4)
    assert [each["mean"] for each in read["findings"]] == [-1, 0.5, None]
    events = [json.loads(line) for line in campaign("export", "it's")]
    assert [event["kind"] for event in events] == [
        *("open", "ask", "ask", "ask", "tell", "fail", "history", "extend")
    ]
    assert (events[5]["ticket"], events[5]["reason"]) == (int(two), "no answer")
    assert campaign("replay", "it's")[0] == f"ticket {one}: a, by first try; next would be b"
    assert [json.loads(line)["agrees"] for line in campaign("replay", "it's", "--json")] == [
        True
    ] * 3
    assert "Missing argument 'REWARD'" in campaign("tell", "it's", "1", code=2)[-1]
    assert "ticket is 99" in campaign("tell", "it's", "99", "1", code=1)[-1]
    assert 'must be one of "it\'s"' in campaign("status", "other", code=1)[-1]
    campaign("delete", "it's", "--yes")
    assert campaign("list") == []


def test_output_that_cannot_be_written_is_one_line(shop: Path) -> None:
    overbar("campaign", "create", "c", "--arm=a", "--threshold=0", "--budget=4", cwd=shop)
    for form in ((), ("--json",), ("--csv",)):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [OVERBAR, "campaign", "status", "c", *form], cwd=shop, stdout=full,
                stderr=subprocess.PIPE, text=True, check=False,
            )  # fmt: skip
        assert done.returncode == 1
        assert done.stderr == "Error: The output cannot be written: No space left on device.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ask", "c", "--lifetime", "1e15"), "expires is 1000000000000000.0, but must be a"),
        (("create", "d", *RUN[3:7], "--arm", "a", "--lifetime", "1e15"), "That is ten years"),
        (("create", "d", *RUN[3:5], "--arm", "a", "--budget", "9" * 20), "budget is 99999"),
        (("tell", "c", "9" * 23, "1"), "ticket is 99999999999999999999999, but must be a whole"),
        (("extend", "c", "--budget", "9" * 20), "and at most 9007199254740992"),
        (("status", "c", "--database", "sqlite:///overbar.db?timeout=abc"), "database is 'abc'"),
    ],
)
def test_numbers_without_measure(shop: Path, arguments: tuple[str, ...], message: str) -> None:
    overbar("campaign", "create", "c", "--arm=a", "--threshold=0", "--budget=4", cwd=shop)
    assert message in overbar("campaign", *arguments, cwd=shop, code=1).stderr


def test_timeouts_without_measure_begin_nothing(shop: Path) -> None:
    for timeout in ("1e12", "nan", "inf"):
        said = overbar(*RUN, "--timeout", timeout, "--", "./try", cwd=shop, code=1).stderr
        assert "the timeout is " in said
    said = overbar(*RUN, "--budget", "9" * 20, "--", "./try", cwd=shop, code=1).stderr
    assert "the budget is 99999999999999999999, but" in said
    assert not (shop / "overbar.db").exists()


def test_a_campaign_is_kept_when_its_user_says_so(shop: Path) -> None:
    overbar("campaign", "create", "c", "--arm=a", "--threshold=0", "--budget=4", cwd=shop)
    for answer, code, said in (("n\n", 0, "Kept."), ("", 130, "Stopped. The same command may be")):
        done = subprocess.run(
            [OVERBAR, "campaign", "delete", "c"], cwd=shop, input=answer, capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        assert done.returncode == code
        assert done.stderr.rsplit("[y/N]:")[-1].strip().startswith(said)
    assert overbar("campaign", "list", cwd=shop).stdout


def test_words_of_a_run_that_cannot_stand(shop: Path) -> None:
    given = ("--reward", "stdout", "--", "echo", "1")
    assert "no {arm} in the command" in overbar(*RUN, *given, cwd=shop).stderr
    said = overbar(*RUN, "--scale", "10", "0", *given, cwd=shop, code=1).stderr
    assert "high end of the scale is 0.0, but must be" in said
    said = overbar(*RUN, "--", "echo", "x" * 600, "{arm}", cwd=shop, code=1).stderr
    assert "--name NAME" in said
    assert len(said) < 250
    said = overbar(*RUN, "--name", "x" * 600, "--", "true", cwd=shop, code=1).stderr
    assert len(said) < 250


def test_fewer_wrong_verdicts_than_with_the_same_budget_spread_evenly(tmp_path: Path) -> None:
    """200 tests, a fifth of them flaky. What a ticket brings is fixed, so it fails never or always.

    `python benchmarks/campaigns.py flaky` does the same with chance, many times.
    """
    chance = random.Random(1)
    rates = {f"test_{i:03}": 990 + chance.randrange(11) for i in range(200)}
    rates |= {f"test_{i:03}": chance.randrange(400, 950) for i in range(0, 200, 5)}
    seeds = {name: chance.randrange(2**31) for name in rates}
    (tmp_path / "rates").mkdir()
    for name, rate in rates.items():
        (tmp_path / "rates" / name).write_text(f"{rate} {seeds[name]}\n")
    (tmp_path / "arms.txt").write_text("\n".join(rates))
    script(tmp_path, "try", TRY)
    run = ("run", "--arms", "arms.txt", "--threshold", "0.9", "--budget", "2000", "--json")
    read = json.loads(overbar(*run, "--", "./try", "{arm}", cwd=tmp_path, code=4).stdout)
    assert read["campaign"]["policy"] == "AnytimeAugUCB"
    assert read["campaign"]["told"] == 2000
    wrong = sum((each["mean"] >= 0.9) != (rates[each["arm"]] >= 900) for each in read["findings"])
    evenly = []  # what spreading them evenly brings varies much more than its mean over many times
    for first in range(2, 2002, 20):
        tens = {
            name: sum(passes(ticket, rate, seeds[name]) for ticket in range(first, first + 20, 2))
            for name, rate in rates.items()
        }
        evenly.append(sum((tens[name] >= 9) != (rates[name] >= 900) for name in rates))
    assert wrong < statistics.mean(evenly)


def test_several_runs_share_a_campaign(database: str, tmp_path: Path) -> None:
    """Started at once, one begins it, all work on it, and all say the same at the end."""
    command = [OVERBAR, "run", "--threshold", "0.5", "--budget", "120", "--database", database]
    command += [f"--arm={i}" for i in range(9)]
    command += ["--name", "c", "--jobs", "2", "--json", "--exit-zero", "--"]
    command += ["sh", "-c", "sleep 0.02; exit $((OVERBAR_ARM % 2))"]
    quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    runs = [subprocess.Popen(command, cwd=tmp_path, text=True, **quiet) for _ in range(3)]  # type: ignore[call-overload]
    said = [run.communicate(timeout=120) for run in runs]
    assert [run.returncode for run in runs] == [0, 0, 0], said
    assert len({out for out, _ in said}) == 1
    assert json.loads(said[0][0])["campaign"]["finished"]
    assert check_accounts(database, "c")["fail"] == 0


def test_a_policy_s_warning_is_a_line(tmp_path: Path) -> None:
    run = ["run", "--threshold", "0.5", "--budget", "5", "--policy", "AugUCB"]
    run += [f"--arm={i}" for i in range(5)]
    done = overbar(*run, "--", "true", cwd=tmp_path, code=4)
    assert done.stderr.startswith("Warning: With 5 arms, ")


def test_live_progress_on_a_terminal(shop: Path) -> None:
    """Budget, arms settled, who is close to the bar; and nothing of it on the standard output."""
    script(
        shop, "slow", '#!/bin/sh\nsleep 0.1\n[ "$1" \\> c ] || [ $((OVERBAR_TICKET % 4)) = 0 ]\n'
    )
    terminal, end = pty.openpty()
    process = subprocess.Popen(
        [OVERBAR, *RUN, "--json", "--", "./slow", "{arm}"], cwd=shop, stdout=subprocess.PIPE,
        stderr=end, env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )  # fmt: skip
    os.close(end)
    shown = b""
    with suppress(OSError):  # the other end is closed
        while more := os.read(terminal, 4096):
            shown += more
    os.close(terminal)
    out, _ = process.communicate(timeout=60)
    assert process.returncode in (3, 4)
    assert json.loads(out)["campaign"]["told"] == 90
    for words in (rb"\d+ of 90 tries, \d under way", rb"\d of 6 arms settled: \d over, \d under"):
        assert re.search(words, shown)
    assert re.search(rb"close to the bar:.*[a-f]: mean ", shown, re.DOTALL)
