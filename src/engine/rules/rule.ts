import type { HashName } from '../../core/hash-names.ts';
import type { Doing, Reason } from '../../core/reason.ts';
import type { FileEntry } from '../../core/remote.ts';
import type { EqualFile, Transfer } from '../action.ts';
import type { Run } from '../run.ts';

/** The result of comparing hashes; `unknown` if a side has no hash of this file. */
export type HashComparison = 'same' | 'differs' | 'unknown';

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
  /** Where the file goes if its own name counts, and not that of the file of the destination. */
  readonly path?: string | undefined;
  /** What is there that no listing shows, in words; known only just before a new file is written. */
  readonly unlisted?: string;
  readonly hashes?: HashComparison;
  /** Sizes of 0 were confirmed. */
  readonly isSized?: boolean;
  /** The entries are what the servers returned for each file, and not of listings. */
  readonly isDetailed?: boolean;
  /** What was decided by what both sides had before (`bisync`). */
  readonly decided?: FileVerdict;
  /** The remote could not set the time of the file. */
  readonly isTimeUnset?: true;
  /** What rules have found out by their own requests. */
  readonly looked?: ReadonlyMap<FileRule, FileVerdict | undefined>;
}

/** The facts of a file that both sides have. */
export interface PairFacts extends Facts {
  readonly dest: FileEntry;
}

/** What to do about a file, and why. */
export type FileVerdict =
  | {
      readonly do: 'transfer';
      readonly reason: Reason;
      /** How the transfer differs from the plain one of the file to its path. */
      readonly as?: Partial<Transfer>;
    }
  /** The contents are equal: only the time of the destination's file is set. */
  | { readonly do: 'set-time'; readonly reason: Reason }
  /** Both sides stay as they are. */
  | { readonly do: 'keep'; readonly reason: Reason }
  /** Of a move: the destination stays, and the source goes. */
  | {
      readonly do: 'delete-source';
      readonly reason: Reason;
      /** What has the content, if it is not the file of the destination. */
      readonly equal?: EqualFile;
    }
  /** Both sides stay as they are, and that is an error. */
  | {
      readonly do: 'refuse';
      readonly reason: Reason;
      readonly error: unknown;
      readonly doing?: Doing;
    };

/** What keeps a file that only the destination has. */
export type ExtraVerdict = Extract<FileVerdict, { do: 'keep' | 'refuse' }>;

/**
 * What a rule has to know first: the caller requests it and asks again. `look`: what only the rule itself can find out,
 * by its `look`.
 */
export interface Needs {
  readonly needs: 'times' | 'hashes' | 'details' | 'sizes' | 'look';
}

export const NEEDS_TIMES: Needs = { needs: 'times' };
export const NEEDS_HASHES: Needs = { needs: 'hashes' };
export const NEEDS_DETAILS: Needs = { needs: 'details' };
export const NEEDS_LOOK: Needs = { needs: 'look' };

/**
 * One reason to transfer a file or to leave it: a flag, or a protection that always holds. Rules are asked in the order
 * of their list. Those before a verdict is reached choose it; those with `of` are asked about it, and may replace it.
 */
export type FileRule = RuleBody & {
  /** As in the list. */
  readonly name: string;
};

/** A rule without its name. */
export type RuleBody = ChoosingRule | ChangeRule;

/** A rule that is asked about every file until one has chosen a verdict. */
interface ChoosingRule extends JudgingRule {
  readonly of?: never;
}

/** A rule that is asked about verdicts, and about names before there are any. */
interface ChangeRule extends JudgingRule {
  /**
   * `change`: asked about every verdict that changes a side: a transfer, a new time and the deletion of a move's source
   * alike. `change-or-refusal`: also about one that refuses that.
   */
  readonly of: 'change' | 'change-or-refusal';
  /** With it nothing at the destination gets another spelling of its name (`--fix-case`), no directory either. */
  readonly keepsNames: boolean;
}

