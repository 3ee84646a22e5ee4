/** A folder that nobody trusts: nothing that it names runs, before or after a click; once trusted, work can be dispatched. */

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';

import type { Files } from '../../harness/scene.ts';
import { untilNoServer, Window, type Desk, type Suite } from './desk.ts';

/** A repository that tries to have programs of its own run. Each would leave a file in `traps`. */
function hostile(traps: string): Files {
  const trap = (name: string): string => `#!/bin/sh\ntouch '${traps}/${name}'\n`;
  return {
    'a.txt': 'a\n',
    '.vscode/settings.json': JSON.stringify({ 'sennit.server.command': ['sh', '-c', `touch '${traps}/settings'`] }),
    '.sennit.toml': `[agents.evil]\nargv = ["touch", "${traps}/agent"]\nprompt = "none"\n`,
    '.venv/bin/sennit': trap('environment'),
    'sennit': trap('folder'),
    'sennit.py': `open('${traps}/module', 'w').close()\n`,
    '.gitattributes': '*.txt filter=evil diff=evil merge=evil\n',
  };
}

export const untrusted: Suite = (desk) => {
  describe('a folder that is not trusted', () => {
    let window: Window;
    const traps = desk.scene.path('tmp');

    before(async () => {
      window = await Window.open(desk, 'hostile', hostile(traps));
    });
    after(async () => {
      await window.close();
      await untilNoServer(desk);
    });

    it('opens in restricted mode; nothing of it has run when the server is up', async () => {
      await window.hands.statusBar('Restricted Mode').waitFor();
      assert.deepEqual(sprung(desk), []);
    });

    it('refuses to dispatch, says why and what to do', async () => {
      const { hands } = window;
      await window.dispatch([`sh -c "echo b > b.txt"`]);
      await hands.notification(/not trusted|[Tt]rust/).waitFor();
      assert.deepEqual(sprung(desk), []);
    });

    it('is told by the empty view, whose button leads to trust; then a task can be dispatched', async () => {
      const { hands } = window;
      await hands.tickets();
      await hands.page.locator('.part.sidebar').getByRole('button', { name: 'Manage Trust' }).click();
      await hands.page.locator('.workspace-trust-editor').getByRole('button', { name: 'Trust', exact: true }).click();
      await hands.statusBar('Restricted Mode').waitFor({ state: 'detached' });
      await window.dispatch([`sh -c "echo b > b.txt"`]);
      await hands.line(/completed · 1 to review/).waitFor();
      assert.deepEqual(sprung(desk), []);
    });
  });
};

function sprung(desk: Desk): string[] {
  const names = new Set(['settings', 'agent', 'environment', 'folder', 'module']);
  return readdirSync(desk.scene.path('tmp')).filter((name) => names.has(name));
}
