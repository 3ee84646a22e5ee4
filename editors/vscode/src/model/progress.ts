/** What a task is doing and what it used, in few words. */
import type { Progress, Usage } from "../protocol.ts";
import { plainLine } from "./plain.ts";

/** Shorter pauses are part of any work. */
const QUIET_MS = 5_000;

export function progressWords(progress: Progress): readonly string[] {
  const { elapsedMs, idleMs, lastTool, lastLine, tools, usage } = progress;
  const doing = lastTool && lastTool === lastLine ? toolWords(lastTool, tools) : (lastLine ?? "");
  const quiet = (idleMs ?? 0) >= QUIET_MS || progress.phase === "silent";
  return [
    duration(elapsedMs ?? 0),
    ...(quiet ? [`silent for ${duration(idleMs ?? 0)}`] : progress.phase === "thinking" ? ["thinking"] : []),
    ...usageWords(usage),
    ...(doing === "" ? [] : [plainLine(doing, 80)]),
  ];
}

function toolWords(tool: string, count: number | null | undefined): string {
  return count && count > 1 ? `${tool} (tool ${String(count)})` : tool;
}

export function usageWords(usage: Usage | null | undefined): readonly string[] {
  if (!usage) {
    return [];
  }
  const numbers = [usage.input, usage.output, usage.cachedRead, usage.cachedWrite].filter((each) => typeof each === "number");
  const least = usage.known === "lowerBound" ? "at least " : "";
  const tokens = numbers.reduce((sum, each) => sum + each, 0);
  return [
    ...(numbers.length === 0 ? [] : [`${least}${short(tokens)} tokens`]),
    ...(typeof usage.cost === "number" ? [`${least}${usage.cost.toFixed(2)} ${usage.currency ?? "of its currency"}`] : []),
  ];
}

function short(number: number): string {
  if (number < 1_000) {
    return String(number);
  }
  return number < 1_000_000 ? `${(number / 1_000).toFixed(1)}k` : `${(number / 1_000_000).toFixed(1)}M`;
}

export function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) {
    return `${String(seconds)} s`;
  }
  const minutes = Math.floor(seconds / 60);
  return minutes < 120 ? `${String(minutes)} min` : `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}
