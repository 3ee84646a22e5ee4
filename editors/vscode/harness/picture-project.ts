/** The small project of the pictures, and an agent for it that needs no network and always does the same. */

import type { Files } from './scene.ts';

const DURATIONS = `"""Durations, read and written as people do."""

UNITS = {"s": 1, "m": 60, "h": 3600}


def parse(text):
    number, unit = text[:-1], text[-1]
    return int(number) * UNITS[unit]


def spell(seconds):
    for unit, size in sorted(UNITS.items(), key=lambda item: -item[1]):
        if seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def total(texts):
    result = 0
    for text in texts:
        result = result + parse(text)
    return result
`;

export const PROJECT: Files = {
  'durations.py': DURATIONS,
  'test_durations.py': 'from durations import parse\n\n\ndef test_minutes_are_seconds():\n    assert parse("5m") == 300\n',
  'README.md': '# Durations\n\nReads `5m` and writes it again.\n',
};

export const TASKS = [
  'Refuse durations that cannot be read, and shorten total()',
  'Write a test for spell()',
  'Accept days, and a duration without a unit',
  'Describe the module in the README',
] as const;

export const AGENT = `import pathlib, sys, time

def change(name, *pairs):
    path = pathlib.Path(name)
    text = path.read_text() if path.exists() else ""
    for before, after in pairs:
        assert before in text, before
        text = text.replace(before, after, 1)
    path.write_text(text)

word = sys.argv[1].split()[0]
if word == "Refuse":
    change("durations.py",
        ("    number, unit = text[:-1], text[-1]\\n    return int(number) * UNITS[unit]\\n",
         "    number, unit = text[:-1], text[-1:]\\n    if unit not in UNITS or not number.isdigit():\\n"
         "        raise ValueError(f\\"no duration: {text!r}\\")\\n    return int(number) * UNITS[unit]\\n"),
        ("    result = 0\\n    for text in texts:\\n        result = result + parse(text)\\n    return result\\n",
         "    return sum(parse(text) for text in texts)\\n"))
elif word == "Write":
    change("test_durations.py",
        ("import parse\\n", "import parse, spell\\n"),
        ("    assert parse(\\"5m\\") == 300\\n",
         "    assert parse(\\"5m\\") == 300\\n\\n\\ndef test_whole_minutes_are_spelt_as_minutes():\\n    assert spell(300) == \\"5m\\"\\n"))
elif word == "Accept":
    change("durations.py",
        ("\\"h\\": 3600}", "\\"h\\": 3600, \\"d\\": 86400}"),
        ("    number, unit = text[:-1], text[-1]\\n",
         "    if text.isdigit():\\n        text += \\"s\\"\\n    number, unit = text[:-1], text[-1]\\n"))
else:
    print("reading durations.py", flush=True)
    time.sleep(600)
`;
