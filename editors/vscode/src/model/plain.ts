/**
 * Text of agents and of repositories, made harmless for places in which VS Code reads markup.
 *
 * Notifications turn `[text](command:…)` into a link that runs a command, labels turn `$(name)` into
 * an icon. Neither may be reached by text that an agent wrote.
 */

const INVISIBLE = "\u200b";
const CONTROLS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/** One line in which nothing is a link or an icon. */
export function plainLine(text: string, most = 300): string {
  const line = text.replace(CONTROLS, " ").trim();
  const cut = line.length <= most ? line : `${line.slice(0, most - 1)}…`;
  return cut.replaceAll("](", `]${INVISIBLE}(`).replaceAll("$(", `$${INVISIBLE}(`);
}

/** The same for a text of several lines, as a dialog shows it. */
export function plainLines(text: string, most = 1_000): string {
  return text.split("\n").map((line) => plainLine(line, most)).join("\n");
}
