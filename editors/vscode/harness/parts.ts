/** The parts of the tests: which window each needs, and how its result is known. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import Mocha from 'mocha';

import { clickSuites, untrustedSuites, type Suite } from '../test/clicks/index.ts';
import { HOST_FILES } from '../test/files.ts';
import { CACHE, EXTENSION } from './places.ts';
import { installPacked } from './package-extension.ts';
import type { Result } from './result.ts';
import type { Scene } from './scene.ts';
import { Workbench } from './workbench.ts';

const SUITE = path.join(EXTENSION, 'dist', 'test', 'index.js');
/** Where pictures of windows stay in which a test has failed. */
const FAILURES = path.join(CACHE, 'failures');
const HOST_MS = 400_000;
const CLICK_MS = 150_000;

let installed: string | undefined;

export async function runPart(scene: Scene, part: 'host' | 'clicks' | 'untrusted', grep: string): Promise<Result> {
  switch (part) {
    case 'host':
      return runInHost(scene, grep);
    case 'clicks':
      return runClicks(scene, part, clickSuites, grep);
    case 'untrusted':
      return runClicks(scene, part, untrustedSuites, grep);
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
async function runClicks(scene: Scene, part: string, suites: readonly Suite[], grep: string): Promise<Result> {
  const untrusted = part === 'untrusted';
  const workbench = await Workbench.start(scene, part, {
    asksForTrust: untrusted,
    server: untrusted ? 'path' : 'setting',
    extension: { installed: packed(scene) },
  });
  const mocha = new Mocha({ ui: 'bdd', reporter: 'spec', timeout: CLICK_MS, slow: CLICK_MS, ...(grep === '' ? {} : { fgrep: grep }) });
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

/** The packed extension, made once a run. */
function packed(scene: Scene): string {
  installed ??= installPacked(scene);
  return installed;
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
