/** A person's hands in a window of VS Code: they click and type, and see what is on the screen. */

import { errors, type Locator, type Page } from 'playwright-core';

const PATIENCE_MS = 90_000;
/** How long the mouse stays over a line before it comes to it again, and how often. */
const HOVER_MS = 3_000;
const TRIES = 30;
/** How long a person looks at what they have saved before they save again. */
const SAVED_MS = 2_000;

export class Hands {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
    page.setDefaultTimeout(PATIENCE_MS);
  }

  /** Waits until the window can be worked with and the extension's server runs. */
  async ready(): Promise<void> {
    await this.statusBar(/^\s*Sennit/).waitFor();
  }

  /** Runs a command by its title in the command palette. */
  async command(title: string): Promise<void> {
    await this.openList('F1');
    await this.input.fill(`>${title}`);
    await this.choose(title);
  }

  /** Opens a list to choose from by its key. */
  private async openList(key: string): Promise<void> {
    // A key that comes while the window gives the focus to something else is lost.
    await this.again(async () => {
      await this.page.keyboard.press(key);
      await this.input.waitFor({ timeout: HOVER_MS });
    });
  }

  /** An entry of the open list. */
  choice(text: string | RegExp): Locator {
    return this.page.locator('.quick-input-widget:visible .quick-input-list .monaco-list-row').filter({ hasText: text }).first();
  }

  /** Clicks an entry of the open list. */
  async choose(text: string | RegExp): Promise<void> {
    await this.choice(text).click();
  }

  /** Types into the open input box whose title or prompt holds `asked`, and presses Enter. */
  async answer(asked: string | RegExp, text: string): Promise<void> {
    await this.page.locator('.quick-input-widget:visible').filter({ hasText: asked }).waitFor();
    await this.input.fill(text);
    await this.input.press('Enter');
  }

  /** Opens a file by its name. */
  async openFile(name: string): Promise<void> {
    await this.openList('Control+P');
    await this.input.fill(name);
    await this.choose(name);
    await this.tab(name).waitFor();
  }

  /** Opens the tickets by their icon in the activity bar. */
  async tickets(): Promise<void> {
    const icon = this.page.locator('.part.activitybar').getByRole('tab', { name: 'Sennit' });
    if ((await icon.getAttribute('aria-selected')) !== 'true') {
      await icon.click();
    }
    await this.page.locator('.part.sidebar .title-label').filter({ hasText: 'Sennit' }).waitFor();
  }

  /** A line of the tree in the side bar. */
  line(text: string | RegExp): Locator {
    return this.page.locator('.part.sidebar .monaco-list-row').filter({ hasText: text }).first();
  }

  /** The lines of the tree that hold `text`, as a person would count them. */
  lines(text: string | RegExp): Locator {
    return this.page.locator('.part.sidebar .monaco-list-row').filter({ hasText: text });
  }

  /** Clicks a button that a line shows while the mouse is over it. */
  async clickOnLine(line: Locator, button: string): Promise<void> {
    const action = line.locator(`.action-label[aria-label^="${button}"]`);
    await this.again(async () => {
      // The hover of another line may lie over this one, and goes when the mouse does.
      await line.hover({ timeout: HOVER_MS });
      await action.click({ timeout: HOVER_MS });
    });
  }

  /** Does what may have to be done again, as by a person who sees that nothing has come of it. */
  private async again(action: () => Promise<void>): Promise<void> {
    for (let left = TRIES; left > 0; left--) {
      try {
        await action();
        return;
      } catch (error) {
        if (!(error instanceof errors.TimeoutError) || left === 1) {
          throw error;
        }
        // A line that was drawn anew shows its buttons when the mouse comes to it again.
        await this.page.mouse.move(0, 0);
      }
    }
  }

  /** Opens a line that is closed. */
  async expand(line: Locator): Promise<void> {
    if ((await line.getAttribute('aria-expanded')) !== 'true') {
      await line.locator('.monaco-tl-twistie').click();
    }
  }

  /** A notification with a text: by itself, or among all of them where these are shown. */
  notification(text: string | RegExp): Locator {
    return this.page.locator('.notifications-toasts .notification-list-item, .notifications-center .notification-list-item').filter({ hasText: text }).first();
  }

  /** Clicks in a notification that was shown some time ago: VS Code has put it among the others by now, or will at any moment. */
  async clickInOldNotification(text: string | RegExp, button: string): Promise<void> {
    await this.command('Notifications: Show Notifications');
    const old = this.page.locator('.notifications-center .notification-list-item').filter({ hasText: text }).first();
    await old.getByRole('button', { name: button, exact: true }).click();
  }

  async clickInNotification(text: string | RegExp, button: string): Promise<void> {
    await this.notification(text).getByRole('button', { name: button, exact: true }).click();
  }

  /** Clicks a button of a dialog that has to be answered; gives what the dialog said. */
  async clickInDialog(button: string): Promise<string> {
    const dialog = this.page.locator('.monaco-dialog-box');
    const said = await dialog.innerText();
    await dialog.getByRole('button', { name: button, exact: true }).click();
    return said;
  }

  tab(text: string | RegExp): Locator {
    return this.page.locator('.tabs-container .tab').filter({ hasText: text }).first();
  }

  /** A button above the editors. */
  titleButton(label: string): Locator {
    return this.page.locator(`.editor-actions .action-label[aria-label^="${label}"]`).first();
  }

  statusBar(text: string | RegExp): Locator {
    return this.page.locator('.part.statusbar .statusbar-item').filter({ hasText: text }).first();
  }

  /** Saves what has been changed, if there is something. */
  async saveAll(): Promise<void> {
    const unsaved = this.page.locator('.tabs-container .tab.dirty');
    if ((await unsaved.count()) > 0) {
      await this.command('File: Save All');
      // A second file may be edited only after the first was saved: whoever asked saves again then.
      await unsaved.first().waitFor({ state: 'detached', timeout: SAVED_MS }).catch(() => undefined);
    }
  }

  get input(): Locator {
    return this.page.locator('.quick-input-widget:visible input[type="text"]');
  }
}
