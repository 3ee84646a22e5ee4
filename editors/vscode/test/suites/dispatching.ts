/** Giving work away: on a selection, on a diagnostic; cancelling it; agents and calls that are refused. */

import * as assert from "node:assert/strict";
import { commands, type CompletionList, Diagnostic, DiagnosticSeverity, languages, Range, Selection, type TextDocument, window } from "vscode";
import type { CancelResult, DispatchResult } from "../../src/protocol";
import { Gate, isRunning } from "./gate";
import { did, dispatch, node, lastNotice, notice, proposalOf, sennit, settled, shell, taskOf } from "./session";
import { closeAll, opened } from "./text";
import { until } from "./until";

export function dispatching(): void {
  describe("dispatching", () => {
    afterEach(closeAll);

    it("a selection tells the agent the words, the file and the lines", async () => {
      await opened("selected.txt");
      const editor = window.activeTextEditor;
      assert.ok(editor);
      editor.selection = new Selection(1, 4, 1, 18);
      const { ticket } = await did<DispatchResult>("sennit.dispatchSelection", { prompt: "Say it in French", agent: "scribe" });
      const said = await whatWasSaid(ticket);
      assert.match(said, /Say it in French/u);
      assert.match(said, /selected\.txt:2/u);
    });

    it("a diagnostic tells the agent its message and its place", async () => {
      const document = await opened("selected.txt");
      const collection = languages.createDiagnosticCollection("test");
      const place = new Range(0, 4, 0, 9);
      collection.set(document.uri, [new Diagnostic(place, "greet is never called", DiagnosticSeverity.Warning)]);
      const editor = window.activeTextEditor;
      assert.ok(editor);
      editor.selection = new Selection(place.start, place.start);
      try {
        const { ticket } = await did<DispatchResult>("sennit.dispatchDiagnostic", { agent: "scribe" });
        const said = await whatWasSaid(ticket);
        assert.match(said, /greet is never called/u);
        assert.match(said, /selected\.txt/u);
      } finally {
        collection.dispose();
      }
    });

    it("tasks that are written as a text go to the role's agent, and the text is gone once they are taken", async () => {
      await commands.executeCommand("sennit.writeTasks");
      const form = await writtenForm("role: scripted\nbudget: 20 turns\n\nwrite form.txt 1\n---\nagent: peer\ntask: second\nafter: task-1\n\nwrite form.txt 2\n");
      const { ticket } = await did<DispatchResult>("sennit.dispatchForm", undefined);
      const { tasks } = await settled(ticket);
      assert.deepEqual(tasks?.map((task) => [task.id, task.agent, task.state]), [["task-1", "peer", "completed"], ["second", "peer", "completed"]]);
      assert.ok(form.isClosed);
    });

    it("a form says what counts for all tasks: a task that conflicts is given one more turn, and details tell the workspace", async () => {
      await commands.executeCommand("sennit.writeTasks");
      await writtenForm("label: both ways\nconflict: follow\nagent: peer\n---\ntask: one\n\nwrite both.txt 1\n---\ntask: other\nattach: selected.txt:1-1\n\nwrite both.txt 2\n");
      const { ticket } = await did<DispatchResult>("sennit.dispatchForm", undefined);
      const { label, tasks } = await settled(ticket);
      assert.equal(label, "both ways");
      const follower = tasks?.find((task) => task.following?.task === "other");
      assert.ok(follower, `nobody follows; there are ${JSON.stringify(tasks?.map((task) => task.id))}`);
      await node(`task:${ticket}/${follower.id}`);
      assert.match((await (await sennit()).request("sennit/run", { ticket, task: "other" })).prompt, /selected\.txt/u);
      await commands.executeCommand("sennit.showDetails", { ticket, task: "one" });
      await until("the details tell the workspace", () => /^workspace: \w+$/mu.test(window.activeTextEditor?.document.getText() ?? ""));
    });

    it("a form completes headers, agents, roles and what a header can be", async () => {
      await commands.executeCommand("sennit.writeTasks");
      const lines = ["agent: ", "role: ", "conflict: ", "after: ", "con", "task: first", "", "prompt: "];
      const form = await writtenForm(lines.join("\n"));
      const offered = async (line: number): Promise<readonly string[]> => {
        const list = await commands.executeCommand<CompletionList>("vscode.executeCompletionItemProvider", form.uri, form.lineAt(line).range.end);
        return list.items.map((item) => (typeof item.label === "string" ? item.label : item.label.label));
      };
      assert.ok((await offered(0)).includes("peer"));
      assert.ok((await offered(1)).includes("scripted"));
      assert.deepEqual(await offered(2), ["setAside", "follow"]);
      assert.deepEqual(await offered(3), ["first"]);
      assert.ok((await offered(4)).includes("conflict: "));
      assert.ok(!(await offered(7)).includes("conflict: "));
    });

    it("the machine, the repository and the agents can be looked at, with what to do", async () => {
      await commands.executeCommand("sennit.doctor");
      const text = await until("the check is shown", () => {
        const shown = window.activeTextEditor?.document;
        return shown?.uri.authority === "doctor" && shown.getText();
      });
      assert.match(text, /^[✓!] git: /mu);
      assert.match(text, /^✓ peer /mu);
    });

    it("a budget that cannot be meant is told with its line, and nothing is dispatched", async () => {
      await commands.executeCommand("sennit.writeTasks");
      const form = await writtenForm("budget: much\n\ntrue\n");
      const last = await lastNotice();
      await commands.executeCommand("sennit.dispatchForm");
      assert.match(await notice(last, /Nothing was dispatched/u), /Line 1: `much`/u);
      assert.ok(!form.isClosed);
    });

    it("a task can be cancelled: its program ends, what it did is kept, the others go on", async () => {
      const [stopped, going] = [await Gate.make(), await Gate.make()];
      const ticket = await dispatch([
        shell("stopped", stopped.script("echo half > half.txt")),
        shell("going", going.script("echo whole > whole.txt")),
      ]);
      const pid = await stopped.reached();
      await going.reached();
      await did<CancelResult>("sennit.cancelTask", { ticket, task: "stopped", force: true });
      await until("the program has ended", () => !isRunning(pid));
      await node(`task:${ticket}/stopped`, (each) => each.contextValue === "task-cancelled");
      await going.open();
      await settled(ticket);
      assert.equal((await taskOf(ticket, "going")).state, "completed");
      assert.equal((await proposalOf(ticket, "stopped")).summary.integration, "retained");
    });

    it("a whole ticket can be cancelled", async () => {
      const gate = await Gate.make();
      const ticket = await dispatch([shell("one", gate.script("echo one > one.txt"))]);
      const pid = await gate.reached();
      await did<CancelResult>("sennit.cancelTicket", { ticket, force: true });
      await until("the program has ended", () => !isRunning(pid));
      assert.equal((await settled(ticket)).state, "cancelled");
    });

    it("a task that fails says so, with the program's exit code", async () => {
      const ticket = await dispatch([shell("broken", "echo oh no >&2; exit 7")]);
      await settled(ticket);
      const shown = await node(`task:${ticket}/broken`, (each) => each.contextValue === "task-failed");
      assert.match(shown.description, /7/u);
    });

    it("an agent that does not exist is refused with a message that names it", async () => {
      const last = await lastNotice();
      await commands.executeCommand("sennit.dispatch", { tasks: [{ id: "a", agent: "nobody", prompt: "x" }] });
      assert.match(await notice(last, /nobody/u), /agent/iu);
    });
  });
}

/** The form in the active editor, with another text in it. */
async function writtenForm(text: string): Promise<TextDocument> {
  const editor = window.activeTextEditor;
  assert.equal(editor?.document.languageId, "sennit-tasks");
  const whole = new Range(0, 0, editor.document.lineCount, 0);
  await editor.edit((edit) => { edit.replace(whole, text); });
  return editor.document;
}

async function whatWasSaid(ticket: string): Promise<string> {
  const view = await settled(ticket);
  const task = view.tasks?.[0];
  assert.ok(task);
  assert.equal(task.state, "completed");
  const run = await (await sennit()).request("sennit/run", { ticket, task: task.id });
  return run.prompt;
}
