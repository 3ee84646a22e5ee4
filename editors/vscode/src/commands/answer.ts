/** Questions of agents: asked by the server, answered here or in the tree. */
import * as vscode from "vscode";
import type { Context } from "../context.ts";
import { textOf } from "../errors.ts";
import { readIds } from "../model/arguments.ts";
import { plainLine } from "../model/plain.ts";
import { openQuestions } from "../model/questions.ts";
import type { AnswerParams, AnswerResult, AskParams, AskResult, Question } from "../protocol.ts";
import { choose, taskOf } from "./choosing.ts";
import { typeText } from "./typing.ts";

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
  const asker = context.supervisor.client;
  const shown = context.notices.info(`${task} asks: ${question.text}`, ...buttons);
  const clicked = await Promise.race([shown, withdrawn]);
  if (token.isCancellationRequested) {
    tellLateClick(context, task, shown);
    return {};
  }
  if (clicked === undefined || clicked === LATER) {
    return {};
  }
  const answer = asButtons ? clicked : await typed(context, task, question, token);
  if (answer !== undefined && context.supervisor.client !== asker) {
    tellWithdrawn(context, task, answer);
  }
  return answer === undefined ? {} : { answer };
}

/** No extension can take its message from the screen, so whoever answers it too late is told. */
function tellLateClick(context: Context, task: string, shown: Promise<string | undefined>): void {
  shown
    .then((clicked) => {
      if (clicked !== undefined && clicked !== LATER) {
        const given = clicked === ANSWER ? "nothing was answered" : `“${clicked}” was not given`;
        void context.notices.warning(`The question of ${task} does not wait any more, so ${given}: it was answered elsewhere, its time was over, or its agent has ended.`);
      }
    })
    .catch((error: unknown) => { context.log.error(textOf(error)); });
}

export async function answer(context: Context, argument: unknown): Promise<AnswerResult | undefined> {
  const ids = readIds(argument);
  const found = await taskOf(context, ids, (task) => task.state === "waiting" && openQuestions(task).length > 0, "No agent waits for an answer.");
  if (found === undefined) {
    return undefined;
  }
  const task = context.sync.store.ticket(found.ticket)?.tasks.get(found.task);
  const open = task === undefined ? [] : openQuestions(task);
  const known = ids.question === undefined ? await oneOf(found.task, open) : open.find((one) => one.id === ids.question);
  const question = ids.question ?? known?.id;
  if (question === undefined) {
    return undefined;
  }
  const text = ids.answer ?? (known === undefined ? undefined : await typed(context, found.task, known));
  return text === undefined ? undefined : sendAnswer(context, { ...found, question, answer: text }, ids.answer === undefined);
}

/** The only question of a task, or the one that the user picks. */
function oneOf(task: string, open: readonly Question[]): Promise<Question | undefined> {
  const [only] = open;
  const items = open.map((one) => ({ label: plainLine(one.text), value: one }));
  return open.length === 1 ? Promise.resolve(only) : choose("Answer which question?", items, `The task ${task} asks nothing.`);
}

const AGAIN = "Try Again";
const COPY = "Copy Answer";

/** What was typed for a question that is gone can be copied; what did not arrive can be sent again. */
async function sendAnswer(context: Context, params: AnswerParams, isTyped: boolean): Promise<AnswerResult | undefined> {
  for (;;) {
    try {
      const result = await context.request("sennit/answer", params);
      context.drafts.sent(params.question);
      return result;
    } catch (error) {
      if (!isTyped) {
        throw error;
      }
      context.drafts.keep(params.question, [params.answer]);
      const clicked = await context.notices.error(`${textOf(error)} Your answer was not given: ${params.answer}`, AGAIN, COPY);
      if (clicked === COPY) {
        await vscode.env.clipboard.writeText(params.answer);
      }
      if (clicked !== AGAIN) {
        return undefined;
      }
    }
  }
}

async function typed(context: Context, task: string, question: Question, token?: vscode.CancellationToken): Promise<string | undefined> {
  const options = question.options ?? [];
  if (options.length === 0) {
    const box = { title: `${task} asks`, prompt: question.text, value: context.drafts.of(question.id)[0] ?? "" };
    const { entered, text } = await typeText(box, token);
    context.drafts.keep(question.id, [text]);
    if (token?.isCancellationRequested === true && text !== "") {
      tellWithdrawn(context, task, text);
      return undefined;
    }
    return entered;
  }
  const items = options.map((option) => ({ label: plainLine(option), option }));
  const picked = await vscode.window.showQuickPick(items, { title: plainLine(`${task} asks`), placeHolder: plainLine(question.text), ignoreFocusOut: true }, token);
  return picked?.option;
}

function tellWithdrawn(context: Context, task: string, text: string): void {
  context.notices.warning(`The question of ${task} does not wait here any more. Your answer was not given: ${text}`, COPY)
    .then(async (clicked) => {
      if (clicked === COPY) {
        await vscode.env.clipboard.writeText(text);
      }
    })
    .catch((error: unknown) => { context.log.error(textOf(error)); });
}
