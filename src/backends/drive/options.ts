import type { BackendOption } from '../../core/options.ts';
import { LOGIN_OPTIONS } from './option-tables/login.ts';
import { PLACE_OPTIONS } from './option-tables/place.ts';
import { TRANSFER_OPTIONS } from './option-tables/transfer.ts';

/** The options of a drive, under rclone's names, in the order in which they are asked. */
export const DRIVE_OPTIONS: readonly BackendOption[] = [
  ...LOGIN_OPTIONS,
  ...PLACE_OPTIONS,
  ...TRANSFER_OPTIONS,
];
