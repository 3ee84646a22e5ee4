import assert from "node:assert/strict";
import { test } from "node:test";
import { type Surroundings, candidates, commandOf } from "../src/server/find.ts";

const AROUND: Surroundings = {
  setting: [],
  pathVariable: "/usr/bin:/opt/bin",
  folders: ["/home/ada/project"],
  trusted: true,
  windows: false,
  realPath: (path) => path.replace("/link/", "/home/ada/project/"),
};

function programs(around: Partial<Surroundings>): readonly string[] {
  return candidates({ ...AROUND, ...around }).map((one) => one.argv[0]);
}

test("the setting counts alone, with all of its arguments", () => {
  const found = candidates({ ...AROUND, setting: ["/a/sennit", "serve", "--log"] });
  assert.deepEqual(found, [{ argv: ["/a/sennit", "serve", "--log"], source: "setting" }]);
});

test("without it PATH comes first, then the project's environments", () => {
  assert.deepEqual(programs({}), [
    "/usr/bin/sennit",
    "/opt/bin/sennit",
    "/home/ada/project/.venv/bin/sennit",
    "/home/ada/project/venv/bin/sennit",
  ]);
});

test("nothing of a workspace that is not trusted is looked for, by PATH neither", () => {
  const pathVariable = "/home/ada/project/bin:/usr/bin:/home/ada/project-two/bin";
  assert.deepEqual(programs({ trusted: false, pathVariable }), ["/usr/bin/sennit", "/home/ada/project-two/bin/sennit"]);
});

test("relative folders on PATH never count: they would be the workspace's", () => {
  assert.deepEqual(programs({ pathVariable: ".::bin:/usr/bin", folders: [] }), ["/usr/bin/sennit"]);
});

test("a link on PATH that leads into a workspace that is not trusted does not count", () => {
  assert.deepEqual(programs({ trusted: false, pathVariable: "/link/bin:/usr/bin" }), ["/usr/bin/sennit"]);
});

test("the setting must be a list of texts", () => {
  for (const wrong of ["sennit serve", 3, { program: "sennit" }, ["sennit", 3], [""], [null]]) {
    assert.equal(commandOf(wrong), undefined, JSON.stringify(wrong));
  }
  assert.deepEqual(commandOf(["sennit", "serve"]), ["sennit", "serve"]);
  assert.deepEqual(commandOf(null), []);
});
