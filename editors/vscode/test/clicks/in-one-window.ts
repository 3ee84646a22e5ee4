/** Claims about single tickets, one after the other in one window: opening one takes longer than most of them. */

import { answering } from './answering.ts';
import { cancelling } from './cancelling.ts';
import { untilNoServer, Window, type Suite } from './desk.ts';
import { dispatching } from './dispatching.ts';

export const inOneWindow: Suite = (desk) => {
  describe('a window', () => {
    let window: Window;

    before(async () => {
      window = await Window.open(desk, 'one-window', { 'a.txt': 'a\n' });
      await window.hands.tickets();
    });
    after(async () => {
      await window.close();
      await untilNoServer(desk);
    });

    for (const claims of [cancelling, answering, dispatching]) {
      claims(() => window, desk);
    }
  });
};
