import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The text that must go with the bundle: name, version and licence of every package in it. Where a package has no text
 * of its licence it is the licence's own, with the package's author. Throws where that is not known.
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

/**
 * The packages in the bundle, and the one that is installed beside it, as a bill of materials in the format of CycloneDX.
 * The same sources give the same text: it has no time and no serial number.
 *
 * @param root the project's folder
 * @param name of the package that is described
 * @param inputs the bundled files, relative to `root`
 */
export async function billOfMaterials(
  root: string,
  name: string,
  inputs: readonly string[],
): Promise<string> {
  const described = async (folder: string) =>
    JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
  const { version, license, dependencies } = await described('.');
  const beside = Object.keys(dependencies).map((one) => `node_modules/${one}`);
  const folders = [...packageFolders(inputs), ...beside];
  const component = (type: string, one: LicensedPackage & { readonly version: string }) => ({
    type,
    'bom-ref': `pkg:npm/${one.name.replace('@', '%40')}@${one.version}`,
    name: one.name,
    version: one.version,
    purl: `pkg:npm/${one.name.replace('@', '%40')}@${one.version}`,
    licenses: [{ expression: one.license }],
  });
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: component('application', { name, version, license }) },
    components: await Promise.all(
      folders.map(async (folder) => component('library', await described(folder))),
    ),
  };
  return `${JSON.stringify(bill, undefined, 2)}\n`;
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
  const described = JSON.parse(await readFile(join(path, 'package.json'), 'utf8'));
  const { name, version, license } = described;
  const files = (await readdir(path)).filter((file) => /^(licen[cs]e|notice)/i.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(path, file), 'utf8')));
  if (!files.some((file) => /^licen/i.test(file))) texts.unshift(await standardText(described));
  return `== ${name} ${version} (${license}) ==\n${texts.map((text) => text.trim()).join('\n\n')}`;
}

/** What a package.json says of the package's licence. */
interface LicensedPackage {
  readonly name: string;
  readonly license?: string;
  readonly author?: string | { readonly name?: string };
}

async function standardText({ name, license, author }: LicensedPackage): Promise<string> {
  const owner = typeof author === 'string' ? author : author?.name;
  const { file, part } = TERMS[license ?? ''] ?? {};
  const text = file && (await readFile(join(import.meta.dirname, '../..', file), 'utf8'));
  const body = part?.exec(text ?? '')?.[0];
  const isNamed = license !== 'Apache-2.0';
  if (body === undefined || (isNamed && owner === undefined))
    throw new Error(`${name} has no text of its licence (${license}), and none is known here`);
  if (isNamed) return `${license} License\n\nCopyright (c) ${owner}\n\n${body}`;
  return `${owner === undefined ? '' : `Copyright ${owner}\n\n`}${body}`;
}

/** Where the terms of a licence are: without the owner of that copy, and the appendix on how to apply it. */
const TERMS: Readonly<Record<string, { readonly file: string; readonly part: RegExp }>> = {
  'Apache-2.0': {
    file: 'node_modules/@aws-sdk/client-s3/LICENSE',
    part: /^[\s\S]*END OF TERMS AND CONDITIONS/,
  },
  MIT: { file: 'LICENSE', part: /Permission is hereby[\s\S]*/ },
  ISC: { file: 'node_modules/yaml/LICENSE', part: /Permission to use[\s\S]*/ },
};
