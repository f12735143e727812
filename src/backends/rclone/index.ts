import type { Backend } from '../backend.ts';
import { RCLONE_TYPES } from './served-types.ts';

/** Every type of remote that syncer has no backend for: the rclone that is installed opens it. */
export const rclone: Backend = {
  type: 'rclone',
  aliases: RCLONE_TYPES,
  servesOthers: true,
  summary: 'Every other type of remote, through the rclone that is installed.',
  options: [],
  load: () => import('./rclone-remote.ts'),
};
