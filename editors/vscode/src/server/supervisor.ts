/** Keeps a server running: finds it, starts it again when it dies, and says why it cannot. */
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import * as vscode from "vscode";
import type { LanguageClient, LanguageClientOptions } from "vscode-languageclient/node";
import type { ClientState } from "../api.ts";
import { type Connection, connect } from "./connection.ts";
import { realOr } from "../model/real-paths.ts";
import { type Candidate, candidates, commandOf, isPlace } from "./find.ts";
import { StartFailed, problemText } from "./problems.ts";
import { RestartPolicy } from "./restarts.ts";

export interface Hooks {
  readonly clientId: string;
  readonly log: vscode.LogOutputChannel;
  options(): LanguageClientOptions;
  prepare(client: LanguageClient): void;
  /** The server answers; `again` tells that one had died before. */
  running(client: LanguageClient, again: boolean): void;
  /** It is gone and is started again. */
  lost(how: string, delayMs: number): void;
  failed(reason: string): void;
}

export class Supervisor implements vscode.Disposable {
  private current: ClientState = { name: "stopped" };
  private connection: Connection | undefined;
  private readonly policy = new RestartPolicy();
  private readonly changed = new vscode.EventEmitter<void>();
  private timer: NodeJS.Timeout | undefined;
  /** Grows with every start and stop: what an older one comes to is of no interest any more. */
  private generation = 0;
  private restarts: Promise<void> = Promise.resolve();
  /** A restart that waits for its turn. */
  private nextRestart: Promise<void> | undefined;
  /** The start that is under way; it is given up, and its process ended, by a stop. */
  private startUnderWay: { readonly abort: AbortController; readonly ended: Promise<void> } | undefined;
  /** A server has died, and none has answered since. */
  private isReviving = false;

  readonly onDidChange = this.changed.event;

  constructor(private readonly hooks: Hooks) {}

  get state(): ClientState {
    return this.current;
  }

  get client(): LanguageClient | undefined {
    return this.current.name === "running" ? this.connection?.client : undefined;
  }

  async start(): Promise<void> {
    const generation = ++this.generation;
    const abort = new AbortController();
    const ended = this.startOf(generation, abort.signal);
    this.startUnderWay = { abort, ended };
    await ended;
  }

  private async startOf(generation: number, signal: AbortSignal): Promise<void> {
    this.set({ name: "starting" });
    try {
      const found = find();
      const argv = found.argv;
      this.hooks.log.info(`starting ${argv.join(" ")} (${found.source})`);
      const connection = await connect({
        argv,
        clientId: this.hooks.clientId,
        options: this.hooks.options(),
        log: (text) => { this.hooks.log.info(text.trimEnd()); },
        prepare: (client) => { this.hooks.prepare(client); },
        signal,
      });
      await this.started(connection, generation);
    } catch (error) {
      if (generation === this.generation && !signal.aborted) {
        this.startFailed(error);
      }
    }
  }

  /** Stop what runs and start anew; deaths so far are forgiven. One restart at a time, and one that waits for it. */
  restart(): Promise<void> {
    if (this.nextRestart !== undefined) {
      return this.nextRestart;
    }
    // A start that never answers must not hold up the restart that is to replace it.
    this.startUnderWay?.abort.abort();
    this.nextRestart = this.restarts.then(async () => {
      this.nextRestart = undefined;
      this.policy.forget();
      this.isReviving = false;
      // What is asked of the server meanwhile waits for the new one.
      await this.end("starting");
      await this.start();
    });
    this.restarts = this.nextRestart;
    return this.nextRestart;
  }

  async stop(): Promise<void> {
    await this.end("stopped");
  }

  private async end(next: "starting" | "stopped"): Promise<void> {
    this.generation += 1;
    clearTimeout(this.timer);
    const { connection, startUnderWay } = this;
    this.connection = undefined;
    this.set({ name: next });
    startUnderWay?.abort.abort();
    await Promise.all([connection?.stop(), startUnderWay?.ended]);
  }

