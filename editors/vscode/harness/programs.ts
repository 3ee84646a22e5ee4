/** Runs a program to its end; what it says is shown only when it fails. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';

/** A program that failed, with what it said. */
export class ProgramFailed extends Error {}

export async function run(program: string, argv: readonly string[], folder: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(program, argv, { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const failed = (why: string): ProgramFailed => new ProgramFailed(`\`${path.basename(program)} ${argv.join(' ')}\` failed in ${folder}:\n${why}`);
  const [code] = (await once(child, 'close').catch((error: unknown) => { throw failed(String(error)); })) as [number | null];
  if (code !== 0) {
    throw failed((await said).join('').trim());
  }
}
