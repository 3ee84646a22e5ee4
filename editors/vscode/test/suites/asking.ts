/** An agent asks; the user answers from the editor. */

import * as assert from "node:assert/strict";
import { did, dispatch, node, proposalOf, sennit, settled, shell, taskOf } from "./session";
import { until } from "./until";
import { quoted } from "./session";

export function asking(): void {
  describe("an agent's question", () => {
    it("is in the tree, is answered from there, and the agent goes on with the answer", async () => {
      const program = process.env["SUITE_PROGRAM"];
      assert.ok(program, "SUITE_PROGRAM is not set");
      const ticket = await dispatch([
        shell("asker", `answer=$(${quoted(program)} ask 'Which greeting?' --option Hi --option Hello); echo "$answer" > asked.txt`),
      ]);
      const question = await until("the task asks", async () => {
        const task = await taskOf(ticket, "asker");
        return task.state === "waiting" && (task.question ?? undefined);
      });
      assert.match((await node(`question:${question.id}`)).label, /Which greeting\?/u);
      await did("sennit.answer", { ticket, task: "asker", question: question.id, answer: "Hello" });
      await settled(ticket);
      const proposal = await proposalOf(ticket, "asker");
      const proposed = proposal.files?.find((each) => each.path === "asked.txt")?.proposedUri;
      assert.ok(proposed);
      assert.equal((await (await sennit()).request("sennit/content", { uri: proposed })).text, "Hello\n");
    });
  });
}
