import type { ValuesOf } from '../../core/flags.ts';
import type { OpenedPass, PassContext } from '../pass.ts';
import { BACKUPS } from './backups/flags.ts';
import { CASE } from './case/flags.ts';
import { NAMES } from './names/flags.ts';
import { ORDER } from './order.ts';
import { REFERENCES } from './references/flags.ts';
import { RENAMES } from './renames/flags.ts';

/** All passes that have flags, in the order in which they are opened and take part. */
export const PASSES = [CASE, RENAMES, BACKUPS, NAMES, REFERENCES, ORDER] as const;

/** What has the properties of all members of a union. */
export type AllOf<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

export type PassRows = AllOf<(typeof PASSES)[number]['flags']>;

/** Opens the passes whose flags are given. Rejects with `usage` or `fatal` for the first bad value. */
export async function openPasses(
  flags: ValuesOf<PassRows>,
  context: PassContext,
): Promise<readonly OpenedPass[]> {
  const opened: OpenedPass[] = [];
  for (const pass of PASSES) {
    const one = await pass.open(flags, context);
    if (one !== undefined) opened.push(one);
  }
  return opened;
}
