/**
 * A process beside the run that cleans up after it, however the run ends.
 *
 * It waits for the end of its standard input, which comes also when the run is killed; then it ends every process that names the
 * folder, deletes the folder, and says on standard output which processes were still there.
 */

import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { setTimeout as passed } from 'node:timers/promises';

import { processesOf, type Found } from './processes.ts';

/** Time for programs to end by themselves once their window has gone. */
const GRACE_MS = 8_000;
const LOOK_EVERY_MS = 100;

const folder = process.argv[2];
if (folder === undefined || !folder.startsWith('/')) {
  throw new Error('cleaner: needs the absolute path of the folder');
}
process.stdin.resume();
await once(process.stdin, 'close');
const left = await ending(folder);
for (const one of left) {
  endNow(one);
}
await ending(folder);
rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
process.stdout.write(JSON.stringify(left));

async function ending(named: string): Promise<Found[]> {
  const end = Date.now() + GRACE_MS;
  let found = processesOf(named).filter((one) => one.pid !== process.pid);
  while (found.length > 0 && Date.now() < end) {
    await passed(LOOK_EVERY_MS);
    found = processesOf(named);
  }
  return found;
}

function endNow(one: Found): void {
  try {
    process.kill(one.pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) {
      throw error;
    }
  }
}
