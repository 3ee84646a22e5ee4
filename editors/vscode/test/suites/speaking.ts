/** An agent that is spoken with: it asks for permission, is told things, is interrupted, is followed up. */

import * as assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { commands, window } from "vscode";
import type { DispatchResult, InterruptResult, MaterialiseResult, Question, SteerResult } from "../../src/protocol";
import { did, dispatch, lastNotice, node, notice, proposalOf, sennit, settled, taskOf } from "./session";
import { closeAll } from "./text";
import { until } from "./until";

export function speaking(): void {
  describe("an agent that can be spoken with", () => {
    afterEach(closeAll);

    it("asks for permission, waits when it is interrupted, and goes on with what it is told", async () => {
      const place = path.join(await mkdtemp(path.join(tmpdir(), "talk-")), "here");
      const ticket = await dispatch([peer("talker", `permit fetch allowed.txt page\nat ${place}`)]);
      const question = await asked(ticket, "talker");
      assert.equal(question.permission, true);
      assert.match((await node(`task:${ticket}/talker`, (each) => each.contextValue === "task-waiting+works")).description, /permission/u);
      assert.match((await node(`question:${question.id}`)).label, /wants to/u);
      await did("sennit.answer", { ticket, task: "talker", question: question.id, answer: "Allow once" });
      await until("the agent comes to its place", () => existsSync(`${place}.at`));
      await node(`task:${ticket}/talker`, (each) => each.contextValue === "task-running+works" && / tokens|\d s/u.test(each.description));
      assert.deepEqual(await did<InterruptResult>("sennit.interrupt", { ticket, task: "talker" }), { interrupted: true });
      await node(`held:${ticket}/talker`);
      const { receipt } = await did<SteerResult>("sennit.steer", { ticket, task: "talker", text: "write second.txt yes" });
      assert.equal(receipt, "delivered");
      assert.equal((await settled(ticket)).state, "completed");
      const files = ((await proposalOf(ticket, "talker")).files ?? []).map((file) => file.path);
      assert.deepEqual(files, ["allowed.txt", "second.txt"]);

      const last = await lastNotice();
      const late = await did<SteerResult>("sennit.steer", { ticket, task: "talker", text: "too late" });
      assert.equal(late.receipt, "notApplied");
      await notice(last, /talker was not told: .*You wrote: too late/u);
      await commands.executeCommand("sennit.showDetails", { ticket, task: "talker" });
      await shows(/sandbox: none \(off\)[^]*permit fetch[^]*is told: write second/u);
    });

    it("asks two things at once, each is answered, and an answer that comes too late is told so", async () => {
      const ticket = await dispatch([peer("twice", "both both.txt")]);
      await node(`task:${ticket}/twice`, (each) => each.children.filter((one) => one.contextValue === "question").length === 2);
      const first = await asked(ticket, "twice");
      await did("sennit.answer", { ticket, task: "twice", question: first.id, answer: "Allow once" });
      const second = await asked(ticket, "twice", first.id);
      await did("sennit.answer", { ticket, task: "twice", question: second.id, answer: "Reject" });
      await settled(ticket);
      const proposed = (await proposalOf(ticket, "twice")).files?.[0]?.proposedUri;
      assert.equal((await (await sennit()).request("sennit/content", { uri: proposed ?? "" })).text, isBefore(first, second) ? "yes no\n" : "no yes\n");
      const last = await lastNotice();
      await commands.executeCommand("sennit.answer", { ticket, task: "twice", question: first.id, answer: "Reject" });
      await notice(last, /answered already/u);
    });

    it("is followed up: its proposal has a next revision, below the newer ticket alone", async () => {
      const first = await dispatch([peer("grown", "write one.txt 1")]);
      await settled(first);
      const { summary } = await proposalOf(first, "grown");
      await did("sennit.acceptProposal", { proposal: summary.id });
      const anew = { session: "fresh", begin: "work" };
      const { ticket } = await did<DispatchResult>("sennit.follow", { proposal: summary.id, text: "write two.txt 2", ...anew });
      assert.equal((await settled(ticket)).state, "completed");
      const shown = await node(`proposal:${summary.id}`, (each) => each.description.startsWith("revision 2") && each.children.length === 2);
      assert.deepEqual(shown.children.map((each) => each.label), ["one.txt", "two.txt"]);
      await node(`task:${first}/grown`, (each) => each.contextValue === "task-completed-followed");
      await node(`followed:${first}/grown`);
      const { folder } = await did<MaterialiseResult>("sennit.materialise", { ticket, task: "grown" });
      assert.deepEqual([readFileSync(path.join(folder, "one.txt"), "utf8"), readFileSync(path.join(folder, "two.txt"), "utf8")], ["1\n", "2\n"]);
      await commands.executeCommand("sennit.compareRevisions", { proposal: summary.id });
      assert.doesNotMatch(await shows(/two\.txt/u), /one\.txt/u);
    });
  });
}

function peer(id: string, prompt: string): { id: string; agent: string; prompt: string } {
  return { id, agent: "peer", prompt };
}

/** What a task asks, other than a question that was answered. */
async function asked(ticket: string, task: string, before?: string): Promise<Question> {
  return until(`${task} asks`, async () => {
    const { state, question } = await taskOf(ticket, task);
    return state === "waiting" && question && question.id !== before && !question.answer ? question : undefined;
  });
}

/** The peer numbers what it asks, in its order. */
function isBefore(one: Question, other: Question): boolean {
  const [first, second] = [one, other].map((each) => /fetch (\d+)/u.exec(each.text)?.[1] ?? "");
  assert.ok(first && second);
  return first < second;
}

/** The text of the active editor, once it holds what is wanted. */
async function shows(wanted: RegExp): Promise<string> {
  const api = await sennit();
  const text = (): string => window.activeTextEditor?.document.getText() ?? "";
  return until(() => `the active editor shows ${String(wanted)}; it shows ${text()}; told: ${JSON.stringify(api.notices.slice(-3))}`, () => wanted.test(text()) && text());
}
