import type { ContentsState } from '../../vfs/contents/file-contents.ts';

/** What a mount tells of itself. */
export interface MountReport {
  readonly mountPoint: string;
  readonly source: string;
  readonly pid: number;
  /** When it was mounted, in milliseconds since the epoch. */
  readonly since: number;
  readonly cacheMode: string;
  /** It is about to go, and waits for uploads. */
  readonly isEnding: boolean;
  readonly state: ContentsState;
}

/** What can be asked of a mount. `unmount` goes at once; `drain-and-unmount` after pending uploads. */
export type ControlWord = 'report' | 'unmount' | 'drain-and-unmount';
