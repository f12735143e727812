import type { BackendOption } from '../../core/options.ts';
import { ACCOUNT_OPTIONS } from './option-tables/account.ts';
import { LISTING_OPTIONS } from './option-tables/listing.ts';
import { OBJECT_OPTIONS } from './option-tables/objects.ts';
import { IDLE_OPTIONS, REFUSED_OPTIONS } from './option-tables/rclone.ts';
import { UPLOAD_OPTIONS } from './option-tables/upload.ts';

/** The options of an S3 remote, under rclone's names, in the order in which they are asked. */
export const S3_OPTIONS: readonly BackendOption[] = [
  ...ACCOUNT_OPTIONS,
  ...OBJECT_OPTIONS,
  ...UPLOAD_OPTIONS,
  ...LISTING_OPTIONS,
  ...REFUSED_OPTIONS,
  ...IDLE_OPTIONS,
];
