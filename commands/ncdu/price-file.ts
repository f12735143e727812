import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { configPath } from '../../src/config/config-path.ts';
import { DEFAULT_SECTION, iniSections, parseIni } from '../../src/config/ini-lines.ts';
import { SyncerError } from '../../src/core/errors.ts';
import { userText } from '../../src/core/name-bytes.ts';
import type { CommandCall, Environment } from '../../src/shell/command-line/command.ts';
import type { Prices } from '../../src/size-tree/costs.ts';

/** Where prices stand: `prices.conf` beside the configuration file; `undefined` without one. */
export function pricePath({ flags, env }: CommandCall & Environment): string | undefined {
  const config = configPath(flags.config, env);
  return config && join(dirname(config), 'prices.conf');
}

/**
 * The prices in a file, those of a remote before those for all. `undefined` without a file; rejects with `config` where
 * a price is no number.
 */
export async function readPrices(path: string, remote: string): Promise<Prices | undefined> {
  const bytes = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    const text = `cannot read ${path}: ${cause.code ?? cause.message}`;
    throw new SyncerError('config', text, { cause });
  });
  return bytes && parsePrices(userText(bytes), path, remote);
}

/** The prices for a remote. Throws `config`. */
export function parsePrices(text: string, path: string, remote: string): Prices {
  const sections = iniSections(parseIni(text, path));
  const values = [...(sections.get(DEFAULT_SECTION) ?? []), ...(sections.get(remote) ?? [])];
  const byClass = new Map<string, number>();
  let currency = '';
  for (const [name, value] of values) {
    if (name.toLowerCase() === 'currency') {
      currency = value;
      continue;
    }
    if (!/^\d+(\.\d*)?$|^\.\d+$/.test(value)) {
      throw new SyncerError('config', `${path}: ${name} = ${value} is not a price such as 0.5`);
    }
    byClass.set(name.toUpperCase(), Number(value));
  }
  return { currency, byClass };
}
