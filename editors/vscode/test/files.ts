/** The files of the repository that the suites in the extension host work in; each suite has its own. */

/** `count` lines that can be told apart: "name 1" to "name N". */
export function lines(name: string, count: number, ending = "\n"): string {
  return Array.from({ length: count }, (_, index) => `${name} ${String(index + 1)}${ending}`).join("");
}

export const HOST_FILES: Readonly<Record<string, string>> = {
  "letters.txt": lines("letter", 30),
  "numbers.txt": lines("number", 30),
  "unsaved.txt": lines("saved", 10),
  "typing.txt": lines("typing", 30),
  "overlap.txt": lines("overlap", 30),
  "same.txt": lines("same", 30),
  "windows.txt": lines("windows", 12, "\r\n"),
  "noend.txt": `${lines("noend", 5)}last line without its end`,
  "unopened.txt": lines("unopened", 10),
  "doomed.txt": lines("doomed", 3),
  "locked.txt": lines("locked", 5),
  "asked.txt": lines("asked", 3),
  "kept.txt": lines("kept", 10),
  "clash.txt": lines("clash", 30),
  "review.txt": lines("review", 40),
  "selected.txt": "def greet():\n    return 'hello'\n",
  "wide.txt": "smile 😀 here\nplain\nümlaut\n",
};
