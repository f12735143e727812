import { bool, groupFlags, text } from '../../../core/flags.ts';
import { offerPass } from '../../pass.ts';

/** `--backup-dir` and `--suffix`. */
export const BACKUPS = offerPass({
  flags: groupFlags('sync', {
    'backup-dir': text(
      'Move what would be deleted or overwritten to this directory',
      'remote:path',
    ),
    suffix: text('Append this to the names of files kept by --backup-dir or in place'),
    'suffix-keep-extension': bool('Insert --suffix before the extension'),
  }),
  after: 'delete-empty-src-dirs',
  isForMany: true,
  async open(flags, context) {
    const { 'backup-dir': dir, suffix = '', 'suffix-keep-extension': keepExtension } = flags;
    if (!dir && suffix === '') return undefined;
    const { openBackup } = await import('./backups.ts');
    return openBackup(dir, { suffix, keepExtension }, context);
  },
});
