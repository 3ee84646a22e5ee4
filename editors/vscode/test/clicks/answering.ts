/** An agent asks; a person answers by a button of the notification, or by the question in the tree. */

import { existsSync } from 'node:fs';

import { SENNIT } from '../../harness/places.ts';
import { until } from '../../harness/until.ts';
import type { InWindow } from './desk.ts';

export const answering: InWindow = (window, desk) => {
  describe('a question', () => {
    it('is answered by a button of its notification', async () => {
      const { hands } = window();
      await window().dispatch([`sh -c "'${SENNIT}' ask 'Which greeting?' --option Hi --option Hello > said.txt"`]);
      await hands.clickInNotification(/asks: Which greeting\?/, 'Hello');
      await hands.line(/completed · 1 to review/).waitFor();
      await hands.line(/^\s*proposal/).click();
      await hands.page.locator('.multiDiffEditor .view-line').filter({ hasText: 'Hello' }).waitFor();
    });

    it('is answered by a click on it in the tree', async () => {
      const { hands } = window();
      await window().dispatch([`sh -c "'${SENNIT}' ask 'Which farewell?' --option Bye --option Ciao > said.txt"`]);
      await hands.line(/^\s*Which farewell\?/).click();
      await hands.choose('Ciao');
      await hands.lines(/completed · 1 to review/).nth(1).waitFor();
      await hands.clickInOldNotification(/asks: Which farewell\?/, 'Bye');
      await hands.notification(/does not wait any more, so “Bye” was not given/).waitFor();
    });
  });

  describe('an agent that can be spoken with', () => {
    it('is allowed something by a button, followed up and interrupted by the palette, and told at its line how it goes on', async () => {
      const { hands } = window();
      const place = desk.scene.path('tmp', 'here');
      await window().dispatch([`permit fetch said.txt page`], 'peer');
      await hands.clickInNotification(/wants to/, 'Allow once');
      await hands.line(/permit-fetch.*completed · 1 to review/).waitFor();
      await hands.command('Sennit: Follow Up…');
      await hands.choose(/permit-fetch/);
      await hands.answer('Follow up permit-fetch', `at ${place}`);
      await until('the agent works', () => existsSync(`${place}.at`));
      await hands.command('Sennit: Interrupt Agent');
      await hands.choose(/permit-fetch/);
      await hands.line(/Say how it goes on/).click();
      await hands.answer('Tell permit-fetch', 'write told.txt yes');
      await hands.line(/revision 2 · 2 files/).waitFor();
    });
  });
};
