import type { Fault } from '../../test/servers/fault.ts';
import type { GraphFault } from '../../test/servers/graph/graph-fault.ts';

/**
 * What a place is: a directory of this machine, a prefix in a bucket (of a store that can lie), a directory of a drive, a
 * directory behind rclone.
 */
export type PlaceKind = 'local' | 's3' | 'lied' | 'drive' | 'far';

/** A file (`[size, id, time]`), an empty directory (`dir`) or a link (`-> target`). The time is in seconds, as text. */
export type Planted = readonly [size: number, id: number, time: string] | 'dir' | `-> ${string}`;

/** What a place holds before a trial, by path. */
export type Plan = Readonly<Record<string, Planted>>;

/** What goes wrong in the first run of a trial. */
export interface CaseFault {
  /** The side whose server misbehaves. */
  readonly side: 'a' | 'b';
  /** Only requests of this operation count; all where absent. */
  readonly operation?: string;
  /** How many of them go well first, and how many fail then. */
  readonly skip: number;
  readonly count: number;
  readonly fault: Fault | GraphFault | { readonly kill: true } | { readonly lie: string };
}

/** Two names of one file; both are in the plans, with the same content and time. */
export interface HardLink {
  readonly of: readonly [side: 'a' | 'b' | 'c', path: string];
  readonly as: readonly [side: 'a' | 'b' | 'c', path: string];
}

/** One trial, whole: the same case does the same again, but for what is left to chance in the program itself. */
export interface Case {
  readonly command: string;
  readonly flags: readonly string[];
  /** The file of `a`, the file of `b`, and how many bytes are read from standard input, for commands of one file. */
  readonly path?: string;
  readonly name?: string;
  readonly size?: number;
  /** The places are folders in something, not buckets. */
  readonly within?: true;
  readonly from: PlaceKind;
  readonly to: PlaceKind;
  /** What the places hold; `undefined`: the place is not there. `c` is of the kind of `b`. */
  readonly a?: Plan;
  readonly b?: Plan;
  readonly c?: Plan;
  readonly fault?: CaseFault;
  /** What is written from outside after the first run, before the next. */
  readonly later?: { readonly side: 'a' | 'b'; readonly plan: Plan };
  /** Files of `b`, in a bucket, that are in an archive. */
  readonly archived?: readonly string[];
  /** Another file system, mounted at a directory of a place, and what it holds. Needs root. */
  readonly mounted?: { readonly side: 'a' | 'b'; readonly dir: string; readonly plan: Plan };
  /** Files with two names, of which the second is a hard link, as `cp -al` creates them. */
  readonly links?: readonly HardLink[];
  /** How many versions each file of `b` has, in a bucket that keeps them. */
  readonly versions?: number;
  /** The disk of `b` ignores case; whether the spellings of a name have one inode number. */
  readonly folds?: 'one' | 'apart';
}
