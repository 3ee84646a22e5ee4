/** Asks who is to do a task. */
import * as vscode from "vscode";
import type { Context } from "../context.ts";
import { type AgentChoice, type Doer, agentChoices, doerName } from "../model/agents.ts";

/** Who was chosen, or that more than that is to be said, in a form. */
export type Chosen = { readonly doer: Doer } | { readonly form: Doer };

interface Item extends vscode.QuickPickItem {
  readonly choice?: AgentChoice;
  readonly form?: true;
}

const MORE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("settings-gear"), tooltip: "With model, budget, role and more…" };
const FORM: Item = { label: "$(edit) Write Tasks…", detail: "a text with role, model, budget and order for each", form: true };

/** The agent of the setting where it can be used, else one to choose; undefined when it was closed. */
export async function pickDoer(context: Context): Promise<Chosen | undefined> {
  const listed = await context.sync.agents();
  const preferred = vscode.workspace.getConfiguration("sennit").get<string>("defaultAgent", "");
  if (listed.agents.some((agent) => agent.name === preferred && agent.usable)) {
    return { doer: { agent: preferred } };
  }
  const chosen = await pick(agentChoices(listed));
  if (chosen !== undefined && "choice" in chosen && chosen.choice.problem !== undefined) {
    void context.notices.warning(`${doerName(chosen.choice.doer)} cannot be used: ${chosen.choice.problem}`);
    return undefined;
  }
  return chosen !== undefined && "choice" in chosen ? { doer: chosen.choice.doer } : chosen;
}

type Picked = { readonly choice: AgentChoice } | { readonly form: Doer };

function pick(choices: readonly AgentChoice[]): Promise<Picked | undefined> {
  const list = vscode.window.createQuickPick<Item>();
  Object.assign(list, { title: "Dispatch", placeholder: "Which agent is to do it?", matchOnDescription: true, ignoreFocusOut: true, items: itemsOf(choices) });
  return new Promise((resolve) => {
    const end = (picked: Picked | undefined): void => {
      // First, since a list that is disposed of is hidden by that.
      resolve(picked);
      list.dispose();
    };
    list.onDidAccept(() => {
      const [item] = list.selectedItems;
      if (item !== undefined) {
        end(item.choice === undefined ? { form: {} } : { choice: item.choice });
      }
    });
    list.onDidTriggerItemButton(({ item }) => { end({ form: item.choice?.doer ?? {} }); });
    list.onDidHide(() => { end(undefined); });
    list.show();
  });
}

function itemsOf(choices: readonly AgentChoice[]): Item[] {
  const items: Item[] = [];
  let group: string = "agents";
  for (const choice of choices) {
    if (choice.group !== group) {
      group = choice.group;
      items.push({ label: group, kind: vscode.QuickPickItemKind.Separator });
    }
    const { label, description, problem } = choice;
    items.push({ label, description, choice, ...(problem === undefined ? { buttons: [MORE] } : { detail: problem }) });
  }
  return [...items, { label: "", kind: vscode.QuickPickItemKind.Separator }, FORM];
}
