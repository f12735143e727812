import type { CommandLineCase } from '../support/command-line-case.ts';
import { FLAG_CASES } from './flag-cases.ts';
import { IGNORE_CASE_CASES } from './ignore-case-cases.ts';
import { LOSS_CASES } from './loss-cases.ts';
import { NEWER_CASES, NEWER_CODES } from './newer-cases.ts';
import { REFERENCE_DIR_CASES } from './reference-dir-cases.ts';
import { SYNC_CASES } from './sync-cases.ts';

/** Tables of command lines by the names of their records. */
export const COMMAND_LINE_TABLES: Readonly<
  Record<string, Readonly<Record<string, CommandLineCase>>>
> = {
  sync: SYNC_CASES,
  flags: FLAG_CASES,
  newer: NEWER_CASES,
  'newer-codes': NEWER_CODES,
  'reference-dirs': REFERENCE_DIR_CASES,
  'ignore-case': IGNORE_CASE_CASES,
  losses: LOSS_CASES,
};

/** The configuration of a case has `s3:` with this. */
export const S3_DESCRIPTION = { description: 'one two' };
