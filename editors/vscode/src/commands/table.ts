/** Every command of the extension. A failure of one is told, and never thrown at whoever called it. */
import * as vscode from "vscode";
import type { Context } from "../context.ts";
import { codeOf, textOf } from "../errors.ts";
import { ErrorCode } from "../protocol.ts";
import { answer } from "./answer.ts";
import { apply, undo } from "./apply.ts";
import { cancelTask, cancelTicket } from "./cancel.ts";
import { decide } from "./decide.ts";
import { showDetails } from "./details.ts";
import { dispatch, dispatchDiagnostic, dispatchSelection } from "./dispatch.ts";
import { dropTicket } from "./drop.ts";
import { compareRevisions, follow, followWith } from "./follow.ts";
import { dispatchForm, writeTasks } from "./form.ts";
import { materialise } from "./materialise.ts";
import { openFile, openProposal, showAgentText, showConflict, showOutput } from "./open.ts";
import { resolveConflict, takeResolutionBack } from "./resolve-conflict.ts";
import { doctor, overlaps, refresh, restartServer, showLog, trust } from "./server.ts";
import { interrupt, steer } from "./speak.ts";

type Handler = (context: Context, argument: unknown) => unknown;

export const COMMANDS: Readonly<Record<string, Handler>> = {
  "sennit.dispatch": dispatch,
  "sennit.dispatchSelection": dispatchSelection,
  "sennit.dispatchDiagnostic": dispatchDiagnostic,
  "sennit.writeTasks": () => writeTasks(),
  "sennit.dispatchForm": (context) => dispatchForm(context),
  "sennit.steer": steer,
  "sennit.interrupt": interrupt,
  "sennit.follow": follow,
  "sennit.followWith": followWith,
  "sennit.compareRevisions": compareRevisions,
  "sennit.cancelTask": cancelTask,
  "sennit.cancelTicket": cancelTicket,
  "sennit.answer": answer,
  "sennit.openProposal": openProposal,
  "sennit.openFile": openFile,
  "sennit.showAgentText": showAgentText,
  "sennit.showConflict": showConflict,
  "sennit.resolveConflict": resolveConflict,
  "sennit.takeResolutionBack": takeResolutionBack,
  "sennit.acceptUnit": (context, argument) => decide(context, "unit", "accepted", argument),
  "sennit.rejectUnit": (context, argument) => decide(context, "unit", "rejected", argument),
  "sennit.acceptFile": (context, argument) => decide(context, "file", "accepted", argument),
  "sennit.rejectFile": (context, argument) => decide(context, "file", "rejected", argument),
  "sennit.acceptProposal": (context, argument) => decide(context, "proposal", "accepted", argument),
  "sennit.rejectProposal": (context, argument) => decide(context, "proposal", "rejected", argument),
  "sennit.apply": apply,
  "sennit.undo": undo,
  "sennit.showOutput": showOutput,
  "sennit.showDetails": showDetails,
  "sennit.materialise": materialise,
  "sennit.restartServer": restartServer,
  "sennit.showLog": showLog,
  "sennit.trust": trust,
  "sennit.doctor": doctor,
  "sennit.overlaps": overlaps,
  "sennit.dropTicket": dropTicket,
  "sennit.refresh": refresh,
};

/** Menus of editors give the document that was clicked, or the tab; neither is an argument of ours. */
type Clicked = (argument: unknown) => unknown;

export function registerCommands(context: Context, clicked: Clicked): vscode.Disposable {
  const registered = Object.entries(COMMANDS).map(([name, handler]) =>
    vscode.commands.registerCommand(name, async (argument: unknown) => {
      try {
        return await handler(context, clicked(argument));
      } catch (error) {
        context.log.error(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        tell(context, error);
        return undefined;
      }
    }),
  );
  return vscode.Disposable.from(...registered);
}

const TRUST = "Manage Trust";

function tell(context: Context, error: unknown): void {
  const buttons = codeOf(error) === ErrorCode.NOT_TRUSTED ? [TRUST] : [];
  void context.notices.error(textOf(error), ...buttons).then((clicked) => {
    if (clicked === TRUST) {
      void vscode.commands.executeCommand("sennit.trust");
    }
  });
}
