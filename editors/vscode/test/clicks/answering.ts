/** An agent asks; a person answers by a button of the notification, or by the question in the tree. */

import { SENNIT } from '../../harness/places.ts';
import { Window, type Suite } from './desk.ts';

export const answering: Suite = (desk) => {
  describe('a question', () => {
    let window: Window;

    before(async () => {
      window = await Window.open(desk, 'answering', { 'a.txt': 'a\n' });
      await window.hands.tickets();
    });
    after(async () => {
      await window.close();
    });

    it('is answered by a button of its notification', async () => {
      const { hands } = window;
      await window.dispatch([`sh -c "'${SENNIT}' ask 'Which greeting?' --option Hi --option Hello > said.txt"`]);
      await hands.clickInNotification(/asks: Which greeting\?/, 'Hello');
      await hands.line(/completed · 1 to review/).waitFor();
      await hands.line(/^\s*proposal/).click();
      await hands.page.locator('.multiDiffEditor .view-line').filter({ hasText: 'Hello' }).waitFor();
    });

    it('is answered by a click on it in the tree', async () => {
      const { hands } = window;
      await window.dispatch([`sh -c "'${SENNIT}' ask 'Which farewell?' --option Bye --option Ciao > said.txt"`]);
      await hands.line(/^\s*Which farewell\?/).click();
      await hands.choose('Ciao');
      await hands.lines(/completed · 1 to review/).nth(1).waitFor();
    });
  });
};
