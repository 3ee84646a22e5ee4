/** The server as a process: started without a shell, watched, and surely ended. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import * as os from "node:os";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { endOfProcess } from "./problems.ts";

const KEPT_ERRORS = 8_000;
const HEADER = "content-";

export type FirstWord = { readonly kind: "header" } | { readonly kind: "rubbish"; readonly said: string };

/** Whether the first bytes can be the beginning of a message; undefined while that is open. */
export function judgeFirstBytes(bytes: Buffer): FirstWord | undefined {
  const text = bytes.toString("latin1").toLowerCase();
  if (HEADER.startsWith(text.slice(0, HEADER.length)) && text.length < HEADER.length) {
    return undefined;
  }
  return text.startsWith(HEADER) ? { kind: "header" } : { kind: "rubbish", said: bytes.toString("utf8") };
}

export interface ServerProcess {
  readonly pid: number;
  /** What the server says, from its first byte on. */
  readonly output: Readable;
  readonly input: Writable;
  /** Settles when the process has ended, with how it ended. */
  readonly ended: Promise<string>;
  /** Settles when it says something that is no message of the protocol. */
  readonly rubbish: Promise<string>;
  /** Close its input, wait that long for it to leave, then end it. */
  end(graceMs: number): Promise<void>;
}

/** Start a command line; rejects with the reason when the system refuses. */
export async function startProcess(
  argv: readonly [string, ...string[]],
  onError: (line: string) => void,
): Promise<ServerProcess> {
  const [program, ...args] = argv;
  // The workspace is no folder to start in: Python would import modules that lie there.
  const child = spawn(program, args, { cwd: safeFolder(), stdio: "pipe", windowsHide: true });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-KEPT_ERRORS);
    onError(text);
  });
  // Writing to a server that is gone is told by its end; without a listener it would be thrown.
  child.stdin.on("error", (error) => { onError(`writing to the server: ${error.message}`); });
  const ended = new Promise<string>((resolve) => {
    child.once("close", (code, signal) => { resolve(endOfProcess(code, signal, errors)); });
  });
  await spawned(child);
  const { output, rubbish } = watchFirstBytes(child.stdout);
  return { pid: child.pid ?? 0, output, input: child.stdin, ended, rubbish, end: (graceMs) => end(child, graceMs) };
}

function safeFolder(): string {
  const home = os.homedir();
  return existsSync(home) ? home : os.tmpdir();
}

function spawned(child: ChildProcessWithoutNullStreams): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("spawn", () => {
      child.on("error", () => undefined); // A later failure to signal it shows as a process that stays.
      resolve();
    });
    child.once("error", reject);
  });
}

function watchFirstBytes(stdout: Readable): { output: Readable; rubbish: Promise<string> } {
  const output = new PassThrough();
  const rubbish = new Promise<string>((resolve) => {
    let first = Buffer.alloc(0);
    const look = (chunk: Buffer): void => {
      first = Buffer.concat([first, chunk]);
      const verdict = judgeFirstBytes(first);
      if (verdict === undefined) {
        return;
      }
      stdout.off("data", look);
      if (verdict.kind === "rubbish") {
        resolve(verdict.said);
      }
    };
    stdout.on("data", look);
  });
  stdout.pipe(output);
  return { output, rubbish };
}

async function end(child: ChildProcessWithoutNullStreams, graceMs: number): Promise<void> {
  child.stdin.end();
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (await leaves(child, graceMs)) {
      return;
    }
    child.kill(signal);
  }
  await leaves(child, graceMs);
}

function leaves(child: ChildProcessWithoutNullStreams, withinMs: number): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return Promise.resolve(true);
  }
  return new Promise((resolve) => {
    const gone = (): void => { clearTimeout(timer); resolve(true); };
    const timer = setTimeout(() => { child.off("exit", gone); resolve(false); }, withinMs);
    child.once("exit", gone);
  });
}
