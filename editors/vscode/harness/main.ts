/** Runs the extension's tests in a real VS Code, or makes its pictures; ends and deletes all that it started. */

import { parseArgs } from 'node:util';

import { build, installEditor, installPackages, NotReady } from './install.ts';
import { VSCODE } from './places.ts';
import type { Found } from './processes.ts';
import { ProgramFailed } from './programs.ts';
import type { Result } from './result.ts';
import { Scene } from './scene.ts';

const USAGE = `usage: editors/vscode/harness/run [--only PART] [--grep TEXT] [--pictures]

  --only PART   host (suites in the extension host), clicks (a person's clicks), untrusted (a folder that nobody trusts)
  --grep TEXT   only the tests whose name holds TEXT
  --pictures    no tests: make docs/images/vscode-*.png
  --install     no tests: only install what is missing and build
`;
const PARTS = ['host', 'clicks', 'untrusted'] as const;
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    grep: { type: 'string', default: '' },
    pictures: { type: 'boolean', default: false },
    install: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

process.exitCode = await main();

async function main(): Promise<number> {
  const parts = PARTS.filter((part) => options.only === undefined || part === options.only);
  if (options.help || parts.length === 0) {
    process.stdout.write(USAGE);
    return options.help ? 0 : 2;
  }
  try {
    timed('install VS Code', installEditor);
    timed('install packages', installPackages);
    timed('build', build);
  } catch (error) {
    if (error instanceof NotReady || error instanceof ProgramFailed) {
      process.stderr.write(`run: ${error.message}\n`);
      return 2;
    }
    throw error;
  }
  return options.install ? 0 : inScene(options.pictures ? pictures : (scene) => tests(scene, parts));
}

/** The packages are there only now, so what uses them is loaded only now. */
async function tests(scene: Scene, parts: readonly (typeof PARTS)[number][]): Promise<Result> {
  const { runPart } = await import('./parts.ts');
  let [passed, failed] = [0, 0];
  for (const part of parts) {
    const result = await runPart(scene, part, options.grep);
    [passed, failed] = [passed + result.passed, failed + result.failed];
  }
  return { passed, failed };
}

async function pictures(scene: Scene): Promise<Result> {
  const { takePictures } = await import('./pictures.ts');
  return { passed: await takePictures(scene), failed: 0 };
}

async function inScene(work: (scene: Scene) => Promise<Result>): Promise<number> {
  const scene = new Scene();
  const stopped = Promise.withResolvers<number>();
  let isStopped = false;
  for (const [signal, code] of Object.entries(SIGNALS)) {
    process.once(signal, () => {
      isStopped = true;
      stopped.resolve(code);
    });
  }
  const began = Date.now();
  // What fails because everything is being ended is no failure to be told.
  const done = work(scene).then((result) => summary(scene, result, began), (error: unknown) => (isStopped ? 1 : broken(error)));
  const code = await Promise.race([done, stopped.promise]);
  const left = (await scene.close()).filter((one) => !isOfVsCode(one));
  for (const one of left) {
    process.stderr.write(`left running, now ended: ${String(one.pid)} ${one.command.slice(0, 200)}\n`);
  }
  process.exit(code === 0 && left.length > 0 ? 1 : code);
}

/** VS Code's own processes may take their time; what counts is the extension's, and what its server started. */
function isOfVsCode(one: Found): boolean {
  return one.command.includes(VSCODE) || one.command.includes('chromium');
}

function summary(scene: Scene, result: Result, began: number): number {
  const touched = scene.repos.flatMap((repo) => repo.touched().map((name) => `${repo.folder}/.git/${name}`));
  for (const name of touched) {
    process.stderr.write(`touched, though it is the user's: ${name}\n`);
  }
  report('all', began);
  const failed = result.failed + (touched.length > 0 ? 1 : 0);
  process.stdout.write(`${String(result.passed)} passed, ${String(failed)} failed\n`);
  return failed > 0 || result.passed === 0 ? 1 : 0;
}

function broken(error: unknown): number {
  process.stderr.write(`run: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 1;
}

function timed(name: string, work: () => void): void {
  const began = Date.now();
  work();
  report(name, began);
}

function report(name: string, began: number): void {
  process.stdout.write(`${name}: ${((Date.now() - began) / 1000).toFixed(1)} s\n`);
}
