-- Read by `vim.lsp.enable('sennit')` and `vim.lsp.config('sennit', …)`.
return require('sennit.client').config()
