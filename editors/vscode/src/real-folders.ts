/** The folders of the window as the server knows them: without symbolic links. */
import { realpathSync } from "node:fs";
import * as vscode from "vscode";
import { realOr } from "./model/real-paths.ts";

/** Looked up once; a link that is made to point elsewhere is seen at the next catching up. */
export class RealFolders {
  private readonly known = new Map<string, string>();

  /** Paths of URIs. */
  of(folders: readonly vscode.WorkspaceFolder[]): readonly string[] {
    return folders.map(({ uri }) => {
      const key = uri.toString();
      const real = this.known.get(key) ?? realPathOf(uri);
      this.known.set(key, real);
      return real;
    });
  }

  forget(): void {
    this.known.clear();
  }
}

function realPathOf(uri: vscode.Uri): string {
  return uri.scheme === "file" ? vscode.Uri.file(realOr(uri.fsPath, (path) => realpathSync.native(path))).path : uri.path;
}
