/** Where a login is kept. Its text is that of `formatToken`. */
export interface TokenPlace {
  /** The text as it is there now; `undefined` where there is none. */
  read(): Promise<string | undefined>;
  /** Replaces the text, and nothing else of what is kept there. */
  write(text: string): Promise<void>;
  /**
   * Runs `work` while no other process that uses the same place runs its own. Where the place cannot be locked,
   * `work` runs all the same.
   */
  alone<T>(work: () => Promise<T>): Promise<T>;
}
