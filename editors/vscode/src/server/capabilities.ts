/** What this client tells of itself, and what it needs of the server. */
import type { InitializeResult, StaticFeature } from "vscode-languageclient/node";
import { isRecord } from "../model/arguments.ts";
import { PROTOCOL_VERSION } from "../protocol.ts";
import type { Problem } from "./problems.ts";

/**
 * The words of the protocol. Progress is shown by this extension, with a cancel button that tells
 * first what would be lost, so the server shall create none; texts are read by `sennit/content`.
 */
export function sennitFeature(clientId: string): StaticFeature {
  return {
    fillClientCapabilities: (capabilities) => {
      capabilities.experimental = {
        ...(isRecord(capabilities.experimental) ? capabilities.experimental : {}),
        sennit: {
          protocolVersion: PROTOCOL_VERSION,
          clientId,
          ask: true,
          review: true,
          applyReport: true,
          output: false,
        },
      };
      capabilities.window = { ...capabilities.window, workDoneProgress: false };
      delete capabilities.workspace?.textDocumentContent;
    },
    // The language client would register a reader of such texts beside ours, which is then asked first.
    preInitialize: (capabilities) => { delete capabilities.workspace?.textDocumentContent; },
    initialize: () => undefined,
    getState: () => ({ kind: "static" }),
    clear: () => undefined,
  };
}

/** Why a server that has answered `initialize` cannot be used; undefined for one that can. */
export function unusable(result: InitializeResult, command: string): Problem | undefined {
  const told: unknown = result.capabilities.experimental;
  const sennit = isRecord(told) ? told["sennit"] : undefined;
  const version = isRecord(sennit) ? sennit["protocolVersion"] : undefined;
  if (typeof version !== "string") {
    return { kind: "noSennit", command, name: result.serverInfo?.name };
  }
  return version === PROTOCOL_VERSION
    ? undefined
    : { kind: "otherVersion", command, theirs: version, ours: PROTOCOL_VERSION };
}
