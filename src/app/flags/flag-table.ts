import type { FlagDefinition } from '../../core/flag-definition.ts';
import { ACCEPTED_FLAGS } from './accepted-flags.ts';
import { BISYNC_FLAGS } from './bisync-flags.ts';
import { COMMAND_FLAGS } from './command-flags.ts';
import { CONFIG_FLAGS } from './config-flags.ts';
import { COPY_FLAGS } from './copy-flags.ts';
import { FILTER_FLAGS } from './filter-flags.ts';
import { HISTORY_FLAGS } from './history-flags.ts';
import { LISTING_FLAGS } from './listing-flags.ts';
import { LOCAL_FLAGS } from './local-flags.ts';
import { LOGGING_FLAGS } from './logging-flags.ts';
import { MOUNT_FLAGS } from './mount-flags.ts';
import { NETWORK_FLAGS } from './network-flags.ts';
import { QUEUE_FLAGS } from './queue-flags.ts';
import { REPORT_FLAGS } from './report-flags.ts';
import { RUNNING_FLAGS } from './running-flags.ts';
import { SERVE_FLAGS } from './serve-flags.ts';
import { STORE_FLAGS } from './store-flags.ts';
import { VFS_FLAGS } from './vfs-flags.ts';

/**
 * All flags, each declared once, and only if it has an effect.
 *
 * The keys are the names on the command line. If a name means something else for another command, the key starts with
 * the command: `tree-size` is `tree --size`, `rcat-size` is `rcat --size`.
 */
export const FLAGS = {
  ...(ACCEPTED_FLAGS as Readonly<Record<never, FlagDefinition>>),
  ...COPY_FLAGS,
  ...FILTER_FLAGS,
  ...LISTING_FLAGS,
  ...LOGGING_FLAGS,
  ...NETWORK_FLAGS,
  ...REPORT_FLAGS,
  ...LOCAL_FLAGS,
  ...COMMAND_FLAGS,
  ...BISYNC_FLAGS,
  ...HISTORY_FLAGS,
  ...RUNNING_FLAGS,
  ...QUEUE_FLAGS,
  ...CONFIG_FLAGS,
  ...MOUNT_FLAGS,
  ...SERVE_FLAGS,
  ...STORE_FLAGS,
  ...VFS_FLAGS,
} as const satisfies Record<string, FlagDefinition>;

type FlagKey = keyof typeof FLAGS;

type Scalar<F extends FlagDefinition> = F['type'] extends 'int' | 'float' | 'size' | 'duration'
  ? number
  : F extends { values: readonly (infer V extends string)[] }
    ? V
    : string;

type ValueOf<F extends FlagDefinition> = F extends { readonly orPercent: true }
  ? number | `${number}%` | undefined
  : F['type'] extends 'bool'
    ? boolean
    : F['type'] extends 'count'
      ? number
      : F['type'] extends 'list'
        ? readonly string[]
        : F extends { readonly default: boolean | number | string }
          ? Scalar<F>
          : Scalar<F> | undefined;

/**
 * The values of all flags, by key; flags of other commands have their defaults.
 *
 * - `bool`: false by default. `count`: how often it was given. `list`: in the given order.
 * - `size` in bytes, `duration` in milliseconds (fractions for less), `int` and `float` as numbers.
 * - `undefined` without a default and a given value, and for a size or duration of `off`; with a default, `off` is -1.
 */
export type Flags = { readonly [K in FlagKey]: ValueOf<(typeof FLAGS)[K]> };

/** Whether standard input is read as a list of files or filters (`--files-from -`). */
export function readsInput(flags: Flags): boolean {
  return Object.values(flags).some((value) => Array.isArray(value) && value.includes('-'));
}
