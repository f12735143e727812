import type { BackendOption } from '../../../core/options.ts';
import { ACCOUNT_OPTIONS } from './account.ts';
import { IDLE_OPTIONS, LISTING_OPTIONS, OBJECT_OPTIONS } from './objects.ts';
import { UPLOAD_OPTIONS } from './upload.ts';

/** The options of an S3 remote, under rclone's names, in the order of the questions. */
export const S3_OPTIONS: readonly BackendOption[] = [
  ...ACCOUNT_OPTIONS,
  ...OBJECT_OPTIONS,
  ...UPLOAD_OPTIONS,
  ...LISTING_OPTIONS,
  ...IDLE_OPTIONS,
];
