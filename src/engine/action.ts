import type { TransferKind } from '../core/events.ts';
import type { ModTime } from '../core/mod-time.ts';
import type { Reason } from '../core/reason.ts';
import type { DirEntry, FileEntry, Op, Remote } from '../core/remote.ts';

/** What a run does with the files of the source. */
export type Verb = 'copy' | 'sync' | 'move';

/** Both sides of a run. */
export interface Sides {
  readonly source: Remote;
  readonly dest: Remote;
}

/** A file that is on at least one side. */
export interface FilePair {
  readonly source?: FileEntry;
  readonly dest?: FileEntry;
  /** Path of the source's file at the destination, if names are changed on the way. */
  readonly path?: string;
}

/** A file on both sides. */
export interface BothSides {
  readonly source: FileEntry;
  readonly dest: FileEntry;
}

/** A directory that is on at least one side. */
export interface DirPair {
  readonly source?: DirEntry;
  readonly dest?: DirEntry;
  /** As in `FilePair`. */
  readonly path?: string;
}

/** Returns pairs whose entries of the destination may have other names than listed. */
export interface Fixer {
  files(pairs: readonly FilePair[]): Promise<readonly FilePair[]>;
  dirs(pairs: readonly DirPair[]): Promise<DirPair[]>;
}

/** A file that has the content of one of the source. */
export interface EqualFile {
  readonly remote: Remote;
  readonly file: FileEntry;
  /** It has the content and the time of that file for sure. */
  readonly isSure: boolean;
}

/** A file on the destination's remote that equals the one to transfer. */
export interface CopyFrom extends EqualFile {
  /** The source file is deleted after the copy. */
  readonly deletesSource: boolean;
}

/** A file that is copied or moved from the source to the destination. */
export interface Transfer {
  readonly do: 'copy' | 'move';
  /** As it was listed. */
  readonly source: FileEntry;
  /** Path at the destination. */
  readonly path: string;
  /** The file of the destination that it replaces, as it was listed; it may have another name. */
  readonly replaces?: FileEntry | undefined;
  /** Why it replaces the other one. */
  readonly reason?: Reason | undefined;
  /** A file to copy server-side instead of the source (`--copy-dest`). */
  readonly from?: CopyFrom;
  /** Its new name is worth saying. */
  readonly isRenamed?: boolean;
  /** Less than its size may be sent; see `Capabilities.mayCopyParts`. */
  readonly mayCopyParts?: true;
}

/**
 * A change that was decided about and is not made yet, with the entries as they were seen: each is asked about just
 * before it is made, and can be shown, counted, chosen and saved.
 */
export type Action = (
  | Transfer
  /** A file that goes. */
  | {
      readonly do: 'delete';
      readonly file: FileEntry;
      /** It is one of the source, and the destination has it. */
      readonly side?: 'source';
      /** It is moved into the backup instead. */
      readonly keeps?: boolean;
    }
  /** A file or directory that gets another name on its side. */
  | {
      readonly do: 'rename';
      /** Its path, or the title of the remote of which it is the root. */
      readonly path: string;
      readonly to?: string;
      /** Of a file; absent for a directory. */
      readonly file?: FileEntry;
      /** The file of the other side that has the new name (`--track-renames`). */
      readonly source?: FileEntry;
      /** It only protects another change, which is asked about by itself: the replaced file goes into the backup. */
      readonly isBackup?: true;
    }
  /** A file that gets another time. */
  | {
      readonly do: 'set-time';
      readonly file: FileEntry;
      readonly modTime: ModTime;
      /** The file that has this time. */
      readonly source?: FileEntry;
      readonly reason?: Reason;
    }
  /** A directory that is made, or deleted if it is empty. */
  | {
      readonly do: 'make-dir' | 'remove-dir';
      /** `''` for the root. */
      readonly path: string;
      /** Of the remote, for its root. */
      readonly title?: string;
      /** A shortcut, which goes without what is in its directory. */
      readonly isShortcut?: true;
    }
  /** A directory whose time or metadata are set, which completes other changes. */
  | {
      readonly do: 'set-dir';
      readonly path: string;
      readonly title?: string;
      /** In bytes, if the remote gives one. */
      readonly size?: number;
      readonly setsMetadata?: boolean;
    }
  /** A file that both sides of a two-way sync have changed, or that has to make room for a directory. */
  | {
      readonly do: 'settle';
      readonly source?: FileEntry;
      readonly dest?: FileEntry;
      /** Which keeps its name by the rule. */
      readonly winner?: 1 | 2 | undefined;
    }
  /** What a single command does beside transfers and deletions, in its own words: `abort the upload of`. */
  | {
      readonly do: 'other';
      readonly words: string;
      readonly about: string;
      /** In bytes. */
      readonly size?: number;
    }
) & {
  /** Of a two-way sync: which of its two paths is changed. */
  readonly toPath?: 1 | 2;
};

/** Whether an action only protects another one, which is asked about and counted by itself. */
export function isBackup(action: Action): boolean {
  return action.do === 'rename' && action.isBackup === true;
}

/** An action in rclone's words: of what, and how large, in bytes; -1 unknown. */
interface ShownAction {
  readonly words: string;
  readonly about: string;
  readonly size: number;
  /** The new path of a file. */
  readonly to?: string;
  /** Less than the size may be sent. */
  readonly isAtMost?: true;
}

/** What an action is called in the log and in questions. */
export function shownAction(action: Action): ShownAction {
  switch (action.do) {
    case 'copy':
    case 'move': {
      const { path: about, size } = action.source;
      const most = action.mayCopyParts === true ? ({ isAtMost: true } as const) : {};
      const shown = { words: action.do, about, size, ...most };
      return action.do === 'move' || action.isRenamed === true
        ? { ...shown, to: action.path }
        : shown;
    }
    case 'delete': {
      const { path: about, size } = action.file;
      return { words: action.keeps === true ? 'move into backup dir' : 'delete', about, size };
    }
    case 'rename': {
      const { path: about, to, file } = action;
      if (file === undefined) return { words: 'server-side directory move', about, size: -1 };
      return { words: 'move', about, size: file.size, ...(to === undefined ? {} : { to }) };
    }
    case 'set-time': {
      const { file, source = file } = action;
      return { words: 'update modification time', about: source.path, size: file.size };
    }
    case 'settle': {
      const { path: about = '', size = -1 } = action.source ?? action.dest ?? {};
      return { words: 'settle conflict', about, size };
    }
    case 'other':
      return { words: action.words, about: action.about, size: action.size ?? -1 };
    default: {
      const { path, title = '' } = action;
      const about = path === '' ? title : path;
      if (action.do !== 'set-dir') {
        const words =
          action.isShortcut === true
            ? 'delete shortcut'
            : action.do === 'make-dir'
              ? 'make directory'
              : 'remove directory';
        return { words, about, size: -1 };
      }
      const words = action.setsMetadata
        ? 'update directory metadata'
        : 'set directory modification time';
      return { words, about, size: action.size ?? -1 };
    }
  }
}

/** What a transfer goes over. */
export interface Over {
  /** The file at its path. */
  readonly replaces?: FileEntry;
  /** What is known about the change, for the journal. */
  readonly change?: NonNullable<Op['change']>;
}

/** A file to copy or move, and its target. */
export interface CopyJob extends Sides, Over {
  readonly file: FileEntry;
  readonly path: string;
  /** How it is counted; `copy` by default. */
  readonly kind?: TransferKind;
  /** It is a step of a change that is reported by itself: a backup, a rename. */
  readonly isStep?: true;
}
