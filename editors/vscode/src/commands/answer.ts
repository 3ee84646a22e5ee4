/** Questions of agents: asked by the server, answered here or in the tree. */
import * as vscode from "vscode";
import type { Context } from "../context.ts";
import { readIds } from "../model/arguments.ts";
import { plainLine } from "../model/plain.ts";
import type { AnswerResult, AskParams, AskResult, Question } from "../protocol.ts";
import { taskOf } from "./choosing.ts";

const LATER = "Later";
const ANSWER = "Answer…";
const MOST_BUTTONS = 3;

/** `sennit/ask`: shown at once; when it is closed the question stays in the tree until its deadline. */
export async function ask(context: Context, params: AskParams, token: vscode.CancellationToken): Promise<AskResult> {
  const withdrawn = new Promise<undefined>((resolve) => {
    token.onCancellationRequested(() => { resolve(undefined); });
  });
  const { question, task } = params;
  const options = question.options ?? [];
  const asButtons = options.length > 0 && options.length <= MOST_BUTTONS;
  const buttons = asButtons ? [...options] : [ANSWER, LATER];
  const clicked = await Promise.race([context.notices.info(`${task} asks: ${question.text}`, ...buttons), withdrawn]);
  if (token.isCancellationRequested || clicked === undefined || clicked === LATER) {
    return {};
  }
  if (asButtons) {
    return { answer: clicked };
  }
  const answer = await typed(task, question, token);
  return answer === undefined ? {} : { answer };
}

export async function answer(context: Context, argument: unknown): Promise<AnswerResult | undefined> {
  const ids = readIds(argument);
  const found = await taskOf(context, ids, (task) => task.state === "waiting" && Boolean(task.question), "No agent waits for an answer.");
  if (found === undefined) {
    return undefined;
  }
  const known = context.sync.store.ticket(found.ticket)?.tasks.get(found.task)?.question ?? undefined;
  const question = ids.question ?? known?.id;
  if (question === undefined) {
    throw new Error(`The task ${found.task} asks nothing.`);
  }
  const text = ids.answer ?? (known === undefined ? undefined : await typed(found.task, known));
  return text === undefined ? undefined : context.request("sennit/answer", { ...found, question, answer: text });
}

async function typed(task: string, question: Question, token?: vscode.CancellationToken): Promise<string | undefined> {
  const options = question.options ?? [];
  if (options.length === 0) {
    const box = { title: plainLine(`${task} asks`), prompt: plainLine(question.text), ignoreFocusOut: true };
    return vscode.window.showInputBox(box, token);
  }
  const items = options.map((option) => ({ label: plainLine(option), option }));
  const picked = await vscode.window.showQuickPick(items, { title: plainLine(`${task} asks`), placeHolder: plainLine(question.text), ignoreFocusOut: true }, token);
  return picked?.option;
}
