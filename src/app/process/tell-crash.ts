import { writeSync } from 'node:fs';
import { inspect } from 'node:util';
import { harmlessLines } from '../../core/harmless.ts';
import { nameToBytes } from '../../core/name-bytes.ts';
import { redactSecrets } from '../log/redact-secrets.ts';

/** The report of a crash, without secrets. */
export function crashText(thrown: unknown): string {
  return `${harmlessLines(redactSecrets(inspect(thrown)))}\n`;
}

/** Ends the process after a crash, with exit code 1. */
export function tellCrash(thrown: unknown): void {
  try {
    writeSync(2, nameToBytes(crashText(thrown)));
  } finally {
    process.exit(1);
  }
}
