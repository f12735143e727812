/**
 * A process of its own that sets keys: `node set-keys-process.ts FILE KEY COUNT`. It sets KEY to 1, 2, … COUNT,
 * each time together with a long value of the same number, so that a torn file would show.
 */
import { openConfigFile } from '../../../src/config/config-file.ts';
import { setIniValue } from '../../../src/config/ini-edit.ts';

const [path = '', key = '', count = '1'] = process.argv.slice(2);
const file = openConfigFile(
  path,
  () => {},
  async () => '',
);
for (let i = 1; i <= Number(count); i++) {
  await file.update((lines) => {
    const long = setIniValue(lines, 'long', key, `${i} `.repeat(20_000).trim());
    return setIniValue(long, 'short', key, String(i));
  });
}
