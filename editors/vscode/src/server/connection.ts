/** One language client on one server process, from its start to its end. */
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  type MessageTransports,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageclient/node";
import { codeOf } from "../errors.ts";
import { sennitFeature, unusable } from "./capabilities.ts";
import { type ServerProcess, startProcess } from "./process.ts";
import { StartFailed } from "./problems.ts";

const ANSWER_S = 30;
const LEAVE_MS = 2_000;
/** A closing window does not wait long, and a server that has not answered holds nothing. */
const ABORT_MS = 500;
/** Of JSON-RPC: what echoes our own words, or knows no `initialize`, is no language server. */
const METHOD_NOT_FOUND = -32_601;
const SHUTDOWN_MS = 3_000;

export interface Connection {
  readonly client: LanguageClient;
  readonly serverVersion: string;
  /** Settles when the process has ended without being asked, with how. */
  readonly died: Promise<string>;
  stop(): Promise<void>;
}

export interface Wanted {
  readonly argv: readonly [string, ...string[]];
  readonly clientId: string;
  readonly options: LanguageClientOptions;
  readonly log: (text: string) => void;
  /** Registers handlers before the first message is read. */
  readonly prepare: (client: LanguageClient) => void;
  /** Ends the process and rejects. */
  readonly signal: AbortSignal;
}

/** Start the server and shake hands; rejects with `StartFailed`. */
export async function connect(wanted: Wanted): Promise<Connection> {
  const command = wanted.argv.join(" ");
  const server = await started(wanted, command);
  const client = makeClient(server, wanted);
  wanted.prepare(client);
  try {
    await firstOf(client, server, command, wanted.signal);
  } catch (error) {
    await close(client, server, wanted.signal.aborted ? ABORT_MS : LEAVE_MS);
    throw error;
  }
  const result = client.initializeResult;
  const problem = result === undefined ? undefined : unusable(result, command);
  if (problem !== undefined) {
    await close(client, server);
    throw new StartFailed(problem);
  }
  return {
    client,
    serverVersion: result?.serverInfo?.version ?? "unknown",
    died: server.ended,
    stop: () => close(client, server),
  };
}

async function started(wanted: Wanted, command: string): Promise<ServerProcess> {
  try {
    return await startProcess(wanted.argv, wanted.log);
  } catch (error) {
    const detail = error instanceof Error ? `${error.message}.` : String(error);
    throw new StartFailed({ kind: "cannotStart", command, detail });
  }
}

function makeClient(server: ServerProcess, wanted: Wanted): LanguageClient {
  const transports: MessageTransports = {
    reader: new StreamMessageReader(server.output),
    writer: new StreamMessageWriter(server.input),
  };
  const client = new LanguageClient("sennit", "Sennit", () => Promise.resolve(transports), {
    ...wanted.options,
    // What became of the server is told once, by the supervisor, with what to do.
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
    },
  });
  client.registerFeature(sennitFeature(wanted.clientId));
  return client;
}

/** Whatever comes first: an answer, rubbish, the end of the process, or the end of patience. */
async function firstOf(client: LanguageClient, server: ServerProcess, command: string, signal: AbortSignal): Promise<void> {
  const patience = new AbortController();
  const answer = client.start();
  try {
    await Promise.race([
      // A refusal of the client is told by what made it refuse, where that is known.
      answer.catch(async (error: unknown) => {
        if (codeOf(error) === METHOD_NOT_FOUND) {
          throw new StartFailed({ kind: "noSennit", command, name: undefined });
        }
        await Promise.race([server.ended, afterMs(LEAVE_MS, patience.signal)]);
        throw new StartFailed({ kind: "cannotStart", command, detail: String(error) });
      }),
      server.rubbish.then((said) => { throw new StartFailed({ kind: "rubbish", command, said }); }),
      server.ended.then((detail) => { throw new StartFailed({ kind: "cannotStart", command, detail }); }),
      aborted(signal).then(() => { throw new Error("The start was given up."); }),
      afterMs(ANSWER_S * 1000, patience.signal).then(() => {
        throw new StartFailed({ kind: "silent", command, seconds: ANSWER_S });
      }),
    ]);
  } finally {
    patience.abort();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
    }
    signal.addEventListener("abort", () => { resolve(); });
  });
}

function afterMs(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => { clearTimeout(timer); });
  });
}

async function close(client: LanguageClient, server: ServerProcess, leaveMs = LEAVE_MS): Promise<void> {
  if (client.isRunning()) {
    await client.stop(SHUTDOWN_MS).catch((error: unknown) => {
      client.outputChannel.appendLine(`The server did not shut down in order: ${String(error)}`);
    });
  }
  await server.end(leaveMs);
}
