"""The real agents: their versions, how they are started, and what makes each use the endpoint.

Every key is a dummy. Every agent gets a home folder of its own, so that no setting or login of the
user is read or written.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from attrs import field, frozen

from tests.agents.endpoint import MODEL

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache" / "agents"
NODE_BIN = ROOT / ".cache" / "editors" / "bin"
"""Node 24 and npm, which `make` puts there; pi and kimi need Node 22.19 or newer."""
KEY = "dummy-key"
CLAUDE_MODEL = "claude-sonnet-4-5"
GEMINI_MODEL = "gemini-2.5-flash"
PROMPT = "{prompt}"


@frozen
class RealAgent:
    """One agent; `env` and `files` are functions of the endpoint's address.

    `headless` and `acp` are argument lists that let it edit and run commands, None where the agent
    has no such way. `built_in`: its names in Sennit, by way. `own_argv`: the ways in which Sennit's
    own start allows less, or names no model, and is replaced by the argument list here; `resume` is
    then the one that goes on with a session. `files` are written below the home folder, by relative
    name. `sessions_by_minute`: a session cannot be opened again within the minute it began in.
    """

    name: str
    built_in: Mapping[str, str]
    packages: tuple[str, ...]
    headless: tuple[str, ...]
    acp: tuple[str, ...] | None = None
    mode: str | None = None
    own_argv: tuple[str, ...] = ()
    is_python: bool = False
    runs_commands: bool = True
    sessions_by_minute: bool = False
    resume: tuple[str, ...] = ()
    env: Callable[[str], Mapping[str, str]] = field(default=lambda _: {})
    files: Callable[[str], Mapping[str, str]] = field(default=lambda _: {})

    @property
    def folder(self) -> Path:
        """Where it is installed."""
        return CACHE / self.name

    @property
    def bin(self) -> Path:
        """Where its programs are."""
        return self.folder / ("bin" if self.is_python else "node_modules/.bin")

    def environment(self, address: str, home: Path) -> dict[str, str]:
        """Everything that the agent is started with; nothing of the user's own."""
        return {
            "PATH": os.pathsep.join(map(str, (self.bin, NODE_BIN, "/usr/bin", "/bin"))),
            "HOME": str(home),
            "TERM": "dumb",
            "LANG": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            **self.env(address),
        }

    def furnish(self, address: str, home: Path) -> None:
        """Write its settings into a home folder."""
        identity = "[user]\n\tname = Agent\n\temail = agent@example.org\n"
        for name, text in {".gitconfig": identity, **self.files(address)}.items():
            file = home / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)


def _claude_env(address: str) -> Mapping[str, str]:
    return {
        "ANTHROPIC_BASE_URL": address,
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_MODEL": CLAUDE_MODEL,
        "ANTHROPIC_DEFAULT_HAIKU_MODEL": CLAUDE_MODEL,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def _codex_files(address: str) -> Mapping[str, str]:
    return {
        ".codex/config.toml": f"""\
model = "{MODEL}"
model_provider = "{MODEL}"
check_for_update_on_startup = false

[model_providers.{MODEL}]
name = "{MODEL}"
base_url = "{address}/v1"
wire_api = "responses"
env_key = "CODEX_API_KEY"
request_max_retries = 1
stream_max_retries = 1
"""
    }


def _opencode_files(address: str) -> Mapping[str, str]:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": MODEL,
        "options": {"baseURL": f"{address}/v1", "apiKey": KEY},
        "models": {MODEL: {"name": MODEL, "cost": {"input": 1, "output": 2}}},
    }
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "model": f"{MODEL}/{MODEL}",
        "provider": {MODEL: provider},
        "permission": {"external_directory": "ask"},
    }
    return {".config/opencode/opencode.json": json.dumps(settings)}


def _pi_files(address: str) -> Mapping[str, str]:
    model = {
        "id": MODEL,
        "name": MODEL,
        "reasoning": False,
        "input": ["text"],
        "contextWindow": 128000,
        "maxTokens": 8192,
        "cost": {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 0},
    }
    provider = {
        "baseUrl": f"{address}/v1",
        "api": "openai-completions",
        "apiKey": KEY,
        "models": [model],
    }
    settings = {"defaultProvider": MODEL, "defaultModel": MODEL}
    return {
        ".pi/agent/models.json": json.dumps({"providers": {MODEL: provider}}),
        ".pi/agent/settings.json": json.dumps(settings),
    }


def _gemini_env(address: str) -> Mapping[str, str]:
    return {
        "GEMINI_API_KEY": KEY,
        "GOOGLE_GEMINI_BASE_URL": address,
        "GEMINI_MODEL": GEMINI_MODEL,
    }


def _gemini_files(_: str) -> Mapping[str, str]:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"disableAutoUpdate": True},
        "privacy": {"usageStatisticsEnabled": False},
    }
    return {".gemini/settings.json": json.dumps(settings)}


def _openai_env(address: str) -> Mapping[str, str]:
    return {
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": f"{address}/v1",
        "OPENAI_API_BASE": f"{address}/v1",
        "OPENAI_MODEL": MODEL,
    }


def _qwen_files(_: str) -> Mapping[str, str]:
    return {".qwen/settings.json": json.dumps({"security": {"auth": {"selectedType": "openai"}}})}


