/** The tree of tickets in its view. */
import * as vscode from "vscode";
import type { TreeNodeView } from "../api.ts";
import type { Icon } from "../model/words.ts";
import { treeOf } from "../model/tree.ts";
import type { TreeNode } from "../model/tree-node.ts";
import { byId, changedNodes } from "../model/tree-changes.ts";
import { isPending } from "../model/store.ts";
import type { Sync } from "../sync.ts";

const QUIET_MS = 50;

/** Lines are named by their ids; what a line shows is looked up in the tree as it was drawn last. */
export class TicketsTree implements vscode.TreeDataProvider<string>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<string[] | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<string>;
  private readonly parts: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  private drawn: readonly TreeNode[] = [];
  private nodes: ReadonlyMap<string, TreeNode> = new Map();

  constructor(private readonly sync: Sync) {
    this.view = vscode.window.createTreeView("sennit.tickets", { treeDataProvider: this, showCollapseAll: true });
    this.parts = [
      this.view,
      sync.onDidChange(() => { this.refreshSoon(); }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => { this.refreshSoon(); }),
      this.view.onDidExpandElement(({ element }) => { this.expanded(this.nodes.get(element)); }),
    ];
  }

  /** As it is now, whether the view is open or not. */
  roots(): readonly TreeNode[] {
    return treeOf(this.sync.store, (ticket) => this.sync.isShown(ticket));
  }

  /** The line that was clicked, for commands of its menu. */
  node(id: unknown): TreeNode | undefined {
    return typeof id === "string" ? this.nodes.get(id) : undefined;
  }

  getChildren(id?: string): string[] {
    const children = id === undefined ? this.drawn : (this.nodes.get(id)?.children ?? []);
    return children.map((child) => child.id);
  }

  getTreeItem(id: string): vscode.TreeItem {
    const node = this.nodes.get(id);
    return node === undefined ? new vscode.TreeItem("") : itemOf(node);
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.parts).dispose();
    this.changed.dispose();
  }

  /** Many changes come at once; what differs is drawn anew once for all of them. */
  private refreshSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      const before = this.drawn;
      this.drawn = this.roots();
      this.nodes = byId(this.drawn);
      const changes = changedNodes(before, this.drawn);
      if (changes === "all") {
        this.changed.fire(undefined);
      } else if (changes.length > 0) {
        this.changed.fire([...changes]);
      }
      this.showBadge();
    }, QUIET_MS);
  }

  private showBadge(): void {
    const { store } = this.sync;
    const value = store
      .tickets()
      .filter((ticket) => this.sync.isShown(ticket))
      .flatMap((ticket) => store.proposalsOf(ticket.summary.id))
      .filter((proposal) => isPending(proposal.summary)).length;
    this.view.badge = value === 0 ? undefined : { value, tooltip: `${String(value)} proposals to review` };
  }

  /** The files of older proposals are read when somebody looks. */
  private expanded(node: TreeNode | undefined): void {
    if (node?.kind === "proposal" && node.children.length === 0 && node.ids.proposal !== undefined) {
      void this.sync.readProposal(node.ids.proposal);
    }
  }
}

function itemOf(node: TreeNode): vscode.TreeItem {
  const item = new vscode.TreeItem(node.label, STATES[node.state]);
  // VS Code keeps a line closed that had nothing below it at first; under another id it starts anew.
  item.id = node.state === "leaf" ? node.id : `${node.id}+`;
  item.description = node.description;
  item.tooltip = node.tooltip;
  item.contextValue = node.contextValue;
  item.accessibilityInformation = { label: `${node.kind} ${node.label}, ${node.description}` };
  if (node.file !== undefined) {
    item.resourceUri = vscode.Uri.parse(node.file);
    item.iconPath = vscode.ThemeIcon.File;
  } else if (node.icon !== undefined) {
    item.iconPath = themeIcon(node.icon);
  }
  if (node.command !== undefined) {
    item.command = { command: node.command, title: node.label, arguments: [node] };
  }
  return item;
}

const STATES = {
  leaf: vscode.TreeItemCollapsibleState.None,
  collapsed: vscode.TreeItemCollapsibleState.Collapsed,
  expanded: vscode.TreeItemCollapsibleState.Expanded,
} as const;

function themeIcon(icon: Icon): vscode.ThemeIcon {
  return new vscode.ThemeIcon(icon.id, icon.color === undefined ? undefined : new vscode.ThemeColor(icon.color));
}

export function viewOf(node: TreeNode): TreeNodeView {
  const { id, label, description, contextValue } = node;
  return { id, label, description, contextValue, children: node.children.map(viewOf) };
}
