import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The text that must go with the bundle: name, version and licence of every package in it.
 *
 * @param root the project's folder
 * @param inputs the bundled files, relative to `root`
 * @param legalComments the licence comments that stood in these files
 */
export async function thirdPartyNotice(
  root: string,
  inputs: readonly string[],
  legalComments: readonly string[],
): Promise<string> {
  const notices = await Promise.all(packageFolders(inputs).map((folder) => notice(root, folder)));
  const comments = [...new Set(legalComments.map((text) => text.trim()))].sort();
  return `syncer contains code of these packages.\n\n${[...notices, ...comments].join('\n\n')}\n`;
}

/** The folders of the packages that the files belong to, each once, sorted. */
function packageFolders(inputs: readonly string[]): string[] {
  const folders = inputs.flatMap((path) => {
    const match = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path);
    return match === null ? [] : [match[0]];
  });
  return [...new Set(folders)].sort();
}

async function notice(root: string, folder: string): Promise<string> {
  const path = join(root, folder);
  const { name, version, license } = JSON.parse(await readFile(join(path, 'package.json'), 'utf8'));
  const licenceFile = (await readdir(path)).find((file) => /^licen[cs]e/i.test(file));
  const licence = licenceFile === undefined ? '' : await readFile(join(path, licenceFile), 'utf8');
  return `== ${name} ${version} (${license}) ==\n${licence.trim()}`;
}
