/** VS Code's names of encodings, as the rest of the world writes them. */

const SPECIAL: Readonly<Record<string, string>> = {
  utf8: "utf-8",
  utf8bom: "utf-8",
  utf16le: "utf-16-le",
  utf16be: "utf-16-be",
  macroman: "mac-roman",
  shiftjis: "shift_jis",
  eucjp: "euc_jp",
  euckr: "euc_kr",
  gb2312: "gb2312",
  koi8r: "koi8-r",
  koi8u: "koi8-u",
  koi8ru: "koi8-u",
  koi8t: "koi8_t",
};

/** Such as `windows1252` → `windows-1252`, `iso88591` → `iso-8859-1`. */
export function encodingName(name: string): string {
  const special = SPECIAL[name];
  if (special !== undefined) {
    return special;
  }
  return name.replace(/^iso8859(\d+)$/u, "iso-8859-$1").replace(/^windows(\d+)$/u, "windows-$1");
}

/** Whether VS Code writes a byte-order mark with this encoding. */
export function hasMark(name: string): boolean {
  return name === "utf8bom" || name === "utf16le" || name === "utf16be";
}
