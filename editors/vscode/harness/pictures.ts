/** Pictures for the documentation, taken of the real editor with the real server: dispatch, tickets, review. */

import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { Hands } from '../test/clicks/hands.ts';
import { installPacked } from './package-extension.ts';
import { AGENT, PROJECT, TASKS } from './picture-project.ts';
import { ROOT } from './places.ts';
import type { Scene } from './scene.ts';
import { Workbench } from './workbench.ts';

const IMAGES = path.join(ROOT, 'docs', 'images');
const SIDE_BAR_WIDTH = 430;

/** Takes them all; gives how many. */
export async function takePictures(scene: Scene): Promise<number> {
  mkdirSync(IMAGES, { recursive: true });
  writeFileSync(scene.path('agent.py'), AGENT);
  appendFileSync(scene.path('config', 'config.toml'), `\n[agents.fixer]\nargv = ["python3", "${scene.path('agent.py')}", "{prompt}"]\ndescription = "Does what it is told"\n`);
  const workbench = await Workbench.start(scene, 'pictures', {
    asksForTrust: false,
    server: 'setting',
    extension: { installed: await installPacked(scene) },
  });
  try {
    const { page } = await workbench.open(scene.repo('durations', PROJECT).folder);
    const hands = new Hands(page);
    await hands.ready();
    await widenSideBar(hands);
    await dispatch(hands);
    await tickets(hands);
    await review(hands);
  } finally {
    await workbench.close();
  }
  return 3;
}

async function dispatch(hands: Hands): Promise<void> {
  await hands.openFile('durations.py');
  await hands.tickets();
  await hands.command('Sennit: Dispatch Tasks');
  await hands.choose('fixer');
  const [first, ...others] = TASKS;
  await hands.answer('task 1', first);
  await hands.page.locator('.quick-input-widget:visible').filter({ hasText: 'task 2' }).waitFor();
  await hands.input.fill(others[0]);
  await take(hands, 'dispatch');
  for (const [index, task] of others.entries()) {
    await hands.answer(`task ${String(index + 2)}`, task);
  }
  await hands.answer(`task ${String(TASKS.length + 1)}`, '');
}

/** Two have ended, one still runs, one is in conflict. */
async function tickets(hands: Hands): Promise<void> {
  await hands.line(/conflict in/).waitFor();
  await hands.line(/running.*reading/).waitFor();
  await take(hands, 'tickets');
}

async function review(hands: Hands): Promise<void> {
  await hands.page.keyboard.press('Escape');
  await hands.notification(/tasks done/).waitFor({ state: 'hidden' });
  const proposal = hands.lines(/^\s*proposal/).first();
  await proposal.click();
  await hands.page.locator('.multiDiffEditor .view-line').filter({ hasText: 'ValueError' }).first().waitFor();
  const file = hands.line(/durations\.py\s*\+/);
  await hands.expand(file);
  await hands.clickOnLine(hands.lines(/line \d+ · \+\d+ −\d+/).nth(0), 'Accept Change');
  await hands.line(/1 of 2 accepted/).waitFor();
  await hands.clickOnLine(hands.lines(/line \d+ · \+\d+ −\d+/).nth(1), 'Reject Change');
  await hands.line(/line \d+ · .*rejected/).waitFor();
  await take(hands, 'review');
}

/** As a person would: by its edge. */
async function widenSideBar(hands: Hands): Promise<void> {
  const box = await hands.page.locator('.part.sidebar').boundingBox();
  if (box === null) {
    throw new Error('there is no side bar');
  }
  const middle = box.y + box.height / 2;
  await hands.page.mouse.move(box.x + box.width + 1, middle);
  await hands.page.mouse.down();
  await hands.page.mouse.move(box.x + SIDE_BAR_WIDTH, middle, { steps: 5 });
  await hands.page.mouse.up();
}

async function take(hands: Hands, name: string): Promise<void> {
  await hands.page.mouse.move(700, 600);
  await hands.page.locator('.monaco-hover:visible').first().waitFor({ state: 'hidden' });
  await hands.page.screenshot({ path: path.join(IMAGES, `vscode-${name}.png`) });
}
