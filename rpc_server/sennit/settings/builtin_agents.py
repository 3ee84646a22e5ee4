"""The agents that Sennit knows by itself, as if the lowest source had set them.

What a person sets for one of these names goes before it, key by key. Each is a program that has to
be installed by itself; the options were tried with the versions in `docs/guide/agents.md`.

Options such as `--skip-trust` switch off an agent's own question about the folder. They are right
here because no agent starts in a repository that has not been trusted in Sennit.
"""

from __future__ import annotations

from collections.abc import Mapping

from sennit.core.agents import AgentKind, OutputFormat, Polite, PromptAs, Sandboxing

Values = Mapping[str, object]
"""The settings of one agent by their keys below `agents.NAME`."""

_NETWORK = (
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy",
    "all_proxy", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE",
)  # fmt: skip
_ANTHROPIC = ("ANTHROPIC_*", "CLAUDE_*", "AWS_PROFILE", "AWS_REGION", "AWS_BEARER_TOKEN_BEDROCK")
_OPENAI = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_MODEL", "OPENAI_ORG*")
_GOOGLE = ("GEMINI_*", "GOOGLE_*")
_ANY_PROVIDER = (
    "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", *_OPENAI, *_GOOGLE, "OPENROUTER_API_KEY",
    "GROQ_API_KEY", "MISTRAL_API_KEY", "DEEPSEEK_API_KEY", "XAI_API_KEY",
)  # fmt: skip
_XDG = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")

_ROLES = ("explore", "review", "implement", "verify")

_OPENCODE: Values = {
    # Outside its folder it asks; the rest of the user's own configuration stays in force.
    "env": {
        "OPENCODE_CONFIG_CONTENT": (
            '{"autoupdate":false,"share":"disabled","permission":{"external_directory":"ask"}}'
        )
    },
    "passEnv": ("OPENCODE_*", *_ANY_PROVIDER, *_XDG, *_NETWORK),
    "stop.closeMs": 5_000,
    "stateFolders": (
        "~/.local/share/opencode", "~/.local/state/opencode", "~/.cache/opencode",
        "~/.config/opencode",
    ),
    "roles": _ROLES,
    "signIn": "opencode auth login",
}  # fmt: skip
_CODEX: Values = {
    "passEnv": ("CODEX_*", *_OPENAI, *_NETWORK),
    "stateFolders": ("~/.codex",),
    "roles": _ROLES,
    "provider": "openai",
    "signIn": "codex login",
}
_CLAUDE: Values = {
    "env": {"DISABLE_AUTOUPDATER": "1"},
    "passEnv": (*_ANTHROPIC, *_NETWORK),
    "stateFolders": ("~/.claude", "~/.claude.json", "~/.cache/claude-cli-nodejs"),
    "roles": _ROLES,
    "provider": "anthropic",
    "signIn": "claude auth login",
}
_GEMINI: Values = {
    "passEnv": (*_GOOGLE, *_NETWORK),
    "stateFolders": ("~/.gemini",),
    "roles": _ROLES,
    "provider": "google",
    "signIn": "gemini",
}
_QWEN: Values = {
    "passEnv": ("QWEN_*", "DASHSCOPE_API_KEY", "BAILIAN_*", *_OPENAI, *_NETWORK),
    "stateFolders": ("~/.qwen",),
    "roles": _ROLES,
    "provider": "qwen",
    "signIn": "qwen",
}
_KIMI: Values = {
    "env": {"KIMI_CODE_NO_AUTO_UPDATE": "1"},
    "passEnv": ("KIMI_*", "MOONSHOT_*", *_NETWORK),
    "stateFolders": ("~/.kimi", "~/.kimi-code"),
    "roles": _ROLES,
    "provider": "moonshot",
    "signIn": "kimi login",
}
_PI: Values = {
    "passEnv": ("PI_*", *_ANY_PROVIDER, *_NETWORK),
    "stateFolders": ("~/.pi",),
    # It never asks before it writes or runs anything, wherever that is.
    "sandbox": Sandboxing.REQUIRED,
    "roles": _ROLES,
    "signIn": "pi",
}


def _acp(argv: tuple[str, ...], about: str, *more: Values) -> Values:
    merged = {key: value for each in more for key, value in each.items()}
    return {**merged, "kind": AgentKind.ACP, "argv": argv, "description": about}


def _command(argv: tuple[str, ...], output: OutputFormat, about: str, *more: Values) -> Values:
    merged = {key: value for each in more for key, value in each.items()}
    started = {"kind": AgentKind.COMMAND, "argv": argv, "output": output, "description": about}
    return {**merged, **started}


# Prompts can be longer than an argument may be, and are nobody's business in a list of processes.
_BY_STDIN: Values = {"prompt": PromptAs.STDIN}

_CLAUDE_P = (
    "claude", "-p", "--output-format", "stream-json", "--verbose", "--permission-mode",
    "acceptEdits", "--allowedTools=Bash(git diff *),Bash(git log *),Bash(git status *)",
)  # fmt: skip
_GEMINI_P = ("gemini", "--skip-trust", "--approval-mode", "auto_edit", "-o", "stream-json")
_QWEN_P = ("qwen", "--approval-mode", "auto-edit", "-o", "stream-json")

