/** Handing tasks to agents. */
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { Context } from "../context.ts";
import { textOf } from "../errors.ts";
import { BadArgument, isRecord } from "../model/arguments.ts";
import { plainLine } from "../model/plain.ts";
import { COMMAND_AGENT, diagnosticPrompt, type Place, selectionPrompt, shortened, tasksOf } from "../model/prompts.ts";
import { type Doer, doerName } from "../model/agents.ts";
import type { DispatchParams, DispatchResult } from "../protocol.ts";
import { pickDoer } from "./agents.ts";
import { writeTasks } from "./form.ts";
import { currentFolder, send } from "./send.ts";
import { typeText } from "./typing.ts";

/** Dispatch a call as it is given, or the tasks that the user types. */
export async function dispatch(context: Context, argument: unknown): Promise<DispatchResult | undefined> {
  if (isCall(argument)) {
    return send(context, argument);
  }
  // Before anything is typed: closing the choice of a folder would lose it.
  const folder = await currentFolder();
  if (folder === undefined) {
    return undefined;
  }
  const doer = await doerFor(context, undefined, "");
  return doer === undefined ? undefined : dispatchTyped(context, doer, folder.uri.toString());
}

/** Who does it: the named agent, else who is chosen; undefined when nobody is, or a form was opened instead. */
async function doerFor(context: Context, agent: string | undefined, prompt: string): Promise<Doer | undefined> {
  if (agent !== undefined) {
    return { agent };
  }
  const chosen = await pickDoer(context);
  if (chosen !== undefined && "form" in chosen) {
    await writeTasks({ ...chosen.form, prompt });
    return undefined;
  }
  return chosen?.doer;
}

const AGAIN = "Try Again";
const EDIT = "Edit…";

/** What was typed is not lost by a refusal: it can be mended and sent again. */
async function dispatchTyped(context: Context, doer: Doer, cwd: string): Promise<DispatchResult | undefined> {
  const typed: Typing = {
    name: "dispatch",
    ask: (before) => askPrompts(context, doerName(doer), before),
    call: (prompts) => ({ tasks: tasksOf(prompts, doer), defaults: { cwd } }),
  };
  return sendTyped(context, typed);
}

interface Typing {
  /** Under which what was not sent is kept. */
  readonly name: string;
  readonly ask: (before: readonly string[]) => Promise<readonly string[]>;
  readonly call: (prompts: readonly string[]) => DispatchParams;
}

async function sendTyped(context: Context, { name, ask, call }: Typing): Promise<DispatchResult | undefined> {
  let prompts = await ask(context.drafts.of(name));
  // The same name for each try: a ticket whose answer was lost is not made twice.
  let operationId = randomUUID();
  while (prompts.length > 0) {
    try {
      const result = await send(context, { ...call(prompts), operationId });
      context.drafts.sent(name);
      return result;
    } catch (error) {
      context.drafts.keep(name, prompts);
      const clicked = await context.notices.error(textOf(error), AGAIN, EDIT);
      if (clicked === undefined) {
        return undefined;
      }
      if (clicked === EDIT) {
        prompts = await ask(prompts);
        operationId = randomUUID();
      }
    }
  }
  return undefined;
}

function isCall(argument: unknown): argument is DispatchParams {
  if (argument === undefined || argument === null || (isRecord(argument) && !("tasks" in argument))) {
    return false; // A click in a menu gives what was clicked.
  }
  if (!isRecord(argument) || !Array.isArray(argument["tasks"]) || !argument["tasks"].every(isRecord)) {
    throw new BadArgument("The argument must be a call of sennit/dispatch: {tasks: [{id, agent, prompt}]}.");
  }
  return true;
}

/** What a code action, a keybinding or a test names; the rest is asked for. */
interface Given {
  readonly uri: vscode.Uri | undefined;
  readonly range: vscode.Range | undefined;
  readonly diagnostic: vscode.Diagnostic | undefined;
  readonly prompt: string | undefined;
  readonly agent: string | undefined;
}

function readGiven(argument: unknown): Given {
  const given = isRecord(argument) ? argument : {};
  const editor = vscode.window.activeTextEditor;
  return {
    uri: given["uri"] instanceof vscode.Uri ? given["uri"] : editor?.document.uri,
    range: given["range"] instanceof vscode.Range ? given["range"] : editor?.selection,
    diagnostic: isDiagnostic(given["diagnostic"]) ? given["diagnostic"] : undefined,
    prompt: typeof given["prompt"] === "string" ? given["prompt"] : undefined,
    agent: typeof given["agent"] === "string" ? given["agent"] : undefined,
  };
}

