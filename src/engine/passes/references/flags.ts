import { groupFlags, list } from '../../../core/flags.ts';
import { offerPass } from '../../pass.ts';

/** `--compare-dest` and `--copy-dest`. */
export const REFERENCES = offerPass({
  flags: groupFlags('copy', {
    'compare-dest': list('Skip files that also exist in this directory', 'remote:path'),
    'copy-dest': list(
      'Copy files that also exist in this directory server-side from there',
      'remote:path',
    ),
  }),
  after: 'ignore-case-sync',
  isForMany: true,
  async open(flags, context) {
    const { 'compare-dest': compare, 'copy-dest': copy } = flags;
    const [mode, specs] =
      copy.length > 0 ? (['copy', copy] as const) : (['compare', compare] as const);
    if (specs.length === 0) return undefined;
    const { openReferences } = await import('./references.ts');
    return openReferences(mode, specs, context);
  },
});
