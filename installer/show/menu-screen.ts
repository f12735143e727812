import type { InstallerIo } from '../installer-io.ts';
import type { InstallerOptions } from '../options.ts';
export async function runMenuScreen(_o: InstallerOptions, _io: InstallerIo): Promise<number> {
  return 1;
}
