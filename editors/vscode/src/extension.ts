/** Wires the parts together; everything else is done in them. */
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { SennitApi } from "./api.ts";
import { FORM_LANGUAGE } from "./commands/form.ts";
import { tellFailure } from "./commands/server.ts";
import { registerCommands } from "./commands/table.ts";
import type { Context } from "./context.ts";
import { DispatchActions } from "./editor/code-actions.ts";
import { DocumentFacts, type Notify } from "./editor/documents.ts";
import { FormCompletion } from "./editor/form-completion.ts";
import { clientOptions, handleRequests } from "./editor/language-client.ts";
import { NoServer, isStartedWrong, textOf } from "./errors.ts";
import { Drafts } from "./model/drafts.ts";
import { Notices } from "./notices.ts";
import { WatchedRequests } from "./requests.ts";
import { type Hooks, NO_FOLDER, Supervisor } from "./server/supervisor.ts";
import { type Request, Sync } from "./sync.ts";
import { Content, SCHEME } from "./views/content.ts";
import { RESOLVING, ResolvingTexts, resolvingText } from "./views/resolving-texts.ts";
import { DecisionLenses, DecisionMarks } from "./views/diff-marks.ts";
import { ProposalInEditor } from "./views/proposal-in-editor.ts";
import { StatusBar, statusOf } from "./views/status-bar.ts";
import { TicketsTree, viewOf } from "./views/tree-view.ts";

/** What ends with the extension. */
interface Disposing {
  dispose(): unknown;
}

let running: Supervisor | undefined;

export function activate(extension: vscode.ExtensionContext): SennitApi {
  const sennit = new Sennit(extension);
  running = sennit.context.supervisor;
  sennit.start();
  return sennit.api();
}

/** The server gets the time to hand its agents over; nothing of it stays behind. */
export async function deactivate(): Promise<void> {
  await running?.stop();
}

class Sennit {
  readonly context: Context;
  private readonly tree: TicketsTree;
  private readonly facts: DocumentFacts;
  private readonly changed = new vscode.EventEmitter<void>();
  /** The client that is being started or runs. */
  private client: LanguageClient | undefined;
  private readonly requests = new WatchedRequests(() => this.context, () => this.context.supervisor.restart());
  /** It refuses everything until it is started with other settings. */
  private isStartedWrong = false;
  /** Done when the server knows of trust that was given; what somebody asks for then must not overtake that. */
  private trustTold: Promise<void> = Promise.resolve();

  constructor(extension: vscode.ExtensionContext) {
    const log = vscode.window.createOutputChannel("Sennit", { log: true });
    const request: Request = (method, params) => this.request(method, params);
    const sync = new Sync(request, log);
    this.facts = new DocumentFacts(this.notify);
    this.context = {
      log,
      request,
      sync,
      notices: new Notices(log),
      drafts: new Drafts(),
      supervisor: new Supervisor(this.hooks(log)),
    };
    this.tree = new TicketsTree(sync);
    extension.subscriptions.push(log, sync, this.tree, this.changed, ...this.views(), ...this.events());
  }

  start(): void {
    if ((vscode.workspace.workspaceFolders ?? []).length > 0) {
      void this.context.supervisor.start();
    }
  }

  api(): SennitApi {
    const { supervisor, notices, request } = this.context;
    return {
      get state() { return supervisor.state; },
      whenRunning: () => supervisor.whenRunning(),
      tree: () => this.tree.roots().map(viewOf),
      request,
      onDidChange: this.changed.event,
      notices: notices.shown,
    };
  }

