import { SyncerError } from '../../core/errors.ts';
import type { Reason } from '../../core/reason.ts';
import type { RuleGround } from '../file-work.ts';
import { unlistedError } from '../loss/keeper.ts';
import { comparison, proofRule, updateRule } from './comparison.ts';
import { listedSizeRule, otherSpellingRule } from './move-rules.ts';
import { type Facts, type FileRule, type FileVerdict, type RuleBody, Rules } from './rule.ts';

/** Makes a rule for a run; `undefined` without its flag. */
type PlanRule = (ground: RuleGround) => RuleBody | undefined;

/**
 * The rules about one file, in the order in which they are asked, which is that of rclone's `NeedTransfer`, `Equal` and
 * `pairChecker`. Behind them stand the rules of passes (`--compare-dest`, `--copy-dest`) and those of the caller
 * (suspects of `scrub`, choices in the browser).
 */
export const RULES = {
  'proof-failed': () => proofRule,

  '--existing': ({ options }) =>
    options.existing
      ? {
          extra: 'pairs-only',
          isForNew: true,
          judge: (facts) => (isThere(facts) ? undefined : keep({ why: 'existing' })),
        }
      : undefined,

  // A move leaves the source, as in rclone.
  '--ignore-existing': ({ options }) =>
    options.ignoreExisting
      ? {
          extra: 'pairs-only',
          looksUnder: true,
          judge({ dest, unlisted: what }) {
            if (what !== undefined) return keep({ why: 'unlisted', what });
            return dest === undefined ? undefined : keep({ why: 'ignore-existing' });
          },
        }
      : undefined,

  // By `bisync`, in the place of a comparison.
  decided: () => ({ extra: 'pairs-only', judge: ({ decided }) => decided }),

  '--ignore-times': ({ options }) =>
    options.ignoreTimes
      ? {
          extra: 'pairs-only',
          judge: ({ dest }) =>
            dest === undefined ? undefined : { do: 'transfer', reason: { why: 'ignore-times' } },
        }
      : undefined,

  '--update': ({ options, ground }) => (options.update ? updateRule(options, ground) : undefined),

  comparison: ({ options, ground }) => comparison(options, ground),

  '--no-update-modtime': ({ options }) =>
    options.noUpdateModtime
      ? {
          of: 'change',
          keepsNames: false,
          extra: 'pairs-only',
          // Only the times differ.
          sourceGoes: true,
          judge: (_, so) => (so?.do === 'set-time' ? keep(so.reason) : undefined),
        }
      : undefined,

  'time-unset': () => ({
    of: 'change',
    keepsNames: false,
    extra: 'pairs-only',
    judge: ({ isTimeUnset }, so) =>
      isTimeUnset === true && so?.do === 'set-time'
        ? { do: 'transfer', reason: so.reason }
        : undefined,
  }),

  '--immutable': ({ options }) =>
    options.immutable
      ? {
          of: 'change',
          keepsNames: true,
          extra: 'pairs-only',
          looksUnder: true,
          judge(facts, so) {
            if (so?.do === 'set-time') return refuse({ why: 'immutable-time' }, immutableFile());
            if (so?.do !== 'transfer' || !isThere(facts)) return undefined;
            return refuse({ why: 'immutable' }, immutableFile());
          },
        }
      : undefined,

  // What replaces it would not keep it.
  '--backup-dir': ({ keeper }) =>
    keeper?.aside !== undefined
      ? {
          of: 'change',
          keepsNames: false,
          extra: 'pairs-only',
          looksUnder: true,
          judge({ source, path = source.path, unlisted: what }) {
            if (what === undefined) return undefined;
            return refuse({ why: 'unlisted', what }, unlistedError(path, what));
          },
        }
      : undefined,

  'other-spelling': (ground) => (ground.verb === 'move' ? otherSpellingRule(ground) : undefined),

  'listed-size': (ground) => (ground.verb === 'move' ? listedSizeRule(ground) : undefined),
} satisfies Record<string, PlanRule>;

/** The rules of a run, once for all its files. */
export function planRules(ground: RuleGround): Rules {
  const rules = Object.entries<PlanRule>(RULES).flatMap(([name, plan]): FileRule | [] => {
    const rule = plan(ground);
    return rule === undefined ? [] : { name, ...rule };
  });
  const ofPasses = ground.options.passes.flatMap(({ rule }) => rule?.(ground) ?? []);
  return new Rules([...rules, ...ofPasses, ...(ground.moreRules ?? [])], ground.verb === 'move');
}

function isThere({ dest, unlisted }: Facts): boolean {
  return dest !== undefined || unlisted !== undefined;
}

function keep(reason: Reason): FileVerdict {
  return { do: 'keep', reason };
}

function refuse(reason: Reason, error: SyncerError): FileVerdict {
  return { do: 'refuse', reason, error };
}

/** The error of a file that `--immutable` protects and that differs between the sides. */
function immutableFile(): SyncerError {
  const message = 'Source and destination exist but do not match: immutable file modified';
  return new SyncerError('no-retry', message);
}
