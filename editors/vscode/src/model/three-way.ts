/** Three texts merged line by line; where both sides changed the same lines a person finds both, between marks. */

/** As other programs mark them, so that VS Code offers its own commands for them. */
export const MARKS = { ours: "<<<<<<< what is there", middle: "=======", theirs: ">>>>>>> what is proposed" } as const;

/** Beyond so many differing lines the rest counts as one change, which is slower to read and never wrong. */
const MOST_STEPS = 500;

/** Lines `start` to `end` of the base became lines `from` to `to`. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly to: number;
}

export interface Texts {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** What goes together is merged. Changes that touch each other clash, as they do for git. */
export function markedText({ base, ours, theirs }: Texts): string {
  const before = linesOf(base);
  const walks = { ours: new Walk(before, linesOf(ours)), theirs: new Walk(before, linesOf(theirs)) };
  const ending = /\r\n/u.test(ours) ? "\r\n" : "\n";
  const merged: string[] = [];
  let at = 0;
  for (;;) {
    const start = Math.min(walks.ours.next, walks.theirs.next);
    merged.push(...before.slice(at, start));
    if (start === Infinity) {
      return merged.join("");
    }
    const end = endOfClash(walks, start);
    merged.push(...settled(walks.ours.take(start, end), walks.theirs.take(start, end), ending));
    at = end;
  }
}

/** Whether one of the marks that were put into a text is left in it. */
export function hasMarks(text: string): boolean {
  return text.split(/\r?\n/u).some((line) => line === MARKS.ours || line === MARKS.theirs);
}

function linesOf(text: string): readonly string[] {
  return text.split(/(?<=\n)/u);
}

function endOfClash(walks: { readonly ours: Walk; readonly theirs: Walk }, start: number): number {
  let end = start;
  for (let before = -1; before !== end;) {
    before = end;
    end = Math.max(walks.ours.reach(end), walks.theirs.reach(end));
  }
  return end;
}

function settled(ours: Taken, theirs: Taken, ending: string): readonly string[] {
  if (!theirs.isChanged || ours.lines.join("") === theirs.lines.join("")) {
    return ours.lines;
  }
  if (!ours.isChanged) {
    return theirs.lines;
  }
  const ended = (lines: readonly string[]): readonly string[] => lines.map((line) => (line.endsWith("\n") ? line : `${line}${ending}`));
  return [`${MARKS.ours}${ending}`, ...ended(ours.lines), `${MARKS.middle}${ending}`, ...ended(theirs.lines), `${MARKS.theirs}${ending}`];
}

interface Taken {
  readonly isChanged: boolean;
  readonly lines: readonly string[];
}

/** One side, from its first change to its last. */
class Walk {
  private readonly changes: readonly Change[];
  private readonly lines: readonly string[];
  private index = 0;
  private offset = 0;

  constructor(base: readonly string[], side: readonly string[]) {
    this.changes = changesBetween(base, side);
    this.lines = side;
  }

  get next(): number {
    return this.changes[this.index]?.start ?? Infinity;
  }

  /** Where the changes end that begin at a line of the base or before it. */
  reach(line: number): number {
    let end = line;
    for (let index = this.index; (this.changes[index]?.start ?? Infinity) <= end; index += 1) {
      end = Math.max(end, this.changes[index]?.end ?? end);
    }
    return end;
  }

  /** The lines of this side in place of some of the base. */
  take(start: number, end: number): Taken {
    const from = start + this.offset;
    const before = this.index;
    for (let change = this.changes[this.index]; change !== undefined && change.start <= end; change = this.changes[this.index]) {
      this.offset = change.to - change.end;
      this.index += 1;
    }
    return { isChanged: this.index > before, lines: this.lines.slice(from, end + this.offset) };
  }
}

function changesBetween(base: readonly string[], side: readonly string[]): readonly Change[] {
  let head = 0;
  while (head < base.length && head < side.length && base[head] === side[head]) {
    head += 1;
  }
  let tail = 0;
  while (tail < Math.min(base.length, side.length) - head && base[base.length - 1 - tail] === side[side.length - 1 - tail]) {
    tail += 1;
  }
  const [one, other] = [base.slice(head, base.length - tail), side.slice(head, side.length - tail)];
  const kept = commonLines(one, other);
  return between([...kept, [one.length, other.length]]).map((each) => ({
    start: each.start + head, end: each.end + head, from: each.from + head, to: each.to + head,
  }));
}

type Pair = readonly [number, number];

function between(kept: readonly Pair[]): readonly Change[] {
  let [start, from] = [0, 0];
  const found: Change[] = [];
  for (const [end, to] of kept) {
    if (end > start || to > from) {
      found.push({ start, end, from, to });
    }
    [start, from] = [end + 1, to + 1];
  }
  return found;
}

/** Pairs of equal lines of a shortest edit script (Myers); none where that would take too long. */
function commonLines(one: readonly string[], other: readonly string[]): readonly Pair[] {
  let furthest = new Map<number, number>([[1, 0]]);
  const trace: Map<number, number>[] = [];
  for (let steps = 0; steps <= Math.min(one.length + other.length, MOST_STEPS); steps += 1) {
    trace.push(furthest);
    furthest = new Map(furthest);
    for (let diagonal = -steps; diagonal <= steps; diagonal += 2) {
      let x = entry(furthest, diagonal, steps);
      while (x < one.length && x - diagonal < other.length && one[x] === other[x - diagonal]) {
        x += 1;
      }
      furthest.set(diagonal, x);
      if (x >= one.length && x - diagonal >= other.length) {
        return pairs(trace, one.length, other.length);
      }
    }
  }
  return [];
}

/** Where a step comes onto a diagonal: by a line more of the one, or of the other. */
function entry(furthest: ReadonlyMap<number, number>, diagonal: number, steps: number): number {
  return isFromAbove(furthest, diagonal, steps) ? (furthest.get(diagonal + 1) ?? 0) : (furthest.get(diagonal - 1) ?? 0) + 1;
}

function isFromAbove(furthest: ReadonlyMap<number, number>, diagonal: number, steps: number): boolean {
  return diagonal === -steps || (diagonal !== steps && (furthest.get(diagonal - 1) ?? -1) < (furthest.get(diagonal + 1) ?? -1));
}

function pairs(trace: readonly ReadonlyMap<number, number>[], width: number, height: number): readonly Pair[] {
  let [x, y] = [width, height];
  const found: Pair[] = [];
  for (const [steps, furthest] of [...trace.entries()].reverse()) {
    const diagonal = x - y;
    const start = entry(furthest, diagonal, steps);
    while (x > start && y > start - diagonal) {
      [x, y] = [x - 1, y - 1];
      found.push([x, y]);
    }
    [x, y] = isFromAbove(furthest, diagonal, steps) ? [start, start - diagonal - 1] : [start - 1, start - diagonal];
  }
  return found.reverse();
}
