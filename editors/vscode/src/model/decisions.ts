/** Units of a proposal: what they are called, what was decided, which one is meant. */
import type { Decision, FileView, ProposalView, UnitKind, UnitView } from "../protocol.ts";
import { plainLine } from "./plain.ts";
import { counted, lineCounts, unitFlagWords } from "./words.ts";

export function filesOf(view: ProposalView | undefined): readonly FileView[] {
  return view?.files ?? [];
}

export function unitsOf(file: FileView): readonly UnitView[] {
  return file.units ?? [];
}

export function unitOf(view: ProposalView, unit: string): UnitView | undefined {
  return filesOf(view).flatMap(unitsOf).find((one) => one.id === unit);
}

/** The common decision of some units, or that they differ. */
export function jointDecision(units: readonly UnitView[]): Decision | "mixed" {
  const decisions = new Set(units.map((unit) => unit.decision));
  const [first] = decisions;
  return decisions.size > 1 ? "mixed" : (first ?? "undecided");
}

/** Units that nobody should accept without a look, with the reasons in words. */
export function flagged(units: readonly UnitView[]): readonly UnitView[] {
  return units.filter((unit) => unit.decision !== "accepted" && !unit.preselected && (unit.flags ?? []).length > 0);
}

export function flagsInWords(unit: UnitView): readonly string[] {
  return (unit.flags ?? []).map(unitFlagWords);
}

const WHOLE_FILE: Readonly<Record<Exclude<UnitKind, "hunk">, (file: FileView) => string>> = {
  create: () => "create the file",
  delete: () => "delete the file",
  rename: (file) => `rename from ${plainLine(file.oldPath ?? "another name")}`,
  mode: (file) => `mode ${file.modeBefore ?? "?"} → ${file.modeAfter ?? "?"}`,
  link: () => "symbolic link",
  binary: () => "binary content",
  submodule: () => "submodule pointer",
  type: () => "another type of file",
};

/** What a unit does, on one line. */
export function unitLabel(unit: UnitView, file: FileView): string {
  return unit.kind === "hunk" ? hunkLabel(unit) : WHOLE_FILE[unit.kind](file);
}

function hunkLabel(unit: UnitView): string {
  const added = firstLine(unit.afterText);
  const removed = firstLine(unit.beforeText);
  if (unit.before?.count === 0 && unit.after?.count === 0) {
    return "what is there stays"; // A conflict that was settled so.
  }
  const line = added === "" ? `− ${removed}` : `+ ${added}`;
  return plainLine(line, 80);
}

function firstLine(text: string | null | undefined): string {
  return (text ?? "").split("\n").map((line) => line.trim()).find((line) => line !== "") ?? "";
}

export function unitDescription(unit: UnitView): string {
  const place = unit.after ? [`line ${String(unit.after.start + 1)}`] : [];
  const counts = unit.after && unit.before ? [lineCounts(unit.after.count, unit.before.count)] : [];
  const decision = unit.decision === "undecided" ? [] : [unit.decision];
  const applied = unit.applied ? ["applied"] : [];
  const conflict = unit.conflict ? ["conflicts with your text"] : [];
  return [...place, ...counts, ...decision, ...applied, ...flagsInWords(unit), ...conflict].join(" · ");
}

export function fileDescription(file: FileView): string {
  const units = unitsOf(file);
  const decided = jointDecision(units);
  const accepted = units.filter((unit) => unit.decision === "accepted").length;
  const words = decided === "mixed" ? `${String(accepted)} of ${String(units.length)} accepted` : decided;
  return [
    lineCounts(file.linesAdded ?? 0, file.linesRemoved ?? 0),
    counted(units.length, "change", "changes"),
    ...(decided === "undecided" ? [] : [words]),
    ...(file.settled ? ["settled"] : []),
  ].join(" · ");
}

/** The hunk at a line of one side of the diff: the one around it, else the next above. */
export function unitAt(file: FileView, line: number, side: "base" | "proposed"): UnitView | undefined {
  const units = unitsOf(file);
  const ranges = units.flatMap((unit) => {
    const range = side === "base" ? unit.before : unit.after;
    return range ? [{ unit, start: range.start, end: range.start + Math.max(range.count, 1) }] : [];
  });
  const around = ranges.find(({ start, end }) => line >= start && line < end);
  const above = ranges.filter(({ start }) => start <= line).at(-1);
  return (around ?? above ?? ranges.at(0))?.unit ?? units.at(0);
}
