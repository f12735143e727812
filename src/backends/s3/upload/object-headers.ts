import type { WriteSource } from '../../../core/remote.ts';
import { encryptionHeaders } from '../encryption.ts';
import { metadataHeaders, modTimeHeader } from '../objects/metadata.ts';
import type { S3Settings } from '../settings.ts';
import type { S3Store } from '../store.ts';

/** The headers that say what a new object is to be like: type, time, metadata, ACL, class, encryption. */
export function objectHeaders(store: S3Store, source: WriteSource): Record<string, string> {
  return {
    'content-type': contentTypeOf(store, source),
    ...placementHeaders(store.settings),
    ...metadataHeaders(source.metadata ?? {}),
    ...(source.modTime === undefined ? {} : modTimeHeader(source.modTime)),
  };
}

/** The headers that the settings want on every object written or copied. */
export function placementHeaders(settings: S3Settings): Record<string, string> {
  return {
    ...(settings.acl === '' ? {} : { 'x-amz-acl': settings.acl }),
    ...(settings.storageClass === '' ? {} : { 'x-amz-storage-class': settings.storageClass }),
    ...encryptionHeaders(settings.encryption),
  };
}

/** The type the source tells, else what the name's extension tells. */
export function contentTypeOf(store: S3Store, source: WriteSource): string {
  return source.mimeType ?? store.mimeTypeOf(source.path);
}
