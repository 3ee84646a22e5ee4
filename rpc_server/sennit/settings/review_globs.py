"""Files that a review flags, and files that it folds, unless it is set otherwise."""

from __future__ import annotations

SENSITIVE = (
    ".github/workflows/", ".gitlab-ci.yml", ".circleci/", "Jenkinsfile", ".husky/",
    ".pre-commit-config.yaml", ".gitattributes", ".gitmodules", ".sennit.toml", ".mcp.json",
    ".claude/", ".gemini/", ".codex/", ".opencode/", "opencode.json", "opencode.jsonc",
    ".vscode/", ".devcontainer/", ".envrc", ".env", ".env.*", "*.pem", "*.key", ".npmrc", ".pypirc",
)  # fmt: skip
GENERATED = (
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock",
    "Cargo.lock", "poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock", "Gemfile.lock",
    "composer.lock", "go.sum", "flake.lock", "*.min.js", "*.min.css", "*_pb2.py", "*.pb.go",
)  # fmt: skip
