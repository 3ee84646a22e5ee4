/**
 * URIs as they travel and as VS Code spells them.
 *
 * The protocol keeps every byte of a name percent-encoded. VS Code decodes what is UTF-8, and spells
 * the rest in its own way: it encodes `=` and `&` of a query too, which would no longer be a query.
 */

/** What is needed of a `vscode.Uri`. */
export interface UriParts {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly query: string;
}

const KEPT = /[^/~@!$&'()*+,;=:\-._A-Za-z0-9]/gu;

/** The `sennit:` URI of a document as the server spells it. */
export function serverUri(uri: UriParts): string {
  const authority = uri.authority === "" ? "" : `//${uri.authority}`;
  const query = uri.query === "" ? "" : `?${uri.query}`;
  return `${uri.scheme}:${authority}${encodePath(uri.path)}${query}`;
}

/** Bytes of names that are not UTF-8 stay in a `Uri` as `%FF`; they are not encoded again. */
function encodePath(path: string): string {
  return path
    .split(/(%[0-9A-Fa-f]{2})/u)
    .map((part, index) => (index % 2 === 1 && isNoText(part) ? part : part.replace(KEPT, encodeURIComponent)))
    .join("");
}

/** Whether an escape could not be decoded by itself: a byte that is no ASCII character. */
function isNoText(escape: string): boolean {
  return Number.parseInt(escape.slice(1), 16) >= 0x80;
}

export type Side = "base" | "ours" | "theirs" | "proposed";

export interface RevisionText {
  readonly revision: string;
  readonly side: Side;
  readonly path: string;
}

const SIDES: ReadonlySet<string> = new Set(["base", "ours", "theirs", "proposed"]);

/** Which text of which revision a document shows; undefined for every other document. */
export function revisionText(uri: UriParts): RevisionText | undefined {
  if (uri.scheme !== "sennit" || uri.authority !== "") {
    return undefined;
  }
  const query = new URLSearchParams(uri.query);
  const revision = query.get("rev");
  const side = query.get("side");
  if (revision === null || side === null || !SIDES.has(side)) {
    return undefined;
  }
  return { revision, side: side as Side, path: uri.path };
}

export interface TaskText {
  readonly ticket: string;
  readonly task: string;
  readonly what: "output" | "details";
}

/** Which task's output, or what else of it, a document shows. */
export function taskText(uri: UriParts): TaskText | undefined {
  const [, ticket, word, task, what] = uri.path.split("/");
  const isOfTask = uri.scheme === "sennit" && uri.authority === "ticket" && word === "task";
  const isShown = isOfTask && (what === "output" || what === "details");
  return isShown && ticket !== undefined && task !== undefined ? { ticket, task, what } : undefined;
}

/** The document of a task's output. */
export function outputUri(ticket: string, task: string): string {
  return `sennit://ticket/${ticket}/task/${encodeURIComponent(task)}/output`;
}

/** The document of what is known of a task. */
export function detailsUri(ticket: string, task: string): string {
  return `sennit://ticket/${ticket}/task/${encodeURIComponent(task)}/details`;
}

/** The document of what a proposal's newest revision changes against another one. */
export function sinceUri(proposal: string, revision: string): string {
  return `sennit://proposal/${proposal}/since/${revision}`;
}

export function sinceText(uri: UriParts): { readonly proposal: string; readonly revision: string } | undefined {
  const [, proposal, word, revision] = uri.path.split("/");
  const isSince = uri.scheme === "sennit" && uri.authority === "proposal" && word === "since";
  return isSince && proposal !== undefined && revision !== undefined ? { proposal, revision } : undefined;
}

/** What is asked of a folder and shown as a document. */
export type Look = "doctor" | "overlaps";

/** The document of a look at a folder, the URI of which is given; each time is another document. */
export function lookUri(what: Look, folder: string, title: string): string {
  return `sennit://${what}/${encodeURIComponent(title)}?${encodeURIComponent(folder)}`;
}

/** What such a document shows of which folder. */
export function lookText(uri: UriParts): { readonly what: Look; readonly folder: string } | undefined {
  const { scheme, authority: what, query: folder } = uri;
  return scheme === "sennit" && (what === "doctor" || what === "overlaps") ? { what, folder } : undefined;
}

/** Whether one folder is the other or lies in it; both are paths of URIs. */
export function isWithin(path: string, folder: string): boolean {
  const top = folder.endsWith("/") ? folder : `${folder}/`;
  return path === folder || path.startsWith(top) || `${path}/` === top;
}
