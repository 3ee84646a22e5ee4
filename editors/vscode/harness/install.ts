/** Installs what is missing, and nothing else: a warm start takes no time. */

import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { CACHE, CHROMIUM, EXTENSION, HARNESS, NODE, NPM, SENNIT, SERVER_MAIN, VSCODE } from './places.ts';
import { run } from './programs.ts';

/** Thrown when something has to be done by a person first. */
export class NotReady extends Error {}

export async function installEditor(): Promise<void> {
  if (!existsSync(SENNIT)) {
    throw new NotReady(`no server at ${SENNIT}: run \`make\` for the Python environment first`);
  }
  await installChromium();
  const stamp = path.join(CACHE, '.installed');
  const wanted = digest(path.join(HARNESS, 'package-lock.json'));
  if (isAt(stamp, wanted) && existsSync(SERVER_MAIN)) {
    return;
  }
  mkdirSync(CACHE, { recursive: true });
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) {
    copyFileSync(path.join(HARNESS, name), path.join(CACHE, name));
  }
  await npm(['ci'], CACHE);
  // VS Code's own packages are pinned by a shrinkwrap that lists the development ones too: `npm ci` refuses it.
  await npm(['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], VSCODE);
  writeFileSync(stamp, wanted);
}

export async function installPackages(): Promise<void> {
  const stamp = path.join(CACHE, '.extension');
  const wanted = digest(path.join(EXTENSION, 'package-lock.json'));
  if (isAt(stamp, wanted) && existsSync(path.join(EXTENSION, 'node_modules', '.package-lock.json'))) {
    return;
  }
  rmSync(stamp, { force: true });
  await npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], EXTENSION);
  writeFileSync(stamp, wanted);
}

export async function build(): Promise<void> {
  await npm(['run', '--silent', 'build'], EXTENSION);
}

async function installChromium(): Promise<void> {
  if (existsSync(CHROMIUM)) {
    return;
  }
  const argv = ['install', '-y', '--no-install-recommends', 'chromium'];
  if (process.getuid?.() !== 0) {
    throw new NotReady(`no ${CHROMIUM}: run \`sudo apt-get ${argv.join(' ')}\``);
  }
  await run('apt-get', ['-qq', 'update'], '/', environment());
  await run('apt-get', ['-qq', ...argv], '/', environment());
}

function npm(argv: readonly string[], folder: string): Promise<void> {
  return run(NODE, [NPM, ...argv], folder, environment());
}

function environment(): NodeJS.ProcessEnv {
  return { ...process.env, DEBIAN_FRONTEND: 'noninteractive', PATH: `${path.dirname(NODE)}:${process.env['PATH'] ?? ''}` };
}

function digest(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function isAt(stamp: string, wanted: string): boolean {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
}
