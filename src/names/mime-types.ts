import { readFileSync } from 'node:fs';

/** The MIME type of a file by the extension of its name. */
export type MimeTypes = (path: string) => string;

/** Tables of the freedesktop database, best first; the first that exists is read. */
const GLOB_TABLES = ['/usr/local/share/mime/globs2', '/usr/share/mime/globs2'];

/** Tables that are read where there is no such database, later ones winning. */
const TYPE_TABLES = [
  '/etc/mime.types',
  '/etc/apache2/mime.types',
  '/etc/apache/mime.types',
  '/etc/httpd/conf/mime.types',
];

const UNKNOWN = 'application/octet-stream';

/** What is known without any table of the system: Go's and rclone's own lists. */
const OWN_TYPES = `
  image/avif avif
  text/css css
  image/gif gif
  text/html htm html
  image/jpeg jpeg jpg
  text/javascript js mjs
  application/json json
  application/pdf pdf
  image/png png
  image/svg+xml svg
  application/wasm wasm
  image/webp webp
  text/xml xml
`;
const LAST_RESORT = `
  audio/flac flac
  audio/mpeg mpga mpega mp2 mp3 m4a
  audio/ogg oga ogg opus spx
  audio/x-wav wav
  image/tiff tiff tif
  video/dv dif dv
  video/fli fli
  video/mpeg mpeg mpg mpe
  video/MP2T ts
  video/mp4 mp4
  video/quicktime qt mov
  video/ogg ogv
  video/webm webm
  video/x-msvideo avi
  video/x-matroska mpv mkv
`;

/**
 * MIME types as Go's `mime.TypeByExtension` and rclone know them here; tables are read on first use. Text has `;
 * charset=utf-8`; unknown extensions are `application/octet-stream`.
 *
 * @param readText the text of a file, `undefined` if it cannot be read
 */
export function systemMimeTypes(
  readText = (path: string): string | undefined => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return undefined;
    }
  },
): MimeTypes {
  const texts = new Map<string, string | undefined>();
  const readOnce = (path: string) => {
    if (!texts.has(path)) texts.set(path, readText(path));
    return texts.get(path);
  };
  const found = new Map<string, string | undefined>();
  let whole: TypeTable | undefined;
  const find = (extension: string) => {
    // The first extensions are looked up in the texts of the tables; for more, the tables are parsed.
    if (whole === undefined && found.size < 32)
      return typeOf(loadTable(readOnce, extension.toLowerCase()), extension);
    whole ??= loadTable(readOnce);
    texts.clear();
    return typeOf(whole, extension);
  };
  return (path) => {
    const dot = path.lastIndexOf('.');
    const extension = dot < 0 || dot < path.lastIndexOf('/') ? '' : path.slice(dot + 1);
    if (extension === '') return UNKNOWN;
    let type = found.get(extension);
    if (type === undefined) {
      type = find(extension) ?? UNKNOWN;
      if (whole === undefined) found.set(extension, type);
    }
    return type;
  };
}

/** Types by extension: as written, and for any case. */
interface TypeTable {
  readonly exact: Map<string, string>;
  readonly lower: Map<string, string>;
}

function typeOf({ exact, lower }: TypeTable, extension: string): string | undefined {
  return exact.get(extension) ?? lower.get(extension.toLowerCase());
}

/** The table of all extensions, or of one in lower case: of the lines that may have it. */
function loadTable(readText: (path: string) => string | undefined, extension?: string): TypeTable {
  const linesOf = (text: string) =>
    extension === undefined ? text.split('\n') : linesWith(text, extension);
  const table: TypeTable = { exact: new Map(), lower: new Map() };
  const add = (extension: string, type: string) => {
    table.exact.set(extension, withCharset(type));
    table.lower.set(extension.toLowerCase(), withCharset(type));
  };
  for (const [extension, type] of typeLines(linesOf(OWN_TYPES))) add(extension, type);
  let globs: string | undefined;
  for (const path of GLOB_TABLES) globs ??= readText(path);
  if (globs !== undefined) {
    // Lines `weight:type:*.extension`, heaviest first.
    for (const line of linesOf(globs)) {
      const [weight = '', type = '', glob = ''] = line.split(':');
      if (weight === '' || weight.startsWith('#') || !/^\*\.[^?*[]+$/.test(glob)) continue;
      if (!table.exact.has(glob.slice(2))) add(glob.slice(2), type);
    }
  } else {
    for (const path of TYPE_TABLES) {
      for (const [extension, type] of typeLines(linesOf(readText(path) ?? '')))
        add(extension, type);
    }
  }
  for (const [extension, type] of typeLines(linesOf(LAST_RESORT))) {
    if (typeOf(table, extension) === undefined) add(extension, type);
  }
  return table;
}

/** The lines with a word or a pattern that ends in this extension, in any case. */
function linesWith(text: string, extension: string): readonly string[] {
  const lines: string[] = [];
  let end = -1;
  const name = extension.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  for (const { index } of text.matchAll(new RegExp(`[.\\s]${name}(?![^\\s:])`, 'gi'))) {
    if (index < end) continue;
    end = text.indexOf('\n', index + 1);
    if (end < 0) end = text.length;
    lines.push(text.slice(text.lastIndexOf('\n', index) + 1, end));
  }
  return lines;
}

function withCharset(type: string): string {
  return type.startsWith('text/') && !type.includes('charset=') ? `${type}; charset=utf-8` : type;
}

/** Lines `type extension extension…`. */
function* typeLines(lines: readonly string[]): Generator<[extension: string, type: string]> {
  for (const line of lines) {
    const [type = '', ...extensions] = line.trim().split(/\s+/);
    if (type.startsWith('#')) continue;
    for (const extension of extensions) {
      if (extension.startsWith('#')) break;
      yield [extension, type];
    }
  }
}
