/** Who can be given a task: agents, and roles that find themselves one. */
import type { AgentView, AgentsResult } from "../protocol.ts";
import { plainLine } from "./plain.ts";

/** Who does a task, as far as the user has said. */
export interface Doer {
  readonly agent?: string;
  readonly role?: string;
}

export type Group = "agents" | "roles" | "not usable";

export interface AgentChoice {
  readonly group: Group;
  readonly label: string;
  readonly description: string;
  readonly doer: Doer;
  /** Why it cannot be chosen. */
  readonly problem: string | undefined;
}

/** Agents that can be used, then roles, then the others with the reason. */
export function agentChoices({ agents, definitions }: AgentsResult): readonly AgentChoice[] {
  // Sennit knows many agents that are not installed; the user's own are shown even if they are broken.
  const listed = agents.filter((agent) => agent.found !== false || agent.builtIn !== true);
  const usable = listed.filter((agent) => agent.usable);
  const roles = (definitions ?? []).map((role): AgentChoice => {
    const doer = usable.find((agent) => (agent.roles ?? []).includes(role.name));
    const problem = doer === undefined ? "no agent here is set to work in this role; `agents.NAME.roles` sets it" : undefined;
    return { group: problem === undefined ? "roles" : "not usable", label: plainLine(role.name), description: plainLine([role.description ?? "a role", ...(doer === undefined ? [] : [`by ${doer.name}`])].join(", ")), doer: { role: role.name }, problem };
  });
  return [
    ...usable.map((agent): AgentChoice => ({ group: "agents", label: plainLine(agent.name), description: aboutAgent(agent), doer: { agent: agent.name }, problem: undefined })),
    ...roles.filter((role) => role.problem === undefined),
    ...listed.filter((agent) => !agent.usable).map((agent): AgentChoice => ({
      group: "not usable", label: plainLine(agent.name), description: aboutAgent(agent), doer: { agent: agent.name }, problem: plainLine(agent.problem ?? "no reason is known"),
    })),
    ...roles.filter((role) => role.problem !== undefined),
  ];
}

/** The classes of model that agents which can be used have. */
export function classesOf({ agents }: AgentsResult): readonly string[] {
  return [...new Set(agents.filter((agent) => agent.usable).flatMap((agent) => agent.modelClass ?? []))];
}

function aboutAgent(agent: AgentView): string {
  return plainLine(agent.description ?? agent.kind);
}

export function doerName(doer: Doer): string {
  return doer.agent ?? doer.role ?? "";
}
