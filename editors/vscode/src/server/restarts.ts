/** When a server that has died is started again: soon at first, later and later, at last not at all. */

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 30_000;
const WINDOW_MS = 3 * 60_000;
const MOST_DEATHS = 5;

export type Verdict = { readonly again: true; readonly delayMs: number } | { readonly again: false };

/** Counts the deaths of the last minutes. */
export class RestartPolicy {
  private deaths: number[] = [];

  died(now: number): Verdict {
    this.deaths = [...this.deaths.filter((at) => now - at < WINDOW_MS), now];
    if (this.deaths.length >= MOST_DEATHS) {
      return { again: false };
    }
    const delayMs = Math.min(FIRST_DELAY_MS * 4 ** (this.deaths.length - 1), LONGEST_DELAY_MS);
    return { again: true, delayMs };
  }

  /** The user has asked for a new start: what was is forgotten. */
  forget(): void {
    this.deaths = [];
  }
}
