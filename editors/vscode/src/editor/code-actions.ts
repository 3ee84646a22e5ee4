/** Dispatching from where the cursor is: a problem, or what is selected. */
import * as vscode from "vscode";
import { plainLine } from "../model/plain.ts";

const OUR_SOURCE = "sennit";

export class DispatchActions implements vscode.CodeActionProvider {
  static readonly kinds = [vscode.CodeActionKind.QuickFix, vscode.CodeActionKind.Empty];

  provideCodeActions(
    document: vscode.TextDocument,
    range: vscode.Range,
    context: vscode.CodeActionContext,
  ): vscode.CodeAction[] {
    const problems = context.diagnostics
      .filter((diagnostic) => diagnostic.source !== OUR_SOURCE)
      .map((diagnostic) => forDiagnostic(document.uri, diagnostic));
    return range.isEmpty ? problems : [...problems, forSelection(document.uri, range)];
  }
}

function forDiagnostic(uri: vscode.Uri, diagnostic: vscode.Diagnostic): vscode.CodeAction {
  const title = `Dispatch to an agent: ${plainLine(diagnostic.message, 60)}`;
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.diagnostics = [diagnostic];
  action.command = { command: "sennit.dispatchDiagnostic", title, arguments: [{ uri, diagnostic }] };
  return action;
}

function forSelection(uri: vscode.Uri, range: vscode.Range): vscode.CodeAction {
  const title = "Dispatch the selection to an agent…";
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.Empty);
  action.command = { command: "sennit.dispatchSelection", title, arguments: [{ uri, range }] };
  return action;
}
