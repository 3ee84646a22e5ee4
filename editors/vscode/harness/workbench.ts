/** A real VS Code: its server on a free port of this machine, and windows of it in headless Chromium. */

import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format } from 'node:util';

import { chromium, type BrowserContext, type Page } from 'playwright-core';

import { CHROMIUM, NODE, SENNIT, SERVER_MAIN } from './places.ts';
import type { Scene } from './scene.ts';
import { until } from './until.ts';

const START_MS = 120_000;

/** What a tester's own settings would be: nothing pops up, nothing calls home, files stay unsaved until they are saved. */
const PROFILE = {
  'files.autoSave': 'off',
  'git.enabled': false,
  'chat.disableAIFeatures': true,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'security.workspace.trust.startupPrompt': 'never',
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  'workbench.reduceMotion': 'on',
  'window.commandCenter': false,
  'editor.minimap.enabled': false,
  'files.watcherExclude': { '**/.git/**': true },
};

const MACHINE = { 'sennit.server.command': [SENNIT, 'serve'] };

export interface WorkbenchOptions {
  /** Whether windows ask for trust; without it every folder is trusted. */
  readonly asksForTrust: boolean;
  /** The extension as it lies there, under development; or a folder of installed ones. */
  readonly extension: { readonly development: string } | { readonly installed: string };
  /** Where the extension finds the server: named by the machine's settings, or on PATH. */
  readonly server: 'setting' | 'path';
  readonly environment?: Readonly<Record<string, string>>;
}

export class Workbench {
  readonly scene: Scene;
  readonly #options: WorkbenchOptions;
  readonly #server: ChildProcess;
  readonly #log: string;
  readonly #token = randomBytes(16).toString('hex');
  readonly #data: string;
  #browser: BrowserContext | undefined;
  #port = 0;

  private constructor(scene: Scene, name: string, options: WorkbenchOptions) {
    this.scene = scene;
    this.#options = options;
    this.#data = scene.path(name);
    this.#log = scene.path(`${name}.log`);
    // A remote window reads settings that belong to a machine from that machine's file only.
    for (const [place, settings] of [['User', PROFILE], ['Machine', options.server === 'setting' ? MACHINE : {}]] as const) {
      mkdirSync(path.join(this.#data, place), { recursive: true });
      writeFileSync(path.join(this.#data, place, 'settings.json'), JSON.stringify(settings, null, 2));
    }
    this.#server = this.#serve();
  }

  static async start(scene: Scene, name: string, options: WorkbenchOptions): Promise<Workbench> {
    const workbench = new Workbench(scene, name, options);
    await until(`VS Code's server listens; see ${workbench.#log}`, () => workbench.#listens(), START_MS);
    return workbench;
  }

  /** A window on a folder. With `suite`, that module runs in the extension host; its exit code is the answer of `ended`. */
  async open(folder: string, suite?: string): Promise<{ page: Page; ended: Promise<number> }> {
    this.#browser ??= await this.#startBrowser();
    const page = await this.#browser.newPage();
    const ended = this.#endOf(page);
    await page.goto(this.#address(folder, suite));
    return { page, ended };
  }

  /** The end of what VS Code's server and its windows have written. */
  said(): string {
    return readFileSync(this.#log, 'utf8').split('\n').filter((line) => !/^ +(at|→) /.test(line)).slice(-60).join('\n');
  }

  /** Whether VS Code has put unsaved text by, for the case that the window goes. */
  hasPutBy(text: string): boolean {
    const backups = path.join(this.#data, 'User', 'Backups');
    if (!existsSync(backups)) {
      return false;
    }
    const files = readdirSync(backups, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return files.some((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8').includes(text));
  }

  /** A picture of the window that is open. */
  async picture(file: string): Promise<void> {
    await this.#browser?.pages().at(-1)?.screenshot({ path: file });
  }

  async close(): Promise<void> {
    await this.#browser?.close();
    if (this.#server.exitCode === null && this.#server.signalCode === null) {
      const ended = once(this.#server, 'exit');
      this.#server.kill('SIGTERM');
      await ended;
    }
  }

  #serve(): ChildProcess {
    const { asksForTrust, extension } = this.#options;
    const trust = asksForTrust ? [] : ['--disable-workspace-trust'];
    // The driver's flag lets a window load what is under development, but silences notifications.
    const driver = 'development' in extension ? ['--enable-smoke-test-driver'] : [];
    const extensions = 'installed' in extension ? extension.installed : path.join(this.#data, 'extensions');
    const log = openSync(this.#log, 'a');
    const child = spawn(
      NODE,
      [
        SERVER_MAIN, '--host', '127.0.0.1', '--port', '0', '--connection-token', this.#token, '--accept-server-license-terms',
        '--telemetry-level', 'off', '--reconnection-grace-time', '1', ...trust, ...driver,
        '--server-data-dir', this.#data, '--user-data-dir', this.#data, '--extensions-dir', extensions,
      ],
      { cwd: this.scene.folder, env: { ...this.scene.environment, ...this.#options.environment }, stdio: ['ignore', log, log] },
    );
    closeSync(log);
    return child;
  }

  #listens(): boolean {
    if (this.#server.exitCode !== null) {
      throw new Error(`VS Code's server ended with ${String(this.#server.exitCode)}:\n${readFileSync(this.#log, 'utf8')}`);
    }
    this.#port = Number(/listening on (\d+)/.exec(readFileSync(this.#log, 'utf8'))?.[1] ?? 0);
    return this.#port > 0;
  }

  async #startBrowser(): Promise<BrowserContext> {
    const browser = await chromium.launchPersistentContext(`${this.#data}-browser`, {
      executablePath: CHROMIUM,
      headless: true,
      args: [
        '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
        '--disable-component-update', '--disable-sync',
      ],
      env: Object.fromEntries(Object.entries(this.scene.environment).map(([name, value]) => [name, value ?? ''])),
      viewport: { width: 1200, height: 750 },
      // The run ends on these itself, after it has cleaned up.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    // Tests need this machine only; the gallery of extensions is not asked.
    await browser.route((url) => url.hostname !== '127.0.0.1', (route) => route.abort());
    return browser;
  }

  async #endOf(page: Page): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    page.on('crash', () => { reject(new Error('the window crashed')); });
    await page.exposeFunction('codeAutomationExit', (code: number) => { resolve(code); });
    await page.exposeFunction('codeAutomationLog', (_kind: string, words: unknown[]) => { appendFileSync(this.#log, `${format(...words)}\n`); });
    return promise;
  }

  #address(folder: string, suite: string | undefined): string {
    const remote = (file: string): string => `vscode-remote://127.0.0.1:${String(this.#port)}${file}`;
    const { extension } = this.#options;
    const payload = 'development' in extension ? [['extensionDevelopmentPath', remote(extension.development)]] : [];
    if (suite !== undefined) {
      payload.push(['extensionTestsPath', remote(suite)]);
    }
    const address = new URL(`http://127.0.0.1:${String(this.#port)}/`);
    address.searchParams.set('tkn', this.#token);
    address.searchParams.set('folder', folder);
    address.searchParams.set('payload', JSON.stringify(payload));
    return address.href;
  }
}
