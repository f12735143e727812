import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { homeFolder } from '../../kit/home-folder.ts';

/**
 * The region of a profile in the AWS shared configuration file (`$AWS_CONFIG_FILE`, else `~/.aws/config`); `''` where
 * there is none. A file that cannot be read counts as empty, as in the AWS SDKs.
 *
 * @param profile `''` means `$AWS_PROFILE`, else `default`
 */
export async function readProfileRegion(profile: string, env: NodeJS.ProcessEnv): Promise<string> {
  const home = homeFolder(env);
  const file = env['AWS_CONFIG_FILE'] || (home && join(home, '.aws', 'config'));
  const text = !file ? '' : await readFile(file, 'utf8').catch(() => '');
  return profileRegion(text, profile || env['AWS_PROFILE'] || 'default');
}

/** The region of a profile in the text of a shared configuration file; `''` where it has none. */
export function profileRegion(text: string, profile: string): string {
  // `[profile default]` wins over `[default]`; other profiles always have the word.
  const named = regionOf(text, `profile ${profile}`);
  return named || (profile === 'default' ? regionOf(text, profile) : '');
}

/** The region of a section. Lines that begin with white space belong to the value before them. */
function regionOf(text: string, section: string): string {
  let isWanted = false;
  let region = '';
  for (const line of text.split(/\r?\n/)) {
    const bare = line.replace(/(^|\s)[#;].*$/, '').trimEnd();
    const header = /^\[\s*(.+?)\s*\]$/.exec(bare)?.[1];
    if (header !== undefined) {
      isWanted = header.replace(/\s+/g, ' ').replace(/["']/g, '') === section;
    } else if (isWanted) {
      region = /^region\s*=\s*(.*)$/.exec(bare)?.[1] ?? region;
    }
  }
  return region;
}
