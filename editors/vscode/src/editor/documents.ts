/** Tells the server what only the editor knows of a document: encoding, line ending, unsaved or not. */
import * as vscode from "vscode";
import { encodingName, hasMark } from "../model/encodings.ts";
import type { ClientNotifications, DocumentInfoParams } from "../protocol.ts";

export type Notify = <M extends keyof ClientNotifications>(method: M, params: ClientNotifications[M]) => Promise<void>;

/** Remembers what was told, so that only news are. */
export class DocumentFacts {
  private readonly told = new Map<string, string>();

  constructor(private readonly notify: Notify) {}

  async tell(document: vscode.TextDocument, uri: string): Promise<void> {
    const info = infoOf(document, uri);
    const known = JSON.stringify(info);
    if (this.told.get(uri) !== known) {
      this.told.set(uri, known);
      await this.notify("sennit/documentInfo", info);
    }
  }

  forget(uri: string): void {
    this.told.delete(uri);
  }

  /** A new server knows nothing yet. */
  forgetAll(): void {
    this.told.clear();
  }
}

function infoOf(document: vscode.TextDocument, uri: string): DocumentInfoParams {
  // VS Code tells the encoding since 1.100; older ones leave it open, as the protocol allows.
  const encoding = (document as { readonly encoding?: string }).encoding;
  return {
    uri,
    ...(encoding === undefined ? {} : { encoding: encodingName(encoding), byteOrderMark: hasMark(encoding) }),
    lineEnding: document.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n",
    dirty: document.isDirty,
  };
}
