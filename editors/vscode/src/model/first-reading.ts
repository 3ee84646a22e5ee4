/** Whether the tickets of the server were read once: before that, that there is none is not known. */
export class FirstReading {
  private isDone = false;
  private readonly waiting = new Set<(came: boolean) => void>();

  get isKnown(): boolean {
    return this.isDone;
  }

  /** All was read. */
  done(): void {
    this.isDone = true;
    this.settle(true);
  }

  /** It could not be read, which was told; another reading may follow. */
  failed(): void {
    this.settle(false);
  }

  /** Whether all was read by the end of the reading that is under way, or by then. */
  wait(mostMs: number): Promise<boolean> {
    if (this.isDone) {
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const settle = (came: boolean): void => {
        clearTimeout(timer);
        this.waiting.delete(settle);
        resolve(came);
      };
      const timer = setTimeout(settle, mostMs, false);
      this.waiting.add(settle);
    });
  }

  private settle(came: boolean): void {
    for (const one of [...this.waiting]) {
      one(came);
    }
  }
}
