/** Speaking with an agent at work: telling it something, ending its turn. */
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { Context } from "../context.ts";
import { textOf } from "../errors.ts";
import { readIds } from "../model/arguments.ts";
import { type Hearing, hearing, receiptWords } from "../model/speaking.ts";
import type { InterruptResult, SteerResult, TaskView } from "../protocol.ts";
import { type TaskOf, taskOf } from "./choosing.ts";
import { typeText } from "./typing.ts";

const AGAIN = "Try Again";
const EDIT = "Edit…";
const COPY = "Copy";
const INTERRUPT = "Interrupt";
const SAY = "Say…";
const CANCEL = "Cancel Task";
const NOBODY = "No agent at work can be spoken with. Those of kind `acp` can, in the window that has dispatched them.";

export async function steer(context: Context, argument: unknown): Promise<SteerResult | undefined> {
  const ids = readIds(argument);
  const named = await taskOf(context, ids, (task, ticket) => heardBy(context, ticket, task) !== "cannot", NOBODY);
  if (named === undefined) {
    return undefined;
  }
  if (ids.text !== undefined) {
    return say(context, named, ids.text, randomUUID());
  }
  return sayTyped(context, named);
}

/** What was typed is kept until it has arrived; a second try of the same words is not heard twice. */
async function sayTyped(context: Context, named: TaskOf): Promise<SteerResult | undefined> {
  const draft = `steer ${named.ticket}/${named.task}`;
  let text = await typed(context, named, draft);
  let steerId = randomUUID();
  while (text !== undefined) {
    try {
      const result = await say(context, named, text, steerId);
      if (result.receipt !== "notApplied") {
        context.drafts.sent(draft);
      }
      return result;
    } catch (error) {
      const clicked = await context.notices.error(textOf(error), AGAIN, EDIT);
      if (clicked === undefined) {
        return undefined;
      }
      if (clicked === EDIT) {
        text = await typed(context, named, draft);
        steerId = randomUUID();
      }
    }
  }
  return undefined;
}

async function typed(context: Context, named: TaskOf, draft: string): Promise<string | undefined> {
  const title = `Tell ${named.task}`;
  const { entered, text } = await typeText({ title, prompt: "What is the agent to hear?", value: context.drafts.of(draft)[0] ?? "" });
  context.drafts.keep(draft, [text]);
  return entered === undefined || entered.trim() === "" ? undefined : entered;
}

async function say(context: Context, named: TaskOf, text: string, steerId: string): Promise<SteerResult> {
  const result = await context.request("sennit/steer", { ...named, text, steerId });
  tellReceipt(context, named, text, result);
  return result;
}

function tellReceipt(context: Context, named: TaskOf, text: string, result: SteerResult): void {
  const task = context.sync.store.ticket(named.ticket)?.tasks.get(named.task);
  const why = (result as { readonly message?: string | null }).message;
  const words = receiptWords(result.receipt, named.task, task, why);
  if (result.receipt === "notApplied") {
    onClick(context, context.notices.warning(`${words} You wrote: ${text}`, COPY), { [COPY]: () => vscode.env.clipboard.writeText(text) });
  } else if (result.receipt === "queued") {
    onClick(context, context.notices.info(words, INTERRUPT), { [INTERRUPT]: () => interrupt(context, named) });
  } else {
    void context.notices.info(words);
  }
}

export async function interrupt(context: Context, argument: unknown): Promise<InterruptResult | undefined> {
  const named = await taskOf(context, readIds(argument), (task, ticket) => heardBy(context, ticket, task) === "works", NOBODY);
  if (named === undefined) {
    return undefined;
  }
  const result = await context.request("sennit/interrupt", { ticket: named.ticket, task: named.task });
  if (result.interrupted) {
    const told = context.notices.info(`${named.task} is interrupted, and waits for what you say.`, SAY, CANCEL);
    onClick(context, told, {
      [SAY]: () => vscode.commands.executeCommand("sennit.steer", named),
      [CANCEL]: () => vscode.commands.executeCommand("sennit.cancelTask", named),
    });
  } else {
    void context.notices.warning(`${named.task} was not interrupted: no turn of its agent is under way.`);
  }
  return result;
}

function onClick(context: Context, clicked: Promise<string | undefined>, actions: Readonly<Record<string, () => unknown>>): void {
  clicked
    .then(async (button) => { await (button === undefined ? undefined : actions[button]?.()); })
    .catch((error: unknown) => { void context.notices.error(textOf(error)); });
}

function heardBy(context: Context, ticket: string, task: TaskView): Hearing {
  const known = context.sync.store.ticket(ticket);
  return known === undefined ? "cannot" : hearing(known, task, context.sync.store.agents);
}