/** The selection of the active editor, and what the user types about it. */
export async function dispatchSelection(context: Context, argument: unknown): Promise<DispatchResult | undefined> {
  const given = readGiven(argument);
  if (given.uri === undefined || given.range === undefined) {
    void context.notices.warning("There is no selection to dispatch. Open a file and select the lines that an agent is to work on.");
    return undefined;
  }
  const place = placeOf(given.uri, given.range);
  const doer = await doerFor(context, given.agent, selectionPrompt("", place, undefined));
  if (doer === undefined) {
    return undefined;
  }
  const { uri } = given;
  const call = (wish: string): DispatchParams => one("selection", selectionPrompt(wish, place, doer.agent), wish, doer, uri);
  return given.prompt === undefined ? sendTyped(context, wished(context, doer, place, call)) : send(context, call(given.prompt));
}

/** The problem that a code action names, or the one at the cursor. */
export async function dispatchDiagnostic(context: Context, argument: unknown): Promise<DispatchResult | undefined> {
  const given = readGiven(argument);
  const diagnostic = given.diagnostic ?? (await pickDiagnostic(given.uri));
  if (given.uri === undefined || diagnostic === undefined) {
    void context.notices.warning("There is no problem at the cursor to dispatch. Put the cursor on one, or use its lightbulb.");
    return undefined;
  }
  const { uri } = given;
  const place = placeOf(uri, diagnostic.range);
  const { message, source, code } = diagnostic;
  const words = diagnosticPrompt({ message, source, code: codeWords(code) }, place);
  const doer = await doerFor(context, given.agent, words);
  if (doer === undefined) {
    return undefined;
  }
  const call = (prompt: string): DispatchParams => one("diagnostic", prompt, diagnostic.message, doer, uri);
  // For the built-in agent a prompt is a command line, which the user alone can write.
  if (given.prompt === undefined && doer.agent === COMMAND_AGENT) {
    return sendTyped(context, wished(context, doer, place, call));
  }
  return send(context, call(given.prompt ?? words));
}

/** One wish about a place. */
function wished(context: Context, doer: Doer, place: Place, call: (wish: string) => DispatchParams): Typing {
  return {
    name: `about ${place.path}`,
    ask: async ([before]) => {
      const box = { title: `Dispatch ${place.path} to ${doerName(doer)}`, prompt: hint(doerName(doer)), value: before ?? "" };
      const { entered, text } = await typeText(box);
      context.drafts.keep(`about ${place.path}`, [text]);
      return entered === undefined || entered.trim() === "" ? [] : [entered];
    },
    call: (wishes) => call(wishes[0] ?? ""),
  };
}

function one(id: string, prompt: string, description: string, doer: Doer, uri: vscode.Uri): DispatchParams {
  const cwd = vscode.workspace.getWorkspaceFolder(uri)?.uri.toString();
  return { tasks: [{ id, prompt, description: shortened(description), ...doer, ...(cwd === undefined ? {} : { cwd }) }] };
}

/** One prompt after the other, each a task of its own, until an empty one. */
async function askPrompts(context: Context, name: string, before: readonly string[]): Promise<readonly string[]> {
  const prompts: string[] = [];
  for (;;) {
    const { entered, text } = await typeText({
      title: `Dispatch to ${name}: task ${String(prompts.length + 1)}`,
      prompt: prompts.length === 0 ? hint(name) : "Another task that runs at the same time, or Enter to start.",
      value: before[prompts.length] ?? "",
    });
    if (entered === undefined) {
      context.drafts.keep("dispatch", [...prompts, text]);
      return keepTyped(prompts);
    }
    if (entered.trim() === "") {
      return prompts;
    }
    prompts.push(entered);
  }
}

/** Escape in the middle: what was typed is not thrown away without a word. */
async function keepTyped(prompts: readonly string[]): Promise<readonly string[]> {
  if (prompts.length === 0) {
    return [];
  }
  const start = `Start ${String(prompts.length)}`;
  const answer = await vscode.window.showWarningMessage("Start the tasks that you have typed?", { modal: true }, start);
  return answer === start ? prompts : [];
}

function hint(agent: string): string {
  return agent === COMMAND_AGENT ? "A command line; its changes become a proposal." : "What is the agent to do?";
}

function placeOf(uri: vscode.Uri, range: vscode.Range): Place {
  return { path: vscode.workspace.asRelativePath(uri, false), firstLine: range.start.line, lastLine: range.end.line };
}

function isDiagnostic(value: unknown): value is vscode.Diagnostic {
  return value instanceof vscode.Diagnostic || (isRecord(value) && typeof value["message"] === "string" && value["range"] instanceof vscode.Range);
}

async function pickDiagnostic(uri: vscode.Uri | undefined): Promise<vscode.Diagnostic | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (uri === undefined || editor === undefined) {
    return undefined;
  }
  const here = vscode.languages.getDiagnostics(uri).filter((one) => one.range.intersection(editor.selection) !== undefined);
  if (here.length <= 1) {
    return here[0];
  }
  const items = here.map((diagnostic) => ({ label: plainLine(diagnostic.message), diagnostic }));
  return (await vscode.window.showQuickPick(items, { placeHolder: "Which problem?" }))?.diagnostic;
}

function codeWords(code: vscode.Diagnostic["code"]): string | undefined {
  const value = typeof code === "object" ? code.value : code;
  return value === undefined ? undefined : String(value);
}
