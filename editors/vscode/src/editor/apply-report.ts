/** Reports what an edit of the server really changed: `applied: true` is no proof. */
import { createHash } from "node:crypto";
import * as vscode from "vscode";
import type { ApplyWorkspaceEditParams, ApplyWorkspaceEditResult, LanguageClient } from "vscode-languageclient/node";
import { isRecord } from "../model/arguments.ts";
import type { TextAfterEdit } from "../protocol.ts";
import type { Notify } from "./documents.ts";

/** The application that an edit belongs to; the server names it beside the edit. */
export function applicationOf(params: ApplyWorkspaceEditParams): string | undefined {
  const sennit = (params as { readonly sennit?: unknown }).sennit;
  const application = isRecord(sennit) ? sennit["application"] : undefined;
  return typeof application === "string" ? application : undefined;
}

/** Every document that an edit touches, by the URI that it has afterwards. */
export function touchedBy(edit: ApplyWorkspaceEditParams["edit"]): readonly string[] {
  const uris = (edit.documentChanges ?? []).map((change) => {
    if (!("kind" in change)) {
      return change.textDocument.uri;
    }
    return change.kind === "rename" ? change.newUri : change.uri;
  });
  return [...new Set([...uris, ...Object.keys(edit.changes ?? {})])];
}

export async function report(
  client: LanguageClient,
  notify: Notify,
  params: ApplyWorkspaceEditParams,
  result: ApplyWorkspaceEditResult,
): Promise<void> {
  const application = applicationOf(params);
  if (application === undefined) {
    return;
  }
  const documents = touchedBy(params.edit).flatMap((uri) => textAfter(client, uri));
  await notify("sennit/didApply", {
    application,
    documents,
    applied: result.applied,
    ...(result.failureReason === undefined ? {} : { failureReason: result.failureReason }),
  });
}

function textAfter(client: LanguageClient, uri: string): readonly TextAfterEdit[] {
  const key = client.protocol2CodeConverter.asUri(uri).toString();
  const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === key);
  if (document === undefined) {
    return []; // Deleted, or not open: the disk tells.
  }
  const sha256 = createHash("sha256").update(document.getText(), "utf8").digest("hex");
  return [{ uri, version: document.version, sha256 }];
}
