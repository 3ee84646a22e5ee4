/** What was typed and not sent; offered again where it is asked for the next time. */
export class Drafts {
  private readonly kept = new Map<string, readonly string[]>();

  keep(of: string, texts: readonly string[]): void {
    if (texts.some((text) => text.trim() !== "")) {
      this.kept.set(of, texts);
    }
  }

  /** Looking at it does not lose it; sending does. */
  of(name: string): readonly string[] {
    return this.kept.get(name) ?? [];
  }

  sent(name: string): void {
    this.kept.delete(name);
  }
}
