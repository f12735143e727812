import { type Backend, describable } from './backend.ts';
import { drive } from './drive/index.ts';
import { local } from './local/index.ts';
import { memory } from './memory/index.ts';
import { rclone } from './rclone/index.ts';
import { s3 } from './s3/index.ts';

/** All backends, without their code. */
export const BACKENDS: readonly Backend[] = [s3, drive, local, memory, rclone].map(describable);

/** The backends that do not go through rclone. */
export const OWN_BACKENDS: readonly Backend[] = BACKENDS.filter(
  ({ servesOthers }) => servesOthers !== true,
);

/** The types that do not go through rclone. */
export const OWN_TYPES: ReadonlySet<string> = new Set([
  ...OWN_BACKENDS.flatMap(({ type, aliases = [] }) => [type, ...aliases]),
  'alias',
]);
