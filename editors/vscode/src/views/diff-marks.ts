/**
 * Decisions shown in the diffs themselves: beside each change what was decided, and lenses to decide.
 *
 * VS Code shows lenses in diff editors only with its setting `diffEditor.codeLens`; the marks, the menu of the
 * editor and the tree work without it.
 */
import * as vscode from "vscode";
import type { Ids } from "../model/arguments.ts";
import { filesOf, unitsOf } from "../model/decisions.ts";
import { revisionText } from "../model/uris.ts";
import type { Decision, FileView, UnitView } from "../protocol.ts";
import type { Sync } from "../sync.ts";
import { SCHEME } from "./content.ts";

interface Shown {
  readonly proposal: string;
  readonly file: FileView;
}

/** The file of a proposal whose new side a document shows. */
function shownIn(sync: Sync, uri: vscode.Uri): Shown | undefined {
  const text = revisionText(uri);
  const proposal = text?.side === "proposed" ? sync.store.proposalOfRevision(text.revision) : undefined;
  const file = filesOf(proposal?.view).find((one) => vscode.Uri.parse(one.uri).path === text?.path);
  return proposal && file && { proposal: proposal.summary.id, file };
}

export class DecisionLenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;
  private readonly subscription: vscode.Disposable;

  constructor(private readonly sync: Sync) {
    this.subscription = sync.onDidChange(() => { this.changed.fire(); });
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const shown = shownIn(this.sync, document.uri);
    return shown === undefined ? [] : unitsOf(shown.file).flatMap((unit) => lensesOf(shown, unit));
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }
}

function lensesOf(shown: Shown, unit: UnitView): vscode.CodeLens[] {
  const line = unit.after?.start ?? 0;
  const place = new vscode.Range(line, 0, line, 0);
  const ids: Ids = { proposal: shown.proposal, file: shown.file.uri, unit: unit.id };
  const lens = (title: string, command: string): vscode.CodeLens =>
    new vscode.CodeLens(place, { title, command, arguments: [ids] });
  return [
    ...(unit.decision === "accepted" ? [] : [lens("Accept", "sennit.acceptUnit")]),
    ...(unit.decision === "rejected" ? [] : [lens("Reject", "sennit.rejectUnit")]),
  ];
}

const WORDS: Readonly<Record<Decision, string>> = {
  accepted: "✓ accepted",
  rejected: "✗ rejected",
  undecided: "○ undecided",
};

/** Of the greens that every theme has, the one that can be read on the green of an added line. */
const COLORS: Readonly<Record<Decision, string>> = {
  accepted: "terminal.ansiGreen",
  rejected: "testing.iconFailed",
  undecided: "descriptionForeground",
};

/** A word at the end of the first line of each change. */
export class DecisionMarks implements vscode.Disposable {
  private readonly kinds: Readonly<Record<Decision, vscode.TextEditorDecorationType>>;
  private readonly parts: vscode.Disposable[];

  constructor(private readonly sync: Sync) {
    this.kinds = { accepted: mark("accepted"), rejected: mark("rejected"), undecided: mark("undecided") };
    this.parts = [
      ...Object.values(this.kinds),
      vscode.window.onDidChangeVisibleTextEditors((editors) => { this.show(editors); }),
      sync.onDidChange(() => { this.show(vscode.window.visibleTextEditors); }),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.parts).dispose();
  }

  private show(editors: readonly vscode.TextEditor[]): void {
    for (const editor of editors.filter((one) => one.document.uri.scheme === SCHEME)) {
      const shown = shownIn(this.sync, editor.document.uri);
      const units = shown === undefined ? [] : unitsOf(shown.file);
      for (const decision of ["accepted", "rejected", "undecided"] as const) {
        const lines = units.filter((unit) => unit.decision === decision).map((unit) => lineOf(editor.document, unit));
        editor.setDecorations(this.kinds[decision], lines);
      }
    }
  }
}

function lineOf(document: vscode.TextDocument, unit: UnitView): vscode.Range {
  const line = Math.min(unit.after?.start ?? 0, document.lineCount - 1);
  return document.lineAt(line).range;
}

function mark(decision: Decision): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    after: {
      contentText: WORDS[decision],
      color: new vscode.ThemeColor(COLORS[decision]),
      margin: "0 0 0 2em",
      fontStyle: "italic",
    },
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
}
