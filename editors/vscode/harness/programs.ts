/** Runs a program to its end; what it says is shown only when it fails. */

import { spawnSync } from 'node:child_process';
import path from 'node:path';

/** A program that failed, with what it said. */
export class ProgramFailed extends Error {}

export function run(program: string, argv: readonly string[], folder: string, environment: NodeJS.ProcessEnv): void {
  const done = spawnSync(program, argv, { cwd: folder, env: environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 26 });
  if (done.error !== undefined || done.status !== 0) {
    const said = done.error?.message ?? `${done.stdout}${done.stderr}`.trim();
    throw new ProgramFailed(`\`${path.basename(program)} ${argv.join(' ')}\` failed in ${folder}:\n${said}`);
  }
}
