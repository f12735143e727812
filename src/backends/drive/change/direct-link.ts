import type { DriveType } from '../settings.ts';

/**
 * The link that gives the content of a file at once and not a page that shows it; `undefined` where the form of the
 * link is not known. The forms are rclone's.
 */
export function directLink(webUrl: string, driveType: DriveType): string | undefined {
  const parts = webUrl.split('/');
  const [, , host, , kind, first, second, share] = parts;
  if (driveType === 'personal') {
    if (parts.length !== 5) return undefined;
    const id = Buffer.from(webUrl).toString('base64url');
    return `https://api.onedrive.com/v1.0/shares/u!${id}/root/content`;
  }
  const page = '_layouts/15/download.aspx?share=';
  if (driveType === 'business' || kind === 'g') {
    return parts.length === 8 ? `https://${host}/${first}/${second}/${page}${share}` : undefined;
  }
  if (parts.length !== 7) return undefined;
  const folder = kind === 't' ? 'teams' : 'sites';
  return kind === 's' || kind === 't'
    ? `https://${host}/${folder}/${first}/${page}${second}`
    : undefined;
}
