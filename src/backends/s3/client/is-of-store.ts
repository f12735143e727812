import type { HttpHeaders } from '../../../http/answer-head.ts';

/** Whether the headers of an answer without a body show that it comes from an S3 store, and not from any web server. */
export function isOfStore(headers: HttpHeaders): boolean {
  return Object.keys(headers).some((name) => /^x-(?:amz|goog)-|^x-guploader/.test(name));
}
