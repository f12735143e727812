import { readFileSync, statSync } from 'node:fs';
import type { Emit, LogLevel } from '../core/events.ts';
import type { LogFields } from '../core/log-fields.ts';
import { isReference } from '../system/secret-reference.ts';
import type { ConfigFile } from './config-file.ts';
import { isEncrypted } from './encrypted-config.ts';
import type { IniLine } from './ini-lines.ts';

const SECRET_KEY = /secret|token|pass|_key_base64$|^sse_customer_key$|^key(_pem)?$|sas_url/i;
/** Keys that mention secrets without containing one. */
const HARMLESS_KEY = /_md5$|_url$|_command$|^(ask|no)_/i;

/** The notice for a configuration with plain-text secrets that other users can read; otherwise `undefined`. */
export function exposure(
  { path }: Pick<ConfigFile, 'path'>,
  lines: readonly IniLine[],
): LogFields['config-exposed'] | undefined {
  const isSecret = ({ kind, key, value }: IniLine) =>
    kind === 'pair' &&
    value !== '' &&
    !isReference(value) &&
    SECRET_KEY.test(key) &&
    !HARMLESS_KEY.test(key);
  if (path === undefined || process.platform === 'win32' || !lines.some(isSecret)) return undefined;
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || (found.mode & 0o044) === 0) return undefined;
  try {
    // Whatever its password is: it may have changed a moment ago.
    return isEncrypted(readFileSync(path)) ? undefined : { path, mode: found.mode & 0o777 };
  } catch {
    // It was deleted since.
    return undefined;
  }
}

/** The configuration, with one notice if others can read its secrets: at `info`, and at `changed` with a change. */
export function tellingExposure(file: ConfigFile, emit: Emit, changed: LogLevel): ConfigFile {
  const told = new Set<LogLevel>();
  const tell = (lines: readonly IniLine[], level: LogLevel) => {
    if (told.has(level)) return;
    told.add(level);
    const fields = exposure(file, lines);
    if (fields !== undefined) emit({ type: 'log', level, code: 'config-exposed', fields });
  };
  return {
    ...file,
    async read(signal) {
      const lines = await file.read(signal);
      tell(lines, 'info');
      return lines;
    },
    async update(...how) {
      const lines = await file.update(...how);
      tell(lines, changed);
      return lines;
    },
  };
}
