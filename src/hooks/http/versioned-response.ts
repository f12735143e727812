import { ServerResponse } from 'node:http';

/** What Node calls with the first line of a head and its headers, and does not document. */
interface HeadWriter {
  _storeHeader(firstLine: string, headers: readonly string[]): void;
}

const parent = ServerResponse.prototype as unknown as HeadWriter;

/** An answer in the version of its request, as Go gives it: Node says HTTP/1.1 to everyone. */
export class VersionedResponse extends ServerResponse implements HeadWriter {
  _storeHeader(firstLine: string, headers: readonly string[]): void {
    const isOld = this.req.httpVersionMinor === 0;
    const line = isOld ? firstLine.replace('HTTP/1.1', 'HTTP/1.0') : firstLine;
    parent._storeHeader.call(this, line, headers);
  }
}
