/** The main job by hand: dispatch three tasks, watch, look, accept and reject, apply, undo, settle the conflict. */

import { lines } from '../files.ts';
import { untilNoServer, Window, type Suite } from './desk.ts';

const POEM = lines('line', 30);
const SONG = lines('verse', 10);
const FIRST = POEM.replace('line 2\n', 'LINE TWO\n');
const SUNG = SONG.replace('verse 5\n', 'VERSE FIVE\n');

export const mainJob: Suite = (desk) => {
  describe('a person', () => {
    let window: Window;

    before(async () => {
      window = await Window.open(desk, 'main-job', { 'poem.txt': POEM, 'song.txt': SONG });
    });
    after(async () => {
      await window.close();
      await untilNoServer(desk);
    });

    it('opens the tickets by the icon and dispatches three tasks by the palette', async () => {
      const { hands } = window;
      await hands.openFile('poem.txt');
      await hands.tickets();
      await window.dispatch([
        `sh -c "sed -i -e 's/^line 2$/LINE TWO/' -e 's/^line 20$/LINE TWENTY/' poem.txt"`,
        `sh -c "sed -i 's/^verse 5$/VERSE FIVE/' song.txt"`,
        `sh -c "sed -i 's/^line 3$/drei/' poem.txt"`,
      ]);
      await hands.line(/and 2 more/).waitFor();
    });

    it('sees in the tree what is to be reviewed and where the conflict is', async () => {
      const { hands } = window;
      await hands.line(/partly completed/).waitFor();
      await hands.line(/conflict in poem\.txt/).waitFor();
      await hands.statusBar(/Sennit.*to review/).waitFor();
    });

    it('clicks a proposal and sees it in the multi-diff editor', async () => {
      const { hands } = window;
      await hands.lines(/^\s*proposal/).first().click();
      await hands.tab(/sed-s-line-2/).waitFor();
      await hands.page.locator('.multiDiffEditor .view-line').filter({ hasText: 'LINE TWENTY' }).waitFor();
    });

    it('accepts one change and rejects the other by their buttons', async () => {
      const { hands } = window;
      await hands.expand(hands.line(/poem\.txt\s*\+2/));
      await hands.clickOnLine(hands.line(/^\s*\+ LINE TWO/), 'Accept Change');
      await hands.line(/^\s*\+ LINE TWO.*accepted/).waitFor();
      await hands.clickOnLine(hands.line(/^\s*\+ LINE TWENTY/), 'Reject Change');
      await hands.line(/^\s*\+ LINE TWENTY.*rejected/).waitFor();
      await hands.line(/poem\.txt.*1 of 2 accepted/).waitFor();
    });

    it('accepts the second proposal by its button above the multi-diff editor', async () => {
      const { hands } = window;
      await hands.lines(/^\s*proposal/).nth(1).click();
      await hands.tab(/sed-s-verse-5/).waitFor();
      await hands.titleButton('Accept Proposal').click();
      await hands.line(/proposal.*· accepted/).waitFor();
    });

    it('applies what is accepted; the files are right byte for byte', async () => {
      const { hands } = window;
      await hands.clickOnLine(hands.line(/partly completed/), 'Apply');
      await hands.notification(/Applied/).waitFor();
      await window.untilSaved({ 'poem.txt': FIRST, 'song.txt': SUNG });
    });

    it('takes it back by the button in the notification', async () => {
      const { hands } = window;
      await hands.clickInOldNotification(/Applied/, 'Undo');
      await hands.notification(/Undone/).waitFor();
      await window.untilSaved({ 'poem.txt': POEM, 'song.txt': SONG });
    });

    it('sees what a suggestion gives, takes it by the button above the diff, and takes that back', async () => {
      const { hands } = window;
      await hands.clickOnLine(hands.line(/conflict in poem\.txt/), 'Resolve Conflict');
      await hands.choose(/they change lines beside each other/);
      await hands.tab(/adjacentEdits/).waitFor();
      await hands.titleButton('Resolve Conflict').click();
      await hands.clickOnLine(hands.line(/settled: poem\.txt/), 'Take Resolution Back');
      await hands.line(/conflict in poem\.txt/).waitFor();
    });

    it('clicks the conflict and sees the sides in the merge editor', async () => {
      const { hands } = window;
      await hands.line(/conflict in poem\.txt/).click();
      const merge = hands.page.locator('.merge-editor');
      await merge.waitFor();
      await merge.locator('.view-line').filter({ hasText: 'drei' }).first().waitFor();
      await merge.locator('.view-line').filter({ hasText: 'LINE TWO' }).first().waitFor();
    });
  });
};
