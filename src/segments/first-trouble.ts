/** Reports the first trouble with a cache, and no other: without the cache a run only takes longer. */
export class FirstTrouble {
  readonly #report: (error: unknown) => void;
  #isReported = false;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  /** Does something that may fail. */
  try(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.note(error);
    }
  }

  note(error: unknown): void {
    if (!this.#isReported) this.#report(error);
    this.#isReported = true;
  }
}
