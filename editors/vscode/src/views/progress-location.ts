/** Where progress is shown, as the user has set it. */
import * as vscode from "vscode";

export function progressLocation(): vscode.ProgressLocation {
  const wanted = vscode.workspace.getConfiguration("sennit").get<boolean>("progress.notification", true);
  return wanted ? vscode.ProgressLocation.Notification : vscode.ProgressLocation.Window;
}
