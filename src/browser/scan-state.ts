/** The progress of a scan. */
export interface ScanState {
  readonly state: 'running' | 'done' | 'stopped';
  /** What is scanned: `''` for all. */
  readonly path: string;
  /** On the browser's clock, in milliseconds. */
  readonly startedMs: number;
  /** When it came to its end. */
  readonly endedMs: number | undefined;
}
