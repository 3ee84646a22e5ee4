/** What `activate()` gives to other extensions and to tests. */
import type { Event } from "vscode";
import type { ClientRequests } from "./protocol.ts";
import type { ProblemKind } from "./server/problems.ts";

/** How the connection to the server is. `reason` says what happened and what to do. */
export type ClientState =
  | { readonly name: "stopped" }
  | { readonly name: "starting" }
  | { readonly name: "running"; readonly serverVersion: string }
  | { readonly name: "failed"; readonly kind: ProblemKind; readonly reason: string };

/** One line of the tree of tickets, as it is shown. */
export interface TreeNodeView {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly contextValue: string;
  readonly children: readonly TreeNodeView[];
}

export type Severity = "info" | "warning" | "error";

/** A message that was shown to the user. */
export interface ShownNotice {
  readonly severity: Severity;
  readonly message: string;
}

export interface SennitApi {
  readonly state: ClientState;
  /** Resolves once the server answers; rejects with the reason when it cannot be started. */
  whenRunning(): Promise<void>;
  /** What the tree of tickets shows now. */
  tree(): readonly TreeNodeView[];
  request<M extends keyof ClientRequests>(
    method: M,
    params: ClientRequests[M]["params"],
  ): Promise<ClientRequests[M]["result"]>;
  /** After every change of `state`, of `tree()` and of `notices`. */
  readonly onDidChange: Event<void>;
  /** The last messages that were shown, oldest first. */
  readonly notices: readonly ShownNotice[];
}