def _kimi_env(address: str) -> Mapping[str, str]:
    return {
        "KIMI_MODEL_NAME": MODEL,
        "KIMI_MODEL_PROVIDER_TYPE": "openai",
        "KIMI_MODEL_BASE_URL": f"{address}/v1",
        "KIMI_MODEL_API_KEY": KEY,
        "KIMI_CODE_NO_AUTO_UPDATE": "1",
    }


def _aider_env(address: str) -> Mapping[str, str]:
    return {**_openai_env(address), "AIDER_MODEL": f"openai/{MODEL}"}


def _mini_env(address: str) -> Mapping[str, str]:
    return {
        **_openai_env(address),
        "MSWEA_CONFIGURED": "true",
        "MSWEA_MODEL_NAME": f"openai/{MODEL}",
        "MSWEA_COST_TRACKING": "ignore_errors",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }


AGENTS: tuple[RealAgent, ...] = (
    RealAgent(
        "claude",
        {"acp": "claude", "headless": "claude-p"},
        ("@anthropic-ai/claude-code@2.1.332", "@agentclientprotocol/claude-agent-acp@0.101.0"),
        (
            "claude", "-p", "--output-format", "stream-json", "--verbose",
            "--permission-mode", "acceptEdits", "--allowedTools=Bash", PROMPT,
        ),
        resume=(
            "claude", "-p", "--output-format", "stream-json", "--verbose",
            "--permission-mode", "acceptEdits", "--allowedTools=Bash", "--resume", "{session}",
            PROMPT,
        ),
        acp=("claude-agent-acp",),
        own_argv=("headless",),
        mode="acceptEdits",
        env=_claude_env,
    ),
    RealAgent(
        "codex",
        {"acp": "codex", "headless": "codex-exec"},
        ("@openai/codex@0.171.0", "@agentclientprotocol/codex-acp@2.6.0"),
        ("codex", "exec", "--json", "-s", "workspace-write", PROMPT),
        acp=("codex-acp",),
        env=lambda _: {
            "CODEX_API_KEY": KEY,
            "OPENAI_API_KEY": KEY,
            "INITIAL_AGENT_MODE": "workspace-write",
            "NO_BROWSER": "1",
        },
        files=_codex_files,
    ),
    RealAgent(
        "gemini",
        {"acp": "gemini", "headless": "gemini-p"},
        ("@google/gemini-cli@0.61.0",),
        (
            "gemini", "--skip-trust", "--approval-mode", "yolo", "-o", "stream-json", "-p", PROMPT,
        ),
        resume=(
            "gemini", "--skip-trust", "--approval-mode", "yolo", "-o", "stream-json",
            "--resume", "{session}", "-p", PROMPT,
        ),
        acp=("gemini", "--acp", "--skip-trust"),
        sessions_by_minute=True,
        own_argv=("headless",),
        mode="autoEdit",
        env=_gemini_env,
        files=_gemini_files,
    ),
    RealAgent(
        "opencode",
        {"acp": "opencode", "headless": "opencode-run"},
        ("opencode-ai@1.18.33",),
        ("opencode", "run", "--format", "json", PROMPT),
        acp=("opencode", "acp"),
        files=_opencode_files,
    ),
    RealAgent(
        "pi",
        {"acp": "pi", "headless": "pi-json"},
        ("@earendil-works/pi-coding-agent@1.6.0", "pi-acp@0.0.34"),
        ("pi", "--mode", "json", "-p", "--no-session", PROMPT),
        acp=("pi-acp",),
        env=lambda _: {"PI_OFFLINE": "1"},
        files=_pi_files,
    ),
    RealAgent(
        "qwen",
        {"acp": "qwen", "headless": "qwen-p"},
        ("@qwen-code/qwen-code@0.24.4",),
        (
            "qwen", "--approval-mode", "yolo", "-o", "stream-json", "-p", PROMPT,
        ),
        resume=(
            "qwen", "--approval-mode", "yolo", "-o", "stream-json", "--resume", "{session}",
            "-p", PROMPT,
        ),
        acp=("qwen", "--acp"),
        own_argv=("headless",),
        mode="auto-edit",
        env=_openai_env,
        files=_qwen_files,
    ),
    RealAgent(
        "kimi",
        {"acp": "kimi", "headless": "kimi-p"},
        ("@moonshot-ai/kimi-code@2.1.0",),
        ("kimi", "-p", PROMPT, "--output-format", "stream-json"),
        acp=("kimi", "acp"),
        env=_kimi_env,
    ),
    RealAgent(
        "aider",
        {"headless": "aider"},
        ("aider-chat==0.86.2",),
        (
            "aider", "--no-auto-commits", "--no-gitignore",
            "--yes-always", "--no-check-update", "--analytics-disable", "--no-pretty",
            "--no-stream", "--no-show-model-warnings", "--chat-history-file", "/dev/null",
            "--input-history-file", "/dev/null", "--llm-history-file", "/dev/null",
            "--message", PROMPT,
        ),
        is_python=True,
        runs_commands=False,
        env=_aider_env,
    ),
    RealAgent(
        "mini",
        {"headless": "mini"},
        ("mini-swe-agent==2.4.6",),
        ("mini", "-t", PROMPT, "-y", "--exit-immediately", "-o", "/dev/null"),
        is_python=True,
        env=_mini_env,
    ),
)  # fmt: skip


def agent_named(name: str) -> RealAgent:
    """The agent with this name."""
    return next(each for each in AGENTS if each.name == name)
