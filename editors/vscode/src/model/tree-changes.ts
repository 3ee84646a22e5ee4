/** What has changed between two trees, so that only that is drawn anew. */
import type { TreeNode } from "./tree-node.ts";

/** Ids of the topmost lines that differ; "all" where the roots are others than before. */
export function changedNodes(before: readonly TreeNode[], after: readonly TreeNode[]): "all" | readonly string[] {
  if (!haveSameIds(before, after)) {
    return "all";
  }
  return after.flatMap((node, index) => changesOf(before[index], node));
}

function changesOf(before: TreeNode | undefined, after: TreeNode): readonly string[] {
  if (before === after) {
    return [];
  }
  if (before === undefined || !looksSame(before, after) || !haveSameIds(before.children, after.children)) {
    return [after.id];
  }
  return after.children.flatMap((child, index) => changesOf(before.children[index], child));
}

function looksSame(before: TreeNode, after: TreeNode): boolean {
  return JSON.stringify({ ...before, children: [] }) === JSON.stringify({ ...after, children: [] });
}

function haveSameIds(before: readonly TreeNode[], after: readonly TreeNode[]): boolean {
  return before.length === after.length && after.every((node, index) => node.id === before[index]?.id);
}

/** Every line by its id. */
export function byId(roots: readonly TreeNode[]): ReadonlyMap<string, TreeNode> {
  const found = new Map<string, TreeNode>();
  const add = (node: TreeNode): void => {
    found.set(node.id, node);
    node.children.forEach(add);
  };
  roots.forEach(add);
  return found;
}
