/** Why there is no server, in words: what happened, where, and what to do. */
import { plainLine } from "../model/plain.ts";

export type Problem =
  | { readonly kind: "notFound"; readonly looked: readonly string[]; readonly trusted: boolean }
  | { readonly kind: "wrongSetting"; readonly value: string }
  | { readonly kind: "cannotStart"; readonly command: string; readonly detail: string }
  | { readonly kind: "otherVersion"; readonly command: string; readonly theirs: string; readonly ours: string }
  | { readonly kind: "noSennit"; readonly command: string; readonly name: string | undefined }
  | { readonly kind: "rubbish"; readonly command: string; readonly said: string }
  | { readonly kind: "silent"; readonly command: string; readonly seconds: number }
  | { readonly kind: "keepsDying"; readonly command: string; readonly detail: string };

export type ProblemKind = Problem["kind"];

/** A start that did not succeed. */
export class StartFailed extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problemText(problem));
    this.problem = problem;
  }
}

const SETTING = "the setting sennit.server.command";

export function problemText(problem: Problem): string {
  switch (problem.kind) {
    case "notFound":
      return notFound(problem.looked, problem.trusted);
    case "wrongSetting":
      return `The setting sennit.server.command must be a list of texts such as ["/home/you/.local/bin/sennit", "serve"]; it is ${plainLine(problem.value, 120)}. Correct it.`;
    case "cannotStart":
      return `The Sennit server could not be started by \`${problem.command}\`: ${problem.detail} Correct ${SETTING}, or install the server again.`;
    case "otherVersion":
      return `The Sennit server at \`${problem.command}\` speaks version ${plainLine(problem.theirs, 40)} of the protocol; this extension needs ${problem.ours}. ${newer(problem.theirs, problem.ours)}`;
    case "noSennit":
      return `\`${problem.command}\` ${noSennit(problem.name)}, but no Sennit, or one that is too old. Correct ${SETTING}, or update the server.`;
    case "rubbish":
      return `\`${problem.command}\` does not speak the language server protocol; it printed: ${plainLine(problem.said, 160)} Correct ${SETTING}: it must name \`sennit serve\`, and nothing may print on standard output before it.`;
    case "silent":
      return `\`${problem.command}\` was started and has not answered for ${String(problem.seconds)} s. Look at the log, or correct ${SETTING}.`;
    case "keepsDying":
      return `The Sennit server died again and again and is not started any more. ${problem.detail} Look at the log; finished proposals are kept. Restart it when the cause is mended.`;
  }
}

function noSennit(name: string | undefined): string {
  return name === undefined ? "answers" : `is a language server (${plainLine(name, 60)})`;
}

function notFound(looked: readonly string[], trusted: boolean): string {
  const places = looked.length === 0 ? "nowhere" : looked.join(", ");
  const more = trusted ? "" : " The project's own environment is not looked at while the workspace is not trusted.";
  return `The Sennit server was not found; looked at: ${places}.${more} Install it by \`uv tool install .\` in a checkout of Sennit, or set sennit.server.command.`;
}

function newer(theirs: string, ours: string): string {
  const older = theirs.localeCompare(ours, "en", { numeric: true }) < 0;
  return older ? "Update the server, for example by `uv tool install --force .` in a newer checkout." : "Update the extension.";
}

/** How a process ended, with the end of what it wrote to standard error. */
export function endOfProcess(code: number | null, signal: string | null, errors: string): string {
  const how = signal === null ? `it ended with code ${String(code ?? "unknown")}` : `it was ended by ${signal}`;
  const last = errors.trim().split("\n").slice(-3).join(" ");
  return last === "" ? `${how}.` : `${how} and wrote: ${plainLine(last)}`;
}
