/** Waiting for conditions with a deadline. */

import { setTimeout as passed } from "node:timers/promises";

const LOOK_EVERY_MS = 25;

/** The first answer of `look` that is neither undefined nor false. */
export async function until<T>(claim: string | (() => string), look: () => T | undefined | false | Promise<T | undefined | false>, withinMs = 90_000): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) {
      return found;
    }
    if (Date.now() > end) {
      throw new Error(`not within ${String(withinMs / 1000)} s: ${typeof claim === "string" ? claim : claim()}`);
    }
    await passed(LOOK_EVERY_MS);
  }
}
