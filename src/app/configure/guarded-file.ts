import type { ConfigFile } from '../../config/config-file.ts';
import { type Guarded, mayChange } from '../../sync/change-guard.ts';

/** The configuration with a guard before every change: `--dry-run` changes nothing in it, `--interactive` asks. */
export function guardedFile(file: ConfigFile, guarded: Guarded): ConfigFile {
  if (guarded.guard === undefined) return file;
  return {
    ...file,
    async update(change, rekey) {
      const about = file.path ?? 'the configuration in memory';
      const wanted = change(await file.read());
      const may = await mayChange(guarded, { action: 'update of the configuration', about });
      return may ? file.update(change, rekey) : wanted;
    },
  };
}
