import type { DriveItem } from './drive-item.ts';
import { sliceContent } from './file-content.ts';
import type { Answer, GraphCall } from './graph-call.ts';
import { GraphFailure } from './graph-failure.ts';
import type { GraphWorld } from './graph-world.ts';

/** What a download address answers: the file, or a range of it. */
export function answerDownload(world: GraphWorld, id: string, call: GraphCall): Answer {
  const grant = world.downloads.get(id);
  const { downloadUses, expiredDownloadStatus: status } = world.settings;
  if (grant !== undefined) grant.uses++;
  if (grant === undefined || grant.expires <= world.now() || grant.uses > downloadUses) {
    const code = status === 401 ? 'unauthenticated' : 'itemNotFound';
    throw new GraphFailure(status, code, 'The download address has expired.');
  }
  const content = grant.content ?? grant.item.content;
  if (content === undefined || !grant.drive.items.has(grant.item.id)) {
    throw new GraphFailure(404, 'itemNotFound', 'The file is gone.');
  }
  const { etag, ...others } = headersOf(grant.item);
  const headers = world.settings.untaggedDownloads ? others : { etag, ...others };
  const range = world.settings.ignoreRanges ? undefined : readRange(call, content.size);
  if (range === 'unsatisfiable') {
    throw new GraphFailure(416, 'invalidRange', 'The range lies outside the file.', {
      headers: { 'content-range': `bytes */${content.size}` },
    });
  }
  if (range === undefined) return { status: 200, headers, body: content.pieces };
  return {
    status: 206,
    headers: {
      ...headers,
      'content-range': `bytes ${range.start}-${range.end - 1}/${content.size}`,
    },
    body: sliceContent(content, range.start, range.end),
  };
}

function headersOf(item: DriveItem): { readonly etag: string; readonly [name: string]: string } {
  return {
    'content-type': item.mimeType,
    'accept-ranges': 'bytes',
    'last-modified': new Date(item.serverModified).toUTCString(),
    etag: `"${item.id},${item.contentRevision}"`,
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(item.name)}`,
  };
}

function readRange(
  { headers }: GraphCall,
  size: number,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    return Number(last) === 0
      ? 'unsatisfiable'
      : { start: Math.max(size - Number(last), 0), end: size };
  }
  const start = Number(first);
  if (start >= size) return 'unsatisfiable';
  const end = last === '' ? size : Math.min(Number(last) + 1, size);
  return end > start ? { start, end } : undefined;
}