  private views(): Disposing[] {
    const { sync, supervisor } = this.context;
    const content = new Content(this.context.request, sync, () => supervisor.whenRunning());
    const resolving = new ResolvingTexts(this.context);
    const inEditor = new ProposalInEditor(sync);
    const lenses = new DecisionLenses(sync);
    const status = new StatusBar(() => {
      const tickets = sync.store.tickets().filter((ticket) => sync.isShown(ticket));
      return statusOf(supervisor.state, tickets, sync.store);
    });
    return [
      content,
      inEditor,
      lenses,
      status,
      new DecisionMarks(sync),
      this.changed.event(() => { status.refresh(); }),
      resolving,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, content),
      vscode.workspace.registerFileSystemProvider(RESOLVING, resolving, { isCaseSensitive: true }),
      vscode.languages.registerCodeLensProvider({ scheme: SCHEME }, lenses),
      vscode.languages.registerCodeActionsProvider({ scheme: "file" }, new DispatchActions(), {
        providedCodeActionKinds: DispatchActions.kinds,
      }),
      vscode.languages.registerCompletionItemProvider(
        { language: FORM_LANGUAGE },
        new FormCompletion(sync, this.context.log),
        ...FormCompletion.triggers,
      ),
      registerCommands(this.context, (argument) => this.tree.node(argument) ?? withoutUri(argument, inEditor)),
    ];
  }

  private events(): Disposing[] {
    const { sync, supervisor, notices } = this.context;
    const fire = (): void => { this.changed.fire(); };
    return [
      supervisor,
      supervisor.onDidChange(fire),
      sync.onDidChange(fire),
      notices.onDidChange(fire),
      vscode.workspace.onDidChangeTextDocument((event) => { this.dirtyChanged(event); }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => { this.trusted(); }),
      vscode.workspace.onDidChangeConfiguration((event) => { this.configured(event); }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        if (supervisor.state.name === "stopped") {
          this.start();
        } else if (supervisor.state.name === "running") {
          this.catchUp(false);
        }
      }),
    ];
  }

  private hooks(log: vscode.LogOutputChannel): Hooks {
    return {
      clientId: randomUUID(),
      log,
      options: () => clientOptions({ context: this.context, facts: this.facts, notify: this.notify, client: () => this.client }),
      prepare: (client) => {
        this.client = client;
        this.isStartedWrong = false;
        this.facts.forgetAll();
        this.context.sync.listen(client);
        handleRequests(client, this.context);
      },
      running: (_client, again) => { this.catchUp(again); },
      lost: (how, delayMs) => {
        const soon = delayMs < 1_000 ? "now" : `in ${String(Math.round(delayMs / 1_000))} s`;
        void this.context.notices.warning(`The Sennit server has ended: ${how} It is started again ${soon}; finished proposals are kept.`);
      },
      failed: (reason) => {
        tellFailure(this.context, reason).catch((error: unknown) => { log.error(textOf(error)); });
      },
    };
  }

  private catchUp(again: boolean): void {
    this.context.sync.catchUp().then(
      () => {
        if (again) {
          void this.context.notices.info("The Sennit server runs again.");
        }
      },
      (error: unknown) => { void this.context.notices.error(`The tickets could not be read: ${textOf(error)}`); },
    );
  }

  private request: Request = async (method, params) => {
    const { supervisor } = this.context;
    await this.trustTold;
    if (supervisor.state.name === "starting") {
      await supervisor.whenRunning();
    }
    const client = supervisor.client;
    if (client === undefined) {
      throw new NoServer(whyNot(supervisor));
    }
    try {
      return await this.requests.watch(method, params, client.sendRequest(method, params));
    } catch (error) {
      this.isStartedWrong ||= isStartedWrong(error);
      throw error;
    }
  };

  private readonly notify: Notify = async (method, params) => {
    await this.client?.sendNotification(method, params);
  };

  /** Saving, undoing back to what is saved: the text is the same, and so the language client is silent. */
  private dirtyChanged({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const { client } = this.context.supervisor;
    if (contentChanges.length === 0 && document.uri.scheme === "file" && client !== undefined) {
      const uri = client.code2ProtocolConverter.asUri(document.uri);
      this.facts.tell(document, uri).catch((error: unknown) => { this.context.log.warn(textOf(error)); });
    }
  }

  /** What could not be started for want of trust can be now: the project's own server too. */
  private trusted(): void {
    const { supervisor } = this.context;
    if (supervisor.state.name === "stopped") {
      return; // The next start tells it.
    }
    // A server that is being started was told the old state.
    this.trustTold = supervisor.whenRunning()
      .then(() => this.notify("sennit/didChangeTrust", { trusted: true }), () => { void supervisor.restart(); })
      .catch((error: unknown) => { this.context.log.error(`trust could not be told: ${textOf(error)}`); });
  }

  private configured(event: vscode.ConfigurationChangeEvent): void {
    const { supervisor } = this.context;
    if (event.affectsConfiguration("sennit.server.command")) {
      void supervisor.restart();
    } else if (event.affectsConfiguration("sennit.server.settings")) {
      this.settingsChanged().catch((error: unknown) => {
        void this.context.notices.error(`The new settings do not work: ${textOf(error)}`);
      });
    }
  }

  /** What is wrong with the new settings is told by the catching up, as long as it is wrong. */
  private async settingsChanged(): Promise<void> {
    const { supervisor, sync } = this.context;
    if (supervisor.state.name === "stopped" || supervisor.state.name === "failed") {
      return; // The next start tells them.
    }
    if (this.isStartedWrong) {
      await supervisor.restart();
      return;
    }
    await supervisor.whenRunning();
    const settings = vscode.workspace.getConfiguration("sennit").get("server.settings", {});
    await supervisor.client?.sendNotification("workspace/didChangeConfiguration", { settings });
    await sync.catchUp();
  }
}

function whyNot(supervisor: Supervisor): string {
  const { state } = supervisor;
  switch (state.name) {
    case "failed": return state.reason;
    case "starting":
    case "running":
    case "stopped": return (vscode.workspace.workspaceFolders ?? []).length === 0 ? NO_FOLDER : "The Sennit server is not running. Open the folder of a git repository, or run “Sennit: Restart Server”.";
  }
}

/** A button in the title of an editor gives a URI; the proposal that is shown there is meant. */
function withoutUri(argument: unknown, inEditor: ProposalInEditor): unknown {
  if (!(argument instanceof vscode.Uri)) {
    return argument;
  }
  const resolving = resolvingText(argument);
  if (resolving !== undefined) {
    const { proposal, revision, file, suggestion } = resolving;
    return { ids: { proposal, revision, file, take: suggestion } };
  }
  const proposal = inEditor.current();
  return proposal === undefined ? undefined : { kind: "editor", ids: { proposal: proposal.summary.id } };
}
