/** One line of the tree of tickets. */
import type { Ids } from "./arguments.ts";
import type { Icon } from "./words.ts";

export type NodeKind = "ticket" | "task" | "question" | "held" | "followed" | "proposal" | "file" | "unit" | "conflict" | "more";

export interface TreeNode {
  readonly id: string;
  readonly kind: NodeKind;
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
  readonly contextValue: string;
  readonly icon: Icon | undefined;
  /** Icon and name of the file that the line is about. */
  readonly file: string | undefined;
  readonly state: "leaf" | "collapsed" | "expanded";
  readonly children: readonly TreeNode[];
  /** Given to commands. */
  readonly ids: Ids;
  /** What a click does. */
  readonly command: string | undefined;
}

/** A line of which nothing but its name is said. */
export const LEAF = {
  tooltip: "",
  icon: undefined,
  file: undefined,
  state: "leaf",
  children: [],
  ids: {},
  command: undefined,
} as const;
