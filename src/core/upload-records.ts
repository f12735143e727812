/** What identifies an unfinished upload, and when it may be resumed. */
export interface UploadHead {
  /** `Remote.storeId` of the destination. */
  readonly store: string;
  /** Below the root of the server or drive, in its own names. */
  readonly path: string;
  /** The server's ID of the upload, or the URL of its session: a secret. */
  readonly id: string;
  /** Of every part but the last, in bytes. */
  readonly partSize: number;
  /** Of the file, in bytes. */
  readonly size: number;
  /** `WriteSource.fingerprint`. */
  readonly source: string;
  /** Whatever else the object gets from this upload, in one text without secrets. */
  readonly options: string;
  /** What else the backend must know to continue. */
  readonly how?: string;
}

/** A part that the server has confirmed. */
export interface RecordedPart {
  /** From 1. */
  readonly number: number;
  /** In bytes. */
  readonly size: number;
  readonly etag: string;
  /** In hexadecimal; `''` if the part was sent with its CRC-32. */
  readonly md5: string;
  readonly crc32?: number | undefined;
}

/** The record of one upload. It belongs to this process until it is released or deleted. Its methods never reject. */
export interface UploadRecord {
  readonly head: UploadHead;
  /** The parts of earlier runs. */
  readonly parts: readonly RecordedPart[];
  add(part: RecordedPart): Promise<void>;
  /** Leaves it to the next attempt or run; `false` if there is nothing to leave. */
  release(): Promise<boolean>;
  delete(): Promise<void>;
}

/** Records of unfinished uploads, on disk: an upload belongs to one process until it ends. No method rejects. */
export interface UploadRecords {
  /** Takes over the records of uploads to a place whose process has ended, the newest first. */
  take(store: string, path: string): Promise<UploadRecord[]>;
  /** Takes over those of uploads to a server or drive that nothing has been added to for a week. */
  takeOld(store: string): Promise<UploadRecord[]>;
  create(head: UploadHead): Promise<UploadRecord>;
  /** What is recorded, for one server or drive or for all, also of running processes. */
  list(store?: string): Promise<readonly ListedRecord[]>;
}

export interface ListedRecord extends Pick<UploadRecord, 'head' | 'parts'> {
  /** When something was added last, in milliseconds since the epoch. */
  readonly touchedMs: number;
  /** Its process has not ended, as far as that is known. */
  readonly isRunning: boolean;
}

/** How long an unfinished upload is kept to be resumed, in days. */
export const KEPT_DAYS = 7;

/** Where a backend gets the records of a run. Absent with `--no-resume`, and for a user without a home. */
export interface UploadRecordsAccess {
  readonly open: () => Promise<UploadRecords>;
  /** Smaller files, and uploads of which less is stored, start from the beginning; in bytes. */
  readonly from: number;
}
