/** A user's machine for one run: a home, a state folder, repositories, all below one temporary folder. */

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';

import { HARNESS, NODE, PEER, PYTHON, SENNIT } from './places.ts';
import type { Found } from './processes.ts';

/** Files of a repository by their names, as bytes or as text. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

export interface Repo {
  readonly folder: string;
  /** What differs in the git directory since it was made; empty is right. */
  touched(): string[];
}

/** Agents that take words, which the built-in one does not: one writes them down, with the other one can speak. */
const CONFIG = `[agents.scribe]
argv = ["sh", "-c", 'printf "%s" "$1" > said.txt', "sh", "{prompt}"]
description = "Writes down what it is told"

[agents.peer]
kind = "acp"
argv = ["${PYTHON}", "${PEER}"]
description = "Does each line of its prompt"
roles = ["scripted"]
sandbox = "off"
`;

/** A role of the user that only one agent has, whatever else is installed. */
const ROLE = '---\nname: scripted\ndescription: Works line by line\n---\n\nBe quick.\n';

export class Scene {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly repos: Repo[] = [];
  readonly #cleaner: ChildProcess;

  constructor() {
    this.folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'sennit-vscode-')));
    this.#cleaner = spawn(NODE, ['--disable-warning=ExperimentalWarning', path.join(HARNESS, 'cleaner.ts'), this.folder], {
      // A process group of its own: Ctrl-C in the terminal must not reach it.
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    for (const name of ['home', 'state', 'config', 'tmp', 'repos']) {
      mkdirSync(this.path(name), { mode: 0o700 });
    }
    writeFileSync(this.path('home', '.gitconfig'), '[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n');
    writeFileSync(this.path('config', 'config.toml'), CONFIG);
    mkdirSync(this.path('config', 'agents'));
    writeFileSync(this.path('config', 'agents', 'scripted.md'), ROLE);
    // VS Code asks a login shell for PATH, as on a server that somebody connects to.
    writeFileSync(this.path('home', '.profile'), `PATH='${path.dirname(SENNIT)}':"$PATH"\nexport PATH\n`);
    this.environment = this.#environment();
  }

  path(...names: string[]): string {
    return path.join(this.folder, ...names);
  }

  /** A repository with one commit, watched from now on. */
  repo(name: string, files: Files): Repo {
    const folder = this.path('repos', name);
    for (const [file, content] of Object.entries(files)) {
      const full = path.join(folder, file);
      mkdirSync(path.dirname(full), { recursive: true });
      writeFileSync(full, content);
    }
    for (const argv of [['init', '-q'], ['add', '-A'], ['commit', '-q', '-m', 'start']]) {
      execFileSync('git', argv, { cwd: folder, env: this.environment });
    }
    const before = lookAt(path.join(folder, '.git'));
    const repo = { folder, touched: () => differences(before, lookAt(path.join(folder, '.git'))) };
    this.repos.push(repo);
    return repo;
  }

  /** Ends everything and deletes the folder; gives the processes that had not ended by themselves. */
  async close(): Promise<Found[]> {
    const [input, output] = [this.#cleaner.stdin, this.#cleaner.stdout];
    if (input === null || output === null) {
      throw new Error('the cleaner has no pipes');
    }
    const ended = once(this.#cleaner, 'exit');
    input.end();
    const said = await text(output);
    const [code] = (await ended) as [number | null];
    if (code !== 0) {
      throw new Error(`the cleaner failed with ${String(code)}; look at ${this.folder}`);
    }
    return JSON.parse(said) as Found[];
  }

  #environment(): NodeJS.ProcessEnv {
    // Without its compiled modules each start of the server would compile them all anew.
    const kept = Object.entries(process.env).filter(([name]) => !/^(VSCODE_|SENNIT_|GIT_|XDG_|ELECTRON_|NODE_OPTIONS|PYTHONDONTWRITEBYTECODE)/.test(name));
    return {
      ...Object.fromEntries(kept),
      HOME: this.path('home'),
      TMPDIR: this.path('tmp'),
      SENNIT_STATE_DIR: this.path('state'),
      SENNIT_CONFIG_DIR: this.path('config'),
      SUITE_PROGRAM: SENNIT,
      GIT_CONFIG_NOSYSTEM: '1',
      LANG: 'C.UTF-8',
    };
  }
}

/** Every file of a git directory with its mode, its time and its bytes; git itself freshens the times of objects. */
function lookAt(folder: string): Map<string, string> {
  const seen = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const full = path.join(entry.parentPath, entry.name);
    const status = lstatSync(full);
    const name = path.relative(folder, full);
    const time = name.startsWith('objects/') ? '' : status.mtimeMs;
    seen.set(name, [status.mode, time, contentOf(full)].join(' '));
  }
  return seen;
}

function contentOf(file: string): string {
  const status = lstatSync(file);
  if (status.isSymbolicLink()) {
    return readlinkSync(file);
  }
  return status.isFile() ? createHash('sha256').update(readFileSync(file)).digest('hex') : '';
}

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).sort();
}
