import { GoFault } from '../../go/go-fault.ts';
import { goQuote } from '../../go/go-quote.ts';
import { ByteCollector } from '../../kit/byte-collector.ts';

/** Bytes that a line may have: Go's buffer. */
const MAX_LINE = 4096;
const EQUALS = 0x3d;

/** Decodes quoted-printable as Go's `mime/quotedprintable` does, as tolerantly. Throws `GoFault`. */
export function decodeQuotedPrintable(bytes: Buffer): Buffer {
  const decoded = new ByteCollector();
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(0x0a, from) + 1 || bytes.length;
    if (end - from > MAX_LINE) throw new GoFault('bufio: buffer full');
    decoded.push(decodeLine(bytes.toString('latin1', from, end), end === bytes.length));
    from = end;
  }
  return decoded.take();
}

function decodeLine(line: string, isLast: boolean): Buffer {
  let end = line.length;
  while (end > 0 && '\n\r \t'.includes(line.charAt(end - 1))) end--;
  const text = line.slice(0, end);
  const stripped = line.slice(end);
  if (text.endsWith('=')) {
    const isSoft = /^\r?\n/.test(stripped) || (isLast && stripped === '' && text.length > 1);
    if (isSoft) return decodeText(text.slice(0, -1));
    throw new GoFault(`quotedprintable: invalid bytes after =: ${goQuote(stripped)}`);
  }
  return decodeText(text + (/\r?\n$/.exec(line)?.[0] ?? ''));
}

function decodeText(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const byte = text.charCodeAt(i);
    const code = text.slice(i + 1, i + 3);
    if (byte === EQUALS && /^[0-9a-fA-F]{2}$/.test(code)) {
      bytes[length++] = Number.parseInt(code, 16);
      i += 2;
      continue;
    }
    if (byte === EQUALS && code === '') throw new GoFault('unexpected EOF');
    if (byte === 0x7f || (byte < 0x20 && !'\t\r\n'.includes(text.charAt(i)))) {
      const shown = byte.toString(16).padStart(2, '0');
      throw new GoFault(`quotedprintable: invalid unescaped byte 0x${shown} in body`);
    }
    bytes[length++] = byte;
  }
  return bytes.subarray(0, length);
}
