import type { Metadata } from '../../../core/entry-details.ts';
import type { LogFields } from '../../../core/log-fields.ts';
import type { WriteSource } from '../../../core/remote.ts';
import { encryptionHeaders } from '../encryption.ts';
import { metadataHeaders, modTimeHeader } from '../objects/metadata-headers.ts';
import type { S3Settings } from '../settings.ts';
import type { S3Store } from '../store.ts';
import { lockHeaders } from './object-lock.ts';

/** The headers of a new object: type, time, metadata, ACL, class, encryption. */
export function objectHeaders(store: S3Store, source: WriteSource): Record<string, string> {
  return {
    'content-type': contentTypeOf(store, source),
    ...placementHeaders(store.settings),
    ...lockHeaders(store, source.metadata),
    ...headersOfMetadata(store, source.path, source.metadata),
    ...(source.modTime === undefined ? {} : modTimeHeader(source.modTime)),
    ...wantedHeaders(store, source.path),
  };
}

/** Headers of an object that the user may set by `--header-upload`, besides metadata. */
const SETTABLE =
  /^(?:cache-control|content-(?:disposition|encoding|language|type)|x-amz-tagging|x-amz-meta-.+)$/;

/** Conditions of a write (S3 documents them for PutObject and CompleteMultipartUpload). */
const CONDITION = /^if-(?:none-)?match$/;

/**
 * The conditions that the user sets by `--header-upload`, or of the source; in a multipart upload they are for its
 * completion.
 */
export function writeConditions(
  { client }: S3Store,
  { replaces }: Pick<WriteSource, 'replaces'>,
): Record<string, string> {
  if (replaces === 'nothing') return { 'if-none-match': '*' };
  if (replaces?.etag !== undefined) return { 'if-match': `"${replaces.etag}"` };
  const given = Object.entries(client.uploadHeaders);
  return Object.fromEntries(given.filter(([name]) => CONDITION.test(name)));
}

function wantedHeaders({ client }: S3Store, path: string): Record<string, string> {
  const { uploadHeaders } = client;
  for (const name of Object.keys(uploadHeaders)) {
    if (SETTABLE.test(name) || CONDITION.test(name)) continue;
    const fields = { name };
    client.context.emit({ type: 'log', level: 'error', path, code: 'header-unknown', fields });
  }
  return Object.fromEntries(Object.entries(uploadHeaders).filter(([name]) => SETTABLE.test(name)));
}

/** The headers of a file's metadata. Metadata that no header can hold is skipped and logged, in rclone's words. */
export function headersOfMetadata({ client }: S3Store, path: string, metadata: Metadata = {}) {
  const { headers, invalidKeys, invalidValues } = metadataHeaders(metadata);
  const tell = (fields: LogFields['metadata-dropped']) =>
    client.context.emit({ type: 'log', level: 'error', path, code: 'metadata-dropped', fields });
  for (const key of invalidKeys) tell({ key });
  for (const key of invalidValues) {
    tell({ key, value: metadata[key] ?? '' });
  }
  return headers;
}

/** The headers that the settings add to every object written or copied. */
export function placementHeaders(settings: S3Settings): Record<string, string> {
  return {
    ...(settings.acl === '' ? {} : { 'x-amz-acl': settings.acl }),
    ...(settings.storageClass === '' ? {} : { 'x-amz-storage-class': settings.storageClass }),
    ...encryptionHeaders(settings.encryption),
  };
}

/** The type of the source, else by the name's extension. */
export function contentTypeOf(store: S3Store, source: WriteSource): string {
  return source.mimeType ?? store.mimeTypeOf(source.path);
}
