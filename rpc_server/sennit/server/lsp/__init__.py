"""Plain LSP for every editor: code lenses, code actions, diagnostics, commands, texts."""
