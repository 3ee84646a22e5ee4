import pytest

from sennit.adapters.agents.command import (
    LONGEST_LINE,
    CommandRefused,
    agent_run,
    command_line,
)
from sennit.adapters.runs.values import RunSpec
from sennit.core.agents import COMMAND_LINE, AgentKind, AgentSettings, PromptAs, StopTimes

TIMES = StopTimes(cancel_ms=1, close_ms=2, term_ms=3)


def test_settings_become_a_run() -> None:
    agent = AgentSettings(
        name="aider",
        kind=AgentKind.COMMAND,
        argv=("aider", "--message", "{prompt}"),
        env={"A": "1"},
        pass_env=("KEY",),
    )
    run = agent_run(agent, "do it", 99, TIMES)
    assert run == RunSpec(
        argv=("aider", "--message", "{prompt}"),
        prompt="do it",
        prompt_as=PromptAs.ARGUMENT,
        env_allow=("KEY",),
        env_set={"A": "1"},
        output_limit=99,
        cancel_ms=1,
        close_ms=2,
        term_ms=3,
    )


def test_an_agent_may_have_times_of_its_own() -> None:
    agent = AgentSettings("x", AgentKind.COMMAND, ("x",), stop=StopTimes(7, 8, 9))
    run = agent_run(agent, "", 99, TIMES)
    assert isinstance(run, RunSpec)
    assert (run.cancel_ms, run.close_ms, run.term_ms) == (7, 8, 9)


def test_the_built_in_agent_takes_its_prompt_as_the_command_line() -> None:
    run = agent_run(COMMAND_LINE, "ruff check --fix 'a b.py'", 99, TIMES)
    assert isinstance(run, RunSpec)
    assert run.argv == ("ruff", "check", "--fix", "a b.py")
    assert run.prompt_as is PromptAs.NONE
    assert run.prompt == "ruff check --fix 'a b.py'"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sed -i s/a;b/ x", ("sed", "-i", "s/a;b/", "x")),
        ("echo '|' \"&&\" \\>", ("echo", "|", "&&", ">")),
        ("a '' b", ("a", "", "b")),
        ("a # b", ("a", "#", "b")),
        ("one\ntwo", ("one", "two")),
        (r"sh -c 'echo '\''a'\'' > x'", ("sh", "-c", "echo 'a' > x")),
        (r"""sh -c "echo \"a\" > x" """, ("sh", "-c", 'echo "a" > x')),
        ("sh -c a' > 'b", ("sh", "-c", "a > b")),
        ("wc '*.md' \\*.md", ("wc", "*.md", "*.md")),
        ("sed -i s/a*/b/g x", ("sed", "-i", "s/a*/b/g", "x")),
        ("grep --include=*.py a$ b", ("grep", "--include=*.py", "a$", "b")),
        ("sh -c 'echo $HOME ~ *'", ("sh", "-c", "echo $HOME ~ *")),
        ('sh -c "echo $HOME `date`"', ("sh", "-c", "echo $HOME `date`")),
        (r"echo \$HOME '~'/x", ("echo", "$HOME", "~/x")),
        ("env CI=1 make x=y a~", ("env", "CI=1", "make", "x=y", "a~")),
        ("curl http://localhost/x?y=1", ("curl", "http://localhost/x?y=1")),
    ],
)
def test_words_are_split_as_in_a_shell(text: str, words: tuple[str, ...]) -> None:
    assert command_line(text) == words


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ("''", "empty"),
        ("echo 'a", "quote"),
        ("echo a\\", "split"),
        ("a | b", "sh -c 'a | b'"),
        ("a > b", "no shell"),
        ("a && b", "sh -c"),
        (r"echo 'a'\''b' > x", "sh -c"),
        ("wc -l *.md", "`*.md` in the command line means nothing here"),
        ("rm -r build/*", "`build/*`"),
        ('rm "my dir"/file?.txt', """`"my dir"/file?.txt`"""),
        ("echo $HOME", "`$HOME`"),
        ("cat dir/${NAME}", "`${NAME}`"),
        ("echo a$(date)", "`$(`"),
        ("echo `date`", "``date``"),
        ("ls ~/x", "`~/x`"),
        ("ls ~", "`~`"),
        ("CI=1 make test", "`CI=1`"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_advice(text: str, advice: str) -> None:
    refused = command_line(text)
    assert isinstance(refused, CommandRefused)
    assert advice in refused.message
    assert agent_run(COMMAND_LINE, text, 99, TIMES) == refused


def test_a_line_that_no_system_starts_is_refused_at_once() -> None:
    found = command_line("echo " + "x" * 10 * LONGEST_LINE)
    assert isinstance(found, CommandRefused)
    assert 'prompt = "stdin"' in found.message
    assert len(found.message) < 400
