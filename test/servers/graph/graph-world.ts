import type { CopyJob } from './copy-job.ts';
import type { DeltaEntry } from './delta-entry.ts';
import { Drive, type DriveSetup } from './drive.ts';
import type { DriveItem } from './drive-item.ts';
import type { FileContent } from './file-content.ts';
import { GraphFailure } from './graph-failure.ts';
import type { GraphSettings } from './graph-settings.ts';
import { fullId, IdWriter } from './odd-ids.ts';
import type { UploadSession } from './upload-session.ts';

/** An address from which a content can be had without a token. */
export interface DownloadGrant {
  readonly drive: Drive;
  readonly item: DriveItem;
  /** An older version; the item's present content where absent. */
  readonly content: FileContent | undefined;
  readonly expires: number;
  /** How many requests it had. */
  uses: number;
}

/** Everything the server knows. */
export class GraphWorld {
  readonly settings: GraphSettings;
  readonly drives: Drive[];
  readonly ids = new IdWriter();
  readonly sessions = new Map<string, UploadSession>();
  readonly downloads = new Map<string, DownloadGrant>();
  readonly copies = new Map<string, CopyJob>();
  /** What `delta` is sending in pages, by an id inside its tokens. */
  readonly enumerations = new Map<string, readonly DeltaEntry[]>();
  /** Delta tokens of an earlier number are gone. */
  deltaEpoch = 0;
  #ahead = 0;

  constructor(settings: GraphSettings, drives: readonly DriveSetup[]) {
    this.settings = settings;
    this.drives = drives.map((setup, number) => new Drive(setup, number, this));
  }

  /** The service's time in milliseconds. */
  now(): number {
    return Date.now() + this.#ahead;
  }

  /** Lets time pass for the service. */
  advance(seconds: number): void {
    this.#ahead += seconds * 1000;
  }

  /** The drive with an id, or 404. */
  drive(id: string): Drive {
    const full = this.settings.takesShortIds ? fullId(id) : id;
    const wanted = [id, full].map((one) => one.toLowerCase());
    const drive = this.drives.find((one) => wanted.includes(one.id.toLowerCase()));
    if (drive === undefined) {
      throw new GraphFailure(404, 'itemNotFound', 'The drive could not be found.');
    }
    return drive;
  }

  /** The signed-in user's own drives, the default one first. */
  ownDrives(): Drive[] {
    return this.drives.filter((drive) => !drive.foreign && drive.type !== 'documentLibrary');
  }

  /** The signed-in user's default drive. */
  defaultDrive(): Drive {
    const drive = this.ownDrives()[0] ?? this.drives[0];
    if (drive === undefined) throw new GraphFailure(404, 'itemNotFound', 'There is no drive.');
    return drive;
  }
}
