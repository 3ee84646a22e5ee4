/** What the parts of the extension share. */
import type * as vscode from "vscode";
import type { Proposal } from "./model/store.ts";
import type { Notices } from "./notices.ts";
import type { Request, Sync } from "./sync.ts";
import type { Supervisor } from "./server/supervisor.ts";

export interface Context {
  readonly log: vscode.LogOutputChannel;
  readonly notices: Notices;
  readonly supervisor: Supervisor;
  readonly request: Request;
  readonly sync: Sync;
}

/** A proposal with its files, read where it was not yet. */
export async function fullProposal(context: Context, id: string): Promise<Proposal> {
  const known = context.sync.store.proposal(id);
  if (known?.view !== undefined && known.view.summary.revision === known.summary.revision) {
    return known;
  }
  context.sync.store.proposalView(await context.request("sennit/proposal", { proposal: id }));
  context.sync.touch();
  const read = context.sync.store.proposal(id);
  if (read === undefined) {
    throw new Error(`The proposal ${id} is gone.`);
  }
  return read;
}
