import { type Backend, describable } from './backend.ts';
import { drive } from './drive/index.ts';
import { local } from './local/index.ts';
import { memory } from './memory/index.ts';
import { rclone } from './rclone/index.ts';
import { s3 } from './s3/index.ts';

/** All backends, without their code. */
export const BACKENDS: readonly Backend[] = [s3, drive, local, memory, rclone].map(describable);
