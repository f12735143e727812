import { open } from 'node:fs/promises';
import { SyncerError } from '../../core/errors.ts';
import { nameToBytes } from '../../core/name-bytes.ts';
import type { CheckReports } from '../../sync/check-report.ts';
import type { Invocation } from '../command.ts';

const REPORT_FLAGS = [
  'combined',
  'match',
  'differ',
  'missing-on-src',
  'missing-on-dst',
  'error',
] as const;

/** The reports of a check, and how to close them. */
export interface OpenReports {
  readonly writers: CheckReports;
  /** Closes the files after all lines were written. */
  close(): Promise<void>;
}

/** Opens the report files of `check`; `-` is standard output. */
export async function openReports({ flags, out }: Invocation): Promise<OpenReports> {
  const files: { close(): Promise<void> }[] = [];
  const writers: Record<string, (line: string) => Promise<void>> = {};
  for (const flag of REPORT_FLAGS) {
    const path = flags[flag];
    if (path === undefined || path === '') continue;
    if (path === '-') {
      writers[flag] = (line) => out.write(line);
      continue;
    }
    const file = await open(path, 'w').catch((cause: Error) => {
      throw new SyncerError('other', `can't open the report --${flag} ${path}: ${cause.message}`, {
        cause,
      });
    });
    files.push(file);
    const stream = file.createWriteStream();
    writers[flag] = (line) =>
      new Promise((resolve, reject) => {
        stream.write(nameToBytes(line), (error) => (error == null ? resolve() : reject(error)));
      });
  }
  return {
    writers,
    close: async () => {
      await Promise.allSettled(files.map((file) => file.close()));
    },
  };
}
