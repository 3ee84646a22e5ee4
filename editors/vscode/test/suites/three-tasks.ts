/** The main job: three tasks at once, two reviewed and applied, the third in conflict, and back again. */

import * as assert from "node:assert/strict";
import { HOST_FILES } from "../files";
import { Gate } from "./gate";
import {
  apply, did, dispatch, node, proposalOf, sennit, settled, shell, undo, unitsOf,
} from "./session";
import { buffer, closeAll, editorUndo, onDisk, opened, withLine } from "./text";
import { until } from "./until";
import type { ApplicationView } from "../../src/protocol";

const LETTERS = HOST_FILES["letters.txt"] ?? "";
const NUMBERS = HOST_FILES["numbers.txt"] ?? "";
const APPLIED = { letters: withLine(LETTERS, 2, "LETTER TWO"), numbers: withLine(NUMBERS, 5, "NUMBER FIVE") };

export function threeTasks(): void {
  describe("three tasks by real programs", () => {
    let gate: Gate;
    let ticket: string;
    let application: ApplicationView;
    let taken: ApplicationView;

    before(async () => {
      gate = await Gate.make();
      await opened("numbers.txt");
      await opened("letters.txt");
    });
    after(closeAll);

    it("are dispatched at once and all run", async () => {
      const upper = "sed -i -e 's/^letter 2$/LETTER TWO/' -e 's/^letter 20$/LETTER TWENTY/' letters.txt";
      ticket = await dispatch([
        shell("upper", gate.script(`${upper}; echo half of it is done`, "echo done")),
        shell("five", "sed -i 's/^number 5$/NUMBER FIVE/' numbers.txt"),
        shell("clash", "sed -i 's/^letter 2$/zwei/' letters.txt"),
      ], { label: "three" });
      await gate.reached();
      assert.match((await node(`ticket:${ticket}`)).label, /three/u);
      await node(`task:${ticket}/upper`, (found) => found.contextValue === "task-running");
    });

    it("show their progress in the tree while they run", async () => {
      const found = await node(`task:${ticket}/upper`, (each) => each.description.includes("half of it is done"));
      assert.equal(found.contextValue, "task-running");
    });

    it("leave two proposals that go together and one that does not", async () => {
      await gate.open();
      const view = await settled(ticket);
      assert.equal(view.state, "partial");
      const found = await Promise.all(["upper", "five", "clash"].map((task) => proposalOf(ticket, task)));
      assert.deepEqual(found.map((each) => each.summary.integration), ["clean", "clean", "conflict"]);
      await node(`proposal:${found[0]?.summary.id ?? ""}`, (each) => each.children.length > 0);
    });

    it("change nothing before they are applied", async () => {
      assert.deepEqual([await buffer("letters.txt"), await buffer("numbers.txt")], [LETTERS, NUMBERS]);
      assert.deepEqual([onDisk("letters.txt"), onDisk("numbers.txt")], [LETTERS, NUMBERS]);
    });

    it("are applied without the one hunk that was rejected, byte for byte", async () => {
      const upper = await proposalOf(ticket, "upper");
      const [first, second] = unitsOf(upper);
      assert.ok(first !== undefined && second !== undefined && unitsOf(upper).length === 2);
      await did("sennit.rejectUnit", { proposal: upper.summary.id, unit: second.id });
      await did("sennit.acceptUnit", { proposal: upper.summary.id, unit: first.id });
      await did("sennit.acceptProposal", { proposal: (await proposalOf(ticket, "five")).summary.id });
      await node(`unit:${second.id}`, (each) => each.contextValue === "unit-rejected");
      application = await apply(ticket);
      assert.equal(application.state, "applied");
      assert.deepEqual([await buffer("letters.txt"), await buffer("numbers.txt")], [APPLIED.letters, APPLIED.numbers]);
    });

    it("show in the tree what was applied", async () => {
      await node(`proposal:${(await proposalOf(ticket, "five")).summary.id}`, (each) => /applied/iu.test(each.contextValue));
    });

    it("come back by undo, byte for byte", async () => {
      taken = await undo(application);
      assert.equal(taken.state, "applied");
      assert.deepEqual([await buffer("letters.txt"), await buffer("numbers.txt")], [LETTERS, NUMBERS]);
    });

    it("come again by undoing the undo, and go by the editor's own undo", async () => {
      await undo(taken);
      assert.equal(await buffer("letters.txt"), APPLIED.letters);
      await editorUndo("letters.txt");
      assert.equal(await buffer("letters.txt"), LETTERS);
    });

    it("show the conflict of the third with what collides", async () => {
      const clash = await proposalOf(ticket, "clash");
      const conflict = clash.conflicts?.[0];
      assert.equal(conflict?.path, "letters.txt");
      const shown = await node(`conflict:${clash.summary.id}:${conflict.uri}`);
      assert.match(`${shown.label} ${shown.description}`, /letters\.txt/u);
    });

    it("no message of an error was shown", async () => {
      const api = await sennit();
      await until("the state is running", () => api.state.name === "running");
      assert.deepEqual(api.notices.filter((each) => each.severity === "error"), []);
    });
  });
}
