import type { SyncerError } from '../../core/errors.ts';
import type { HashName } from '../../core/hash-names.ts';
import type { Reason } from '../../core/reason.ts';
import type { FileEntry } from '../../core/remote.ts';

/** The result of comparing hashes; `unknown` if a side has no hash of this file. */
export type HashAnswer = 'same' | 'differs' | 'unknown';

/** The common abilities of two sides. */
export interface CommonGround {
  /** The coarser precision of both sides in nanoseconds; `undefined` if a side keeps no times. */
  readonly windowNs: bigint | undefined;
  /** A hash that both have. */
  readonly hash: HashName | undefined;
}

/** A file of the source, what the destination has under its name, and the facts known about both. */
export interface Facts {
  readonly source: FileEntry;
  /** Absent: the file is new. */
  readonly dest?: FileEntry | undefined;
  readonly hashes?: HashAnswer;
  /** Sizes of 0 were confirmed. */
  readonly isSized?: boolean;
  /** The entries are what the servers returned for each file, and not of listings. */
  readonly isDetailed?: boolean;
}

/** The facts of a file that both sides have. */
export interface PairFacts extends Facts {
  readonly dest: FileEntry;
}

/** What to do about a file, and why. */
export type Verdict =
  | { readonly do: 'transfer'; readonly reason: Reason }
  /** The contents are equal: only the time of the destination's file is set. */
  | { readonly do: 'set-time'; readonly reason: Reason }
  /** Both sides stay as they are. */
  | { readonly do: 'keep'; readonly reason: Reason }
  /** Of a move: the destination stays, and the source goes. */
  | { readonly do: 'delete-source'; readonly reason: Reason }
  /** Both sides stay as they are, and that is an error. */
  | {
      readonly do: 'refuse';
      readonly reason: Reason;
      readonly error: SyncerError;
    };

/** What a rule has to know first: the caller requests it and asks again. */
export interface Needs {
  readonly needs: 'times' | 'hashes' | 'details';
}

export const NEEDS_TIMES: Needs = { needs: 'times' };
export const NEEDS_HASHES: Needs = { needs: 'hashes' };
export const NEEDS_DETAILS: Needs = { needs: 'details' };

/**
 * One reason to transfer a file or to leave it: a flag, or a protection that always holds. Rules are asked in the order
 * of their list. Those before a verdict is reached choose it; those with `of` are asked about it, and may replace it.
 */
export interface Rule {
  /** As in the list. */
  readonly name: string;
  /** Asked about every verdict that changes a side: a transfer, a new time and the deletion of a move's source alike. */
  readonly of?: 'change';
  /** What it keeps has the content of the source, or may stand for it, as in rclone: a move deletes the source then. */
  readonly sourceGoes?: true;
  /**
   * Pure; `undefined`: nothing to say.
   *
   * @param so the verdict of the rules before it; absent: none yet
   */
  judge(facts: Facts, so: Verdict | undefined): Verdict | Needs | undefined;
}

/** Whether a verdict changes a side. */
export function isChange({ do: what }: Verdict): boolean {
  return what !== 'keep' && what !== 'refuse';
}

/** The rules of a run whose flags are given, in their order. */
export class Rules {
  readonly #rules: readonly Rule[];
  readonly #isMove: boolean;
  /** @param isMove what is kept by a rule with `sourceGoes` is deleted at the source */
  constructor(rules: readonly Rule[], isMove: boolean) {
    this.#rules = rules;
    this.#isMove = isMove;
  }

  /** What the rules say about a file, or what they have to know first. Pure. */
  judge(facts: Facts): Verdict | Needs {
    const rules = this.#rules;
    let so: Verdict | undefined;
    // By index: each pair passes here, in code that V8 has not optimized yet.
    for (let at = 0; at < rules.length; at++) {
      const rule = rules[at] as Rule;
      if (!isAsked(rule, so)) continue;
      const found = rule.judge(facts, so);
      if (found === undefined) continue;
      if ('needs' in found) return found;
      const goes = this.#isMove && rule.sourceGoes === true && found.do === 'keep';
      so = goes ? { ...found, do: 'delete-source' } : found;
      if (so.do === 'keep') return so;
    }
    return so ?? NEW;
  }
}

function isAsked({ of }: Rule, so: Verdict | undefined): boolean {
  if (so === undefined) return of === undefined;
  return of === 'change' && isChange(so);
}

/** A file that only the source has. */
export const NEW: Verdict = { do: 'transfer', reason: { why: 'new' } };
