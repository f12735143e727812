import { bool, groupFlags, text } from '../../../core/flags.ts';
import { offerPass } from '../../pass.ts';

/** `--track-renames`. */
export const RENAMES = offerPass({
  flags: groupFlags('sync', {
    'track-renames': bool('Detect renamed files and rename them at the destination'),
    'track-renames-strategy': text(
      'How to detect renames: a comma-separated list of hash, modtime, leaf; size is always compared',
      { default: 'hash', placeholder: 'names' },
    ),
  }),
  after: 'ignore-errors',
  usesModTimes: (flags) =>
    flags['track-renames'] && flags['track-renames-strategy'].includes('modtime'),
  async open(flags, { verb, dest, isFile, isTwoWay, context }) {
    const { 'track-renames': isOn, 'track-renames-strategy': names } = flags;
    const isUsed = isOn && (verb === 'sync' || isTwoWay === true);
    if (isOn && !isUsed && isFile !== true) {
      const event = { code: 'renames-ignored', fields: { lack: 'sync' } } as const;
      context.emit({ type: 'log', level: 'error', path: dest.title, ...event });
    }
    if (!isOn && names === 'hash') return undefined;
    // A bad strategy is an error also without effect.
    const { readRenameStrategy, renamePass } = await import('./track-renames.ts');
    const strategy = readRenameStrategy(names);
    return isUsed ? renamePass(strategy) : undefined;
  },
});
