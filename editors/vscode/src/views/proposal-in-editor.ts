/** Which proposal the active tab shows, for the buttons in the title of the multi-diff editor. */
import * as vscode from "vscode";
import { titleOf } from "../commands/open.ts";
import type { Proposal } from "../model/store.ts";
import type { Sync } from "../sync.ts";

const KEY = "sennit.proposalIsOpen";

export class ProposalInEditor implements vscode.Disposable {
  private readonly parts: vscode.Disposable[];

  constructor(private readonly sync: Sync) {
    this.parts = [
      vscode.window.tabGroups.onDidChangeTabs(() => { this.refresh(); }),
      vscode.window.tabGroups.onDidChangeTabGroups(() => { this.refresh(); }),
    ];
    this.refresh();
  }

  /** Tabs of the multi-diff editor tell extensions nothing but their title, which names the proposal. */
  current(): Proposal | undefined {
    const label = vscode.window.tabGroups.activeTabGroup.activeTab?.label;
    return label === undefined ? undefined : this.sync.store.proposals().find((one) => label.startsWith(titleOf(one)));
  }

  dispose(): void {
    vscode.Disposable.from(...this.parts).dispose();
  }

  private refresh(): void {
    void vscode.commands.executeCommand("setContext", KEY, this.current() !== undefined);
  }
}
