import { SyncerError } from '../../core/errors.ts';
import type { RuleGround } from '../file-work.ts';
import { hasListedSize } from '../move-file.ts';
import { targetPath } from '../name-transform.ts';
import { askRules } from './ask.ts';
import { comparingRules } from './comparison.ts';
import { type Facts, NEEDS_LOOK, type RuleBody } from './rule.ts';

/**
 * A file stays at the source if the destination, which ignores case, has other content under another spelling of its
 * name: that may be what an earlier `move` left there of a second file, and the source has only one of them now. A
 * backup or a trash keeps what is replaced, so that nothing is lost.
 */
export function otherSpellingRule(ground: RuleGround): RuleBody {
  const { options, keeper } = ground;
  return {
    of: 'change',
    keepsNames: false,
    extra: 'pairs-only',
    judge({ dest, hashes }, so) {
      if (dest === undefined || so === undefined || hashes === 'same') return undefined;
      if (so.reason.why === 'sizes-identical' || (so.do === 'transfer' && keeper !== undefined))
        return undefined;
      return NEEDS_LOOK;
    },
    async look(facts, so, run) {
      const { source } = facts;
      try {
        const stored = await otherSpelling(ground, facts);
        if (stored === undefined) return undefined;
        if (so.do === 'delete-source' && so.reason.why !== 'dest-newer') {
          const rules = comparingRules({ ...options, checksum: true }, ground.ground);
          const { verdict } = await askRules({ ...ground, run, rules }, facts);
          if (verdict.do === 'keep') return undefined;
        }
        const text = `"${source.path}" is not moved: at the destination it is the same file as "${stored}", which differs in case or Unicode form, and in content`;
        const advice =
          'rename one of them, or keep the other with --trash, --backup-dir or --suffix';
        const error = new SyncerError('already-exists', text, { path: source.path, advice });
        return { do: 'refuse', reason: { why: 'other-spelling', stored }, error, doing: 'move' };
      } catch (thrown) {
        return { do: 'refuse', reason: so.reason, error: thrown, doing: 'move' };
      }
    },
  };
}

/** The path of a file at the destination, if the one that it would get is another spelling of it. */
async function otherSpelling(
  { run, dest: remote, options: { transform } }: RuleGround,
  { source, dest, path: given }: Facts,
): Promise<string | undefined> {
  if (dest === undefined) return undefined;
  const { path, storedPath } = dest;
  const stored = storedPath ?? remote.can.naming?.storedPath(path) ?? path;
  const own = given ?? source.path;
  const isOwn = transform === undefined || given !== undefined;
  const wanted = isOwn ? own : ((await targetPath(run, transform, own)) ?? own);
  if (stored === wanted) return undefined;
  const isOne = path === wanted || (await run.places.isOneName(remote, path, wanted));
  return isOne ? stored : undefined;
}

/**
 * The content of a source that is about to be deleted is as long as its listed size, by which it was compared; otherwise
 * it is transferred. If that cannot be found out, its transfer reports why.
 */
export function listedSizeRule(ground: RuleGround): RuleBody | undefined {
  if (ground.source.can.confirmSize === undefined) return undefined;
  return {
    of: 'change',
    keepsNames: false,
    extra: 'pairs-only',
    judge: ({ dest }, so) =>
      dest === undefined || so?.do === 'transfer' || so?.reason.why === 'dest-newer'
        ? undefined
        : NEEDS_LOOK,
    async look({ source }, { reason }, run) {
      if (await hasListedSize({ ...ground, run }, source)) return undefined;
      return { do: 'transfer', reason };
    },
  };
}
