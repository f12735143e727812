import type { CheckReports } from '../../sync/check-report.ts';
import type { Invocation } from '../command.ts';
import { type OutputFile, openOutputFile } from './output-file.ts';

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
  const files: OutputFile[] = [];
  const writers: Record<string, (line: string) => Promise<void>> = {};
  for (const flag of REPORT_FLAGS) {
    const path = flags[flag];
    if (path === undefined || path === '') continue;
    let target = out;
    if (path !== '-') {
      const file = await openOutputFile(path, `the report --${flag} ${path}`);
      files.push(file);
      target = file;
    }
    writers[flag] = (line) => target.write(line);
  }
  return {
    writers,
    close: async () => {
      await Promise.allSettled(files.map((file) => file.close()));
    },
  };
}
