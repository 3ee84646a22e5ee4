/** The parts of the tests: which window each needs, and how its result is known. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import Mocha from 'mocha';

import { clickSuites, untrustedSuites, type Suite } from '../test/clicks/index.ts';
import { HOST_FILES } from '../test/files.ts';
import { linesTo } from '../test/lines.ts';
import { CACHE, EXTENSION } from './places.ts';
import type { Result } from './result.ts';
import type { Scene } from './scene.ts';
import type { Scenes } from './scenes.ts';
import { Workbench } from './workbench.ts';

const SUITE = path.join(EXTENSION, 'dist', 'test', 'index.js');
/** Where pictures of windows stay in which a test has failed. */
const FAILURES = path.join(CACHE, 'failures');
const HOST_MS = 900_000;
const CLICK_MS = 300_000;

export async function runPart(scenes: Scenes, part: 'host' | 'clicks' | 'untrusted', grep: string): Promise<Result> {
  switch (part) {
    case 'host':
      return runInHost(scenes.make(), grep);
    case 'clicks':
      return runClicks(scenes, part, clickSuites, grep);
    case 'untrusted':
      return runClicks(scenes, part, untrustedSuites, grep);
  }
}

/** Mocha in the extension host, which writes its report and its result into a folder that we read. */
async function runInHost(scene: Scene, grep: string): Promise<Result> {
  const folder = scene.path('host-report');
  mkdirSync(folder);
  const environment = { SUITE_FOLDER: folder, SUITE_GREP: grep };
  const workbench = await Workbench.start(scene, 'host', { asksForTrust: false, server: 'setting', extension: { development: EXTENSION }, environment });
  const show = follow(path.join(folder, 'report.txt'));
  const timer = setInterval(show, 200);
  try {
    const { ended } = await workbench.open(scene.repo('host', HOST_FILES).folder, SUITE);
    await within(ended, HOST_MS, workbench);
  } finally {
    clearInterval(timer);
    show();
    await workbench.close();
  }
  const result = path.join(folder, 'result.json');
  if (!existsSync(result)) {
    throw new Error(`the suites gave no result; VS Code said:\n${workbench.said()}`);
  }
  return JSON.parse(readFileSync(result, 'utf8')) as Result;
}

/** Mocha here, with a person's hands in the window. */
async function runClicks(scenes: Scenes, part: string, suites: readonly Suite[], grep: string): Promise<Result> {
  const untrusted = part === 'untrusted';
  const installed = await scenes.packed();
  const scene = scenes.make();
  const workbench = await Workbench.start(scene, part, {
    asksForTrust: untrusted,
    server: untrusted ? 'path' : 'setting',
    extension: { installed },
  });
  const reporter = linesTo((line) => { process.stdout.write(`${line}\n`); }, part);
  const mocha = new Mocha({ ui: 'bdd', reporter, timeout: CLICK_MS, ...(grep === '' ? {} : { fgrep: grep }) });
  mocha.suite.emit('pre-require', globalThis, part, mocha);
  mocha.suite.afterEach('picture of a failure', async function picture() {
    if (this.currentTest?.state === 'failed') {
      await workbench.picture(path.join(FAILURES, `${this.currentTest.fullTitle().replaceAll(/\W+/g, '-').slice(0, 100)}.png`));
    }
  });
  for (const suite of suites) {
    suite({ scene, workbench });
  }
  try {
    return await new Promise<Result>((resolve) => {
      const runner = mocha.run(() => {
        resolve({ passed: runner.stats?.passes ?? 0, failed: runner.stats?.failures ?? 0 });
      });
    });
  } finally {
    await workbench.close();
  }
}

/** Prints what has been added to a file since the last call. */
function follow(file: string): () => void {
  writeFileSync(file, '');
  let shown = 0;
  return () => {
    const bytes = readFileSync(file);
    process.stdout.write(bytes.subarray(shown));
    shown = bytes.length;
  };
}

async function within(ended: Promise<number>, limitMs: number, workbench: Workbench): Promise<number> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new Error(`the suites did not end within ${String(limitMs / 1000)} s; VS Code said:\n${workbench.said()}`));
  }, limitMs);
  try {
    return await Promise.race([ended, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
