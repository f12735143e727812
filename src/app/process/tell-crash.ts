import { writeSync } from 'node:fs';
import { harmlessLines } from '../../core/harmless.ts';
import { nameToBytes } from '../../core/name-bytes.ts';
import { KnownSecrets } from '../log/known-secrets.ts';
import { causesOf } from '../log/log-record.ts';

/** The report of a crash: stacks of the error and its causes, not the values they carry. */
export function crashText(thrown: unknown, secrets: KnownSecrets): string {
  const text =
    thrown instanceof Error
      ? [thrown.stack ?? thrown.message, ...causesOf(thrown)].join('\n  cause: ')
      : String(thrown);
  return `${harmlessLines(secrets.hide(text))}\n`;
}

/** Ends the process after a crash, with exit code 1. */
export function tellCrash(thrown: unknown): void {
  try {
    writeSync(
      2,
      nameToBytes(crashText(thrown, new KnownSecrets(process.argv.slice(2), process.env))),
    );
  } finally {
    process.exit(1);
  }
}
