/** What a failed request means for whoever asked. */

/** Of JSON-RPC: written to, read from, waited for on a connection that is gone. */
const LOST_CODES: ReadonlySet<number> = new Set([-32_099, -32_098, -32_097, -32_096]);
const LOST_WORDS = /^(?:Connection is (?:closed|disposed)|Pending response rejected|Client is not running)/u;

/** Whether a request has no answer since its server is gone. The library's own errors have small codes that the protocol has too. */
export function isLost(code: number | undefined, message: string): boolean {
  return (code !== undefined && LOST_CODES.has(code)) || LOST_WORDS.test(message);
}

const MAYBE: Readonly<Record<string, string>> = {
  "sennit/apply": "Whether it was applied is not known: look at your files and at the ticket before you apply it again.",
  "sennit/undo": "Whether it was taken back is not known: look at your files and at the ticket before you undo it again.",
  "sennit/dispatch": "Whether the tasks were taken is not known: look at the list of tickets before you dispatch them again.",
  "sennit/resolve": "Whether the conflict was settled is not known: look at the proposal.",
  "sennit/decide": "Whether the decision was taken is not known: look at the proposal.",
  "sennit/answer": "Whether the answer has arrived is not known: look at the task.",
  "sennit/cancel": "Whether it was cancelled is not known: look at the ticket.",
};

/** What is to be said when the server has ended before it answered. */
export function lostWords(method: string): string {
  return `The Sennit server has ended before it answered. ${MAYBE[method] ?? "Try it again when the server runs."}`;
}

/** The proposals that a request names; the answer that one of them is unknown may be about a unit or a revision, though. */
export function proposalsIn(params: object): readonly string[] {
  const { proposal, proposals } = params as { proposal?: unknown; proposals?: unknown };
  const several = Array.isArray(proposals) ? proposals.map((one: { proposal?: unknown }) => one.proposal) : [];
  return [proposal, ...several].filter((value) => typeof value === "string");
}
