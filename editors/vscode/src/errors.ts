/** Errors of the server as values and as words. */
import { isRecord } from "./model/arguments.ts";
import { ErrorCode } from "./protocol.ts";

/** Nothing can be asked, since there is no server; the message says why. */
export class NoServer extends Error {}

/** The server has ended before it answered. */
export class ServerEnded extends Error {}

/** What was shown here and is no more. */
export class GoneError extends Error {
  readonly code: number;

  constructor(message: string, code: number) {
    super(`${message} It was dropped, here or by another program, and is taken out of the list.`);
    this.code = code;
  }
}

/** Whether the server refuses everything for what it was started with; a new value alone does not mend that. */
export function isStartedWrong(error: unknown): boolean {
  const data = error instanceof Error ? (error as { data?: unknown }).data : undefined;
  return codeOf(error) === ErrorCode.SETTINGS_INVALID && `${textOf(error)} ${JSON.stringify(data)}`.includes("initializationOptions");
}

export function codeOf(error: unknown): number | undefined {
  const code = isRecord(error) || error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === "number" ? code : undefined;
}

/** `data.reason` of an error, by which a client may react. */
export function reasonOf(error: unknown): string | undefined {
  const data = error instanceof Error ? (error as { data?: unknown }).data : undefined;
  const reason = isRecord(data) ? data["reason"] : undefined;
  return typeof reason === "string" ? reason : undefined;
}

/** The message, and each problem that the server lists. */
export function textOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const data: unknown = (error as { data?: unknown }).data;
  const problems = isRecord(data) && Array.isArray(data["problems"]) ? data["problems"] : [];
  return [error.message, ...problems.flatMap((problem) => problemWords(problem, error.message))].join(" ");
}

/** Some messages hold their problems already. */
function problemWords(problem: unknown, message: string): readonly string[] {
  if (!isRecord(problem) || typeof problem["message"] !== "string" || message.includes(problem["message"])) {
    return [];
  }
  const path = typeof problem["path"] === "string" ? `${problem["path"]}: ` : "";
  const valid = Array.isArray(problem["valid"]) && problem["valid"].length > 0 ? ` (valid: ${problem["valid"].join(", ")})` : "";
  return [`${path}${problem["message"]}${valid}`];
}
