-- LuaJIT is what Neovim runs; `vim` is Neovim's own name space, whose fields are options to be set.
std = "luajit"
globals = { "vim" }
max_line_length = 120
exclude_files = { "lua/sennit/protocol.lua" }
