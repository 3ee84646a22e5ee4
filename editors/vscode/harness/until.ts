/** Waiting for conditions, with a deadline; nothing here sleeps for a fixed time and hopes. */

import { setTimeout as passed } from 'node:timers/promises';

const LOOK_EVERY_MS = 50;

/** The first answer of `look` that is neither undefined nor false. */
export async function until<T>(claim: string | (() => string), look: () => T | undefined | false | Promise<T | undefined | false>, withinMs = 90_000): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) {
      return found;
    }
    if (Date.now() > end) {
      throw new Error(`not within ${String(withinMs / 1000)} s: ${typeof claim === 'string' ? claim : claim()}`);
    }
    await passed(LOOK_EVERY_MS);
  }
}
