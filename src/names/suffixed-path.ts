import { leafName } from '../core/remote-path.ts';
import { type MimeTypes, systemMimeTypes } from './mime-types.ts';

const ofThisMachine = systemMimeTypes();

/**
 * The path with a suffix: rclone's `--suffix` and `--suffix-keep-extension`, which keeps the last extension
 * and those before it that have a MIME type: `a-old.tar.gz`, `a.b-old.gz`.
 */
export function suffixedPath(
  path: string,
  { suffix, keepExtension }: { readonly suffix: string; readonly keepExtension: boolean },
  mimeType: MimeTypes = ofThisMachine,
): string {
  if (suffix === '' || !keepExtension) return path + suffix;
  const leaf = leafName(path);
  const dot = leaf.lastIndexOf('.');
  if (dot < 0) return path + suffix;
  let name = leaf.slice(0, dot);
  const isKnown = () => /\.tar$/i.test(name) || mimeType(name) !== 'application/octet-stream';
  while (name.includes('.') && isKnown()) name = name.slice(0, name.lastIndexOf('.'));
  const cut = path.length - leaf.length + name.length;
  return path.slice(0, cut) + suffix + path.slice(cut);
}
