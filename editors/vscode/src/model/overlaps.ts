/** Which open work changes the same files, as a text for people. */
import type { FileOverlap, Overlap, OverlapsResult, Worker } from "../protocol.ts";
import { noticeLines } from "./remarks.ts";

/** A pair at a time, those that share lines first, as the server has ordered them. */
export function overlapsText({ overlaps, total, notices }: OverlapsResult): string {
  const left = (total ?? 0) - overlaps.length;
  const head = overlaps.length === 0 ? "No open work changes the same files." : "Open work that changes the same files";
  return [
    head,
    ...overlaps.flatMap(pairLines),
    ...(left > 0 ? ["", `and ${String(left)} more pairs`] : []),
    ...noticeLines(notices).flatMap((line) => ["", `note: ${line}`]),
    "",
  ].join("\n");
}

function pairLines({ one, other, files }: Overlap): readonly string[] {
  return ["", `${workerWords(one)} and ${workerWords(other)}`, ...files.map((file) => `    ${file.path}: ${howWords(file)}`)];
}

function workerWords({ ticket, task, proposal }: Worker): string {
  return `${task} of ${ticket} (${proposal ?? "running"})`;
}

function howWords({ kind, lines }: FileOverlap): string {
  switch (kind) {
    // People count lines from 1.
    case "lines": return `the same lines, from ${(lines ?? []).map((range) => String(range.start + 1)).join(", ")}`;
    case "wholeFile": return "the whole file";
    case "sameFile": return "other lines of it";
  }
}
