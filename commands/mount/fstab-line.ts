import { isMountOption } from '../../src/fuse/device/mounting.ts';

/** Options for mount(8), systemd and automount alone. */
const FOR_OTHERS =
  /^(_netdev|defaults|auto|noauto|nofail|user|users|nouser|nousers|owner|group|x-.*|comment=.*|args2env|vv?v?v?|command=.*|env\..*)$/i;

/**
 * Translates `remote:path /mnt [-sfnv] [-N ns] [-t type] [-o options]` of mount(8) into a command line. Options of
 * mount stay options; others become flags, as in rclone: `vfs_cache_mode=full` is `--vfs-cache-mode=full`; those of
 * the form `env.NAME=value` set environment variables. The mount runs in the background.
 */
export function fstabLine(words: readonly string[]): {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
} {
  const places: string[] = [];
  const options: string[] = [];
  const flags: string[] = [];
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '-o' || word === '--options') options.push(...optionWords(rest.shift() ?? ''));
    else if (word.startsWith('-o')) options.push(...optionWords(word.slice(2)));
    else if (word === '-t' || word === '-N') rest.shift();
    else if (word.startsWith('--')) flags.push(word);
    else if (/^-[sfnv]+$/.test(word)) flags.push(...(word.match(/v+/g) ?? []).map((v) => `-${v}`));
    else places.push(word);
  }
  const own = options.filter((option) => !FOR_OTHERS.test(option) && !isMountOption(option));
  // `allow_other` is `--allow-other`, `uid=5` is `--uid=5`.
  const named = own.map((option) => {
    const [name = ''] = option.split('=', 1);
    return `--${name.replaceAll('_', '-')}${option.slice(name.length)}`;
  });
  const mount = options.filter(isMountOption);
  const env = options.flatMap((option) => {
    const [, name, value] = /^env\.([^=]+)=(.*)$/.exec(option) ?? [];
    return name === undefined ? [] : [[name, value ?? ''] as const];
  });
  const verbose = options.flatMap((option) => (/^v+$/.test(option) ? [`-${option}`] : []));
  return {
    argv: [
      'mount',
      ...places,
      ...new Set(['--daemon', ...flags, ...verbose, ...named]),
      ...(mount.length === 0 ? [] : ['-o', mount.join(',')]),
    ],
    env: Object.fromEntries(env),
  };
}

/**
 * The options of one `-o`, separated by commas. Quotes hold commas and spaces; a doubled quote is one, as in rclone.
 */
export function optionWords(text: string): readonly string[] {
  const words: string[] = [];
  let word = '';
  let quote: string | undefined;
  for (let i = 0; i < text.length; i++) {
    const letter = text[i] as string;
    if (quote !== undefined) {
      if (letter !== quote) word += letter;
      else if (text[i + 1] === quote) word += text[++i];
      else quote = undefined;
    } else if (letter === '"' || letter === "'") {
      quote = letter;
    } else if (letter === ',') {
      words.push(word);
      word = '';
    } else {
      word += letter;
    }
  }
  return [...words, word].filter((each) => each !== '');
}
