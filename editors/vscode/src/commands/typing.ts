/** An input box whose text is kept while it is typed, so that Escape and a withdrawal do not lose it. */
import * as vscode from "vscode";
import { plainLine } from "../model/plain.ts";

export interface Typed {
  /** Undefined when the box was closed without Enter. */
  readonly entered: string | undefined;
  /** What stood in it. */
  readonly text: string;
}

export interface Box {
  readonly title: string;
  readonly prompt: string;
  readonly value: string;
}

export function typeText({ title, prompt, value }: Box, token?: vscode.CancellationToken): Promise<Typed> {
  const box = vscode.window.createInputBox();
  Object.assign(box, { title: plainLine(title), prompt: plainLine(prompt), value, ignoreFocusOut: true });
  return new Promise((resolve) => {
    const parts: vscode.Disposable[] = [];
    const end = (entered: string | undefined): void => {
      const text = box.value;
      vscode.Disposable.from(...parts, box).dispose();
      resolve({ entered, text });
    };
    parts.push(box.onDidAccept(() => { end(box.value); }), box.onDidHide(() => { end(undefined); }));
    if (token !== undefined) {
      parts.push(token.onCancellationRequested(() => { end(undefined); }));
    }
    box.show();
  });
}
