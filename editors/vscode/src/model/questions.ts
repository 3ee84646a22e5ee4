/** What agents ask and nobody has answered. */
import type { Question, TaskView } from "../protocol.ts";
import { isFinalTask } from "./store.ts";

/** Oldest first; an agent may ask several things at once. */
export function openQuestions(task: TaskView): readonly Question[] {
  const all = task.questions ?? (task.question ? [task.question] : []);
  return isFinalTask(task) ? [] : all.filter((one) => !one.answer);
}
