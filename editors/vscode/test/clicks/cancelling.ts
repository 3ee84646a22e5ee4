/** Cancelling by the button of the progress notification: what would be lost is told first. */

import assert from 'node:assert/strict';

import type { InWindow } from './desk.ts';

export const cancelling: InWindow = (window) => {
  describe('the progress notification', () => {
    it('shows what runs, and its Cancel asks before it cancels', async () => {
      const { hands } = window();
      await window().dispatch([`sh -c "echo half > half.txt; echo still at it; exec sleep 1000"`]);
      await hands.notification(/0 of 1 tasks done.*still at it/).waitFor();
      await hands.clickInNotification(/0 of 1 tasks done/, 'Cancel');
      assert.match(await hands.clickInDialog('Cancel Task'), /echo-half/);
      await hands.line(/^\s*echo-half.*cancelled/).waitFor();
      await hands.notification(/of 1 tasks done/).waitFor({ state: 'detached' });
    });

    it('leaves what the task had done, to be looked at', async () => {
      const { hands } = window();
      await hands.expand(hands.lines(/cancelled/).first());
      await hands.line(/kept from a run that did not complete/).waitFor();
    });
  });
};
