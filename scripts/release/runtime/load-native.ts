import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRawAsset } from 'node:sea';

/**
 * Takes the place of koffi's own search for its native part, which is an asset here. The system loads libraries from
 * files only: it is written into a new folder that nobody else may enter, loaded, and deleted at once. Throws what the
 * system says where no place for it can be found.
 */
export function loadStatic(): unknown {
  const { XDG_RUNTIME_DIR, HOME } = process.env;
  let failure: unknown;
  for (const place of [tmpdir(), XDG_RUNTIME_DIR, HOME && join(HOME, '.cache'), '/var/tmp']) {
    if (!place) continue;
    try {
      return loadFrom(place);
    } catch (thrown) {
      failure = thrown;
    }
  }
  throw failure;
}

function loadFrom(place: string): unknown {
  const folder = mkdtempSync(join(place, 'syncer-native-'));
  try {
    const path = join(folder, 'koffi.node');
    const bytes = new Uint8Array(getRawAsset('koffi.node') as ArrayBuffer);
    writeFileSync(path, bytes, { flag: 'wx', mode: 0o500 });
    const holder = { exports: {} };
    process.dlopen(holder, path, constants.dlopen.RTLD_LAZY);
    return holder.exports;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
