import type { ModTime } from '../../core/mod-time.ts';
import type { FileEntry } from '../../core/remote.ts';
import type { ContentsKit } from './contents-kit.ts';
import type { DataFile } from './data-file.ts';
import type { Journal } from './journal.ts';
import type { CacheState, JournalRecord } from './journal-record.ts';

/** What a cached file needs of the cache that it lies in. */
export interface CacheOfFile<File> {
  readonly kit: ContentsKit;
  /** Tells this run of the machine from others. */
  readonly boot: string;
  readonly journal: Pick<Journal, 'nextNumber' | 'takesContent'>;
  readonly uploads: { cancel(file: File): void };
  readonly safety: {
    add(file: File, number: number): Promise<void>;
    addContent(length: number): Promise<void>;
  };
  /** Milliseconds since the epoch. */
  now(): number;
  put(record: JournalRecord, gone: readonly string[]): Promise<void>;
  /** State or path are another. */
  changed(file: File, oldPath?: string): void;
  /** Somebody uses it, nobody does any more, or it has no name any more. */
  used(file: File): void;
  unused(file: File): Promise<void>;
  forget(file: File, path: string | undefined): Promise<void>;
}

/** With what a cached file begins. */
export interface CachedFileStart {
  readonly id: string;
  readonly path: string;
  readonly data: DataFile;
  /** The object on the remote that holds what is not here. */
  readonly base: FileEntry | undefined;
  readonly modTime: ModTime;
  readonly state: CacheState;
  /** All of it, in base64, where the journal holds it. */
  readonly content?: string | undefined;
  /** It comes from an earlier run. */
  readonly isRecovered?: boolean;
}
