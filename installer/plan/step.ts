import type { NewFile } from '../files/installed-files.ts';

/** Where an archive comes from. */
export interface ArchiveSource {
  readonly url: string;
  /** The address of the checksums beside it. */
  readonly sumsUrl: string;
  readonly name: string;
  /** Put before addresses where the host itself does not answer with 200. */
  readonly mirrorUrl: string | undefined;
}

/** Which units are started or enabled. */
interface UnitChoice {
  readonly units: readonly string[];
  /** Comes first where the program takes a socket from systemd. */
  readonly socket?: string;
}

/** One thing to do. All paths are inside the root, but for that of an archive. */
export type InstallStep =
  | { readonly kind: 'test-connection'; readonly source: ArchiveSource }
  | { readonly kind: 'download'; readonly source: ArchiveSource }
  | { readonly kind: 'read-archive'; readonly file: string }
  /** Compares the archive with what the user, or the host, says. */
  | { readonly kind: 'verify'; readonly sha256: string | undefined }
  | { readonly kind: 'make-folder'; readonly path: string }
  | {
      readonly kind: 'place-program';
      readonly path: string;
      /** The program's name inside the archive; or the program itself, a file of the running system. */
      readonly from: { readonly entry: string } | { readonly file: string };
      readonly elfMachine: number;
      /** Whether a program that is there is replaced, or makes the step fail. */
      readonly replaces: boolean;
    }
  | ({ readonly kind: 'write-file' } & NewFile)
  | {
      readonly kind: 'write-units';
      /** For a program that takes a socket from systemd, and for one that does not. */
      readonly withSocket: readonly NewFile[];
      readonly without: readonly NewFile[];
    }
  | { readonly kind: 'reload' }
  | ({ readonly kind: 'start' } & UnitChoice)
  | ({ readonly kind: 'enable' } & UnitChoice)
  | { readonly kind: 'restart'; readonly unit: string }
  /** Removes what was kept for the way back. */
  | { readonly kind: 'tidy'; readonly folder: string }
  | {
      readonly kind: 'test-hook';
      readonly port: number;
      /** Absent: only that the server answers. */
      readonly token: string | undefined;
    }
  | { readonly kind: 'stop'; readonly units: readonly string[] }
  | { readonly kind: 'disable'; readonly units: readonly string[] }
  /** Renames what the user changed; fails if there is a file of the new name. `files`: those of the user. */
  | {
      readonly kind: 'keep';
      readonly what: string;
      readonly path: string;
      readonly as: string;
      readonly files: readonly string[];
    }
  | { readonly kind: 'delete'; readonly what: string; readonly path: string };

/** The step of one kind. */
export type StepOf<K extends InstallStep['kind']> = Extract<InstallStep, { kind: K }>;

/** What is going to be done, and what should be said about it. */
export interface InstallPlan {
  readonly steps: readonly InstallStep[];
  /** Told before anything else. */
  readonly notes: readonly string[];
}
