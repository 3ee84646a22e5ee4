/** Texts that settle conflicts, as files in memory: saving one settles its conflict; those of suggestions are read-only. */
import * as vscode from "vscode";
import { conflictOf, settle, sideText } from "../commands/settle.ts";
import type { Context } from "../context.ts";
import { shownText } from "../model/resolving.ts";
import { hasMarks, markedText } from "../model/three-way.ts";
import type { ConflictView } from "../protocol.ts";

export const RESOLVING = "sennit-resolve";

export interface ResolvingText {
  readonly proposal: string;
  readonly revision: string;
  /** The conflict's own URI. */
  readonly file: string;
  /** The kind of a suggestion; undefined for the text that the user edits. */
  readonly suggestion: string | undefined;
}

/** The path is that of the file, so that its name and its language are seen. */
export function resolvingUri({ suggestion, ...named }: ResolvingText): vscode.Uri {
  const query = new URLSearchParams({ ...named, ...(suggestion === undefined ? {} : { suggestion }) }).toString();
  return vscode.Uri.from({ scheme: RESOLVING, path: vscode.Uri.parse(named.file).path, query });
}

export function resolvingText(uri: vscode.Uri): ResolvingText | undefined {
  const query = new URLSearchParams(uri.query);
  const [proposal, revision, file] = ["proposal", "revision", "file"].map((key) => query.get(key));
  if (uri.scheme !== RESOLVING || !proposal || !revision || !file) {
    return undefined;
  }
  return { proposal, revision, file, suggestion: query.get("suggestion") ?? undefined };
}

interface Held {
  readonly bytes: Uint8Array;
  readonly at: number;
}

export class ResolvingTexts implements vscode.FileSystemProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;
  private readonly held = new Map<string, Promise<Held>>();
  private readonly closing = vscode.workspace.onDidCloseTextDocument(({ uri }) => { this.held.delete(uri.toString()); });
  private clock = 0;

  constructor(private readonly context: Context) {}

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { bytes, at } = await this.read(uri);
    const readOnly = named(uri).suggestion === undefined ? {} : { permissions: vscode.FilePermission.Readonly };
    return { type: vscode.FileType.File, ctime: 0, mtime: at, size: bytes.length, ...readOnly };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.read(uri)).bytes;
  }

  /** What is thrown here is shown by VS Code, and the text stays unsaved with all that was typed. */
  async writeFile(uri: vscode.Uri, bytes: Uint8Array): Promise<void> {
    const { proposal, revision, file } = named(uri);
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (hasMarks(text)) {
      throw new Error("it still holds marks of a clash. Keep what is to be between them, take the marks out, and save it again.");
    }
    const conflict = await conflictOf(this.context, proposal, file);
    if (conflict === undefined) {
      throw new Error("it is in no conflict any more, so nothing was settled. What you wrote stays here; look at the proposal.");
    }
    await settle(this.context, { proposal, revision, choice: { uri: file, take: "text", text }, conflict });
    this.keep(uri, bytes);
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): never {
    throw vscode.FileSystemError.NoPermissions("There are no folders here.");
  }

  createDirectory(): never {
    throw vscode.FileSystemError.NoPermissions("There are no folders here.");
  }

  delete(): never {
    throw vscode.FileSystemError.NoPermissions("Close it without saving to leave the conflict as it is.");
  }

  rename(): never {
    throw vscode.FileSystemError.NoPermissions("A text that settles a conflict keeps its name.");
  }

  dispose(): void {
    this.closing.dispose();
    this.changed.dispose();
  }

  private read(uri: vscode.Uri): Promise<Held> {
    const key = uri.toString();
    const known = this.held.get(key) ?? this.make(uri);
    this.held.set(key, known);
    known.catch(() => { this.held.delete(key); });
    return known;
  }

  private keep(uri: vscode.Uri, bytes: Uint8Array): void {
    this.clock += 1;
    this.held.set(uri.toString(), Promise.resolve({ bytes, at: this.clock }));
  }

  /** Made out of what the server holds, so that it is there after a reload too. */
  private async make(uri: vscode.Uri): Promise<Held> {
    const { context } = this;
    await context.supervisor.whenRunning();
    const { proposal, file, suggestion } = named(uri);
    const conflict = await conflictOf(context, proposal, file);
    if (conflict === undefined) {
      throw vscode.FileSystemError.FileNotFound(`${file} is in no conflict any more.`);
    }
    const text = suggestion === undefined ? await merged(context, conflict) : suggested(conflict, suggestion);
    this.clock += 1;
    return { bytes: new TextEncoder().encode(text), at: this.clock };
  }
}

function named(uri: vscode.Uri): ResolvingText {
  const found = resolvingText(uri);
  if (found === undefined) {
    throw vscode.FileSystemError.FileNotFound(uri);
  }
  return found;
}

function suggested(conflict: ConflictView, kind: string): string {
  const found = (conflict.suggestions ?? []).find((one) => one.kind === kind);
  if (!found?.text) {
    throw vscode.FileSystemError.FileNotFound(`${kind} is not suggested for ${conflict.path} any more.`);
  }
  return shownText(found.text);
}

async function merged(context: Context, conflict: ConflictView): Promise<string> {
  const [base, ours, theirs] = await Promise.all([sideText(context, conflict.base), sideText(context, conflict.ours), sideText(context, conflict.theirs)]);
  return markedText({ base, ours, theirs });
}
