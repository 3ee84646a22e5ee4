/** Servers that cannot be found, are too old, print rubbish or die: a message tells what happened and what to do. */

import * as assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { commands, ConfigurationTarget, workspace } from "vscode";
import type { SennitApi } from "../../src/api";
import { isRunning } from "./gate";
import { lastNotice, notice, sennit } from "./session";
import { until } from "./until";

/** A language server, but of another protocol version. */
const OLD_SERVER = `
import json, sys
size = 0
for line in iter(sys.stdin.buffer.readline, b""):
    if line.lower().startswith(b"content-length:"):
        size = int(line.split(b":")[1])
    elif line == b"\\r\\n":
        message = json.loads(sys.stdin.buffer.read(size))
        if "id" in message:
            result = {"capabilities": {"experimental": {"sennit": {"protocolVersion": "0.0", "methods": [], "features": []}}},
                      "serverInfo": {"name": "sennit", "version": "0.0.1"}} if message["method"] == "initialize" else None
            body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
            sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
            sys.stdout.buffer.flush()
        if message["method"] == "exit":
            break
`;

export function badServers(): void {
  describe("a server that cannot be used", () => {
    let api: SennitApi;
    let right: unknown;

    before(async () => {
      api = await sennit();
      right = workspace.getConfiguration("sennit").get("server.command");
    });

    after(async () => {
      await use(right);
      await until("the right server runs again", () => api.state.name === "running");
    });

    it("because it is not there: says where it looked and how to install it", async () => {
      const said = await failure(["/nowhere/sennit", "serve"], "notFound");
      assert.match(said, /\/nowhere\/sennit/u);
      assert.match(said, /install|sennit\.server\.command/u);
    });

    it("because it speaks another version: says both versions and what to update", async () => {
      const program = path.join(mkdtempSync(path.join(tmpdir(), "old-")), "old.py");
      writeFileSync(program, OLD_SERVER);
      const said = await failure(["python3", program, "serve"], "otherVersion");
      assert.match(said, /0\.0/u);
      assert.match(said, /0\.1/u);
      assert.match(said, /[Uu]pdate|upgrade/u);
    });

    it("because it prints rubbish: quotes it and says what to do", async () => {
      const said = await failure(["sh", "-c", "echo this is no protocol; cat > /dev/null"], "rubbish");
      assert.match(said, /this is no protocol/u);
      assert.match(said, /sennit\.server\.command/u);
    });

    it("because it ends at once: tells its last words", async () => {
      await use(["sh", "-c", "echo my last words >&2; exit 3"]);
      const state = await until("the start has failed", () => api.state.name === "failed" && api.state);
      assert.match(state.reason, /my last words/u);
    });

    it("because its command is no list: says what it must be", async () => {
      assert.match(await failure("sennit serve", "wrongSetting"), /must be a list of texts such as \[/u);
      assert.match(await failure({ program: "sennit" }, "wrongSetting"), /must be a list of texts such as \[/u);
    });

    it("because it echoes: says that it is no Sennit", async () => {
      assert.match(await failure(["/bin/cat"], "noSennit"), /no Sennit/u);
    });

    it("because it never answers: a restart ends it, and nothing of it stays", async () => {
      const note = path.join(mkdtempSync(path.join(tmpdir(), "hangs-")), "pid");
      await use(["sh", "-c", `echo $$ > ${note}.new; mv ${note}.new ${note}; exec sleep 600`]);
      const pid = Number(await until("the server has started", () => existsSync(note) && readFileSync(note, "utf8")));
      await use(["/nowhere/sennit", "serve"]);
      await until("the process is gone", () => !isRunning(pid));
      await until("the other one has failed", () => api.state.name === "failed" && api.state.kind === "notFound");
    });

    it("until it is restarted by the command with the right setting", async () => {
      await use(right);
      await commands.executeCommand("sennit.restartServer");
      await until("the server runs", () => api.state.name === "running");
    });

    it("while it is restarted: what is asked of it meanwhile is answered by the new one", async () => {
      const restarted = commands.executeCommand("sennit.restartServer", { force: true });
      await until("the old one is being ended", () => api.state.name !== "running");
      assert.ok(await api.request("sennit/tickets", {}));
      await restarted;
    });

    it("for its settings: they are told, and mending them is enough", async () => {
      const settings = workspace.getConfiguration("sennit").get("server.settings");
      const last = await lastNotice();
      await useSettings({ ...(settings as object), nonsense: 1 });
      await commands.executeCommand("sennit.restartServer", { force: true });
      await notice(last, /nonsense/u);
      await useSettings(settings);
      await until("the server answers again", () => api.request("sennit/tickets", {}).then(() => true, () => false));
    });

    async function failure(command: unknown, kind: string): Promise<string> {
      const last = await lastNotice();
      await use(command);
      const state = await until(() => `the state is ${kind}; it is ${JSON.stringify(api.state)}`, () => api.state.name === "failed" && api.state.kind === kind && api.state);
      assert.ok((await notice(last, /./u)).length > 0);
      return state.reason;
    }
  });
}

/** Sets the command; the extension starts it by itself. */
async function use(command: unknown): Promise<void> {
  await workspace.getConfiguration("sennit").update("server.command", command, ConfigurationTarget.Global);
}

async function useSettings(settings: unknown): Promise<void> {
  await workspace.getConfiguration("sennit").update("server.settings", settings, ConfigurationTarget.Global);
}