interface JudgingRule {
  /**
   * What it says about a file that only the destination has, before a sync deletes it. Pure, and by its listing alone;
   * `undefined`: nothing to say. `pairs-only`: it has no word about such files.
   */
  readonly extra: 'pairs-only' | ((file: FileEntry) => ExtraVerdict | undefined);
  /** What it keeps has the content of the source, or may stand for it, as in rclone: a move deletes the source then. */
  readonly sourceGoes?: true;
  /** It has something to say about files that only the source has: no directory of them is moved by one rename. */
  readonly isForNew?: true;
  /** It protects what no listing shows, too: links that are not followed, pipes, devices. */
  readonly looksUnder?: true;
  /**
   * Pure; `undefined`: nothing to say.
   *
   * @param so the verdict of the rules before it; absent: none yet
   */
  judge(facts: Facts, so: FileVerdict | undefined): FileVerdict | Needs | undefined;
  /** What `judge` needs with `look`. Rejects with the error of the file, which then stays as it is. */
  look?(facts: Facts, so: FileVerdict, run: Run): Promise<FileVerdict | undefined>;
}

/** What a rule needs, and what those before it say. */
export interface RuleNeeds extends Needs {
  readonly rule: FileRule;
  readonly so: FileVerdict | undefined;
}

/** Whether a verdict changes a side. */
function isChange({ do: what }: FileVerdict): boolean {
  return what !== 'keep' && what !== 'refuse';
}

/** The rules of a run whose flags are given, in their order. */
export class Rules {
  readonly #rules: readonly FileRule[];
  readonly #isMove: boolean;
  /** Whether a rule has something to say about files that only the source has. */
  readonly asksNew: boolean;
  /** Whether a rule protects what no listing shows. */
  readonly looksUnder: boolean;
  /** Whether a rule has something to say about files that only the destination has. */
  readonly asksExtra: boolean;
  /** Whether a rule protects the names at the destination. */
  readonly keepsNames: boolean;

  /** @param isMove what is kept by a rule with `sourceGoes` is deleted at the source */
  constructor(rules: readonly FileRule[], isMove: boolean) {
    this.#rules = rules;
    this.#isMove = isMove;
    this.asksNew = rules.some(({ isForNew }) => isForNew === true);
    this.looksUnder = rules.some(({ looksUnder }) => looksUnder === true);
    this.asksExtra = rules.some(({ extra }) => extra !== 'pairs-only');
    this.keepsNames = rules.some((rule) => rule.of !== undefined && rule.keepsNames);
  }

  /** What keeps a file that only the destination has: the first rule that says so. `undefined`: it may be deleted. */
  judgeExtra(file: FileEntry): ExtraVerdict | undefined {
    for (const { extra } of this.#rules) {
      const found = extra === 'pairs-only' ? undefined : extra(file);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** What the rules say about a file, or what they have to know first. Pure. */
  judge(facts: Facts): FileVerdict | RuleNeeds {
    const rules = this.#rules;
    let so: FileVerdict | undefined;
    // By index: each pair passes here, in code that V8 has not optimized yet.
    for (let at = 0; at < rules.length; at++) {
      const rule = rules[at] as FileRule;
      if (!isAsked(rule, so)) continue;
      const isKnown = facts.looked?.has(rule) === true;
      const found = isKnown ? facts.looked?.get(rule) : rule.judge(facts, so);
      if (found === undefined) continue;
      if ('needs' in found) return { needs: found.needs, rule, so };
      const goes = this.#isMove && rule.sourceGoes === true && found.do === 'keep';
      so = goes ? { ...found, do: 'delete-source' } : found;
      if (so.do === 'keep') return so;
    }
    return so ?? NEW;
  }
}

function isAsked({ of }: FileRule, so: FileVerdict | undefined): boolean {
  if (so === undefined) return of === undefined;
  if (of === undefined) return false;
  return isChange(so) || (of === 'change-or-refusal' && so.do === 'refuse');
}

/** A file that only the source has. */
export const NEW: FileVerdict = { do: 'transfer', reason: { why: 'new' } };
