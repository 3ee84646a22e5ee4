/** What the server says of the machine, the repository and the agents, as a text for people. */
import type { AgentView, AgentsResult, DoctorLine } from "../protocol.ts";
import { noticeLines } from "./remarks.ts";

const MARKS = { good: "✓", warning: "!", bad: "✗" } as const;

/** What is wrong stands first, each with what to do. */
export function doctorText(lines: readonly DoctorLine[], listed: AgentsResult): string {
  const wrong = lines.filter((line) => line.health !== "good");
  const good = lines.filter((line) => line.health === "good");
  return [
    wrong.length === 0 ? "Machine and repository: nothing is wrong." : "Machine and repository: to look at",
    "",
    ...[...wrong, ...good].flatMap(lineOf),
    "",
    "Agents",
    "",
    ...agentLines(listed),
    "",
  ].join("\n");
}

function lineOf({ area, health, message, advice }: DoctorLine): readonly string[] {
  return [`${MARKS[health]} ${area}: ${message}`, ...(advice ? [`    ${advice}`] : [])];
}

/** Those that are known to Sennit and not installed are named in one line. */
function agentLines({ agents, notices }: AgentsResult): readonly string[] {
  const absent = agents.filter((agent) => !agent.usable && agent.builtIn === true && agent.found === false);
  return [
    ...agents.filter((agent) => !absent.includes(agent)).map(agentLine),
    ...noticeLines(notices).map((line) => `! ${line}`),
    ...(absent.length > 0 ? [`known to Sennit, but not installed: ${absent.map((agent) => agent.name).join(", ")}`] : []),
  ];
}

function agentLine(agent: AgentView): string {
  return agent.usable ? `✓ ${agent.name} (${agent.program ?? agent.kind})` : `! ${agent.name}: ${agent.problem ?? "is not usable"}`;
}
