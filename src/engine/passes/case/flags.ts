import { bool, groupFlags } from '../../../core/flags.ts';
import { offerPass } from '../../pass.ts';

/** `--fix-case`. */
export const CASE = offerPass({
  flags: groupFlags('copy', {
    'fix-case': bool(
      'Rename files and directories at the destination whose names differ from the source only in case',
    ),
  }),
  after: 'ignore-case-sync',
  open: async (flags) => (flags['fix-case'] ? (await import('./case.ts')).casePass : undefined),
});
