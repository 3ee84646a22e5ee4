/** Dispatching by the palette, while the window does not stand still. */

import type { InWindow } from './desk.ts';

export const dispatching: InWindow = (window) => {
  describe('the list of agents', () => {
    it('stays open when the focus goes elsewhere, so that no half-made dispatch is lost', async () => {
      const { hands } = window();
      await hands.command('Sennit: Dispatch Tasks');
      await hands.choice(/^\s*command/).waitFor();
      await hands.page.locator('.part.sidebar .title-label').filter({ hasText: 'Sennit' }).click();
      await hands.choose(/^\s*command/);
      await hands.answer('task 1', `sh -c "echo late > late.txt"`);
      await hands.answer('task 2', '');
      await hands.line(/completed · 1 to review/).waitFor();
    });
  });
};
