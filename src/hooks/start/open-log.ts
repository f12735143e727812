import { openSync } from 'node:fs';

/** Where the log goes. */
export interface LogChoice {
  readonly verbose: boolean;
  /** Appended to; empty: standard error. */
  readonly file: string;
}

/** The descriptor that the log is written to; none where nobody wants it. Throws an error of the file system. */
export function openLog({ verbose, file }: LogChoice): number | undefined {
  if (!verbose) return undefined;
  return file === '' ? 2 : openSync(file, 'a', 0o666);
}
