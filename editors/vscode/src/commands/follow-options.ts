/** How ended work is gone on with, where that is to be other than usual: by whom, in which session, on which text. */
import type { Context } from "../context.ts";
import { agentChoices } from "../model/agents.ts";
import { BadArgument, type Ids } from "../model/arguments.ts";
import type { Begin, FollowParams, SessionWish } from "../protocol.ts";
import { choose } from "./choosing.ts";

export type FollowOptions = Pick<FollowParams, "agent" | "session" | "begin">;

const SESSIONS: readonly SessionWish[] = ["resume", "fresh"];
const BEGINS: readonly Begin[] = ["work", "live"];

/** What a keybinding or another command has said. */
export function optionsIn(ids: Ids): FollowOptions {
  return {
    ...(ids.agent === undefined ? {} : { agent: ids.agent }),
    ...(ids.session === undefined ? {} : { session: oneOf("session", ids.session, SESSIONS) }),
    ...(ids.begin === undefined ? {} : { begin: oneOf("begin", ids.begin, BEGINS) }),
  };
}

function oneOf<T extends string>(key: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value);
  if (found === undefined) {
    throw new BadArgument(`\`${key}\` must be one of ${allowed.join(", ")}.`);
  }
  return found;
}

/** Asks for each; undefined when one of them was turned away. `former`: who has done it before. */
export async function pickOptions(context: Context, former: string): Promise<FollowOptions | undefined> {
  const agent = await pickAgent(context, former);
  if (agent === undefined) {
    return undefined;
  }
  const session = agent === former ? await pickSession() : "fresh";
  const begin = session === undefined ? undefined : await pickBegin();
  if (session === undefined || begin === undefined) {
    return undefined;
  }
  // Another agent begins a session of its own whatever is said.
  return agent === former ? { session, begin } : { agent, begin };
}

async function pickAgent(context: Context, former: string): Promise<string | undefined> {
  const others = agentChoices(await context.sync.agents()).filter((one) => one.group === "agents" && one.doer.agent !== former);
  const items = others.map((one) => ({ label: one.label, description: one.description, value: one.doer.agent ?? "" }));
  return choose("Who is to go on?", [{ label: former, description: "as before", value: former }, ...items], "");
}

function pickSession(): Promise<SessionWish | undefined> {
  return choose<SessionWish>("In which session?", [
    { label: "go on with the earlier one", description: "where the agent can", value: "resume" },
    { label: "begin a new one", description: "which is told what was done before", value: "fresh" },
  ], "");
}

function pickBegin(): Promise<Begin | undefined> {
  return choose<Begin>("On which text?", [
    { label: "your text with the earlier proposal", description: "as usual", value: "work" },
    { label: "your text alone", description: "the earlier proposal is left out", value: "live" },
  ], "");
}
