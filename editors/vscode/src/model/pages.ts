/** A proposal of very many files comes in pages. */
import type { ProposalParams, ProposalView } from "../protocol.ts";

/** The most that the server gives at once. */
const PAGE = 1_000;

export type ReadPage = (params: ProposalParams) => Promise<ProposalView>;

/** Read the first `most` files of a proposal, all of one revision. */
export async function readFiles(read: ReadPage, proposal: string, most: number): Promise<ProposalView> {
  const first = await read({ proposal, limit: Math.min(most, PAGE) });
  const files = [...(first.files ?? [])];
  const wanted = Math.min(most, first.filesTotal ?? files.length);
  while (files.length < wanted) {
    const limit = Math.min(wanted - files.length, PAGE);
    const page = await read({ proposal, revision: first.summary.revision, limit, offset: files.length });
    const more = page.files ?? [];
    if (more.length === 0) {
      throw new Error(`The server told of ${String(wanted)} files of the proposal ${proposal} and gave ${String(files.length)}. Refresh the tickets and try again.`);
    }
    files.push(...more);
  }
  return { ...first, files };
}

/** Whether every file of a view is known. */
export function isWhole(view: ProposalView): boolean {
  const known = view.files?.length ?? 0;
  return known >= (view.filesTotal ?? known);
}

/** A newer view of the same revision with fewer files: those that it leaves out stay known. */
export function keepingFiles(known: ProposalView | undefined, view: ProposalView): ProposalView {
  const files = view.files ?? [];
  if (known?.summary.revision !== view.summary.revision) {
    return view;
  }
  const beyond = (known.files ?? []).slice(files.length);
  return beyond.length === 0 ? view : { ...view, files: [...files, ...beyond] };
}
