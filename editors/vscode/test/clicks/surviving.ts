/** The server is killed, the window is reloaded: the person is told, nothing is lost, no process stays. */

import assert from 'node:assert/strict';

import { processesOf } from '../../harness/processes.ts';
import { until } from '../../harness/until.ts';
import { servers, untilNoServer, Window, type Desk, type Suite } from './desk.ts';

export const surviving: Suite = (desk) => {
  describe('work that is under way', () => {
    let window: Window;

    before(async () => {
      window = await Window.open(desk, 'surviving', { 'a.txt': 'a\n' });
      await window.hands.tickets();
    });
    after(async () => {
      await window.close();
      await untilNoServer(desk);
      assert.deepEqual(lasting(desk), []);
    });

    it('when its server is killed: a message says so, finished proposals stay and can be applied', async () => {
      const { hands } = window;
      await begin(window, 'killed');
      for (const pid of servers(desk)) {
        process.kill(pid, 'SIGKILL');
      }
      await hands.notification(/server/i).waitFor();
      await hands.line(/echo-half-killed.*interrupted/).waitFor();
      await untilNoneLasts(desk);
      await applyFinished(window, 'killed');
    });

    it('when the window is reloaded: nothing is lost, what was typed and not saved either; no program runs on', async () => {
      const { hands } = window;
      await begin(window, 'reloaded');
      await hands.openFile('a.txt');
      await hands.page.locator('.monaco-editor .view-line').first().click();
      await hands.page.locator('.monaco-editor.focused').waitFor();
      await hands.page.keyboard.press('Control+Home');
      await hands.page.keyboard.type('typed, not saved: ');
      await until('VS Code has put by what was typed', () => desk.workbench.hasPutBy('typed, not saved: a'));
      const reloaded = hands.page.waitForEvent('load');
      await hands.command('Developer: Reload Window');
      await reloaded;
      await hands.ready();
      await hands.tickets();
      await hands.line(/echo-half-reloaded.*interrupted/).waitFor();
      await untilNoneLasts(desk);
      await hands.page.locator('.monaco-editor .view-line').filter({ hasText: 'typed, not saved' }).waitFor();
      assert.equal(window.onDisk('a.txt'), 'a\n');
      await applyFinished(window, 'reloaded');
    });

    it('when a command comes before the window has heard of its tasks: it waits for them', async () => {
      const { hands } = window;
      const before = new Set(servers(desk));
      const reloaded = hands.page.waitForEvent('load');
      await hands.command('Developer: Reload Window');
      await reloaded;
      const fresh = (): number | undefined => servers(desk).find((pid) => !before.has(pid));
      await until('the server of the new window has begun', () => fresh() !== undefined);
      const pid = fresh();
      assert.ok(pid !== undefined);
      process.kill(pid, 'SIGSTOP');
      try {
        await hands.ready();
        await hands.command('Sennit: Show Details of Task');
        await hands.notification(/reading the tickets of this window/).waitFor();
      } finally {
        process.kill(pid, 'SIGCONT');
      }
      await hands.choose(/echo-half-reloaded/);
      await hands.tab('details').waitFor();
    });
  });
};

/** One task that has ended, and one at work; `name` tells them from those of other tests. */
async function begin(window: Window, name: string): Promise<void> {
  const { hands } = window;
  await window.dispatch([`sh -c "echo finished-${name} > ${name}.txt"`]);
  await hands.line(new RegExp(`echo-finished-${name}.*completed · 1 to review`)).waitFor();
  await window.dispatch([`sh -c "echo half-${name} > half.txt; echo at it; exec sleep 4242"`]);
  await hands.line(new RegExp(`echo-half-${name}.*running.*at it`)).waitFor();
}

/** The finished proposal is still there: accept it, apply it, look at the file. */
async function applyFinished(window: Window, name: string): Promise<void> {
  const { hands } = window;
  await hands.expand(hands.line(new RegExp(`^\\s*echo-finished-${name}.*1 to review`)));
  const finished = hands.line(/proposal.*to review/);
  await hands.clickOnLine(finished, 'Accept Proposal');
  await hands.clickOnLine(hands.line(/proposal.*· accepted/), 'Apply');
  await hands.notification(/Applied/).waitFor();
  await window.untilSaved({ [`${name}.txt`]: `finished-${name}\n` });
}

function lasting(desk: Desk): string[] {
  return processesOf(desk.scene.folder).map((one) => one.command).filter((command) => command.includes('sleep 4242'));
}

async function untilNoneLasts(desk: Desk): Promise<void> {
  await until(() => `no program runs on; there are ${lasting(desk).join(', ')}`, () => lasting(desk).length === 0);
}