  whenRunning(): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (): boolean => {
        if (this.current.name === "running") {
          resolve();
        } else if (this.current.name === "failed") {
          reject(new Error(this.current.reason));
        } else if (this.current.name === "stopped" && !hasFolder()) {
          reject(new Error(NO_FOLDER));
        } else {
          return false;
        }
        return true;
      };
      if (settle()) {
        return;
      }
      const subscription = this.onDidChange(() => {
        if (settle()) {
          subscription.dispose();
        }
      });
    });
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.changed.dispose();
  }

  private async started(connection: Connection, generation: number): Promise<void> {
    if (generation !== this.generation || this.startUnderWay?.abort.signal.aborted === true) {
      await connection.stop();
      return;
    }
    this.connection = connection;
    void connection.died.then((how) => { this.died(how, generation); });
    const again = this.isReviving;
    this.isReviving = false;
    this.set({ name: "running", serverVersion: connection.serverVersion });
    this.hooks.running(connection.client, again);
  }

  private died(how: string, generation: number): void {
    if (generation !== this.generation) {
      return;
    }
    this.connection = undefined;
    this.isReviving = true;
    this.hooks.log.error(`the server died: ${how}`);
    const verdict = this.policy.died(Date.now());
    if (!verdict.again) {
      const detail = `The last time: ${how}`;
      this.fail(new StartFailed({ kind: "keepsDying", command: "", detail }));
      return;
    }
    this.set({ name: "starting" });
    this.hooks.lost(how, verdict.delayMs);
    this.timer = setTimeout(() => void this.start(), verdict.delayMs);
  }

  /** A start again that fails counts as one more death; a first start has to be mended by hand. */
  private startFailed(error: unknown): void {
    if (this.isReviving && error instanceof StartFailed && error.problem.kind === "cannotStart") {
      this.died(error.problem.detail, this.generation);
      return;
    }
    this.fail(error instanceof StartFailed ? error : unexpected(error));
  }

  private fail(error: StartFailed): void {
    const reason = problemText(error.problem);
    this.hooks.log.error(reason);
    this.set({ name: "failed", kind: error.problem.kind, reason });
    this.hooks.failed(reason);
  }

  private set(state: ClientState): void {
    this.current = state;
    this.changed.fire();
  }
}

/** Why nothing runs in a window without a folder. */
export const NO_FOLDER = "No folder is open. Open the folder of a git repository; agents work on copies of it.";

function hasFolder(): boolean {
  return (vscode.workspace.workspaceFolders ?? []).length > 0;
}

function unexpected(error: unknown): StartFailed {
  const detail = error instanceof Error ? `${error.message}.` : String(error);
  return new StartFailed({ kind: "cannotStart", command: "sennit serve", detail });
}

/** The first program that is there; a named one is taken as it is, so that its error is told. */
function find(): Candidate {
  const configuration = vscode.workspace.getConfiguration("sennit");
  const value = configuration.get<unknown>("server.command", []);
  const setting = commandOf(value);
  if (setting === undefined) {
    throw new StartFailed({ kind: "wrongSetting", value: JSON.stringify(value) });
  }
  const folders = (vscode.workspace.workspaceFolders ?? [])
    .filter((folder) => folder.uri.scheme === "file")
    .map((folder) => realOr(folder.uri.fsPath, (path) => realpathSync.native(path)));
  const trusted = vscode.workspace.isTrusted;
  const all = candidates({
    setting,
    pathVariable: process.env["PATH"] ?? "",
    folders,
    trusted,
    windows: process.platform === "win32",
    realPath: (path) => realpathSync.native(path),
  });
  const first = all.find((one) => (one.source === "setting" ? isThere(one.argv[0]) : isProgram(one.argv[0])));
  if (first === undefined) {
    throw new StartFailed({ kind: "notFound", looked: all.map((one) => one.argv[0]), trusted });
  }
  return first;
}

function isThere(program: string): boolean {
  return !isPlace(program) || statSync(program, { throwIfNoEntry: false }) !== undefined;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // What cannot be looked at cannot be started either; the places are told.
  }
}
