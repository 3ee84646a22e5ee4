/** What the parts of the extension share. */
import type * as vscode from "vscode";
import type { Drafts } from "./model/drafts.ts";
import { isWhole } from "./model/pages.ts";
import type { Proposal } from "./model/store.ts";
import type { Notices } from "./notices.ts";
import type { Request, Sync } from "./sync.ts";
import type { Supervisor } from "./server/supervisor.ts";

export interface Context {
  readonly log: vscode.LogOutputChannel;
  readonly notices: Notices;
  readonly drafts: Drafts;
  readonly supervisor: Supervisor;
  readonly request: Request;
  readonly sync: Sync;
}

/** A proposal with every file, read where it was not yet: what is decided counts for those that no tree shows too. */
export async function fullProposal(context: Context, id: string): Promise<Proposal> {
  const known = context.sync.store.proposal(id);
  if (known?.view !== undefined && known.view.summary.revision === known.summary.revision && isWhole(known.view)) {
    return known;
  }
  await context.sync.readWhole(id);
  const read = context.sync.store.proposal(id);
  if (read === undefined) {
    throw new Error(`The proposal ${id} is gone.`);
  }
  return read;
}