BUILT_IN: Mapping[str, Values] = {
    "opencode": _acp(("opencode", "acp"), "OpenCode", _OPENCODE),
    "opencode-run": _command(
        ("opencode", "run", "--format", "json"),
        OutputFormat.OPENCODE, "OpenCode, one prompt without questions", _OPENCODE, _BY_STDIN,
        {"resumeArgv": ("opencode", "run", "--format", "json", "--session", "{session}")},
    ),
    "codex": _acp(
        ("codex-acp",), "Codex, by its adapter codex-acp", _CODEX,
        {
            "env": {"INITIAL_AGENT_MODE": "workspace-write", "NO_BROWSER": "1"},
            # It was seen to need seven seconds for its end.
            "stop.closeMs": 10_000,
        },
    ),
    "codex-exec": _command(
        ("codex", "exec", "--json", "-s", "workspace-write", "-"),
        OutputFormat.CODEX, "Codex, one prompt without questions", _CODEX, _BY_STDIN,
        {
            "resumeArgv": (
                "codex", "exec", "--json", "-s", "workspace-write", "resume", "{session}", "-",
            )
        },
    ),
    "claude": _acp(
        ("claude-agent-acp",), "Claude Code, by its adapter claude-agent-acp", _CLAUDE,
        {"mode": "acceptEdits"},
    ),
    "claude-p": _command(
        _CLAUDE_P,
        OutputFormat.CLAUDE, "Claude Code, one prompt; commands other than git's are denied",
        _CLAUDE, _BY_STDIN, {"resumeArgv": (*_CLAUDE_P, "--resume", "{session}")},
    ),
    "gemini": _acp(
        ("gemini", "--acp", "--skip-trust"), "Gemini CLI", _GEMINI, {"mode": "autoEdit"}
    ),
    "gemini-p": _command(
        _GEMINI_P,
        OutputFormat.GEMINI, "Gemini CLI, one prompt; it can run no commands", _GEMINI, _BY_STDIN,
        {"resumeArgv": (*_GEMINI_P, "--resume", "{session}")},
    ),
    # In the mode `auto-edit` it writes outside its folder, too, without asking.
    "qwen": _acp(("qwen", "--acp"), "Qwen Code", _QWEN, {"mode": "default"}),
    "qwen-p": _command(
        _QWEN_P,
        OutputFormat.CLAUDE, "Qwen Code, one prompt; it can run no commands", _QWEN, _BY_STDIN,
        {"resumeArgv": (*_QWEN_P, "--resume", "{session}")},
    ),
    "kimi": _acp(("kimi", "acp"), "Kimi Code", _KIMI),
    "kimi-p": _command(
        ("kimi", "-p", "{prompt}", "--output-format", "stream-json"),
        OutputFormat.KIMI, "Kimi Code, one prompt without questions", _KIMI,
        {
            "resumeArgv": (
                "kimi", "--session", "{session}", "-p", "{prompt}", "--output-format",
                "stream-json",
            )
        },
    ),
    "pi": _acp(("pi-acp",), "Pi, by its adapter pi-acp; never asks", _PI),
    "pi-json": _command(
        ("pi", "--mode", "json", "-p", "--no-session"),
        OutputFormat.PI, "Pi, one prompt; never asks", _PI, _BY_STDIN,
    ),
    "aider": _command(
        (
            "aider", "--no-auto-commits", "--no-gitignore", "--yes-always", "--no-check-update",
            "--analytics-disable", "--no-pretty", "--no-stream", "--no-show-model-warnings",
            "--chat-history-file", "/dev/null", "--input-history-file", "/dev/null",
            "--llm-history-file", "/dev/null", "--message-file", "{prompt_file}",
        ),
        OutputFormat.TEXT, "Aider, one prompt without questions",
        {
            "prompt": PromptAs.FILE,
            "passEnv": ("AIDER_*", *_ANY_PROVIDER, *_NETWORK),
            "stateFolders": ("~/.aider",),
            "roles": ("implement",),
            "signIn": "aider",
            # Whatever its options, it keeps these where it works.
            "litter": (
                ".aider.tags.cache.v*/", ".aider.chat.history.md", ".aider.input.history",
                ".aider.llm.history",
            ),
        },
    ),
    "mini": _command(
        ("mini", "-t", "{prompt}", "-y", "--exit-immediately", "-o", "/dev/null"),
        OutputFormat.TEXT, "mini-SWE-agent, one prompt; never asks",
        {
            "env": {"MSWEA_CONFIGURED": "true"},
            "passEnv": ("MSWEA_*", "LITELLM_*", *_ANY_PROVIDER, *_NETWORK),
            "stateFolders": ("~/.config/mini-swe-agent",),
            "sandbox": Sandboxing.REQUIRED,
            "polite": Polite.INTERRUPT,
            "roles": ("implement",),
            "signIn": "mini-extra config setup",
        },
    ),
}  # fmt: skip
