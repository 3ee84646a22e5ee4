/** Runs the extension's tests in a real VS Code, or makes its pictures; ends and deletes all that it started. */

import { parseArgs } from 'node:util';

import { build, installEditor, installPackages, NotReady } from './install.ts';
import { ProgramFailed } from './programs.ts';
import type { Result } from './result.ts';
import { Scenes } from './scenes.ts';

const USAGE = `usage: editors/vscode/harness/run [--only PART] [--grep TEXT] [--pictures]

  --only PART   host (suites in the extension host), clicks (a person's clicks), untrusted (a folder that nobody trusts)
  --grep TEXT   only the tests whose name holds TEXT
  --pictures    no tests: make docs/images/vscode-*.png
  --install     no tests: only install what is missing and build
`;
const PARTS = ['host', 'clicks', 'untrusted'] as const;
/** They wait for windows and programs half of their time, so two parts go side by side; what each takes decides who goes with whom. */
const LANES: readonly (readonly (typeof PARTS)[number][])[] = [['host', 'untrusted'], ['clicks']];
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
    await timed('install VS Code', installEditor);
    await timed('install packages', installPackages);
    await timed('build', build);
  } catch (error) {
    if (error instanceof NotReady || error instanceof ProgramFailed) {
      process.stderr.write(`run: ${error.message}\n`);
      return 2;
    }
    throw error;
  }
  return options.install ? 0 : inScenes(options.pictures ? pictures : (scenes) => tests(scenes, parts));
}

/** The packages are there only now, so what uses them is loaded only now. */
async function tests(scenes: Scenes, parts: readonly (typeof PARTS)[number][]): Promise<Result> {
  const { runPart } = await import('./parts.ts');
  const results: Result[] = [];
  const walk = async (lane: readonly (typeof PARTS)[number][]): Promise<void> => {
    for (const part of lane.filter((one) => parts.includes(one))) {
      const began = Date.now();
      results.push(await runPart(scenes, part, options.grep));
      report(part, began);
    }
  };
  await Promise.all(LANES.map(walk));
  return {
    passed: results.reduce((sum, one) => sum + one.passed, 0),
    failed: results.reduce((sum, one) => sum + one.failed, 0),
  };
}

async function pictures(scenes: Scenes): Promise<Result> {
  const { takePictures } = await import('./pictures.ts');
  return { passed: await takePictures(scenes.make()), failed: 0 };
}

async function inScenes(work: (scenes: Scenes) => Promise<Result>): Promise<number> {
  const scenes = new Scenes();
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
  const done = work(scenes).then((result) => summary(scenes, result, began), (error: unknown) => (isStopped ? 1 : broken(error)));
  const code = await Promise.race([done, stopped.promise]);
  const left = await scenes.close();
  for (const one of left) {
    process.stderr.write(`left running, now ended: ${String(one.pid)} ${one.command.slice(0, 200)}\n`);
  }
  process.exit(code === 0 && left.length > 0 ? 1 : code);
}

function summary(scenes: Scenes, result: Result, began: number): number {
  const touched = scenes.touched();
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

async function timed(name: string, work: () => Promise<void>): Promise<void> {
  const began = Date.now();
  await work();
  report(name, began);
}

function report(name: string, began: number): void {
  process.stdout.write(`${name}: ${((Date.now() - began) / 1000).toFixed(1)} s\n`);
}
