/** What every suite of clicks is given, and windows for it. */

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { processesOf } from '../../harness/processes.ts';
import type { Files, Repo, Scene } from '../../harness/scene.ts';
import { until } from '../../harness/until.ts';
import type { Workbench } from '../../harness/workbench.ts';
import { Hands } from './hands.ts';

export interface Desk {
  readonly scene: Scene;
  readonly workbench: Workbench;
}

export type Suite = (desk: Desk) => void;

/** Claims that do not depend on what else was done in the window: they share one. */
export type InWindow = (window: () => Window, desk: Desk) => void;

/** A window on a repository of its own. */
export class Window {
  readonly repo: Repo;
  readonly hands: Hands;

  private constructor(repo: Repo, hands: Hands) {
    this.repo = repo;
    this.hands = hands;
  }

  static async open(desk: Desk, name: string, files: Files): Promise<Window> {
    const repo = desk.scene.repo(name, files);
    const { page } = await desk.workbench.open(repo.folder);
    const hands = new Hands(page);
    await hands.ready();
    return new Window(repo, hands);
  }

  onDisk(name: string): string {
    return readFileSync(path.join(this.repo.folder, name), 'utf8');
  }

  /** Saves until the files hold what is wanted: edits of several files are shown one after the other. */
  async untilSaved(wanted: Readonly<Record<string, string>>): Promise<void> {
    const others = (): string[] => Object.keys(wanted).filter((name) => this.textOf(name) !== wanted[name]);
    await until(() => `files are saved as wanted; not yet: ${others().map((name) => `${name}: ${JSON.stringify(this.textOf(name))}`).join(', ')}`, async () => {
      if (others().length > 0) {
        await this.hands.saveAll();
      }
      return others().length === 0;
    });
  }

  private textOf(name: string): string | undefined {
    return existsSync(path.join(this.repo.folder, name)) ? this.onDisk(name) : undefined;
  }

  /** Dispatches prompts as a person does: palette, agent, one box a task, Enter on an empty one. */
  async dispatch(commands: readonly string[], agent = 'command'): Promise<void> {
    const { hands } = this;
    await hands.command('Sennit: Dispatch Tasks');
    await hands.choose(new RegExp(`^\\s*${agent}`));
    for (const [index, command] of commands.entries()) {
      await hands.answer(`task ${String(index + 1)}`, command);
    }
    await hands.answer(`task ${String(commands.length + 1)}`, '');
  }

  async close(): Promise<void> {
    await this.hands.page.close();
  }
}

/** The servers that run on this desk; those of a window that was closed end. */
export function servers(desk: Desk): number[] {
  return processesOf(desk.scene.folder).filter((one) => / serve$/.test(one.command) && one.command.includes('sennit')).map((one) => one.pid);
}

export async function untilNoServer(desk: Desk): Promise<void> {
  await until(() => `no server is left; there are ${servers(desk).join(', ')}`, () => servers(desk).length === 0);
}

