import type { BackendOption } from '../../../core/options.ts';
import { LOGIN_OPTIONS } from './login.ts';
import { PLACE_OPTIONS } from './place.ts';
import { TRANSFER_OPTIONS } from './transfer.ts';

/** The options of a drive, under rclone's names, in the order of the questions. */
export const DRIVE_OPTIONS: readonly BackendOption[] = [
  ...LOGIN_OPTIONS,
  ...PLACE_OPTIONS,
  ...TRANSFER_OPTIONS,
];
