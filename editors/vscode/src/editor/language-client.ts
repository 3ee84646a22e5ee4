/** How the language client behaves: what is sent, what of the server's words is shown how. */
import * as vscode from "vscode";
import {
  type LanguageClient,
  type LanguageClientOptions,
  MessageType,
  type Middleware,
  RevealOutputChannelOn,
  ShowMessageNotification,
  ShowMessageRequest,
} from "vscode-languageclient/node";
import type { Context } from "../context.ts";
import { ask } from "../commands/answer.ts";
import { isRecord } from "../model/arguments.ts";
import { serverUri } from "../model/uris.ts";
import type { ApplicationView, AskParams } from "../protocol.ts";
import { report } from "./apply-report.ts";
import type { DocumentFacts, Notify } from "./documents.ts";

const DELEGATE = "sennit.server.delegate";
const OPEN = "sennit.server.open";
const APPLY = "sennit.server.apply";
/** Lenses that decide about nothing that was not looked at. */
const SEEN: ReadonlySet<string> = new Set([OPEN, APPLY]);

export interface Parts {
  readonly context: Context;
  readonly facts: DocumentFacts;
  readonly notify: Notify;
  client(): LanguageClient | undefined;
}

export function clientOptions(parts: Parts): LanguageClientOptions {
  const settings = vscode.workspace.getConfiguration("sennit").get<Record<string, unknown>>("server.settings", {});
  return {
    // Of every file, not of those in the workspace folders alone: a folder may be a part of its
    // repository, and what is unsaved anywhere in the repository is part of what agents see.
    documentSelector: [{ scheme: "file" }],
    outputChannel: parts.context.log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationOptions: { ...settings, trusted: vscode.workspace.isTrusted },
    uriConverters: {
      code2Protocol: (uri) => (uri.scheme === "sennit" ? serverUri(uri) : uri.toString()),
      protocol2Code: (text) => vscode.Uri.parse(text),
    },
    middleware: middleware(parts),
  };
}

/** To be called before the first message is read. */
export function handleRequests(client: LanguageClient, context: Context): void {
  client.onRequest("sennit/ask", (params: AskParams, token: vscode.CancellationToken) => ask(context, params, token));
  client.onNotification(ShowMessageNotification.type, ({ type, message }) => {
    void context.notices[severityOf(type)](message);
  });
  client.onRequest(ShowMessageRequest.type, async ({ type, message, actions }) => {
    const titles = (actions ?? []).map((action) => action.title);
    const clicked = await context.notices[severityOf(type)](message, ...titles);
    return (actions ?? []).find((action) => action.title === clicked) ?? null;
  });
}

function severityOf(type: MessageType): "info" | "warning" | "error" {
  if (type === MessageType.Error) {
    return "error";
  }
  return type === MessageType.Warning ? "warning" : "info";
}

function middleware(parts: Parts): Middleware {
  const tell = async (document: vscode.TextDocument): Promise<void> => {
    const client = parts.client();
    if (client !== undefined) {
      await parts.facts.tell(document, client.code2ProtocolConverter.asUri(document.uri));
    }
  };
  return {
    didOpen: async (document, next) => { await next(document); await tell(document); },
    didChange: async (event, next) => { await next(event); await tell(event.document); },
    didSave: async (document, next) => { await next(document); await tell(document); },
    didClose: async (document, next) => {
      const client = parts.client();
      if (client !== undefined) {
        parts.facts.forget(client.code2ProtocolConverter.asUri(document.uri));
      }
      await next(document);
    },
    provideCodeActions: async (document, range, context, token, next) => {
      // This extension has actions of its own for them, which ask for the agent and the words.
      const actions = await next(document, range, context, token);
      return actions?.filter((action) => commandOf(action) !== DELEGATE);
    },
    provideCodeLenses: async (document, token, next) => {
      // Here a proposal is looked at before it is decided about: what opens it stays, and what is accepted unseen goes.
      const lenses = await next(document, token);
      return lenses?.filter((lens) => SEEN.has(lens.command?.command ?? ""));
    },
    executeCommand: async (command, args: unknown[], next) => executeCommand(parts, command, args, next),
    workspace: {
      handleApplyEdit: async (params, next) => {
        const result = await next(params, new vscode.CancellationTokenSource().token);
        const client = parts.client();
        if (client !== undefined && !(result instanceof Error)) {
          await report(client, parts.notify, params, result);
        }
        return result;
      },
    },
  };
}

function commandOf(action: vscode.Command | vscode.CodeAction): string | undefined {
  return typeof action.command === "string" ? action.command : action.command?.command;
}

async function executeCommand(
  { context }: Parts,
  command: string,
  args: unknown[],
  next: (command: string, args: unknown[]) => unknown,
): Promise<unknown> {
  const [first] = args;
  if (command === OPEN && isRecord(first) && typeof first["proposal"] === "string") {
    return vscode.commands.executeCommand("sennit.openProposal", { proposal: first["proposal"] });
  }
  const result: unknown = await next(command, args);
  if (isApplication(result)) {
    // The server has told by itself what did not go as meant.
    await context.sync.readTicket(result.ticket);
  }
  return result;
}

function isApplication(result: unknown): result is ApplicationView {
  return isRecord(result) && typeof result["id"] === "string" && "target" in result && "ticket" in result;
}
